import { foldName, type EventPattern, type Selector } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import { compileSelector, contentOf, matchesAny, type CompiledSelector, type Values } from './labels.ts';

/** Recognises events that are no drawn message. */
export class EventMatcher {
  readonly #from: readonly CompiledSelector[] | null;
  readonly #to: readonly CompiledSelector[] | null;
  readonly #isReply: boolean | null;
  readonly #content: (event: TraceEvent) => Values | null;

  constructor({ from, to, isReply, match }: EventPattern) {
    const compiled = (selectors: readonly Selector[] | null): readonly CompiledSelector[] | null =>
      selectors === null ? null : selectors.map(compileSelector);
    this.#from = compiled(from);
    this.#to = compiled(to);
    this.#isReply = isReply;
    this.#content = contentOf(match);
  }

  /** What the pattern captures from the event; null: it is another one. */
  match(event: TraceEvent): Values | null {
    if (this.#isReply !== null && this.#isReply !== (event.kind === 'reply')) return null;
    if (this.#from !== null && !matchesAny(this.#from, foldName(event.from), event)) return null;
    if (this.#to !== null && !matchesAny(this.#to, foldName(event.to), event)) return null;
    return this.#content(event);
  }
}
