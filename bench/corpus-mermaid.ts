import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differenceFrom, MERMAID_12 } from '../harness/dialects/mermaid/oracle/comparable.ts';
import { askMermaid } from '../harness/dialects/mermaid/oracle/mermaid.ts';

/**
 * `npm run corpus:mermaid`: reads the real diagrams of a corpus that lies beside the project, asks Mermaid itself about each, and
 * compares acceptance, participants, messages, blocks, notes and activations. The corpus holds other people's texts, so it is
 * not a part of the project. ASDRAWN_MERMAID_CORPUS names another folder with an `index.tsv` whose first column is a file.
 */
const CORPUS = process.env['ASDRAWN_MERMAID_CORPUS'] ?? join(import.meta.dirname, '../../shared/corpus/mermaid');

function main(): number {
  const index = join(CORPUS, 'index.tsv');
  if (!existsSync(index)) {
    console.log('The corpus of Mermaid diagrams is not here (../shared/corpus/mermaid): nothing was compared.');
    return 0;
  }
  const rows = readFileSync(index, 'utf8').trim().split('\n').slice(1);
  const files = rows.map((row) => row.split('\t', 1)[0] ?? '');
  const texts = files.map((file) => readFileSync(join(CORPUS, file), 'utf8'));
  const answers = askMermaid(texts);
  let unlike = 0;
  for (const [at, text] of texts.entries()) {
    const difference = differenceFrom(text, answers[at] ?? { ok: false });
    if (difference === null || difference.kind === MERMAID_12.name) continue;
    unlike += 1;
    console.log(`${files[at] ?? ''}: ${JSON.stringify(difference)}`);
  }
  const accepted = answers.filter(({ ok }) => ok).length;
  const messages = answers.reduce(
    (sum, { messages = [] }) =>
      sum + messages.filter(({ n, from }) => from !== undefined && !/^(?:ACT|NOTE|CEN)/.test(n)).length,
    0,
  );
  console.log(
    `${files.length - unlike} of ${files.length} diagrams as Mermaid has them (${accepted} accepted, ${files.length - accepted} refused, ${messages} messages)`,
  );
  return unlike === 0 ? 0 : 1;
}

process.exitCode = main();
