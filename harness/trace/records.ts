/** One JSON text of a trace and where it starts. `column` is 1-based, in UTF-16 code units. */
export interface TraceRecord {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

export type Piece =
  | { readonly kind: 'record'; readonly record: TraceRecord }
  | { readonly kind: 'too-long'; readonly line: number }
  | { readonly kind: 'stray'; readonly line: number; readonly column: number; readonly text: string }
  | { readonly kind: 'unclosed'; readonly line: number };

export interface RecordSplitter {
  readonly push: (chunk: string) => void;
  /** No more text will come: hands over what is still pending. Returns the line after the last one. */
  readonly end: () => number;
}

/**
 * Cuts a trace into its records as the text arrives: one a line (NDJSON), or the elements of one JSON array, which is what
 * the first character that is not blank decides. It holds at most one record, of at most `charsMax` characters.
 */
export function createRecordSplitter(
  charsMax: number,
  emit: (piece: Piece) => void,
  firstLine: number,
): RecordSplitter {
  let splitter: RecordSplitter | null = null;
  let line = firstLine;
  return {
    push(chunk) {
      if (splitter !== null) {
        splitter.push(chunk);
        return;
      }
      const first = chunk.search(/[^\s\u001e\ufeff]/);
      if (first < 0) {
        line += newlinesIn(chunk);
        return;
      }
      const createSplitter = chunk[first] === '[' ? createArraySplitter : createLineSplitter;
      splitter = createSplitter(charsMax, emit, line);
      splitter.push(chunk);
    },
    end: () => splitter?.end() ?? line + 1,
  };
}

function createLineSplitter(charsMax: number, emit: (piece: Piece) => void, firstLine: number): RecordSplitter {
  let line = firstLine;
  let pending = '';
  let skipping = false;

  const take = (part: string): void => {
    if (skipping) return;
    if (pending.length + part.length <= charsMax) {
      pending += part;
      return;
    }
    skipping = true;
    pending = '';
    emit({ kind: 'too-long', line });
  };
  const finishLine = (): void => {
    // A record separator before each text is how RFC 7464 (JSON text sequences) writes the same thing.
    const start = pending.search(/[^\s\u001e\ufeff]/);
    if (start >= 0) {
      emit({ kind: 'record', record: { text: start === 0 ? pending : pending.slice(start), line, column: start + 1 } });
    }
    pending = '';
    skipping = false;
  };
  return {
    push(chunk) {
      let from = 0;
      for (let newline = chunk.indexOf('\n'); newline >= 0; newline = chunk.indexOf('\n', from)) {
        take(chunk.slice(from, newline));
        finishLine();
        line++;
        from = newline + 1;
      }
      take(chunk.slice(from));
    },
    end() {
      finishLine();
      return line + 1;
    },
  };
}

/**
 * The elements of a JSON array, found by counting brackets outside strings. Whether an element is good JSON is for
 * whoever parses it: here it only matters where it ends.
 */
function createArraySplitter(charsMax: number, emit: (piece: Piece) => void, firstLine: number): RecordSplitter {
  let line = firstLine;
  let column = 0;
  let state: 'before' | 'between' | 'element' | 'after' = 'before';
  let depth = 0;
  let inString = false;
  let escaped = false;
  let strayTold = false;
  let start = { line, column };
  /** What earlier chunks held of the element; null once it is too long. */
  let pending: string | null = '';
  /** Where the rest of it starts in the current chunk. */
  let from = 0;

  const append = (part: string): void => {
    if (pending === null) return;
    pending += part;
    if (pending.length <= charsMax) return;
    pending = null;
    emit({ kind: 'too-long', line: start.line });
  };
  const finishElement = (rest: string): void => {
    append(rest);
    if (pending !== null) emit({ kind: 'record', record: { text: pending, ...start } });
    pending = '';
  };
  const readInString = (code: number): void => {
    if (escaped) escaped = false;
    else if (code === BACKSLASH) escaped = true;
    else if (code === QUOTE) inString = false;
  };
  const readInElement = (code: number, chunk: string, index: number): void => {
    if (depth === 0 && (code === COMMA || code === CLOSE_BRACKET)) {
      finishElement(chunk.slice(from, index));
      state = code === COMMA ? 'between' : 'after';
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    // A closing bracket too many must not hide the end of the array behind a negative depth.
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth = Math.max(0, depth - 1);
  };
  const readOutside = (code: number, chunk: string, index: number): void => {
    if (isBlank(code)) return;
    if (state === 'before' && code === OPEN_BRACKET) state = 'between';
    else if (state === 'between' && code === CLOSE_BRACKET) state = 'after';
    else if (state === 'between' && code !== COMMA) {
      state = 'element';
      start = { line, column };
      from = index;
      readInElement(code, chunk, index);
    } else if (state !== 'between' && !strayTold) {
      strayTold = true;
      emit({ kind: 'stray', line, column, text: chunk.charAt(index) });
    }
  };
  return {
    push(chunk) {
      from = 0;
      for (let index = 0; index < chunk.length; index++) {
        const code = chunk.charCodeAt(index);
        column++;
        if (inString) readInString(code);
        else if (state === 'element') readInElement(code, chunk, index);
        else readOutside(code, chunk, index);
        if (code === NEWLINE) {
          line++;
          column = 0;
        }
      }
      if (state === 'element') append(chunk.slice(from));
    },
    end() {
      if (state === 'element') finishElement('');
      if (state !== 'after') emit({ kind: 'unclosed', line });
      return line + 1;
    },
  };
}

const [NEWLINE, QUOTE, COMMA, OPEN_BRACKET, BACKSLASH, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [
  0x0a, 0x22, 0x2c, 0x5b, 0x5c, 0x5d, 0x7b, 0x7d,
];

const isBlank = (code: number): boolean => code <= 0x20 || code === 0xfeff;

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
