import type { Bound } from './bound-arrows.ts';
import type { Arrow, Drawing } from './drawing.ts';
import type { Findings } from './findings.ts';
import { quoted } from './names.ts';
import type { Pairing } from './pairing.ts';
import type { Bounds } from './term.ts';

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
}

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
    plans.push({ arrow, bound: entry, kind, replyOf, omitted, first, count, times: timesOf(entry, kind, findings) });
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
