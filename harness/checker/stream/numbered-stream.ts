import { IS_READ, NO_ID, type NumberedEvent, type Numbering } from '../../trace/index.ts';
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
  readonly #numbering: Numbering;

  /** null: the contract uses what only the whole checker knows. */
  static for(machine: Machine, options: NumberedStreamOptions): NumberedStream | null {
    const checker = StreamChecker.for(machine, { ...options, begun: false });
    return checker === null ? null : new NumberedStream(machine, checker, options);
  }

  private constructor({ contract }: Machine, checker: StreamChecker, options: NumberedStreamOptions) {
    const { numbering, places, begun } = options;
    const { bindings, remembered } = checker;
    this.#checker = checker;
    this.#numbering = numbering;
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
    const { ids } = this.#numbering;
    const label = this.labeller.label(event);
    const { replyTo, id } = event;
    // An id that was only named may have the place of one that is forgotten.
    const isRead = replyTo !== NO_ID && ids.has(replyTo) && (ids.flags(replyTo) & IS_READ) !== 0;
    const callPlace = isRead ? ids.placeOf(replyTo) : -1;
    this.#checker.pushNumbered(event, label, callPlace, id === NO_ID ? -1 : ids.placeOf(id));
    return label;
  }

  finish(): StreamFindings {
    return this.#checker.finish();
  }
}
