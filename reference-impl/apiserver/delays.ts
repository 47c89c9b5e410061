/** Delays used in turn, over and over; none: no delay. */
export class Delays {
  readonly #delaysMs: readonly number[];
  #used = 0;

  constructor(delaysMs: readonly number[]) {
    this.#delaysMs = delaysMs;
  }

  next(): number {
    const { length } = this.#delaysMs;
    return length === 0 ? 0 : (this.#delaysMs[this.#used++ % length] ?? 0);
  }
}
