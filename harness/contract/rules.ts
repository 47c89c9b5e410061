import type { Diagram } from '../diagram/index.ts';
import type { Addresses } from './addresses.ts';
import type { BindingContent } from './binding.ts';
import type { DrawnOrder } from './drawn-order.ts';
import type { Drawing } from './drawing.ts';
import { eventPattern } from './event-pattern.ts';
import type { Findings } from './findings.ts';
import type { PatternSources } from './messages.ts';
import { quoted, suggest } from './names.ts';
import type { Contract, EventPattern, Forbidden, Lifeline, Timing } from './types.ts';

/** A bound on time between arrows, before it is said in messages. */
export interface ArrowTiming extends Omit<Timing, 'from' | 'to'> {
  readonly from: readonly number[];
  readonly to: readonly number[];
}

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** More pairs are not compared with the drawing. */
const PAIRS_MAX = 100;

/** `"a .. b": 30s`: the entries of `within`, by arrows. */
export function timedArrows(
  content: BindingContent,
  drawing: Drawing,
  diagram: Diagram,
  { addresses, drawnOrder }: { readonly addresses: Addresses; readonly drawnOrder: DrawnOrder },
  findings: Findings,
): readonly ArrowTiming[] {
  return Object.entries(content.within ?? {}).map(([key, duration]) => {
    const [from, to] = key.split(' .. ').map((address) => {
      const found = addresses.find(address);
      const hint = suggest(address, addresses.all, 'drawn');
      if (found === null)
        findings.atKey(['within', key], { code: 'BND121', message: `no arrow ${quoted(address)} is drawn`, hint });
      return found?.arrows ?? [];
    });
    const arrows = { from: from ?? [], to: to ?? [] };
    const pairs = arrows.from.flatMap((one) => arrows.to.map((other) => [one, other] as const));
    if (
      pairs.length > 0 &&
      pairs.length <= PAIRS_MAX &&
      pairs.every(([one, other]) => drawnOrder.demandsOverOthers(other, one))
    )
      findings.atKey(['within', key], {
        code: 'BND142',
        severity: 'warning',
        message: `${quoted(key)}: the second of the two comes before the first, so this says nothing`,
        hint: `the earlier one stands first: ${quoted(key.split(' .. ').toReversed().join(' .. '))}`,
      });
    return { ...arrows, text: key, maxMs: millisecondsOf(duration), perIteration: shareLoop(arrows, drawing, diagram) };
  });
}

function millisecondsOf(duration: string): number {
  const [, number = '', unit = ''] = /^([0-9.]+)(ms|s|m|h)$/u.exec(duration) ?? [];
  return Number(number) * (UNITS.get(unit) ?? 1);
}

/** Does every `from` stand in one loop with every `to`? Then each iteration has its own time. */
function shareLoop({ from, to }: Pick<ArrowTiming, 'from' | 'to'>, drawing: Drawing, diagram: Diagram): boolean {
  const loopsAround = (arrow: number): number[] => {
    const found: number[] = [];
    for (let at = drawing.arrows[arrow]?.within ?? null; at !== null; at = at.outer)
      if (diagram.fragments[at.fragment]?.kind === 'loop') found.push(at.fragment);
    return found;
  };
  return from.every((one) => to.every((other) => loopsAround(one).some((loop) => loopsAround(other).includes(loop))));
}

/** The entries of `forbid`. */
export function forbiddenEvents(
  content: BindingContent,
  lifelines: readonly Lifeline[],
  sources: PatternSources,
): readonly Forbidden[] {
  return Object.entries(content.forbid ?? {}).map(([name, binding]) => ({
    name,
    ...eventPattern(binding, ['forbid', name], lifelines, sources),
  }));
}

/** The event that ends an instance. */
export function endingEvent(
  content: BindingContent,
  lifelines: readonly Lifeline[],
  sources: PatternSources,
): { readonly ends?: EventPattern } {
  return content.ends === undefined ? {} : { ends: eventPattern(content.ends, ['ends'], lifelines, sources) };
}

/** What the binding says in one word, where it is not the default. */
export function switches(content: BindingContent): Pick<Contract, 'runs' | 'errors' | 'exclusive'> {
  return {
    ...(content.runs === 'once' ? { runs: content.runs } : {}),
    ...(content.errors === 'violate' ? { errors: content.errors } : {}),
    ...(content.exclusive === true ? { exclusive: true } : {}),
  };
}
