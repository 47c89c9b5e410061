/** Chance from a seed: the same seed makes the same decisions. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** A number from 0 below `count` (mulberry32). */
  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * Math.max(1, count));
  }

  /** Whether something happens that does so in one case of `count`. */
  oneIn(count: number): boolean {
    return this.below(count) === 0;
  }

  /** One of the items; undefined where there is none. */
  of<T>(items: readonly T[]): T | undefined {
    return items[this.below(items.length)];
  }

  /** One of the choices, the likelier the greater its weight. */
  weighted<T>(choices: readonly (readonly [number, T])[]): T {
    let left = this.below(choices.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, choice] of choices) {
      left -= weight;
      if (left < 0) return choice;
    }
    throw new Error('Something is chosen from nothing.');
  }
}
