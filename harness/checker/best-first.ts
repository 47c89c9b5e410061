/**
 * A queue of the states of a search: the least estimate first, among equals the furthest in the trace, and among those the one
 * that was added last. Estimates and positions are small natural numbers, so each pair of them has a stack of its own.
 */
export class BestFirst<T> {
  readonly #byEstimate: { readonly stacks: T[][]; furthest: number }[] = [];
  #least = 0;

  add(estimate: number, position: number, value: T): void {
    const row = (this.#byEstimate[estimate] ??= { stacks: [], furthest: -1 });
    (row.stacks[position] ??= []).push(value);
    if (position > row.furthest) row.furthest = position;
    if (estimate < this.#least) this.#least = estimate;
  }

  take(): T | undefined {
    for (; this.#least < this.#byEstimate.length; this.#least++) {
      const row = this.#byEstimate[this.#least];
      if (row === undefined) continue;
      for (; row.furthest >= 0; row.furthest--) {
        const value = row.stacks[row.furthest]?.pop();
        if (value !== undefined) return value;
      }
    }
    return undefined;
  }
}
