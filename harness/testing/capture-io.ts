import type { Io } from '../cli/index.ts';

/** An outside world for commands under test: it keeps what is printed, and standard input is given. */
export function captureIo(stdin = ''): Io & { readonly printed: () => string; readonly complained: () => string } {
  const printed: string[] = [];
  const complained: string[] = [];
  return {
    out: (text) => void printed.push(text),
    err: (text) => void complained.push(text),
    readStdin: () => Promise.resolve(stdin),
    isColour: false,
    command: 'asdrawn',
    printed: () => printed.join(''),
    complained: () => complained.join(''),
  };
}
