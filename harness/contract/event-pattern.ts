import { lifelineNamed } from './addresses.ts';
import type { EventBinding, Path } from './binding.ts';
import { patternMatch } from './messages.ts';
import type { PatternSources } from './messages.ts';
import type { EventPattern, Lifeline, Selector } from './types.ts';

/** `From -> To: pattern`; without the arrow the whole text is the pattern. */
export interface ArrowPattern {
  readonly ends: { readonly from: string; readonly to: string; readonly isReply: boolean } | null;
  readonly pattern: string;
  /** Where the pattern begins in the text. */
  readonly offset: number;
}

const ARROW = /^\s*(\S[^:]*?)\s(-->>|-->|->>|->|-x|-\))\s+(\S[^:]*?)\s*:\s*/u;

/** Splits a text of `forbid` or `ends`; an arrow stands before the first colon, where no expression has one. */
export function readArrowPattern(text: string): ArrowPattern {
  const [head, from, shaft, to] = ARROW.exec(text) ?? [];
  if (head === undefined || from === undefined || to === undefined) return { ends: null, pattern: text, offset: 0 };
  const ends = { from, to, isReply: shaft?.startsWith('--') === true };
  return { ends, pattern: text.slice(head.length), offset: head.length };
}

/** An event that is no drawn message; participants that are not drawn are called as the trace calls them. */
export function eventPattern(
  binding: EventBinding,
  path: Path,
  lifelines: readonly Lifeline[],
  sources: PatternSources,
): EventPattern {
  const { match, when } = typeof binding === 'string' ? { match: binding } : binding;
  const arrow = match === undefined ? null : readArrowPattern(match);
  const selectors = (name: string): readonly Selector[] =>
    lifelines[lifelineNamed(lifelines, name)]?.traced ?? [{ name }];
  const place = typeof binding === 'string' ? path : [...path, 'match'];
  return {
    from: arrow?.ends == null ? null : selectors(arrow.ends.from),
    to: arrow?.ends == null ? null : selectors(arrow.ends.to),
    isReply: arrow?.ends?.isReply ?? null,
    match: { ...patternMatch(arrow?.pattern, [when], place, sources), inside: { kind: 'free' } },
  };
}
