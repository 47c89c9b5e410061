import type { Diagram } from '../diagram/index.ts';
import type { Addresses } from './addresses.ts';
import type { ArrowPlan } from './arrow-plans.ts';
import type { BindingContent } from './binding.ts';
import type { Drawing } from './drawing.ts';
import type { Findings } from './findings.ts';
import { quoted, suggest } from './names.ts';

/** An arrow, and those after it before which it is drawn without being promised. */
export interface Unordered {
  readonly arrow: number;
  readonly others: readonly number[];
}

interface DrawnOrder {
  readonly addresses: Addresses;
  readonly plans: readonly ArrowPlan[];
  readonly mayPrecede: (arrow: number, other: number) => boolean;
}

/**
 * Drawn earlier, or in one loop: there an arrow of one iteration comes before every arrow of the next; or received earlier, where
 * arrows overtake each other.
 */
export function precedence(
  diagram: Diagram,
  drawing: Drawing,
  overtaken: ReadonlyMap<number, ReadonlySet<number>>,
): DrawnOrder['mayPrecede'] {
  const loopsAround = (arrow: number): Set<number> => {
    const found = new Set<number>();
    for (let at = drawing.arrows[arrow]?.within ?? null; at !== null; at = at.outer)
      if (diagram.fragments[at.fragment]?.kind === 'loop') found.add(at.fragment);
    return found;
  };
  return (arrow, other) => {
    if (arrow < other || overtaken.get(other)?.has(arrow) === true) return true;
    const loops = loopsAround(arrow);
    return arrow !== other && [...loopsAround(other)].some((loop) => loops.has(loop));
  };
}

/** `[a, b, c]`: the drawing puts a before b and c, and nobody promises it. */
export function unorderedArrows(
  content: BindingContent,
  { addresses, plans, mayPrecede }: DrawnOrder,
  findings: Findings,
): readonly Unordered[] {
  return (content.unordered ?? []).flatMap((entry, position) => {
    const [first = [], ...rest] = entry.map((address, place) => {
      const found = addresses.find(address);
      const hint = suggest(address, addresses.all, 'drawn');
      if (found === null)
        findings.atValue(['unordered', position, place], {
          code: 'BND121',
          message: `no arrow ${quoted(address)} is drawn`,
          hint,
        });
      return found?.arrows ?? [];
    });
    for (const [place, others] of rest.entries())
      if (
        first.length > 0 &&
        others.length > 0 &&
        !others.some((other) => first.some((arrow) => mayPrecede(arrow, other)))
      )
        findings.atValue(['unordered', position, place + 1], {
          code: 'BND135',
          message: `${quoted(entry[place + 1] ?? '')} is not drawn after ${quoted(entry[0] ?? '')}, nor in one loop with it`,
          hint: 'the first of the list is the one that is drawn earlier',
        });
    const all = rest.flat().filter((other) => plans[other] !== undefined);
    return first
      .map((arrow) => ({ arrow, others: all.filter((other) => mayPrecede(arrow, other)) }))
      .filter(({ others }) => others.length > 0);
  });
}
