// One file for the command line: importing the dialects' libraries module by module costs a second at every start.
import { build } from 'esbuild';
import { chmod } from 'node:fs/promises';

await build({
  entryPoints: ['harness/cli/main.ts'],
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  outfile: 'dist/asdrawn.js',
  // Loaded only for a document that draws its architecture: it would lengthen every start by a third.
  external: ['@mermaid-js/parser'],
  logLevel: 'warning',
  // Libraries in CommonJS call require() for Node's own modules.
  banner: {
    js: "import { createRequire as createRequireOfNode } from 'node:module'; const require = createRequireOfNode(import.meta.url);",
  },
});
await chmod('dist/asdrawn.js', 0o755);
