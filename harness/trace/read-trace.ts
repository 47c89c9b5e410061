import { hasErrors, type Read } from '../diagnostics/index.ts';
import { createFindings } from './findings.ts';
import { linearise } from './linearise.ts';
import { createRecordSplitter } from './records.ts';
import type { Piece } from './records.ts';
import { RecordTaker } from './take-records.ts';
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
export const LINE_CHARS_MAX = 1_000_000;

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
  /** An error was found: no verdict will be given. */
  readonly isBroken: () => boolean;
}

/**
 * The reader behind `createTraceReader`; `accepts` may refuse an event that an earlier page held. With `keep`, the text of what
 * was read is handed to it, and no event is kept here.
 */
export function createPagedReader(
  source: string,
  { eventsMax = EVENTS_MAX, lineCharsMax = LINE_CHARS_MAX }: TraceLimits,
  accepts: (event: TraceEvent) => boolean,
  keep?: (text: string) => void,
): PagedReader {
  const findings = createFindings(source);
  const events: SourcedEvent[] = [];
  const take = (event: TraceEvent, line: number): void => {
    if (keep === undefined) events.push({ event, source, line });
  };
  const sink = { accepts, take, ...(keep === undefined ? {} : { keep }) };
  const taker = new RecordTaker(findings, { eventsMax, lineCharsMax }, sink);
  const takePiece = (piece: Piece): void => {
    taker.takePiece(piece);
  };
  let splitter = createRecordSplitter(lineCharsMax, takePiece, 1);
  const end = (): Read<Trace> => {
    splitter.end();
    const linear = linearise(events, findings);
    taker.tellEmpty();
    return { value: { events: linear, begun: taker.isBegun, ended: taker.isEnded }, diagnostics: findings.all() };
  };
  return {
    push: (chunk) => {
      splitter.push(chunk);
    },
    endPage: () => {
      splitter = createRecordSplitter(lineCharsMax, takePiece, splitter.end());
    },
    end,
    isEnded: () => taker.isEnded,
    isFull: () => taker.isFull,
    isBroken: () => hasErrors(findings.all()),
  };
}
