import type { Arrow, Drawing } from './drawing.ts';
import { beginsAtWord, foldLabel, foldName } from './names.ts';
import type { Lifeline } from './types.ts';

/** What an address of the binding stands for. A higher `rank` is more specific and wins where two name one arrow. */
export interface Addressed {
  readonly arrows: readonly number[];
  readonly rank: number;
}

/** `From -> To`, `From --> To`, with or without `: text`; heads do not count. */
const ARROW_FORM = /^(.+?)\s(-->>?|->>?|-x|-\))\s+([^:]+?)\s*(?::\s*(.*))?$/su;

/** Finds arrows by address. Texts are folded once, since every entry of a binding is looked up among all of them. */
export class Addresses {
  readonly #drawing: Drawing;
  readonly #labels: readonly string[];

  constructor(drawing: Drawing) {
    this.#drawing = drawing;
    this.#labels = drawing.arrows.map((arrow) => foldLabel(arrow.text));
  }

  /** The whole text first, else an arrow form, else the beginning of a text up to the end of a word. Null: nothing drawn. */
  find(address: string): Addressed | null {
    const folded = foldLabel(address);
    const exact = this.#where((index) => this.#labels[index] === folded);
    if (exact.length > 0) return { arrows: exact, rank: 5 };
    const form = ARROW_FORM.exec(address.trim());
    const byArrow = form === null ? null : this.#byArrow(form);
    if (byArrow !== null) return byArrow;
    const prefix = this.#where((index) => beginsAtWord(this.#labels[index] ?? '', folded));
    return prefix.length > 0 ? { arrows: prefix, rank: 3 } : null;
  }

  #byArrow([, from = '', shaft = '', to = '', text]: RegExpExecArray): Addressed | null {
    const between = this.#where((index) => {
      const arrow = this.#drawing.arrows[index];
      return (
        arrow !== undefined &&
        arrow.line === (shaft.startsWith('--') ? 'dashed' : 'solid') &&
        this.#isCalled(arrow.from, from) &&
        this.#isCalled(arrow.to, to)
      );
    });
    if (text === undefined || text === '') return between.length > 0 ? { arrows: between, rank: 1 } : null;
    const folded = foldLabel(text);
    const exact = between.filter((index) => this.#labels[index] === folded);
    if (exact.length > 0) return { arrows: exact, rank: 6 };
    const prefix = between.filter((index) => beginsAtWord(this.#labels[index] ?? '', folded));
    return prefix.length > 0 ? { arrows: prefix, rank: 4 } : null;
  }

  #where(test: (index: number) => boolean): number[] {
    return this.#drawing.arrows.flatMap(({ index }) => (test(index) ? [index] : []));
  }

  #isCalled(lifeline: number | null, name: string): boolean {
    return lifeline !== null && lifelineNamed([this.#drawing.lifelines[lifeline]], name) === 0;
  }

  /** What could have been written: for suggestions. */
  get all(): readonly string[] {
    const { arrows, lifelines } = this.#drawing;
    return [
      ...new Set(arrows.map((arrow) => (arrow.text.trim() === '' ? printEnds(arrow, lifelines) : arrow.text.trim()))),
    ];
  }
}

const printEnds = ({ from, to, line }: Arrow, lifelines: readonly Lifeline[]): string =>
  `${nameOf(from, lifelines)} ${line === 'dashed' ? '-->' : '->'} ${nameOf(to, lifelines)}`;

const nameOf = (lifeline: number | null, lifelines: readonly Lifeline[]): string =>
  lifeline === null ? '?' : (lifelines[lifeline]?.label ?? '?');

/** The position of the participant of this name, by id or label; -1 if none is. */
export function lifelineNamed(lifelines: readonly (Lifeline | undefined)[], name: string): number {
  const folded = foldName(name);
  const byId = lifelines.findIndex((lifeline) => lifeline !== undefined && foldName(lifeline.id) === folded);
  if (byId >= 0) return byId;
  return lifelines.findIndex((lifeline) => lifeline !== undefined && foldName(lifeline.label) === folded);
}
