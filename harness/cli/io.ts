/** The outside world of a command, so that tests can give it another one. */
export interface Io {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly readStdin: () => Promise<string>;
  /** The bytes of standard input, for a trace that may be too long to be one text; without it, that is `readStdin`. */
  readonly openStdin?: () => AsyncIterable<Buffer>;
  /** Where a trace is kept that comes once and is too long for the memory; default: where this system keeps such files. */
  readonly temporaryFolder?: string;
  readonly isColour: boolean;
  /** Somebody watches the error stream, so a line of it may be written over. */
  readonly isErrorTerminal?: boolean;
  /** How this program was called, for lines to paste: `asdrawn`, or `npm run -s asdrawn --` in a checkout. */
  readonly command: string;
}

/** Exit codes (docs/verdicts.md): the verdict's own, and 2 for anything wrong with spec, binding, trace or command line. */
export const EXIT_AUTHOR_ERROR = 2;
