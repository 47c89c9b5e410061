import type { Finding } from './findings.ts';
import { isReceipt } from './proven-order.ts';
import type { SourcedEvent } from './types.ts';

/** One event names another, which comes before it; the ends of both that this relates. */
interface Reference {
  readonly sourced: SourcedEvent;
  readonly later: number;
  readonly named: SourcedEvent;
  readonly earlier: number;
}

/** References that are spelt out. */
const TOLD_MAX = 4;
const ID_LETTERS_MAX = 60;

/**
 * Says why the ends of a circle cannot be: which event names one that comes later, by what. Each end of the circle comes
 * before the next, by its domain, as the send of a receipt, or because an event names another.
 */
export function contradictionFinding(events: readonly SourcedEvent[], circle: readonly number[]): Finding {
  const references = referencesIn(events, circle);
  const [first] = references;
  if (first === undefined) return receiptsFinding(events, circle);
  const { line } = first.sourced;
  return references.length === 1
    ? { code: 'TRC114', line, message: `line ${line} ${nameOf(first)}, which is ${whenOf(first)}`, hint: HINT }
    : {
        code: 'TRC114',
        line,
        message: `${textOf(references)}: line ${line} would have to come before itself`,
        hint: HINT,
      };
}

const HINT =
  'what an event names in replyTo, parent or causes came before it: it has a lower seq, or another id is meant; a receipt has a higher seq than its send';

/** The one in the first line stands first. */
function referencesIn(events: readonly SourcedEvent[], circle: readonly number[]): readonly Reference[] {
  const found = circle.flatMap((later, index): readonly Reference[] => {
    const earlier = circle.at(index - 1) ?? later;
    const sourced = events[later >> 1];
    const named = events[earlier >> 1];
    const isNamed =
      sourced !== undefined && named !== undefined && !isReceipt(later) && fieldOf(sourced, named) !== null;
    return isNamed ? [{ sourced, later, named, earlier }] : [];
  });
  const top = found.reduce(
    (best, { sourced }, index) => (sourced.line < (found[best]?.sourced.line ?? 0) ? index : best),
    0,
  );
  // Backwards: each names the one after it.
  return [...found.slice(top + 1), ...found.slice(0, top + 1)].reverse();
}

/** How one names the other. */
function fieldOf({ event: { replyTo, parent, causes } }: SourcedEvent, { event: { id } }: SourcedEvent): string | null {
  if (id === undefined) return null;
  if (replyTo === id) return 'replyTo';
  if (parent === id) return 'parent';
  return causes?.includes(id) === true ? 'cause' : null;
}

const nameOf = ({ sourced, named }: Reference): string =>
  `has ${fieldOf(sourced, named)} ${JSON.stringify((named.event.id ?? '').slice(0, ID_LETTERS_MAX))}`;

function whenOf({ sourced, named, earlier }: Reference): string {
  if (sourced === named) return 'itself';
  return `${isReceipt(earlier) ? 'received' : 'sent'} later, in line ${named.line}`;
}

function textOf(references: readonly Reference[]): string {
  const told = references.slice(0, TOLD_MAX).map((one, index) => {
    const { sourced, named } = one;
    const next = references.at(index - 1)?.named ?? sourced;
    const link = next === sourced ? '' : `, which comes before line ${next.line},`;
    return `line ${sourced.line}${link} ${nameOf(one)} (line ${named.line})`;
  });
  const more = references.length - told.length;
  return `${told.join(', ')}${more > 0 ? `, and so on over ${more} more` : ''}`;
}

/** Nothing is named: only positions contradict each other, which takes receipts in other domains. */
function receiptsFinding(events: readonly SourcedEvent[], circle: readonly number[]): Finding {
  const lines = circle
    .filter((end, index) => isReceipt(end) && circle.at(index - 1) === end - 1)
    .map((end) => events[end >> 1]?.line ?? 0);
  const told = lines
    .slice(0, TOLD_MAX)
    .map((line, index) => `line ${line} is received before line ${lines[(index + 1) % lines.length]} is sent`);
  const more = lines.length - told.length;
  return {
    code: 'TRC114',
    line: lines[0] ?? 1,
    message: `${told.join(', ')}${more > 0 ? `, and so on over ${more} more` : ''}`,
    hint: 'positions of these domains contradict each other: in which domain does each receivedSeq count?',
  };
}
