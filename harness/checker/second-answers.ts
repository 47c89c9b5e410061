import type { Contract } from '../contract/index.ts';
import { boundAnswers, endsShown, RECEIPT, SEND } from './bound-answers.ts';
import type { LabelledEvent } from './labels.ts';
import { NO_RULES } from './rule-label.ts';

/** How often each end of the answers to a call was shown. */
type Shown = Readonly<Record<'sends' | 'receipts', number>>;
const NONE_SHOWN: Shown = { sends: 0, receipts: 0 };

/**
 * A call is answered as often as its answers are drawn. What names a call that has them all is no answer to any other call: it
 * is told as such, and answers of which a call may have any number are all that it can be taken for.
 */
export function withSecondAnswers(contract: Contract, events: readonly LabelledEvent[]): readonly LabelledEvent[] {
  const bound = boundAnswers(contract);
  if (bound.size === 0) return events;
  const shown = new Map<string, Shown>();
  return events.map((labelled) => {
    const { messages, wrongStatus, sourced, rules = NO_RULES } = labelled;
    const { kind, replyTo } = sourced.event;
    if (kind !== 'reply' || replyTo === undefined) return labelled;
    const all = [...messages, ...wrongStatus];
    const answers = all.filter((message) => bound.has(message));
    const [first] = answers;
    if (first === undefined) return labelled;
    const ends = endsShown(sourced.event);
    const { sends, receipts } = shown.get(replyTo) ?? NONE_SHOWN;
    const now = { sends: sends + (ends & SEND), receipts: receipts + (ends & RECEIPT) / RECEIPT };
    // What may be another answer need not be one of these.
    if (answers.length === all.length) shown.set(replyTo, now);
    const most = Math.max(...answers.map((answer) => bound.get(answer) ?? 1));
    if (((ends & SEND) === 0 || now.sends <= most) && ((ends & RECEIPT) === 0 || now.receipts <= most)) return labelled;
    const isOther = (message: number): boolean => !bound.has(message);
    const others = { messages: messages.filter(isOther), wrongStatus: wrongStatus.filter(isOther) };
    if (others.messages.length + others.wrongStatus.length > 0) return { ...labelled, ...others };
    return { ...labelled, ...others, rules: { ...rules, denied: [], second: first } };
  });
}
