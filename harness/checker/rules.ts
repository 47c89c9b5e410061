import type { Contract, ContractMessage, EventPattern } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import { EventMatcher } from './event-matcher.ts';
import { NO_RULES } from './rule-label.ts';
import { testOf, valueOf, type Label, type Test, type Values } from './labels.ts';

/** Adds to a label what the rules of one contract say; null where the contract has no such rule. */
export function rulesOf(contract: Contract): Rules | null {
  const hasRules =
    contract.forbidden !== undefined ||
    contract.ends !== undefined ||
    contract.messages.some(({ entry }) => entry !== undefined);
  return hasRules ? new Rules(contract) : null;
}

class Rules {
  readonly #only: Test | null;
  readonly #forbidden: readonly EventMatcher[];
  readonly #ends: EventMatcher | null;
  readonly #guards: readonly (Test | null)[];
  readonly #entries = new Map<number, ContractMessage[]>();
  readonly #lists = new Map<string, readonly number[]>();
  readonly #parameters: readonly { readonly name: string; readonly valueOf: (event: TraceEvent) => string | null }[];

  constructor(contract: Contract) {
    const matcher = (pattern: EventPattern): EventMatcher => new EventMatcher(pattern);
    this.#only = testOf(contract.only);
    this.#forbidden = (contract.forbidden ?? []).map(matcher);
    this.#ends = contract.ends === undefined ? null : matcher(contract.ends);
    this.#guards = (contract.guards ?? []).map(({ when }) => testOf(when));
    for (const message of contract.messages)
      if (message.entry !== undefined)
        this.#entries.set(message.entry.of, [...(this.#entries.get(message.entry.of) ?? []), message]);
    this.#parameters = contract.parameters.flatMap(({ name, from }) =>
      from === undefined ? [] : [{ name, valueOf: valueOf(from) }],
    );
  }

  extend(label: Label, event: TraceEvent): Label {
    if (this.#only !== null && !this.#only(event)) return label;
    const { messages, denied } = this.#withEntries(label.messages, event);
    const { messages: wrongStatus } = this.#withEntries(label.wrongStatus, event);
    const captured = this.#forbidden.map((forbidden) => forbidden.match(event));
    const ending = this.#ends?.match(event) ?? null;
    const forbidden = captured.flatMap((found, index) => (found === null ? [] : [index]));
    const extended = { ...label, messages, wrongStatus };
    if (denied.length === 0 && forbidden.length === 0 && ending === null) return extended;
    const rules = { ...NO_RULES, denied, forbidden, ends: ending !== null };
    return { ...extended, rules, values: this.#values(label, [...captured, ending], event) };
  }

  /** Each message with its copies that enter something; those against a guard apart. */
  #withEntries(
    messages: readonly number[],
    event: TraceEvent,
  ): { readonly messages: readonly number[]; readonly denied: readonly number[] } {
    if (this.#entries.size === 0 || messages.length === 0) return { messages, denied: [] };
    const entries = messages.flatMap((message) => this.#entries.get(message) ?? []);
    const isAllowed = ({ entry }: ContractMessage): boolean =>
      entry?.guards.every((guard) => this.#guards[guard]?.(event) === true) === true;
    const allowed = entries.filter(isAllowed).map(({ index }) => index);
    const denied = entries.filter((entry) => !isAllowed(entry)).map(({ index }) => index);
    return { messages: this.#list([...messages, ...allowed]), denied };
  }

  /** Equal lists are one object, as in `Label.messages`. */
  #list(messages: readonly number[]): readonly number[] {
    const key = messages.join();
    let list = this.#lists.get(key);
    if (list === undefined) this.#lists.set(key, (list = messages));
    return list;
  }

  /** An event that is no drawn message belongs to an instance by what it carries and by what the patterns capture. */
  #values(label: Label, captured: readonly (Values | null)[], event: TraceEvent): Values {
    const own = this.#parameters.flatMap(({ name, valueOf: read }) => {
      const value = read(event);
      return value === null ? [] : [[name, value] as const];
    });
    return new Map([...captured.flatMap((values) => [...(values ?? [])]), ...own, ...label.values]);
  }
}
