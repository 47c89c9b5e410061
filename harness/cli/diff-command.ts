import { compareContracts, pairLifelines, type Comparison } from '../checker/index.ts';
import { compileContract, inlineReferences, type Contract, type Order } from '../contract/index.ts';
import { hasErrors, printable, printableLines, type Diagnostic } from '../diagnostics/index.ts';
import { shortenedLines } from '../report/index.ts';
import { printComparison } from './diff-text.ts';
import { problem } from './files.ts';
import { EXIT_AUTHOR_ERROR, type Io } from './io.ts';
import { loadSpecs, readDiagrams } from './specs.ts';
import { tell } from './tell.ts';

export interface DiffOptions {
  readonly order?: Order;
  readonly diagramA?: string;
  readonly diagramB?: string;
  /** `NAME_IN_A=NAME_IN_B`. */
  readonly rename?: readonly string[];
  readonly ignoreText?: boolean;
  /** With the bindings beside the specs: what a binding takes out, or leaves unordered, counts. */
  readonly bound?: boolean;
}

const EXIT_DIFFERENT = 1;
const EXIT_UNDECIDED = 3;

/** `asdrawn diff SPEC_A SPEC_B`: do two drawings demand the same order of the same messages? If not, a shortest trace that shows it. */
export async function diffCommand(io: Io, fileA: string, fileB: string, options: DiffOptions): Promise<number> {
  const [a, b] = [await loadOne(fileA, options.diagramA, options), await loadOne(fileB, options.diagramB, options)];
  const sources = new Map([...a.sources, ...b.sources]);
  if (tell(io, [...a.diagnostics, ...b.diagnostics], sources)) return EXIT_AUTHOR_ERROR;
  const [first, second] = [a.contract, b.contract];
  if (first === null || second === null) return EXIT_AUTHOR_ERROR;
  const renames = (options.rename ?? []).map(splitRename);
  const pairs = pairLifelines(first, second, renames);
  const [wrong] = pairs.unknown;
  if (wrong !== undefined) {
    io.err(`asdrawn diff: --rename "${wrong.join('=')}" names no two participants\n${renameHint(first, second)}\n`);
    return EXIT_AUTHOR_ERROR;
  }
  const compare = (ignoreText: boolean): Comparison =>
    compareContracts(first, second, pairs.counterparts, { ignoreText });
  const ignoreText = options.ignoreText === true;
  const comparison = compare(ignoreText);
  const remarks = [
    ...pairs.byPosition.map(
      ([one, other]) => `"${one}" is taken for "${other}", by position; --rename "${one}=${other}" says so`,
    ),
    ...aloneRemarks(pairs.alone),
    ...(comparison.kind === 'different' && !ignoreText && compare(true).kind === 'same'
      ? ['only texts differ: with --ignore-text the order is the same']
      : []),
  ];
  io.out(printableLines(shortenedLines(printComparison([first, second], comparison, remarks, ignoreText))));
  return comparison.kind === 'same' ? 0 : comparison.kind === 'different' ? EXIT_DIFFERENT : EXIT_UNDECIDED;
}

interface LoadedOne {
  readonly contract: Contract | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: ReadonlyMap<string, string>;
}

/** The one diagram of a file, or the one of that name. */
async function loadOne(file: string, diagram: string | undefined, options: DiffOptions): Promise<LoadedOne> {
  const { contracts, diagnostics, sources } = await compileAll(file, diagram, options);
  const [contract = null, second] = contracts;
  if (second === undefined || hasErrors(diagnostics)) return { contract, diagnostics, sources };
  const names = contracts.map(({ spec }) => `"${spec.name}"`).join(', ');
  const several = problem(
    'CLI120',
    file,
    `${contracts.length} diagrams, and one is compared`,
    `name it with --diagram-a or --diagram-b: ${names}`,
  );
  return { contract: null, diagnostics: [...diagnostics, several.problem], sources };
}

async function compileAll(
  file: string,
  diagram: string | undefined,
  { bound, order }: DiffOptions,
): Promise<Omit<LoadedOne, 'contract'> & { readonly contracts: readonly Contract[] }> {
  if (bound === true) {
    const loaded = await loadSpecs([file], {
      ...(diagram === undefined ? {} : { diagram }),
      ...(order === undefined ? {} : { order }),
    });
    return { ...loaded, contracts: loaded.specs.map(({ contract }) => contract) };
  }
  const { diagrams: read, all, diagnostics: found, sources } = await readDiagrams([file], diagram);
  const inlined = read.map((one) => inlineReferences(one, all));
  const diagrams = inlined.map(({ value }) => value);
  const diagnostics = [...found, ...inlined.flatMap((one) => one.diagnostics)];
  const steps = diagrams.find(({ dialect }) => dialect === 'steps');
  if (steps !== undefined) {
    const hint = 'compare it with --bound, so that its binding says what its steps are';
    const refused = problem('CLI121', file, `"${steps.name}" is a list of steps: it draws no messages`, hint);
    return { contracts: [], diagnostics: [...diagnostics, refused.problem], sources };
  }
  const compiled = diagrams.map((one) => compileContract(one, [], order === undefined ? {} : { order }));
  return {
    contracts: compiled.map(({ value }) => value),
    diagnostics: [...diagnostics, ...compiled.flatMap((one) => one.diagnostics)],
    sources,
  };
}

function splitRename(text: string): readonly [string, string] {
  const equals = text.indexOf('=');
  return equals < 0 ? [text, ''] : [text.slice(0, equals), text.slice(equals + 1)];
}

function renameHint(...contracts: readonly [Contract, Contract]): string {
  const [a, b] = contracts.map(({ lifelines }) => lifelines.map(({ label }) => printable(label)).join(', '));
  return `hint: write --rename "NAME_IN_A=NAME_IN_B"; there are ${a ?? ''}; and ${b ?? ''}`;
}

function aloneRemarks({
  first,
  second,
}: {
  readonly first: readonly string[];
  readonly second: readonly string[];
}): string[] {
  const side = (names: readonly string[], where: string): string[] =>
    names.map((name) => `"${name}" has no counterpart in the ${where} drawing; if it has one, say --rename`);
  return [...side(first, 'second'), ...side(second, 'first')];
}
