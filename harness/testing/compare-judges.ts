import { check } from '../checker/index.ts';
import type { Contract } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import type { Outcome, SpecVerdict } from '../verdict/index.ts';
import { describeCase } from './describe-case.ts';
import type { JudgedCase } from './judged-case.ts';
import { TooIntricate, type Readings } from './oracle-search.ts';
import { judgeNaively, type NaiveVerdict } from './oracle.ts';
import { traitsOf } from './case-traits.ts';

export type Class = 'conforms' | 'viable' | 'violates';

/** What checker and oracle say of one case. */
export interface Compared {
  /** What was seen of the case, to be counted. */
  readonly traits: readonly string[];
  /** How they differ, with the case; null: they do not. */
  readonly difference: string | null;
}

/** A difference that is known: see harness/checker/testdata/oracle-found.txt. */
export interface OtherReading {
  readonly name: string;
  /** Under this reading the oracle would say what the checker says; missing: there is none that could be said. */
  readonly reading?: Readings;
  /** It takes all of these constructs. */
  readonly together: readonly string[];
}

/** Where checker and oracle are known to differ. That is counted and not told; a row leaves this table when it is settled. */
export const OTHER_READINGS: readonly OtherReading[] = [
  {
    name: 'what is seen at its receipt was sent then, where a guard is asked',
    reading: { isSentWhenReceived: true },
    together: ['hidden end', 'guarded'],
  },
  // Each send that nothing shows would else be tried before each event, for every iteration to come.
  { name: 'a loop goes by a send that nothing shows', together: ['hidden end', 'loop'] },
];

/** Only outcomes are compared. */
const NO_ALIGNMENT = { instancesMax: 0, lettersMax: 0, statesMax: 0, stepsMax: 0 };

/** Judges a case by both, as a trace that is over and as one that may go on. */
export function compareJudges(judged: JudgedCase, { isStrict = false } = {}): Compared {
  const { contract, events, conformsByConstruction } = judged;
  const complete = check(contract, { events, begun: true, ended: true }, { complete: true, alignment: NO_ALIGNMENT });
  if (complete.outcome === 'vacuous') return { traits: ['nothing to judge'], difference: null };
  const partial = check(contract, { events, begun: true, ended: false }, { complete: false, alignment: NO_ALIGNMENT });
  // A bound was met: nothing is said.
  if (complete.outcome === 'inconclusive') return { traits: ['inconclusive'], difference: null };
  const plain = events.map(({ event }) => event);
  const verdict = judgeIfFew(contract, plain);
  if (verdict === null) return { traits: ['too intricate'], difference: null };
  const found = classOf(verdict);
  const traits = [found, contract.order, `${contract.order} ${found}`, ...traitsOf(judged), ...runsOf(complete)];
  const got = whatIsSaid({ complete: complete.outcome, partial: partial.outcome });
  const due = whatIsSaid(DUE[found]);
  if (conformsByConstruction && found !== 'conforms')
    return { traits, difference: `The oracle says ${found} of a whole execution:\n${describeCase(judged)}` };
  if (got === due) return { traits, difference: null };
  const saysSo = (other: NaiveVerdict | null): boolean => other !== null && whatIsSaid(DUE[classOf(other)]) === got;
  const isSo = ({ reading, together }: OtherReading): boolean =>
    together.every((trait) => traits.includes(trait)) &&
    (reading === undefined || saysSo(judgeIfFew(contract, plain, reading)));
  const known = isStrict ? undefined : OTHER_READINGS.find(isSo);
  if (known !== undefined) return { traits: [...traits, known.name], difference: null };
  return { traits, difference: `The oracle says ${due}; the checker says ${got}:\n${describeCase(judged)}` };
}

/** Null where there are too many executions. */
function judgeIfFew(contract: Contract, events: readonly TraceEvent[], readings?: Readings): NaiveVerdict | null {
  try {
    return judgeNaively(contract, events, readings);
  } catch (error) {
    if (error instanceof TooIntricate) return null;
    throw error;
  }
}

function runsOf({ instances }: SpecVerdict): string[] {
  return instances.some(({ run }) => run > 1) ? ['two runs'] : [];
}

/** What is said of a trace that is over, and of one that may go on. */
interface Outcomes {
  readonly complete: Outcome;
  readonly partial: Outcome;
}

function whatIsSaid({ complete, partial }: Outcomes): string {
  return `${complete}, or ${partial} while the trace goes on`;
}

const DUE: Readonly<Record<Class, Outcomes>> = {
  conforms: { complete: 'conforms', partial: 'conforms' },
  viable: { complete: 'violates', partial: 'incomplete' },
  violates: { complete: 'violates', partial: 'violates' },
};

/** The three ways in which a verdict of the oracle can go. */
export function classOf({ conforms, viable }: NaiveVerdict): Class {
  if (conforms) return 'conforms';
  return viable ? 'viable' : 'violates';
}
