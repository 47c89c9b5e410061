import { TAGS_MAX } from './tags.ts';
import { BoundMet } from './terms.ts';

/** A message that was sent and not received yet; the tag tells it from others that look like it (`Deriver.tagged`). */
export interface Flying {
  readonly message: number;
  readonly tag: number;
}

/** What is on its way at one moment: events by their index (null: an event that was left out), and messages that were added. */
export interface OnTheWay {
  /** Equal contents have equal numbers. */
  readonly number: number;
  readonly events: ReadonlyMap<number, Flying | null>;
  readonly added: readonly Flying[];
}

/** Interned, so that equal states of a search are found equal. */
export class Flights {
  readonly #known = new Map<string, OnTheWay>();
  readonly none: OnTheWay = this.#intern(new Map(), []);

  /** The least tag that no message of this number has, which is on its way. */
  freeTag({ events, added }: OnTheWay, message: number): number {
    const used = new Set<number>();
    for (const flying of [...events.values(), ...added]) if (flying?.message === message) used.add(flying.tag);
    let tag = 0;
    while (used.has(tag)) tag++;
    if (tag > TAGS_MAX) throw new BoundMet(`${TAGS_MAX} messages that look alike, on their way at once`);
    return tag;
  }

  withEvent({ events, added }: OnTheWay, index: number, flying: Flying | null): OnTheWay {
    return this.#intern(new Map([...events, [index, flying]]), added);
  }

  withoutEvent({ events, added }: OnTheWay, index: number): OnTheWay {
    return this.#intern(new Map([...events].filter(([other]) => other !== index)), added);
  }

  /** Of what was sent nothing is waited for any more. */
  allLeftOut({ events }: OnTheWay): OnTheWay {
    return this.#intern(new Map([...events.keys()].map((index) => [index, null])), []);
  }

  withAdded({ events, added }: OnTheWay, flying: Flying): OnTheWay {
    const all = [...added, flying].sort((a, b) => a.message - b.message || a.tag - b.tag);
    return this.#intern(events, all);
  }

  withoutAdded({ events, added }: OnTheWay, received: Flying): OnTheWay {
    return this.#intern(
      events,
      added.filter((flying) => flying !== received),
    );
  }

  #intern(events: OnTheWay['events'], added: readonly Flying[]): OnTheWay {
    const name = (flying: Flying | null): string => (flying === null ? '-' : `${flying.message}.${flying.tag}`);
    const flying = [...events].map(([index, event]) => `${index}:${name(event)}`);
    const key = `${flying.sort().join()}/${added.map(name).join()}`;
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = { number: this.#known.size, events, added }));
    return known;
  }
}
