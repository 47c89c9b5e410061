import { ROOT, type Binding } from './bindings.ts';
import { withPlace } from './columns.ts';
import { NOT_HELD, type Held } from './step.ts';
import { movedTold, NOTHING_TOLD, type Told } from './told-values.ts';

/** The list of messages, and in the lowest bits the ends of its answer that were seen. */
const LIST = 0;
const BINDING = 1;
const HELD = 2;
/** What it carries with what it has from others, plus 1; 0: it is not of the contract. */
const CARRIED = 3;
/** What it led to says of the key (see `told-values.ts`). */
const TOLD = 4;
const WIDTH = 5;
const ANSWER_BITS = 2;
const ANSWERS = (1 << ANSWER_BITS) - 1;

/** In place of what an event carries, as long as that is not known. */
const ENTERED = -1;

/** What one contract keeps of the events whose ids are remembered, by the places of their ids. */
export class RememberedEvents {
  #rows = new Int32Array(WIDTH << 8);
  #used = 0;

  /** The list of messages that the event can be, by the labeller's number. */
  setList(place: number, list: number): void {
    const row = place * WIDTH;
    if (place >= this.#used) {
      this.#used = place + 1;
      this.#rows = withPlace(this.#rows, row + WIDTH - 1);
    }
    this.#rows[row + LIST] = list << ANSWER_BITS;
    this.#rows[row + CARRIED] = 0;
    this.#rows[row + TOLD] = NOTHING_TOLD;
  }

  list(place: number): number {
    return (this.#rows[place * WIDTH + LIST] ?? 0) >> ANSWER_BITS;
  }

  /** The ends of an answer to a call that were seen, as bits. */
  answered(place: number): number {
    return (this.#rows[place * WIDTH + LIST] ?? 0) & ANSWERS;
  }

  /** Only after `setList`. */
  noteAnswer(place: number, ends: number): void {
    const at = place * WIDTH + LIST;
    this.#rows[at] = (this.#rows[at] ?? 0) | ends;
  }

  /** A call, and what it carries; the step itself where it is held back. Only after `setList`. */
  setCall(place: number, binding: Binding, held: Held): void {
    const row = place * WIDTH;
    this.#rows[row + BINDING] = binding + 1;
    this.#rows[row + HELD] = held + 1;
  }

  /** It is no call of the contract. */
  clearCall(place: number): void {
    this.#rows[place * WIDTH + BINDING] = 0;
  }

  isCall(place: number): boolean {
    return (this.#rows[place * WIDTH + BINDING] ?? 0) > 0;
  }

  binding(place: number): Binding {
    return (this.#rows[place * WIDTH + BINDING] ?? ROOT + 1) - 1;
  }

  held(place: number): Held {
    return (this.#rows[place * WIDTH + HELD] ?? NOT_HELD + 1) - 1;
  }

  /** An event of the contract, before it takes its turn. Only after `setList`. */
  enter(place: number): void {
    this.#rows[place * WIDTH + CARRIED] = ENTERED;
  }

  /** It takes its turn. */
  carry(place: number, binding: Binding): void {
    this.#rows[place * WIDTH + CARRIED] = binding + 1;
  }

  /** Is it of the contract? */
  isEntered(place: number): boolean {
    return (this.#rows[place * WIDTH + CARRIED] ?? 0) !== 0;
  }

  /** What an event of the contract carries with what it has from others; null: it did not take its turn yet. */
  carried(place: number): Binding | null {
    const carried = this.#rows[place * WIDTH + CARRIED] ?? 0;
    return carried > 0 ? carried - 1 : null;
  }

  told(place: number): Told {
    return this.#rows[place * WIDTH + TOLD] ?? NOTHING_TOLD;
  }

  /** Only after `setList`. */
  setTold(place: number, told: Told): void {
    this.#rows[place * WIDTH + TOLD] = told;
  }

  /** Bindings have other numbers from now on. */
  rebind(move: (binding: Binding) => Binding): void {
    for (let place = 0; place < this.#used; place++) {
      if (this.isCall(place)) this.#rows[place * WIDTH + BINDING] = move(this.binding(place)) + 1;
      const carried = this.carried(place);
      if (carried !== null) this.#rows[place * WIDTH + CARRIED] = move(carried) + 1;
      this.#rows[place * WIDTH + TOLD] = movedTold(this.told(place), move);
    }
  }
}
