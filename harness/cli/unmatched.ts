import { specNames } from '../report/index.ts';
import { unmatchedText } from '../scaffold/index.ts';
import type { Trace } from '../trace/index.ts';
import { neverSeen, type RunVerdict } from '../verdict/index.ts';
import { bindingFileOf } from './binding-file.ts';
import type { Io } from './io.ts';
import { shellWord } from './shell-word.ts';
import type { LoadedSpecs } from './specs.ts';

/** After a verdict: for each spec the arrows that nothing matched, what they could be, and the lines that would say so. */
export function tellUnmatched(
  io: Io,
  { specs }: LoadedSpecs,
  { run, trace }: { readonly run: RunVerdict; readonly trace: Trace },
  { trace: traceFile, binding }: { readonly trace?: string; readonly binding?: string },
): void {
  const names = specNames(run.specs);
  for (const [index, { diagram, contract }] of specs.entries()) {
    const verdict = run.specs[index];
    const unseen = new Set(verdict === undefined ? [] : neverSeen(verdict).map((arrow) => arrow.index));
    const file = contract.spec.file;
    const text = unmatchedText(diagram, contract, trace, {
      unseen,
      ...(names[index] === undefined ? {} : { name: names[index] }),
      bindingFile: binding ?? bindingFileOf(file),
      command: `${io.command} bind ${shellWord(file)} --trace ${shellWord(traceFile ?? 'FILE')}`,
    });
    if (text !== '') io.out(`\n${text}`);
  }
}
