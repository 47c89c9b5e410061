/** The outside world of a command, so that tests can give it another one. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly readStdin: () => Promise<string>;
  readonly isColour: boolean;
}

/** Exit codes (docs/verdicts.md): the verdict's own, and 2 for anything wrong with spec, binding, trace or command line. */
export const EXIT_AUTHOR_ERROR = 2;
