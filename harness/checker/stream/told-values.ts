import { NO_TEXT } from '../../trace/index.ts';
import { NO_BINDING, type Binding, type Bindings } from './bindings.ts';

/**
 * What the events that one event led to say of the key, as far as they agree, in one number: a binding, the places of the key
 * at which they differ, and whether the event took its turn without any of the key.
 */
export type Told = number;
export const NOTHING_TOLD: Told = 0;

const PLACES = 2;
const DIFFERENT = (1 << PLACES) - 1;
const LACKED = 1 << PLACES;
const SHIFT = PLACES + 1;

export const bindingTold = (told: Told): Binding => (told >> SHIFT) - 1;

/** Did the event take its turn without any of the key? */
export const hasLacked = (told: Told): boolean => (told & LACKED) !== 0;

export const lacking = (told: Told): Told => told | LACKED;

export const movedTold = (told: Told, move: (binding: Binding) => Binding): Told => {
  const binding = bindingTold(told);
  return binding === NO_BINDING ? told : ((move(binding) + 1) << SHIFT) | (told & (DIFFERENT | LACKED));
};

/** One more event says this. */
export function toldMore(bindings: Bindings, told: Told, said: Binding): Told {
  const known = bindingTold(told);
  if (known === said) return told;
  let different = told & DIFFERENT;
  const values = [NO_TEXT, NO_TEXT];
  for (let place = 0; place < PLACES; place++) {
    if ((different & (1 << place)) !== 0) continue;
    const before = known === NO_BINDING ? NO_TEXT : bindings.value(known, place);
    const now = bindings.value(said, place);
    if (before !== NO_TEXT && now !== NO_TEXT && before !== now) different |= 1 << place;
    else values[place] = before === NO_TEXT ? now : before;
  }
  const [first = NO_TEXT, second = NO_TEXT] = values;
  return ((bindings.of(first, second) + 1) << SHIFT) | different | (told & LACKED);
}
