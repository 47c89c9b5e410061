import type { Addresses } from './addresses.ts';
import { isList } from './binding.ts';
import type { BindingContent, MessageBinding, MessageDetails, Path } from './binding.ts';
import type { Drawing } from './drawing.ts';
import type { Findings } from './findings.ts';
import { quoted, suggest } from './names.ts';

/** What the binding says of one arrow, and where. */
export interface Bound {
  readonly details: MessageDetails;
  readonly path: Path;
}

/** A pattern alone is short for `match`. */
export const detailsOf = (message: MessageBinding): MessageDetails =>
  typeof message === 'string' ? { match: message } : message;

/** The entries of `messages` by arrow. The most specific entry speaks for an arrow; two equally specific ones are an error. */
export function boundArrows(
  messages: BindingContent['messages'],
  drawing: Drawing,
  addresses: Addresses,
  findings: Findings,
): ReadonlyMap<number, Bound> {
  const bound = new Map<number, Bound & { readonly rank: number; readonly key: string }>();
  for (const [key, entry] of Object.entries(messages ?? {})) {
    const path: Path = ['messages', key];
    const addressed = addresses.find(key);
    if (addressed === null) {
      const hint = suggest(key, addresses.all, 'drawn');
      findings.atKey(path, { code: 'BND121', message: `no arrow ${quoted(key)} is drawn`, hint });
      continue;
    }
    const { arrows, rank } = addressed;
    if (isOccurrences(entry) && entry.length !== arrows.length) {
      const message = `${quoted(key)} is drawn ${times(arrows.length)}, and bound ${times(entry.length)}`;
      const lines = arrows.map((arrow) => drawing.arrows[arrow]?.at.line ?? 0).join(', ');
      findings.atValue(path, {
        code: 'BND122',
        message,
        hint: `one entry per occurrence, top to bottom: lines ${lines}`,
      });
      continue;
    }
    for (const [position, arrow] of arrows.entries()) {
      const message = isOccurrences(entry) ? entry[position] : entry;
      if (message === undefined) continue;
      const known = bound.get(arrow);
      if (known !== undefined && known.rank === rank) {
        const hint = 'take one out, or write it as From -> To: text, which is more specific';
        const line = drawing.arrows[arrow]?.at.line ?? 0;
        const text = `${quoted(key)} and ${quoted(known.key)} both name the arrow in line ${line}`;
        findings.atKey(path, { code: 'BND109', message: text, hint });
      }
      if (known !== undefined && known.rank >= rank) continue;
      bound.set(arrow, {
        details: detailsOf(message),
        path: isOccurrences(entry) ? [...path, position] : path,
        rank,
        key,
      });
    }
  }
  return bound;
}

const isOccurrences = (entry: MessageBinding | readonly MessageBinding[]): entry is readonly MessageBinding[] =>
  isList(entry);

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`);
