import type { NumberedEvent, Numbering } from '../../trace/index.ts';
import type { Machine } from '../run.ts';
import type { ValuePlaces } from './attribute-uses.ts';
import { NumberedLabeller, type NumberedLabel } from './numbered-labels.ts';
import { StreamChecker, type StreamFindings, type StreamOptions } from './stream-checker.ts';

export interface NumberedStreamOptions extends Omit<StreamOptions, 'begun'> {
  readonly numbering: Numbering;
  readonly places: ValuePlaces;
  /** The trace declares its beginning; asked once its first event is there. */
  readonly begun: () => boolean;
}

/** Judges the numbered events of a trace by one contract: labels them, and hands them to a `StreamChecker`. */
export class NumberedStream {
  readonly labeller: NumberedLabeller;
  readonly #checker: StreamChecker;

  /** null: the contract uses what only the whole checker knows. */
  static for(machine: Machine, options: NumberedStreamOptions): NumberedStream | null {
    const checker = StreamChecker.for(machine, { ...options, begun: false, ids: options.numbering.ids });
    return checker === null ? null : new NumberedStream(machine, checker, options);
  }

  private constructor({ contract }: Machine, checker: StreamChecker, options: NumberedStreamOptions) {
    const { numbering, places, begun } = options;
    const { bindings, remembered } = checker;
    this.#checker = checker;
    this.labeller = new NumberedLabeller(contract, { numbering, places, begun, bindings, remembered });
  }

  get unable(): string | null {
    return this.#checker.unable;
  }

  get liveInstances(): number {
    return this.#checker.liveInstances;
  }

  /** Judges the event that the numbering holds. Returns what it can be, until the next one. */
  take(event: NumberedEvent): NumberedLabel | null {
    const label = this.labeller.label(event);
    this.#checker.pushNumbered(event, label);
    return label;
  }

  finish(): StreamFindings {
    return this.#checker.finish();
  }
}
