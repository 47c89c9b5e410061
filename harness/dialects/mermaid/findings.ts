import type { Diagnostic, Severity } from '../../diagnostics/index.ts';
import type { Place, TextSource } from '../../diagram/index.ts';
import { decodeEntities } from './entities.ts';
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
  #errors = 0;

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

  /** Mermaid reads the text as it seems to be meant, and yet the author may want to look at it. */
  info(finding: Finding): void {
    this.#add('info', finding);
  }

  /** Whether there are so many errors that nobody would read more. */
  get enough(): boolean {
    return this.#errors >= FINDINGS_MAX;
  }

  /** Everything found, from top to bottom. */
  all(): readonly Diagnostic[] {
    return [...this.#found].sort((one, other) => one.line - other.line || one.column - other.column);
  }

  #add(severity: Severity, { code, offset, message, hint, length }: Finding): void {
    // Errors are never crowded out by warnings: they decide whether the value may be used.
    if (severity === 'error') this.#errors += 1;
    else if (this.#found.length >= FINDINGS_MAX) return;
    const at = typeof offset === 'number' ? this.#prepared.place(offset) : offset;
    const place = this.#source.place(at.line, at.column);
    this.#found.push({
      code,
      severity,
      // Pieces of the prepared text still hold the marks of entity codes.
      message: decodeEntities(message),
      hint: decodeEntities(hint),
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
