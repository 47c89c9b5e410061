import type { BindingContent } from './binding.ts';
import type { Bound } from './bound-arrows.ts';
import type { Arrow, Drawing } from './drawing.ts';
import type { Findings } from './findings.ts';
import { quoted } from './names.ts';
import type { Pairing } from './pairing.ts';
import type { Bounds } from './term.ts';
import type { ContractMessage } from './types.ts';

/** What becomes of an arrow: its messages, or the reason why it has none. */
export interface ArrowPlan {
  readonly arrow: Arrow;
  readonly bound: Bound | null;
  readonly kind: 'call' | 'reply' | 'send';
  /** The arrow that this reply answers. */
  readonly replyOf: number | null;
  readonly omitted: { readonly kind: 'absent' | 'unobservable'; readonly reason: string } | null;
  /** Its messages in the contract: `count` of them from `first` on. */
  readonly first: number;
  readonly count: number;
  readonly times: Bounds | null;
  readonly retry: NonNullable<ContractMessage['retry']> | null;
}

/** After these statuses a client is told, or used, to try again. */
const RETRY_ON: readonly number[] = [409, 429, 502, 503, 504];

const TIMES = {
  '0..1': { min: 0, max: 1 },
  '1+': { min: 1, max: null },
  '0+': { min: 0, max: null },
} as const;

/** Decides kinds, omissions and numbers of messages, in drawn order. */
export function planArrows(
  drawing: Drawing,
  bound: ReadonlyMap<number, Bound>,
  pairing: Pairing,
  content: BindingContent,
  findings: Findings,
): readonly ArrowPlan[] {
  const answered = new Set(pairing.callOf.values());
  const plans: ArrowPlan[] = [];
  let first = 0;
  for (const arrow of drawing.arrows) {
    const entry = bound.get(arrow.index) ?? null;
    const replyOf = pairing.callOf.get(arrow.index) ?? null;
    const kind = replyOf !== null ? 'reply' : answered.has(arrow.index) ? 'call' : 'send';
    const omitted = omissionOf(entry, replyOf === null ? null : (plans[replyOf] ?? null), findings);
    const count = omitted === null ? (entry?.details.fold?.length ?? 1) : 0;
    const times = timesOf(entry, kind, findings);
    const retry = retryOf(arrow, entry, kind, content, findings);
    plans.push({ arrow, bound: entry, kind, replyOf, omitted, first, count, times, retry });
    if (kind === 'call' && entry?.details.lost === true)
      findings.atValue([...entry.path, 'lost'], {
        code: 'BND136',
        message: 'a reply to this call is drawn, so the call was received',
        hint: 'say absent: why of the reply, or take lost out',
      });
    if (kind === 'reply' && entry?.details.fold !== undefined)
      findings.atKey([...entry.path, 'fold'], {
        code: 'BND128',
        message: 'a reply is one message',
        hint: 'fold the call: its drawn reply is the reply of the last part',
      });
    first += count;
  }
  return plans;
}

function omissionOf(entry: Bound | null, call: ArrowPlan | null, findings: Findings): ArrowPlan['omitted'] {
  const { absent, unobservable } = entry?.details ?? {};
  if (absent !== undefined) return { kind: 'absent', reason: absent };
  if (unobservable !== undefined) return { kind: 'unobservable', reason: unobservable };
  if (call?.omitted == null) return null;
  const { kind, reason } = call.omitted;
  if (entry !== null)
    findings.atKey(entry.path, {
      code: 'BND129',
      message: `this reply answers ${quoted(call.arrow.text)}, which is ${kind}`,
      hint: `a reply without its call cannot be recognised: say ${kind} here too, or bind the call`,
    });
  return { kind, reason: `it answers a call that is ${kind}: ${reason}` };
}

/** Only what asks for an answer is tried again; what the binding says of one arrow goes before what it says of all. */
function retryOf(
  arrow: Arrow,
  entry: Bound | null,
  kind: ArrowPlan['kind'],
  { retry, retryOn }: BindingContent,
  findings: Findings,
): ArrowPlan['retry'] {
  const own = entry?.details.retry;
  const isCall = kind !== 'reply' && arrow.line === 'solid' && !arrow.isOneWay;
  if (entry !== null && own !== undefined && !isCall)
    findings.atValue([...entry.path, 'retry'], {
      code: 'BND137',
      message: 'only a call is tried again',
      hint: 'say it of the call that this belongs to',
    });
  const max = own ?? retry ?? 0;
  if (max === 0 || !isCall || entry?.details.lost === true) return null;
  return { max, on: entry?.details.retryOn ?? retryOn ?? RETRY_ON };
}

function timesOf(entry: Bound | null, kind: ArrowPlan['kind'], findings: Findings): Bounds | null {
  const times = entry?.details.times;
  if (entry === null || times === undefined || times === 1) return null;
  if (kind !== 'send')
    findings.atValue([...entry.path, 'times'], {
      code: 'BND127',
      message: 'a call and its drawn reply come once',
      hint: 'draw a loop around the two, or say in `when` which of the calls it is',
    });
  return TIMES[times];
}
