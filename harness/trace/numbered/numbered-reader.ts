import type { Diagnostic } from '../../diagnostics/index.ts';
import { createFindings, type Findings } from '../findings.ts';
import { LINE_CHARS_MAX } from '../read-trace.ts';
import { parseRecord } from '../parse-record.ts';
import { RecordTaker } from '../take-records.ts';
import type { TraceEvent } from '../types.ts';
import { LineScanner, SLACK_BYTES } from './line-scanner.ts';
import type { NumberedEvent } from './numbered-event.ts';
import { Numbering, type NumberingOptions } from './numbering.ts';

export interface NumberedReaderOptions extends NumberingOptions {
  /** The file name or URL that diagnostics name. */
  readonly source: string;
  /** Default: none, for nothing is kept. */
  readonly eventsMax?: number;
  /** Every line is parsed, since every event is asked for as a whole. */
  readonly isWhole?: boolean;
}

/** Who takes the events of a trace as they are read. */
export interface NumberedSink {
  readonly take: (event: NumberedEvent) => void;
}

/** What was read, without its events. */
export interface NumberedTrace {
  readonly events: number;
  readonly begun: boolean;
  readonly ended: boolean;
  readonly diagnostics: readonly Diagnostic[];
  /** Why the trace must be read as a whole: it is no such text, or not in order as it stands. Then nothing else here counts. */
  readonly unfit: string | null;
}

const CHUNK_BYTES = 1 << 16;
const NEWLINE = 0x0a;

/**
 * Reads a trace of one event a line from its bytes, keeping nothing: usual lines are scanned, others parsed as `readTraceText`
 * does, with the same diagnostics. What only a reader that sees everything can do, it refuses (`unfit`).
 */
export class NumberedReader {
  readonly numbering: Numbering;
  readonly #options: NumberedReaderOptions;
  readonly #sink: NumberedSink;
  readonly #findings: Findings;
  readonly #taker: RecordTaker;
  readonly #scanner: LineScanner;
  #bytes = new Uint8Array(4 * CHUNK_BYTES + SLACK_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;
  #line = 1;
  #unfit: string | null = null;
  /** Where the current line begins, and its event if it was parsed. */
  #start = 0;
  #parsed: TraceEvent | null = null;
  // A byte order mark is none of the text where it begins the trace, and a character elsewhere.
  #decoder = new TextDecoder('utf-8', { fatal: true });

  constructor(options: NumberedReaderOptions, sink: NumberedSink) {
    this.numbering = new Numbering(options);
    this.#options = options;
    this.#sink = sink;
    this.#findings = createFindings(options.source);
    const limits = { eventsMax: options.eventsMax ?? Infinity, lineCharsMax: LINE_CHARS_MAX };
    this.#taker = new RecordTaker(this.#findings, limits, {
      take: (event, line) => {
        this.numbering.takeEvent(event);
        this.#parsed = event;
        this.#hand(line);
      },
    });
    const { mistyped } = this.#taker;
    this.#scanner = new LineScanner(this.numbering.wantOf, (name) => mistyped.meantBy(name) !== undefined);
  }

  /** The trace declares its beginning. Known when its first event comes. */
  get isBegun(): boolean {
    return this.#taker.isBegun;
  }

  /** The event that was handed over last, as a whole. Only while it is handed over. */
  wholeEvent(): TraceEvent {
    if (this.#parsed !== null) return this.#parsed;
    const end = this.#bytes.indexOf(NEWLINE, this.#start);
    const text = this.#decoded(this.#start, end) ?? '';
    const record = parseRecord({ text, line: this.#line, column: 1 });
    if (record.kind !== 'event') throw new Error('a line that was scanned as an event is none when it is parsed');
    return record.event;
  }

  /** Nothing more of the trace is of use. */
  get isOver(): boolean {
    return this.#unfit !== null || this.#taker.isFull;
  }

  push(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length && !this.isOver; from += CHUNK_BYTES)
      this.#take(chunk.subarray(from, from + CHUNK_BYTES));
  }

  end(): NumberedTrace {
    if (!this.isOver && this.#length > 0) this.#take(Uint8Array.of(NEWLINE));
    if (this.#unfit === null) this.#taker.tellEmpty();
    const { events, isBegun, isEnded } = this.#taker;
    return { events, begun: isBegun, ended: isEnded, diagnostics: this.#findings.all(), unfit: this.#unfit };
  }

  #take(chunk: Uint8Array): void {
    this.#reserve(this.#length + chunk.length);
    this.#bytes.set(chunk, this.#length);
    this.#length += chunk.length;
    const end = this.#bytes.lastIndexOf(NEWLINE, this.#length - 1) + 1;
    if (end > 0) this.#takeLines(end);
    // Characters are at most as many as bytes.
    else if (this.#length > LINE_CHARS_MAX) this.#unfit = 'a line is too long';
  }

  #reserve(size: number): void {
    if (size + SLACK_BYTES <= this.#bytes.length) return;
    const bytes = new Uint8Array(2 * (size + SLACK_BYTES));
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer);
  }

  #takeLines(end: number): void {
    const { isWhole } = this.#options;
    let start = 0;
    while (start < end && !this.isOver) {
      this.#start = start;
      this.#parsed = null;
      const next = isWhole === true ? -1 : this.#scanner.scan(this.#bytes, this.#view, start);
      if (next < 0) start = this.#takeUnusual(start);
      else {
        if (this.#taker.count(this.#line)) {
          this.numbering.takeLine(this.#scanner, this.#view);
          this.#hand(this.#line);
        }
        start = next;
      }
      if (this.#line++ === 1) this.#decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    }
    this.#bytes.copyWithin(0, start, this.#length);
    this.#length -= start;
  }

  #hand(line: number): void {
    const { event, disorder } = this.numbering;
    this.#unfit ??= disorder;
    event.line = line;
    if (this.#unfit === null) this.#sink.take(event);
  }

  /** A blank line, a marker, or what the scanner leaves alone. Returns the place after it. */
  #takeUnusual(start: number): number {
    const newline = this.#bytes.indexOf(NEWLINE, start);
    if (newline - start > LINE_CHARS_MAX) this.#unfit = 'a line is too long';
    else this.#takeText(this.#decoded(start, newline));
    return newline + 1;
  }

  #takeText(text: string | null): void {
    if (text === null) {
      this.#unfit ??= 'its bytes are no UTF-8';
      return;
    }
    // As the reader of texts does: RFC 7464 writes a record separator before each text.
    const first = text.search(/[^\s\u001e\ufeff]/);
    if (first < 0) return;
    // What the first character of all is decides.
    if (text[first] === '[' && this.#taker.events === 0) this.#unfit = 'it is an array';
    else this.#taker.take({ text: text.slice(first), line: this.#line, column: first + 1 });
  }

  #decoded(start: number, end: number): string | null {
    try {
      return this.#decoder.decode(this.#bytes.subarray(start, end));
    } catch {
      return null;
    }
  }
}
