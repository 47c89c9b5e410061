import type { Addresses } from './addresses.ts';
import type { BindingContent } from './binding.ts';
import type { DrawnOrder } from './drawn-order.ts';
import type { Findings } from './findings.ts';
import { quoted, suggest } from './names.ts';

interface DrawnOvertaking {
  readonly addresses: Addresses;
  /** By arrow, those that are drawn later and sent before it is received. */
  readonly overtaken: ReadonlyMap<number, ReadonlySet<number>>;
  readonly drawnOrder: DrawnOrder;
}

/** More pairs are not compared with the drawing. */
const PAIRS_MAX = 1_000;

/** `[a, b, c]`: pairs of arrows, the earlier first, whose order is promised though the drawing does not demand it. */
export function orderedArrows(
  content: BindingContent,
  { addresses, overtaken, drawnOrder }: DrawnOvertaking,
  findings: Findings,
): readonly (readonly [number, number])[] {
  return (content.ordered ?? []).flatMap((entry, position) => {
    const places = entry.map((address, place) => {
      const found = addresses.find(address);
      if (found === null)
        findings.atValue(['ordered', position, place], {
          code: 'BND121',
          message: `no arrow ${quoted(address)} is drawn`,
          hint: suggest(address, addresses.all, 'drawn'),
        });
      return found?.arrows ?? [];
    });
    const pairs = places.slice(1).flatMap((laters, index) => pairsOf(places[index] ?? [], laters));
    if (pairs.some(([earlier, later]) => earlier === later))
      findings.atValue(['ordered', position], {
        code: 'BND125',
        message: 'an arrow cannot come before itself',
        hint: 'two addresses of the list find the same arrow: write From -> To: text',
      });
    if (pairs.some(([earlier, later]) => overtaken.get(earlier)?.has(later) === true))
      findings.atValue(['ordered', position], {
        code: 'BND139',
        message: 'an arrow of this list is drawn as still on its way when one after it is sent',
        hint: 'nothing can be received before that and after it: take the entry out, or let the two go (unordered)',
      });
    for (const [index, laters] of places.slice(1).entries()) {
      const asked = pairsOf(places[index] ?? [], laters).filter(([earlier, later]) => earlier !== later);
      if (
        asked.length === 0 ||
        asked.length > PAIRS_MAX ||
        !asked.every(([earlier, later]) => drawnOrder.demands(later, earlier))
      )
        continue;
      findings.atValue(['ordered', position, index + 1], {
        code: 'BND139',
        message: `${quoted(entry[index + 1] ?? '')} is drawn before ${quoted(entry[index] ?? '')} and must come before it: it cannot come after it as well`,
        hint: 'the first of the list is the one that comes first; if the drawing is wrong here, redraw it, or let the two go (unordered)',
      });
    }
    return pairs.filter(([earlier, later]) => earlier !== later);
  });
}

const pairsOf = (earlier: readonly number[], later: readonly number[]): (readonly [number, number])[] =>
  earlier.flatMap((one) => later.map((other) => [one, other] as const));
