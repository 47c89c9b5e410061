import { hasErrors, renderDiagnostic, type Diagnostic } from '../diagnostics/index.ts';
import type { Io } from './io.ts';

/** Diagnostics told in full; the rest are counted. */
const TOLD_MAX = 20;

/**
 * Prints diagnostics to the error stream, errors first; says how many more there are. True when one is an error.
 * What is merely remarked (severity info) belongs to `asdrawn parse`, not to every check.
 */
export function tell(io: Io, all: readonly Diagnostic[], sources: ReadonlyMap<string, string>): boolean {
  return tellAll(
    io,
    all.filter(({ severity }) => severity !== 'info'),
    sources,
  );
}

export function tellAll(io: Io, diagnostics: readonly Diagnostic[], sources: ReadonlyMap<string, string>): boolean {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const others = diagnostics.filter(({ severity }) => severity !== 'error');
  const ordered = [...errors, ...others];
  for (const diagnostic of ordered.slice(0, TOLD_MAX))
    io.err(`${renderDiagnostic(diagnostic, sources.get(diagnostic.file))}\n`);
  if (ordered.length > TOLD_MAX) io.err(`… and ${ordered.length - TOLD_MAX} more\n`);
  return hasErrors(diagnostics);
}
