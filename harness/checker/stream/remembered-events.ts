import { ROOT, type Binding } from './bindings.ts';
import { withPlace } from './columns.ts';
import { NOT_HELD, type Held } from './step.ts';

const LIST = 0;
const BINDING = 1;
const HELD = 2;
const WIDTH = 4;

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
    this.#rows[row + LIST] = list;
  }

  list(place: number): number {
    return this.#rows[place * WIDTH + LIST] ?? 0;
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

  /** Bindings have other numbers from now on. */
  rebind(move: (binding: Binding) => Binding): void {
    for (let place = 0; place < this.#used; place++)
      if (this.isCall(place)) this.#rows[place * WIDTH + BINDING] = move(this.binding(place)) + 1;
  }
}
