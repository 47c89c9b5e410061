import { hasErrors } from '../diagnostics/index.ts';
import type { Read } from '../diagnostics/index.ts';
import { createFindings } from './findings.ts';
import { linearise } from './linearise.ts';
import { parseRecord } from './parse-record.ts';
import type { Marker } from './parse-record.ts';
import { createRecordSplitter } from './records.ts';
import type { Piece, TraceRecord } from './records.ts';
import type { SourcedEvent, Trace, TraceEvent } from './types.ts';

/** Bounds of a reader. What lies beyond them is not kept, and said. */
export interface TraceLimits {
  /** Events; default 1,000,000. */
  readonly eventsMax?: number;
  /** Characters of one line, or of one element of an array; default 1,000,000. */
  readonly lineCharsMax?: number;
}

export interface TraceReader {
  /** Takes the next part of the text; it may end anywhere, also inside a line. */
  readonly push: (chunk: string) => void;
  /** The trace and everything found wrong with it. */
  readonly end: () => Read<Trace>;
}

const EVENTS_MAX = 1_000_000;
const LINE_CHARS_MAX = 1_000_000;

/** Reads a whole trace; see `createTraceReader`. `source` is the file name or URL that diagnostics and verdicts name. */
export function readTraceText(text: string, source: string, limits: TraceLimits = {}): Read<Trace> {
  const reader = createTraceReader(source, limits);
  reader.push(text);
  return reader.end();
}

/**
 * Reads a trace as it arrives: one event a line (NDJSON), or one JSON array. Blank lines are ignored, unknown fields are
 * kept. With errors among the diagnostics, the trace holds the events that could be read.
 */
export function createTraceReader(source: string, limits: TraceLimits = {}): TraceReader {
  const { push, end } = createPagedReader(source, limits, () => true);
  return { push, end };
}

/** A reader of a trace that comes in pages. */
export interface PagedReader extends TraceReader {
  /** The page is over: what follows is a text of its own. */
  readonly endPage: () => void;
  readonly isEnded: () => boolean;
  readonly isFull: () => boolean;
}

/** The reader behind `createTraceReader`; `accept` may refuse an event that an earlier page held. */
export function createPagedReader(
  source: string,
  { eventsMax = EVENTS_MAX, lineCharsMax = LINE_CHARS_MAX }: TraceLimits,
  accept: (event: TraceEvent) => boolean,
): PagedReader {
  const findings = createFindings(source);
  const events: SourcedEvent[] = [];
  let begun = false;
  let ended = false;
  let overflow = false;
  let toldAfterEnd = false;

  const takeEvent = (event: TraceEvent, line: number): void => {
    if (!accept(event)) return;
    if (events.length >= eventsMax) {
      if (!overflow) {
        findings.add({
          code: 'TRC110',
          message: `the trace has more than ${eventsMax} events; the rest was not read`,
          hint: 'check a shorter run, or raise the limit (eventsMax)',
          line,
        });
      }
      overflow = true;
      return;
    }
    if (ended && !toldAfterEnd) {
      toldAfterEnd = true;
      findings.add({
        code: 'TRC112',
        severity: 'warning',
        message: 'an event follows the end marker',
        hint: '{"kind":"end"} is the last line of a trace: nothing happens after it',
        line,
      });
    }
    events.push({ event, source, line });
  };
  const takeMarker = (marker: Marker, line: number): void => {
    if (marker.kind === 'problem') {
      findings.add({
        code: 'TRC116',
        severity: 'warning',
        message: `the source says that this trace is not whole: ${[marker.title, marker.detail].filter(Boolean).join('. ') || 'no reason given'}`,
        hint: 'instances that had begun before are inconclusive; fetch the trace earlier, or let the source keep more events',
        line,
      });
    } else if (marker.kind === 'end') {
      ended = true;
    } else if (events.length === 0) {
      begun = true;
    } else if (!begun) {
      findings.add({
        code: 'TRC113',
        severity: 'warning',
        message: 'a begin marker after the first event says nothing',
        hint: '{"kind":"begin"} is the first line of a trace: nothing happened before it',
        line,
      });
    }
  };
  const takeRecord = (record: TraceRecord): void => {
    if (overflow) return;
    const parsed = parseRecord(record);
    if (parsed.kind === 'event') takeEvent(parsed.event, record.line);
    else if (parsed.kind === 'marker') takeMarker(parsed.marker, record.line);
    else for (const finding of parsed.findings) findings.add(finding);
  };
  const takePiece = (piece: Piece): void => {
    switch (piece.kind) {
      case 'record':
        takeRecord(piece.record);
        return;
      case 'too-long':
        findings.add({
          code: 'TRC109',
          message: `the event is longer than ${lineCharsMax} characters; it was not read`,
          hint: 'put the body of a message elsewhere and leave what a contract needs in the attributes',
          line: piece.line,
        });
        return;
      case 'stray':
        findings.add({
          code: 'TRC115',
          message: `text after the end of the array: ${JSON.stringify(piece.text)}`,
          hint: 'a trace is one JSON array, or one event a line',
          line: piece.line,
          column: piece.column,
        });
        return;
      case 'unclosed':
        findings.add({
          code: 'TRC101',
          message: 'the array is cut: it has no closing ]',
          hint: 'write one event a line instead: then a trace can be read while it is written',
          line: piece.line,
        });
    }
  };
  let splitter = createRecordSplitter(lineCharsMax, takePiece, 1);
  const end = (): Read<Trace> => {
    splitter.end();
    const linear = linearise(events, findings);
    if (events.length === 0 && !hasErrors(findings.all())) {
      findings.add({
        code: 'TRC111',
        message: 'the trace has no events',
        hint: 'was the system instrumented, and did anything happen while it was recorded?',
      });
    }
    return { value: { events: linear, begun, ended }, diagnostics: findings.all() };
  };
  return {
    push: (chunk) => {
      splitter.push(chunk);
    },
    endPage: () => {
      splitter = createRecordSplitter(lineCharsMax, takePiece, splitter.end());
    },
    end,
    isEnded: () => ended,
    isFull: () => overflow,
  };
}
