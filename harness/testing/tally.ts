/** Counts what was seen. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(name: string): void {
    this.#counts.set(name, this.count(name) + 1);
  }

  count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** All that was seen, the most frequent first, as shares of the cases. */
  print(cases: number): string {
    const seen = [...this.#counts].sort(([, a], [, b]) => b - a);
    return seen.map(([name, count]) => `${((100 * count) / cases).toFixed(1).padStart(5)} % ${name}`).join('\n');
  }

  /** What was seen in too small a share of the cases, with its count. */
  rare(sharesMin: Readonly<Record<string, number>>, cases: number): string[] {
    const names = Object.keys(sharesMin).filter((name) => this.count(name) < (sharesMin[name] ?? 0) * cases);
    return names.map((name) => `${name}: ${this.count(name)}`);
  }

  /** What was seen in too great a share of the cases, with its count. */
  frequent(sharesMax: Readonly<Record<string, number>>, cases: number): string[] {
    const names = Object.keys(sharesMax).filter((name) => this.count(name) > (sharesMax[name] ?? 1) * cases);
    return names.map((name) => `${name}: ${this.count(name)}`);
  }
}
