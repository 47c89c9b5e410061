/** Something that is due at a position of the trace. */
interface Due<T> {
  readonly position: number;
  readonly value: T;
}

/** Receipts that are still to come, earliest first: a binary heap. */
export class Receipts<T> {
  readonly #heap: Due<T>[] = [];

  get size(): number {
    return this.#heap.length;
  }

  add(position: number, value: T): void {
    const heap = this.#heap;
    let at = heap.push({ position, value }) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.#at(above) <= position) break;
      this.#swap(at, above);
      at = above;
    }
  }

  /** Takes the earliest if it lies before the position. */
  takeBefore(position: number): T | undefined {
    const heap = this.#heap;
    const first = heap[0];
    if (first === undefined || first.position >= position) return undefined;
    const last = heap.pop();
    if (last !== undefined && heap.length > 0) {
      heap[0] = last;
      this.#sink();
    }
    return first.value;
  }

  forEach(take: (value: T) => void): void {
    for (const { value } of this.#heap) take(value);
  }

  #sink(): void {
    const { length } = this.#heap;
    for (let at = 0; ;) {
      let least = at;
      for (const below of [2 * at + 1, 2 * at + 2])
        if (below < length && this.#at(below) < this.#at(least)) least = below;
      if (least === at) return;
      this.#swap(at, least);
      at = least;
    }
  }

  #at(index: number): number {
    return this.#heap[index]?.position ?? Infinity;
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    if (x === undefined || y === undefined) return;
    this.#heap[a] = y;
    this.#heap[b] = x;
  }
}
