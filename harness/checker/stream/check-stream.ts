import type { Contract } from '../../contract/index.ts';
import {
  EVENT_KINDS,
  NO_ID,
  NumberedReader,
  readTraceText,
  type NumberedEvent,
  type NumberedTrace,
  type SourcedEvent,
} from '../../trace/index.ts';
import type { SpecVerdict } from '../../verdict/index.ts';
import { machineOf, type CheckOptions } from '../check.ts';
import type { Machine } from '../run.ts';
import { BoundMet, TERMS_MAX } from '../terms.ts';
import { AttributeUses, isDecidedByShape } from './attribute-uses.ts';
import { ContractStream, type Links } from './contract-stream.ts';
import { asksServedCall, fitsBits } from './numbered-labels.ts';
import type { StreamFindings } from './stream-checker.ts';
import { isStreamable } from './streamable.ts';
import { verdictOf, type KeptLines } from './stream-verdict.ts';

/** A trace that can be read several times, as bytes. */
export interface ByteSource {
  /** The file name or URL that verdicts and diagnostics name. */
  readonly name: string;
  /** Its bytes from the beginning, in parts that may be reused once the next one is asked for. */
  readonly read: () => AsyncIterable<Uint8Array>;
}

export interface StreamedCheck {
  /** By contract; null: only the whole checker can tell (see `check`). */
  readonly verdicts: readonly (SpecVerdict | null)[];
  /** What is wrong with the trace. With errors among it no verdict counts. */
  readonly diagnostics: NumberedTrace['diagnostics'];
  /** Why there is no verdict, where there is none. */
  readonly reasons: readonly string[];
  readonly ended: boolean;
}

/** Bounds of a streamed check; memory is some hundred bytes for each live instance and remembered id. */
export interface StreamBounds {
  readonly instancesMax: number;
  /** Ids remembered as causes and calls. */
  readonly idsMax: number;
  /** Instances that are over and kept all the same, in case their names come again. */
  readonly finishedMax: number;
  /**
   * Failing instances that are told; with more of them, and where events of several instances may have begun a run of one that
   * was over, a trace of at most `wholeMax` events is left to the whole checker.
   */
  readonly failingMax: number;
  readonly wholeMax: number;
  /** Events of failing instances that are read once more. */
  readonly keptMax: number;
}

export const STREAM_BOUNDS: StreamBounds = {
  instancesMax: 2_000_000,
  idsMax: 1_048_576,
  finishedMax: 100_000,
  failingMax: 1_000,
  wholeMax: 1_000_000,
  keptMax: 1_000_000,
};

/** Read first, to learn how the events of this trace are linked. */
const PROBE_BYTES = 4 * 1024 * 1024;
/** Events kept as examples of what the trace holds. */
const EXAMPLES_MAX = 5_000;
const REPLY = EVENT_KINDS.indexOf('reply');

/** What one reading came to. */
interface Reading {
  readonly streams: readonly ContractStream[];
  readonly examples: readonly SourcedEvent[];
  readonly begun: boolean;
  readonly ended: boolean;
  readonly diagnostics: NumberedTrace['diagnostics'];
  readonly unfit: string | null;
  /** What the trace turned out to be, where it was taken for something else. */
  readonly links: Links;
}

interface Judged {
  readonly contract: Contract;
  readonly machine: Machine;
}

/**
 * Judges a trace of any length against contracts, in memory that grows with its live instances: the trace is read once to
 * decide all instances, and again for those that fail, to tell what is wrong with them. Pure, but for the source. The
 * verdicts are those of `check` (a property compares them), but for what `docs/verdicts.md` names.
 */
export async function checkStream(
  contracts: readonly Contract[],
  source: ByteSource,
  options: CheckOptions & { readonly bounds?: Partial<StreamBounds> } = {},
): Promise<StreamedCheck> {
  const bounds = { ...STREAM_BOUNDS, ...options.bounds };
  const verdicts: (SpecVerdict | null)[] = contracts.map(() => null);
  const reasons = new Set<string>();
  const judged: (Judged & { readonly place: number })[] = [];
  contracts.forEach((contract, place) => {
    const machine = machineFor(contract);
    if (machine === null) reasons.add('it holds what only the whole checker knows');
    else judged.push({ contract, machine, place });
  });
  if (judged.length === 0) return { verdicts, diagnostics: [], reasons: [...reasons], ended: false };
  const links = await probe(source);
  const byNumbers = judged.filter(({ contract }) => isForNumbers(contract, links));
  const byEvents = judged.filter((one) => !byNumbers.includes(one));
  let last: Reading | null = null;
  for (const [group, isWhole] of [
    [byNumbers, false],
    [byEvents, true],
  ] as const) {
    if (group.length === 0) continue;
    const found = await judgeGroup({ group, isWhole, links, source, bounds, options });
    last = found.reading;
    if (last.unfit !== null) reasons.add(last.unfit);
    found.verdicts.forEach((verdict, index) => {
      const place = group[index]?.place;
      if (place === undefined) return;
      if (typeof verdict === 'string') reasons.add(verdict);
      else verdicts[place] = verdict;
    });
    if (last.diagnostics.length > 0 || last.unfit !== null) break;
  }
  return { verdicts, diagnostics: last?.diagnostics ?? [], reasons: [...reasons], ended: last?.ended ?? false };
}

/** null: the contract holds what only the whole checker knows, or is too large. */
function machineFor(contract: Contract): Machine | null {
  try {
    const machine = machineOf(contract, TERMS_MAX);
    return isStreamable(machine) ? machine : null;
  } catch (error) {
    if (!(error instanceof BoundMet)) throw error;
    return null;
  }
}

function isForNumbers(contract: Contract, { hasParents, hasReplyTo }: Links): boolean {
  return isDecidedByShape(contract) && fitsBits(contract) && hasReplyTo && (hasParents || !asksServedCall(contract));
}

/** How the first events of the trace are linked. */
async function probe(source: ByteSource): Promise<Links> {
  let links: Links = { hasParents: false, hasReplyTo: true };
  const useOf = () => ({ shape: 'none', place: -1, link: -1 }) as const;
  const options = { source: source.name, useOf, values: 0, links: 0, segments: null, idsMax: 1_024 };
  const reader = new NumberedReader(options, { take: (event) => (links = linksWith(links, event)) });
  let bytes = 0;
  for await (const chunk of source.read()) {
    reader.push(chunk);
    bytes += chunk.length;
    if (bytes >= PROBE_BYTES) break;
  }
  return links;
}

const linksWith = (links: Links, { parent, kind, replyTo }: NumberedEvent): Links => {
  const hasParents = links.hasParents || parent !== NO_ID;
  const hasReplyTo = links.hasReplyTo && (kind !== REPLY || replyTo !== NO_ID);
  return hasParents === links.hasParents && hasReplyTo === links.hasReplyTo ? links : { hasParents, hasReplyTo };
};

interface Group {
  readonly group: readonly Judged[];
  /** Every event is made, since a contract asks for more than numbers. */
  readonly isWhole: boolean;
  readonly links: Links;
  readonly source: ByteSource;
  readonly bounds: StreamBounds;
  readonly options: CheckOptions;
}

/** A verdict for each contract, or why there is none. */
async function judgeGroup(
  given: Group,
): Promise<{ readonly reading: Reading; readonly verdicts: readonly (SpecVerdict | string)[] }> {
  let { links, isWhole } = given;
  let reading = await readOnce({ ...given, links, isWhole }, null);
  // What the first events did not show may make another reading necessary, at most twice.
  for (let again = 0; again < 2 && reading.links !== links && reading.unfit === null; again++) {
    links = reading.links;
    isWhole = !given.group.every(({ contract }) => isForNumbers(contract, links));
    reading = await readOnce({ ...given, links, isWhole }, null);
  }
  const { streams, unfit, diagnostics } = reading;
  if (unfit !== null || diagnostics.some(({ severity }) => severity === 'error'))
    return { reading, verdicts: streams.map(() => unfit ?? 'the trace has errors') };
  const { failingMax, wholeMax } = given.bounds;
  const failing = streams.map((stream) => {
    const { failing: all, wholeKnows, events } = stream.findings;
    const isBetterKnown =
      all.length > failingMax || wholeKnows === 'of-all' || (wholeKnows === 'of-failing' && all.length > 0);
    return isBetterKnown && events <= wholeMax ? null : stream.failing(failingMax);
  });
  const isAsked = failing.some((one) => one !== null && one.size > 0);
  const second = isAsked ? await readOnce({ ...given, links, isWhole }, failing) : null;
  const kept = (second?.streams ?? []).flatMap(({ slices }) => (slices === null ? [] : [slices.kept]));
  const lines = await linesOf(given.source, kept);
  const verdicts = streams.map((stream, index) => {
    const again = second?.streams[index];
    if (failing[index] === null) return stream.findings.unable ?? whyLeft(stream.findings);
    return conclude(stream, again === undefined ? null : { again, lines }, reading, given);
  });
  return { reading, verdicts };
}

const whyLeft = ({ wholeKnows }: StreamFindings): string =>
  wholeKnows === 'no-more' ? 'many of its instances fail' : 'its events are told apart by what they led to';

function conclude(
  stream: ContractStream,
  second: { readonly again: ContractStream; readonly lines: KeptLines } | null,
  { examples, begun, ended }: Reading,
  { options, bounds }: Group,
): SpecVerdict | string {
  const unable = stream.findings.unable ?? second?.again.findings.unable ?? null;
  if (unable !== null) return unable;
  const slices = second?.again.slices ?? null;
  return verdictOf({
    contract: stream.contract,
    findings: stream.findings,
    noted: stream.noted,
    examples,
    hasAllNames: examples.length < EXAMPLES_MAX,
    begun,
    complete: options.complete ?? ended,
    again:
      second === null || slices === null
        ? null
        : { slices, finished: second.again.findings.finished, lines: second.lines },
    options,
    wholeMax: bounds.wholeMax,
  });
}

/** One reading by all contracts of a group; `failing`: only for these instances, whose events are kept. */
async function readOnce(
  { group, isWhole, links, source, bounds }: Group,
  failing: readonly (ReadonlySet<string> | null)[] | null,
): Promise<Reading> {
  const uses = new AttributeUses(
    group.map(({ contract }) => contract),
    isWhole,
  );
  let found = links;
  const examples: SourcedEvent[] = [];
  let exampleAge = 0;
  let shapesSeen = 0;
  const readerOptions = {
    source: source.name,
    useOf: uses.useOf,
    values: uses.values,
    links: uses.links,
    segments: uses.segments,
    idsMax: bounds.idsMax,
    isWhole,
  };
  const reader: NumberedReader = new NumberedReader(readerOptions, {
    take: (event) => {
      found = linksWith(found, event);
      // The trace is not what it was taken for: it is read again.
      if (found !== links) return;
      if (numbering.age !== exampleAge) [exampleAge, shapesSeen] = [numbering.age, 0];
      if (event.shape >= shapesSeen) {
        shapesSeen = event.shape + 1;
        if (examples.length < EXAMPLES_MAX && failing === null)
          examples.push({ event: reader.wholeEvent(), source: source.name, line: event.line });
      }
      for (let index = 0; index < streams.length; index++) streams[index]?.take(event);
    },
  });
  const { numbering } = reader;
  const streams = group.map(
    ({ machine }, index) =>
      new ContractStream(machine, {
        reader,
        places: uses.placesOf(machine.contract),
        links,
        isWhole,
        bounds,
        source: source.name,
        failing: failing?.[index] ?? null,
      }),
  );
  for await (const chunk of source.read()) {
    reader.push(chunk);
    if (reader.isOver || found !== links) break;
  }
  if (found !== links && !reader.isOver)
    return { streams, examples, begun: false, ended: false, diagnostics: [], unfit: null, links: found };
  const { begun, ended, diagnostics, unfit } = reader.end();
  for (const stream of streams) stream.finish();
  return { streams, examples, begun, ended, diagnostics, unfit, links };
}

/** The events of these lines. */
async function linesOf(
  source: ByteSource,
  kept: readonly { readonly lines: ReadonlySet<number> }[],
): Promise<KeptLines> {
  const wanted = [...new Set(kept.flatMap(({ lines }) => [...lines]))].sort((a, b) => a - b);
  const found = new Map<number, SourcedEvent>();
  const decoder = new TextDecoder();
  let line = 1;
  let next = 0;
  let text = '';
  const take = (): void => {
    const sourced = readTraceText(text, source.name).value.events[0];
    if (sourced !== undefined) found.set(line, { ...sourced, line });
    text = '';
    next++;
  };
  for await (const chunk of wanted.length === 0 ? [] : source.read()) {
    for (let from = 0; from < chunk.length && next < wanted.length;) {
      const end = chunk.indexOf(NEWLINE, from);
      const to = end < 0 ? chunk.length : end;
      if (line === wanted[next]) text += decoder.decode(chunk.subarray(from, to), { stream: end < 0 });
      if (end >= 0) {
        if (line === wanted[next]) take();
        line++;
      }
      from = to + 1;
    }
    if (next === wanted.length) break;
  }
  // The last line may have no newline.
  if (next < wanted.length && line === wanted[next]) take();
  if (found.size < wanted.length) throw new Error('a trace that was read twice has changed in between');
  return found;
}

const NEWLINE = 0x0a;
