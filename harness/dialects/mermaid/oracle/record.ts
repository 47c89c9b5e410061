/**
 * `npm run record:mermaid`: asks Mermaid anew about every row of `testdata/probes.jsonl` and writes its answers there. To add a
 * row, append `{"name": "…", "input": "…"}` and run it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { askMermaid } from './mermaid.ts';

const file = new URL('../testdata/probes.jsonl', import.meta.url);
const rows = readFileSync(file, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { readonly name: string; readonly input: string });
const answers = askMermaid(rows.map(({ input }) => input));
const recorded = rows.map(({ name, input }, index) => {
  const { ok, error, actors, title, created, destroyed, messages } = answers[index] ?? { ok: false };
  return JSON.stringify({
    name,
    input,
    ok,
    ...(ok ? { title, actors, created, destroyed, messages } : { error: error?.split('\n').at(-1) }),
  });
});
writeFileSync(file, `${recorded.join('\n')}\n`);
console.info(`${recorded.length} rows`);
