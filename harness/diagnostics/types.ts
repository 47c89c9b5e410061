/** What an author is told. Author errors are values, never throws; as many as can be found at once. */
export type Severity = 'error' | 'warning' | 'info';

/**
 * `code`: three letters of the room and three digits (`MER104`); never reused, each with a test that shows it.
 * `line` and `column` are 1-based in `file`; `hint` says what to write instead, in the author's words.
 */
export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** One past the last column, where the extent is known (same line). */
  readonly endColumn?: number;
}

/** A value and what was found while making it. With an error among the diagnostics the value is the best that could be read. */
export interface Read<T> {
  readonly value: T;
  readonly diagnostics: readonly Diagnostic[];
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some((diagnostic) => diagnostic.severity === 'error');
