import type { Diagnostic, Severity } from '../../diagnostics/index.ts';
import type { Place, TextSource } from '../../diagram/index.ts';
import type { Prepared } from './prepare.ts';

/** What one diagnostic says; `offset` is of the prepared text, or a place in the text as given, for what was cut from it. */
export interface Finding {
  readonly code: string;
  readonly offset: number | Place;
  readonly message: string;
  readonly hint: string;
  /** How much of the line is meant, where that is known. */
  readonly length?: number;
}

/** Nobody reads more; a file of another kind under a Mermaid name would yield one per line. */
const FINDINGS_MAX = 200;

/** Collects what there is to say about one text, with places in the original file. */
export class Findings {
  readonly #prepared: Prepared;
  readonly #source: TextSource;
  readonly #found: Diagnostic[] = [];
  #dropped = 0;

  constructor(prepared: Prepared, source: TextSource) {
    this.#prepared = prepared;
    this.#source = source;
  }

  /** Mermaid refuses the text because of this. */
  error(finding: Finding): void {
    this.#add('error', finding);
  }

  /** Mermaid accepts the text, but not as its author seems to mean it. */
  warning(finding: Finding): void {
    this.#add('warning', finding);
  }

  /** Everything found, from top to bottom. */
  all(): readonly Diagnostic[] {
    return [...this.#found].sort((one, other) => one.line - other.line || one.column - other.column);
  }

  #add(severity: Severity, { code, offset, message, hint, length }: Finding): void {
    // An error must never be crowded out by warnings: it decides whether the value may be used.
    if (this.#found.length >= FINDINGS_MAX && (severity !== 'error' || this.#dropped > 0)) return;
    if (this.#found.length >= FINDINGS_MAX) this.#dropped += 1;
    const at = typeof offset === 'number' ? this.#prepared.place(offset) : offset;
    const place = this.#source.place(at.line, at.column);
    this.#found.push({
      code,
      severity,
      message,
      hint,
      file: this.#source.file,
      ...place,
      ...(length === undefined || length === 0 ? {} : { endColumn: place.column + length }),
    });
  }
}

/** A piece of the author's text for a message: one line, not too long. */
export function excerpt(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 80 ? `${line.slice(0, 77)}...` : line;
}
