/** A map that forgets its older half when it is full, so that it never grows beyond its bound. */
export class Recent<T> {
  readonly #max: number;
  #newer = new Map<string, T>();
  #older = new Map<string, T>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: string): T | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: string, value: T): void {
    if (this.#newer.size * 2 >= this.#max) [this.#older, this.#newer] = [this.#newer, new Map<string, T>()];
    this.#newer.set(key, value);
  }

  /** All that is remembered; what was set again may come twice. */
  *values(): Generator<T> {
    yield* this.#newer.values();
    yield* this.#older.values();
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
