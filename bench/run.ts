import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** One figure: a ratio of two times taken in one run, a rate, or a size. `aim` is what we want it to be, in words. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly aim?: string;
}

/**
 * `npm run bench [-- NAME]`: runs every `*.bench.ts` of this folder (or those whose name holds NAME) one after the other,
 * prints their figures, and writes them to reports/bench.json. Times vary from machine to machine: compare ratios.
 */
async function main(only: string | undefined): Promise<void> {
  const results: Record<string, readonly Figure[]> = {};
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.bench.ts'));
  for (const file of files.filter((name) => only === undefined || name.includes(only)).sort()) {
    const module = (await import(pathToFileURL(join(import.meta.dirname, file)).href)) as {
      bench: () => Promise<readonly Figure[]> | readonly Figure[];
    };
    console.log(`# ${file}`);
    const figures = await module.bench();
    results[file] = figures;
    for (const { name, value, unit, aim } of figures)
      console.log(
        `${name.padEnd(70)} ${String(Math.round(value * 1000) / 1000).padStart(12)} ${unit}${aim === undefined ? '' : `   (aim: ${aim})`}`,
      );
  }
  mkdirSync('reports', { recursive: true });
  writeFileSync('reports/bench.json', `${JSON.stringify({ v: 1, node: process.version, results }, null, 2)}\n`);
}

await main(process.argv[2]);
