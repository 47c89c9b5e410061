import type { DrawnArrow } from '../contract/index.ts';
import type { Alignment, AlignmentEdit, InstanceVerdict, QuotedEvent, Violation } from '../verdict/index.ts';
import { describeViolation } from './describe.ts';

type Found = Extract<Alignment, { readonly kind: 'found' }>;

/** Faults of the order: what an alignment explains. What only a rule of the binding says stays as it is. */
const OF_THE_ORDER: ReadonlySet<Violation['kind']> = new Set([
  'out-of-order',
  'missing',
  'repeated',
  'unexpected',
  'wrong-participant',
]);

/**
 * The verdict, its faults told by the alignment where that is a better account of what was lost. A run goes on after a fault as
 * best it can by what comes next; where it took the wrong way there, one lost message is followed by a dozen faults that are
 * none, or another message is blamed. The alignment has looked at the whole run. What came at the wrong place stays with the
 * run, which knows both arrows of a broken pair.
 */
export function toldByAlignment(
  verdict: InstanceVerdict,
  alignment: Alignment,
  drawn: readonly DrawnArrow[],
): InstanceVerdict {
  const told = { ...verdict, alignment };
  if (alignment.kind !== 'found' || !isOnlyLoss(alignment)) return told;
  const missing = new Set(alignment.edits.map(({ arrow }) => arrow));
  // What came in its place, between others or with another status, says more than that it is missing; but not where the alignment misses none of it.
  const isMisdirected = ({ kind, arrow }: Violation): boolean =>
    (kind === 'wrong-participant' || kind === 'wrong-status') && (arrow === null || missing.has(arrow));
  if (verdict.violations.some(isMisdirected)) return told;
  const ofTheOrder = verdict.violations.filter(({ kind }) => OF_THE_ORDER.has(kind));
  const explained = faultsOf(alignment.edits);
  if (explained.length >= ofTheOrder.length && !blameOthers(ofTheOrder, missing)) return told;
  const rest = verdict.violations.filter(({ kind }) => !OF_THE_ORDER.has(kind));
  return { ...told, violations: [...explained.map((fault) => violationOf(fault, verdict, drawn)), ...rest] };
}

/** Nothing came that should not have, and all that is missing is listed. */
const isOnlyLoss = ({ cost, edits }: Found): boolean =>
  cost === edits.length && edits.every(({ kind }) => kind === 'missing');

/** They too tell only what is missing, before an event that came, but of other arrows. */
function blameOthers(violations: readonly Violation[], missing: ReadonlySet<number>): boolean {
  return (
    violations.length > 0 &&
    violations.every(
      ({ kind, arrow, event }) => kind === 'missing' && event !== null && arrow !== null && !missing.has(arrow),
    )
  );
}

/** A gap: an arrow that is missing, and how many others are missing behind it at the same place. */
interface Fault {
  readonly arrow: number;
  readonly before: QuotedEvent | null;
  readonly further: number;
}

function faultsOf(edits: readonly AlignmentEdit[]): readonly Fault[] {
  const faults: Fault[] = [];
  for (const edit of edits) {
    if (edit.kind !== 'missing') continue;
    const last = faults.at(-1);
    if (last !== undefined && isSameEvent(last.before, edit.before))
      faults[faults.length - 1] = { ...last, further: last.further + 1 };
    else faults.push({ arrow: edit.arrow, before: edit.before, further: 0 });
  }
  return faults;
}

function isSameEvent(one: QuotedEvent | null, other: QuotedEvent | null): boolean {
  return one?.source === other?.source && one?.line === other?.line;
}

function violationOf(
  { arrow, before, further }: Fault,
  verdict: InstanceVerdict,
  drawn: readonly DrawnArrow[],
): Violation {
  const mustFollow = arrowOf(before, verdict);
  const violation: Violation = { kind: 'missing', arrow, event: before, mustFollow, expected: [arrow], text: '' };
  return { ...violation, text: describeViolation(violation, drawn, further) };
}

/** What the run took the event for, where it quotes that. */
function arrowOf(event: QuotedEvent | null, { violations, excerpt }: InstanceVerdict): number | null {
  if (event === null) return null;
  const told = violations.find((violation) => violation.event !== null && isSameEvent(violation.event, event));
  return excerpt.find((row) => isSameEvent(row.event, event))?.arrow ?? told?.arrow ?? null;
}
