import { hasErrors } from '../diagnostics/index.ts';
import type { Findings } from './findings.ts';
import { MistypedFields } from './mistyped.ts';
import { parseRecord, placeOfField } from './parse-record.ts';
import type { Marker } from './parse-record.ts';
import type { Piece, TraceRecord } from './records.ts';
import type { TraceEvent } from './types.ts';

export interface TakerLimits {
  readonly eventsMax: number;
  readonly lineCharsMax: number;
}

/** Attributes that are told to hold inexact numbers. */
const INEXACT_MAX = 100;
/** Characters of a name that are quoted. */
const NAME_SHOWN = 60;

export interface EventSink {
  /** False: the event was read before, and does not count. */
  readonly accepts?: (event: TraceEvent) => boolean;
  readonly take: (event: TraceEvent, line: number) => void;
  /** Is handed the text of each event that counts, and of each marker. */
  readonly keep?: (text: string) => void;
}

/**
 * Takes the records of a trace one after the other: hands over its events, follows its markers, and says what is wrong with
 * it. Keeps no event.
 */
export class RecordTaker {
  isBegun = false;
  isEnded = false;
  /** There are more events than the limit: the rest is not read. */
  isFull = false;
  events = 0;
  readonly mistyped = new MistypedFields();
  #toldAfterEnd = false;
  /** Attributes of which it is told that they hold numbers that are not exact. */
  readonly #inexact = new Set<string>();
  readonly #findings: Findings;
  readonly #limits: TakerLimits;
  readonly #sink: EventSink;

  constructor(findings: Findings, limits: TakerLimits, sink: EventSink) {
    this.#findings = findings;
    this.#limits = limits;
    this.#sink = sink;
  }

  takePiece(piece: Piece): void {
    switch (piece.kind) {
      case 'record':
        this.take(piece.record);
        return;
      case 'too-long':
        this.#findings.add({
          code: 'TRC109',
          message: `the event is longer than ${this.#limits.lineCharsMax} characters; it was not read`,
          hint: 'put the body of a message elsewhere and leave what a contract needs in the attributes',
          line: piece.line,
        });
        return;
      case 'stray':
        this.#findings.add({
          code: 'TRC115',
          message: `text after the end of the array: ${JSON.stringify(piece.text)}`,
          hint: 'a trace is one JSON array, or one event a line',
          line: piece.line,
          column: piece.column,
        });
        return;
      case 'unclosed':
        this.#findings.add({
          code: 'TRC101',
          message: 'the array is cut: it has no closing ]',
          hint: 'write one event a line instead: then a trace can be read while it is written',
          line: piece.line,
        });
    }
  }

  take(record: TraceRecord): void {
    if (this.isFull) return;
    const parsed = parseRecord(record);
    if (parsed.kind === 'event') this.#takeEvent(parsed.event, record);
    else if (parsed.kind === 'marker') {
      this.#takeMarker(parsed.marker, record.line);
      this.#sink.keep?.(record.text);
    } else for (const finding of parsed.findings) this.#findings.add(finding);
  }

  /** An event that was read otherwise. False: it is one too many. */
  count(line: number): boolean {
    if (this.events >= this.#limits.eventsMax) {
      if (!this.isFull) this.#tellFull(line);
      this.isFull = true;
      return false;
    }
    if (this.isEnded && !this.#toldAfterEnd) this.#tellAfterEnd(line);
    this.events++;
    return true;
  }

  /** A trace without events, where nothing else is wrong with it. */
  tellEmpty(): void {
    if (this.events > 0 || hasErrors(this.#findings.all())) return;
    this.#findings.add({
      code: 'TRC111',
      message: 'the trace has no events',
      hint: 'was the system instrumented, and did anything happen while it was recorded?',
    });
  }

  #takeEvent(event: TraceEvent, record: TraceRecord): void {
    const { line, text } = record;
    if (this.#sink.accepts?.(event) === false || !this.count(line)) return;
    this.#tellMistyped(event, record);
    this.#tellInexact(event, record);
    this.#sink.take(event, line);
    this.#sink.keep?.(text);
  }

  #tellMistyped(event: TraceEvent, record: TraceRecord): void {
    for (const name of Object.keys(event)) {
      const meant = this.mistyped.meantBy(name);
      if (meant === undefined) continue;
      this.mistyped.markTold(name);
      this.#findings.add({
        code: 'TRC117',
        severity: 'warning',
        message: `unknown field ${JSON.stringify(name)}: did you mean ${JSON.stringify(meant)}?`,
        hint: 'what stands there was not read; fields of your own are allowed, best among the attributes',
        ...placeOfField(record, [name]),
      });
    }
  }

  /** Such ids are equal once they are read, so instances would be one that are not. A scanner leaves numbers of so many digits to us. */
  #tellInexact({ attributes }: TraceEvent, record: TraceRecord): void {
    if (attributes === undefined) return;
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) continue;
      if (this.#inexact.has(name) || this.#inexact.size >= INEXACT_MAX) continue;
      this.#inexact.add(name);
      this.#findings.add({
        code: 'TRC118',
        severity: 'warning',
        message: `the attribute ${JSON.stringify(name.slice(0, NAME_SHOWN))} holds a number beyond 2^53: such numbers cannot be told apart`,
        hint: 'JSON numbers are exact only up to 2^53 - 1: write ids as text, in quotes',
        ...placeOfField(record, [name]),
      });
    }
  }

  #tellFull(line: number): void {
    const { eventsMax } = this.#limits;
    this.#findings.add({
      code: 'TRC110',
      message: `the trace has more than ${eventsMax} events; the rest was not read`,
      hint: 'check a shorter run, or raise the limit (eventsMax)',
      line,
    });
  }

  #tellAfterEnd(line: number): void {
    this.#toldAfterEnd = true;
    this.#findings.add({
      code: 'TRC112',
      severity: 'warning',
      message: 'an event follows the end marker',
      hint: '{"kind":"end"} is the last line of a trace: nothing happens after it',
      line,
    });
  }

  #takeMarker(marker: Marker, line: number): void {
    if (marker.kind === 'problem') {
      this.#findings.add({
        code: 'TRC116',
        severity: 'warning',
        message: `the source says that this trace is not whole: ${[marker.title, marker.detail].filter(Boolean).join('. ') || 'no reason given'}`,
        hint: 'instances that had begun before are inconclusive; fetch the trace earlier, or let the source keep more events',
        line,
      });
    } else if (marker.kind === 'end') {
      this.isEnded = true;
    } else if (this.events === 0) {
      this.isBegun = true;
    } else if (!this.isBegun) {
      this.#findings.add({
        code: 'TRC113',
        severity: 'warning',
        message: 'a begin marker after the first event says nothing',
        hint: '{"kind":"begin"} is the first line of a trace: nothing happened before it',
        line,
      });
    }
  }
}
