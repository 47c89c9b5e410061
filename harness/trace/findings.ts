import type { Diagnostic, Severity } from '../diagnostics/index.ts';

/** A trace of a million bad lines is told by its first ones. */
const FINDINGS_MAX = 20;

export interface Finding {
  readonly code: string;
  readonly severity?: Severity;
  readonly message: string;
  readonly hint: string;
  readonly line?: number;
  readonly column?: number;
  readonly endColumn?: number;
}

export interface Findings {
  readonly add: (finding: Finding) => void;
  /** What was found, in the order it was found; of more than twenty, the first twenty and how many more. */
  readonly all: () => readonly Diagnostic[];
}

/** Collects diagnostics about one trace, bounded, keeping in mind whether an error was among those it does not keep. */
export function createFindings(source: string): Findings {
  const kept: Diagnostic[] = [];
  let dropped = 0;
  let droppedError = false;
  return {
    add(finding) {
      const diagnostic = toDiagnostic(source, finding);
      if (kept.length < FINDINGS_MAX) {
        kept.push(diagnostic);
        return;
      }
      dropped++;
      if (diagnostic.severity === 'error') droppedError = true;
    },
    all() {
      if (dropped === 0) return kept;
      const last: Finding = {
        code: 'TRC119',
        severity: droppedError ? 'error' : 'warning',
        message: `and ${dropped} more in this trace`,
        hint: 'the first ones usually share one cause',
      };
      return [...kept, toDiagnostic(source, { ...last, line: kept.at(-1)?.line ?? 1 })];
    },
  };
}

export function toDiagnostic(source: string, finding: Finding): Diagnostic {
  return {
    code: finding.code,
    severity: finding.severity ?? 'error',
    message: finding.message,
    hint: finding.hint,
    file: source,
    line: finding.line ?? 1,
    column: finding.column ?? 1,
    ...(finding.endColumn === undefined ? {} : { endColumn: finding.endColumn }),
  };
}
