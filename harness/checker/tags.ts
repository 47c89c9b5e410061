import { OnTheirWay, type LookAlikes } from './look-alikes.ts';
import { candidatesOf, type Letter } from './machine.ts';

/** Events that look alike, may be confused and are on their way at the same time, in one instance. */
export const TAGS_MAX = 256;

/**
 * The letters with tags for those events that could be confused with another one on its way, the least tag for each: most
 * traces need none. Where the drawing has a queue, only who overtakes needs one.
 */
export function withTags(letters: readonly Letter[], lookAlikes: LookAlikes): readonly Letter[] {
  if (!letters.some(({ end }) => end === 'send')) return letters;
  const groups: OnTheirWay[] = [];
  const tags = new Map<number, number>();
  for (const letter of letters) {
    const { labelled, end, position } = letter;
    if (end === 'receive') continue;
    const received = end === 'send' ? (labelled.sourced.event.receivedSeq ?? position) : position;
    const look = lookAlikes.look([...candidatesOf(letter), ...(labelled.rules?.denied ?? [])]);
    const found = groups.findIndex((group) => !group.wouldConfuse(look, position, received));
    const tag = found < 0 ? groups.length : found;
    if (tag > 0) tags.set(labelled.index, tag);
    // Beyond the bound nobody looks: one group more holds them all.
    if (tag <= TAGS_MAX) (groups[tag] ??= new OnTheirWay(lookAlikes)).add(look, received);
  }
  if (tags.size === 0) return letters;
  return letters.map((letter) => {
    const tag = tags.get(letter.labelled.index);
    return tag === undefined ? letter : { ...letter, tag };
  });
}
