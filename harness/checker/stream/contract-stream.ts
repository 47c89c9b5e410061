import type { Contract } from '../../contract/index.ts';
import type { NumberedEvent, NumberedReader } from '../../trace/index.ts';
import type { Machine } from '../run.ts';
import type { ValuePlaces } from './attribute-uses.ts';
import { NumberedStream } from './numbered-stream.ts';
import { StreamChecker, type StreamFindings } from './stream-checker.ts';
import { AnsweredCalls, MisdirectedShapes, StreamTally, type NotedLabel, type Noted } from './stream-tally.ts';
import { FailingSlices } from './stream-verdict.ts';

/** How the events of a trace say what caused them. */
export interface Links {
  /** Some event names its parent. */
  readonly hasParents: boolean;
  /** Every reply names its call. */
  readonly hasReplyTo: boolean;
}

export interface ContractStreamOptions {
  readonly reader: NumberedReader;
  readonly places: ValuePlaces;
  readonly links: Links;
  /** By whole events, not by numbers. */
  readonly isWhole: boolean;
  readonly bounds: {
    readonly instancesMax: number;
    readonly idsMax: number;
    readonly finishedMax: number;
    readonly keptMax: number;
  };
  readonly source: string;
  /** In a second reading: the instances whose events are kept. */
  readonly failing: ReadonlySet<string> | null;
}

/** One reading of a trace by one contract. */
export class ContractStream {
  readonly contract: Contract;
  /** What is kept for the instances that fail. */
  readonly slices: FailingSlices | null;
  readonly #options: ContractStreamOptions;
  readonly #tally: StreamTally;
  readonly #misdirected: MisdirectedShapes;
  readonly #numbered: NumberedStream | null;
  readonly #checker: StreamChecker | null;
  readonly #answered = new AnsweredCalls();
  #findings: StreamFindings | null = null;
  #noted: Noted | null = null;
  #events = 0;

  constructor(machine: Machine, options: ContractStreamOptions) {
    const { contract } = machine;
    const { reader, places, links, bounds, failing, isWhole } = options;
    const { numbering } = reader;
    this.contract = contract;
    this.#options = options;
    this.slices = failing === null ? null : new FailingSlices(contract, failing, bounds.keptMax);
    this.#tally = new StreamTally(contract, numbering, options.source);
    this.#misdirected = new MisdirectedShapes(contract, numbering);
    const { slices } = this;
    const shared = {
      ...links,
      instancesMax: bounds.instancesMax,
      rememberedMax: bounds.idsMax,
      finishedMax: bounds.finishedMax,
      ...(failing === null || slices === null ? {} : { only: failing, onStep: slices.keep.bind(slices) }),
    };
    const begun = (): boolean => reader.isBegun;
    this.#numbered = isWhole ? null : NumberedStream.for(machine, { ...shared, numbering, places, begun });
    this.#checker = isWhole ? StreamChecker.for(machine, { ...shared, begun: true }) : null;
    if (this.#numbered === null && this.#checker === null)
      throw new Error('a contract was given to a stream that no stream can judge');
  }

  get findings(): StreamFindings {
    if (this.#findings === null) throw new Error('a reading was asked before it was over');
    return this.#findings;
  }

  get noted(): Noted {
    if (this.#noted === null) throw new Error('a reading was asked before it was over');
    return this.#noted;
  }

  /** The event that the reader has just read. */
  take(event: NumberedEvent): void {
    const index = this.#events++;
    const isUnmatched = this.#numbered === null ? this.#takeWhole(event) : this.#takeNumbered(this.#numbered, event);
    if (this.slices !== null && isUnmatched && this.#misdirected.has(event))
      this.slices.keepUnmatched(event.line, index);
  }

  finish(): void {
    this.#findings = (this.#numbered ?? this.#checker)?.finish() ?? null;
    this.#noted = this.#tally.findings();
  }

  /** Names of the instances that the whole checker must judge; null: it is not known. */
  failing(max: number): ReadonlySet<string> | null {
    const { failing, unable } = this.findings;
    return unable === null ? new Set(failing.slice(0, max).map(({ name }) => name)) : null;
  }

  #takeNumbered(stream: NumberedStream, event: NumberedEvent): boolean {
    const label = stream.take(event);
    return this.#tally.note(event, label, stream.labeller.messagesOf(event.replyTo));
  }

  #takeWhole(event: NumberedEvent): boolean {
    const { reader } = this.#options;
    const whole = reader.wholeEvent();
    const label = this.#checker?.push(whole, event.line) ?? null;
    const last = this.contract.key.at(-1);
    const noted: NotedLabel | null =
      label === null
        ? null
        : {
            messages: label.messages,
            wrongStatus: label.wrongStatus,
            showsLast: last !== undefined && label.values.has(last),
          };
    return this.#tally.note(event, noted, this.#answered.take(whole, label));
  }
}
