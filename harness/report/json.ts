import { printableJson } from '../diagnostics/index.ts';
import type { InstanceVerdict, RunVerdict, SpecVerdict } from '../verdict/index.ts';
import { shortened } from './long-text.ts';
import { OUTCOMES } from './summary.ts';
import type { ReportInput } from './types.ts';

/** Instances that are listed: of one spec that does not conform, and of all specs together. */
const LISTED_MAX = 1_000;
const LISTED_IN_ALL_MAX = 10_000;
/** Characters of the instances that are listed: many with long texts would be more than one text can hold. */
const LISTED_CHARACTERS_MAX = 50_000_000;

/** The verdict as data: specs/verdict.schema.json. The same verdict always gives the same bytes. */
export function renderJson({ run }: ReportInput): string {
  return `${printableJson(inOrder(bounded(run)))}\n`;
}

/** Of many instances the worst are listed, in their order; how many are left out is said, by outcome. */
function bounded(run: RunVerdict): RunVerdict {
  const room: Room = { instances: LISTED_IN_ALL_MAX, characters: LISTED_CHARACTERS_MAX };
  return {
    ...run,
    specs: run.specs.map((spec) => withWorst(spec, room)),
  };
}

/** What may still be listed. */
interface Room {
  instances: number;
  characters: number;
}

function withWorst(spec: SpecVerdict, room: Room): SpecVerdict {
  const { instances } = spec;
  const rank = (index: number): number => OUTCOMES.indexOf(instances[index]?.outcome ?? 'conforms');
  const worst = new Set<number>();
  for (const index of [...instances.keys()].sort((a, b) => rank(a) - rank(b) || a - b)) {
    const characters = charactersOf(instances[index]);
    if (worst.size >= Math.min(LISTED_MAX, room.instances) || characters > room.characters) break;
    worst.add(index);
    room.characters -= characters;
  }
  room.instances -= worst.size;
  if (worst.size === instances.length) return spec;
  const omitted = OUTCOMES.flatMap((outcome) => {
    const count = instances.filter((one, index) => one.outcome === outcome && !worst.has(index)).length;
    return count === 0 ? [] : [[outcome, count] as const];
  });
  return { ...spec, instances: instances.filter((_, index) => worst.has(index)), omitted: Object.fromEntries(omitted) };
}

const charactersOf = (instance: InstanceVerdict | undefined): number =>
  JSON.stringify(instance, (_, value: unknown) => (typeof value === 'string' ? shortened(value) : value), 2).length;

/** The fields that a reader looks for first; the others follow by name. */
const FIRST = ['v', 'outcome', 'exitCode', 'kind', 'spec', 'name', 'reason', 'key', 'run', 'counts'];

const rank = (name: string): number => {
  const index = FIRST.indexOf(name);
  return index < 0 ? FIRST.length : index;
};

// Not localeCompare: the order must not depend on the machine.
const byRank = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  rank(a) - rank(b) || (a < b ? -1 : a > b ? 1 : 0);

/** Plain data with its keys in a fixed order, whatever the order in which the checker filled them; no text is too long. */
function inOrder(value: unknown): unknown {
  if (typeof value === 'string') return shortened(value);
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(byRank)
      .map(([name, inner]) => [name, inOrder(inner)]),
  );
}
