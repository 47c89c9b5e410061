import { explainContract } from '../contract/index.ts';
import { printableLines } from '../diagnostics/index.ts';
import { shortenedLines } from '../report/index.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { loadSpecs, type SpecOptions } from './specs.ts';
import { tell } from './tell.ts';

/** `asdrawn explain SPEC`: the contract in words, and what the drawing does not enforce. */
export async function explainCommand(io: Io, paths: readonly string[], options: SpecOptions): Promise<number> {
  const { specs, diagnostics, sources } = await loadSpecs(paths, options);
  io.out(printableLines(shortenedLines(specs.map(({ contract }) => explainContract(contract)).join('\n'))));
  return tell(io, diagnostics, sources) ? EXIT_AUTHOR_ERROR : 0;
}
