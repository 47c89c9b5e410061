import { compileContract, type Binding, type Contract } from '../contract/index.ts';
import type { SourcedEvent } from '../trace/index.ts';
import { randomDrawing, type DrawnCase } from './random-drawing.ts';
import { randomTrace, type Origin } from './random-trace.ts';
import { Random } from './random.ts';

/** A small drawing with its binding, the contract that the compiler makes of them, and a trace to judge it by. */
export interface JudgedCase {
  readonly drawn: DrawnCase;
  readonly contract: Contract;
  readonly events: readonly SourcedEvent[];
  readonly origin: Origin;
  /** The trace is one whole execution for each key, and each reply names the call that it answers. */
  readonly conformsByConstruction: boolean;
}

/** Drawings that the compiler refuses are drawn anew; more of them in a row than this would be a mistake of the generator. */
const REFUSED_MAX = 200;

/** The case of a number: the same number gives the same case. */
export function judgedCase(seed: number): JudgedCase {
  const [random, overtaking] = [new Random(seed), new Random(~seed)];
  for (let refused = 0; refused < REFUSED_MAX; refused++) {
    const drawn = randomDrawing(random, overtaking);
    const contract = compiled(drawn);
    if (contract === null) continue;
    const origin = random.of<Origin>(['drawn', 'repeated', 'mutated', 'mutated', 'mutated', 'random']) ?? 'random';
    return { drawn, contract, origin, ...randomTrace(contract, origin, random) };
  }
  throw new Error(`No drawing of seed ${seed} compiles.`);
}

/** Null where the compiler finds an error. */
export function compiled({ diagram, content }: DrawnCase): Contract | null {
  const binding: Binding = { file: 'generated.bindings.yaml', at: { line: 1, column: 1 }, content, spots: new Map() };
  const { value, diagnostics } = compileContract(diagram, [binding]);
  if (diagnostics.some(({ severity }) => severity === 'error')) return null;
  return value.messages.length === 0 ? null : value;
}

/** The numbers of the cases of a run: far apart, so that two runs share none by chance. */
export function seedOf(run: number, index: number): number {
  return (Math.imul(run, 0x9e3779b1) + Math.imul(index, 0x85ebca6b)) | 0;
}
