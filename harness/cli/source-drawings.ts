import { open } from 'node:fs/promises';
import { readDocument } from '../dialects/index.ts';

/** Files whose comments may hold drawings, and that nobody means when naming a folder. */
const SOURCE_FILE =
  /\.(?:[cm]?[jt]sx?|go|rs|py|rb|java|kts?|scala|swift|c|h|cc|cpp|cxx|hh|hpp|cs|fs|hs|ex|exs|erl|clj|lisp|el|lua|php|sh|sql|proto|tex|vue)$/i;

/** Source files that are looked into, and how much of each. */
export const SOURCES_MAX = 500;
export const SOURCE_BYTES_MAX = 64 * 1024;

/** Longer lines are no rows of drawings; the bound also keeps the expressions below cheap. */
const ROW_MAX = 400;
const COMMENT = /^\s*(?:\/\/|#|\*|;;|--|%)/u;
const ARROW = /[-─═]{2}[>►▶→]|[<◄◀←][-─═]{2}/u;
const LIFELINES = /[|│┆┊].*[|│┆┊]/u;

/** Of these files, the sources whose comments hold a drawing, as far as a quick look says. */
export async function sourcesWithDrawings(files: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of files.filter((name) => SOURCE_FILE.test(name)).slice(0, SOURCES_MAX)) {
    const text = await beginningOf(file);
    if (mayHoldDrawing(text) && readDocument(text, file).value.some(({ messages }) => messages.length > 1))
      found.push(file);
  }
  return found;
}

/** Arrows and lifelines in comments are worth a closer look. */
function mayHoldDrawing(text: string): boolean {
  const rows = text.split('\n').filter((line) => line.length <= ROW_MAX && COMMENT.test(line));
  return rows.some((row) => LIFELINES.test(row)) && rows.filter((row) => ARROW.test(row)).length > 1;
}

/** What cannot be read holds nothing that was overlooked: whoever names the file is told why. */
async function beginningOf(file: string): Promise<string> {
  try {
    const handle = await open(file);
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(SOURCE_BYTES_MAX), 0, SOURCE_BYTES_MAX, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}
