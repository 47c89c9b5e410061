import type { Diagnostic } from '../diagnostics/index.ts';
import type { Place } from '../diagram/index.ts';
import { pointerOf } from './binding.ts';
import type { Binding, Path } from './binding.ts';

/** What is said of one mistake; `severity` is error unless told otherwise. */
interface Told {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
  readonly severity?: Diagnostic['severity'];
}

const FINDINGS_MAX = 100;

/** Collects what is found while a contract is made, each at its place in the drawing or in the binding. */
export class Findings {
  readonly #drawing: string;
  readonly #binding: Binding | null;
  readonly #found: Diagnostic[] = [];

  constructor(drawing: string, binding: Binding | null) {
    this.#drawing = drawing;
    this.#binding = binding;
  }

  get diagnostics(): readonly Diagnostic[] {
    return this.#found;
  }

  /** Whether a text stands under this path, not a map: then the text itself is the pattern. */
  isText(path: Path): boolean {
    return this.#binding?.spots.has(pointerOf([...path, 'match'])) === false;
  }

  inDrawing(at: Place, told: Told): void {
    this.#add({ severity: 'error', ...told, file: at.file ?? this.#drawing, line: at.line, column: at.column });
  }

  /** At the value under this path of the binding. */
  atValue(path: Path, told: Told): void {
    this.#inBinding(path, 'value', told);
  }

  atKey(path: Path, told: Told): void {
    this.#inBinding(path, 'key', told);
  }

  #inBinding(path: Path, part: 'key' | 'value', told: Told): void {
    const binding = this.#binding;
    if (binding === null) throw new Error('a finding in the binding, and there is none: only its entries are checked');
    const spot = binding.spots.get(pointerOf(path));
    const { line, column } = spot?.[part] ?? spot?.value ?? binding.at;
    this.#add({ severity: 'error', ...told, file: binding.file, line, column });
  }

  #add(diagnostic: Diagnostic): void {
    if (this.#found.length < FINDINGS_MAX) this.#found.push(diagnostic);
  }
}
