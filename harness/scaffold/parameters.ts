import { compileExpression, type Contract, type UrlTemplate } from '../contract/index.ts';
import type { Trace } from '../trace/index.ts';
import { isNamingKey, isTransport, type EventClass } from './event-classes.ts';
import { alignedSegments, likenessOfRequest } from './likeness.ts';

/** A parameter that the binding could declare. */
export interface GuessedParameter {
  readonly name: string;
  /** The attribute that has its value. */
  readonly attribute: string;
  /** CEL for that attribute. */
  readonly from: string;
  /** Its drawn text, where the drawing shows an example of it. */
  readonly example: string | null;
  readonly values: number;
}

export interface GuessedParameters {
  /** Outer before inner. */
  readonly parameters: readonly GuessedParameter[];
  /** Names of parameters that name one instance, outer before inner; empty: none is sure. */
  readonly instance: readonly string[];
  /** Other attributes that could name an instance. */
  readonly others: readonly string[];
}

/** Requests less alike than this do not tell what their segments are. */
const ALIGNED = 0.6;
/** An attribute names instances if, in each class, it has nearly as many values as there are events. */
const ONCE_PER_VALUE = 0.45;
const OTHERS_MAX = 3;
const KEYS_MAX = 200;

/**
 * Guesses parameters: drawn placeholders and drawn example names by the attribute that varies in their place; and, as the name
 * of an instance, the attribute of which each value goes through many kinds of messages, each about once.
 */
export function guessParameters(contract: Contract, classes: readonly EventClass[], trace: Trace): GuessedParameters {
  const facts = factsOf(classes, trace);
  const examples = examplesIn(contract, classes);
  const ranked = [...facts.values()]
    .filter(({ share, spread }) => share >= ONCE_PER_VALUE && spread >= 2)
    .sort(byScore);
  const best = ranked.find(({ key }) => [...examples.values()].includes(key)) ?? ranked[0];
  const keys = new Map([...examples].map(([example, key]) => [key, example] as const));
  const parameters: GuessedParameter[] = [];
  for (const key of new Set([...keys.keys(), ...(best === undefined ? [] : [best.key])])) {
    const from = expressionFor(key, trace);
    if (from === null) continue;
    const name = nameFor(
      key,
      parameters.map((parameter) => parameter.name),
    );
    const values = facts.get(key)?.values ?? 0;
    parameters.push({ name, attribute: key, from, example: keys.get(key) ?? null, values });
  }
  parameters.sort((a, b) => a.values - b.values);
  const inner = parameters.find(({ attribute }) => attribute === best?.key);
  const instance =
    inner === undefined
      ? []
      : parameters.filter((outer) => outer === inner || (outer.example !== null && determines(inner, outer, trace)));
  const others = ranked.filter(({ key }) => key !== best?.key && !keys.has(key)).slice(0, OTHERS_MAX);
  return { parameters, instance: instance.map(({ name }) => name), others: others.map(({ key }) => key) };
}

/** A path names no instance, nor does a bare number whose key does not say so. */
const couldName = (key: string, value: string | number | boolean): boolean =>
  !isTransport(key) &&
  (typeof value === 'string' ? !value.includes('/') : typeof value === 'number' && isNamingKey(key));

interface KeyFacts {
  readonly key: string;
  readonly values: number;
  /** Mean over the classes that carry it: values ÷ events. */
  readonly share: number;
  /** Mean number of classes in which one value is seen. */
  readonly spread: number;
  /** Share of all classes that carry it. */
  readonly reach: number;
}

function factsOf(classes: readonly EventClass[], trace: Trace): ReadonlyMap<string, KeyFacts> {
  const shares = new Map<string, number[]>();
  const seen = new Map<string, Map<string, number>>();
  for (const { events } of classes) {
    const valuesByKey = new Map<string, Set<string>>();
    for (const event of events)
      for (const [key, value] of Object.entries(trace.events[event]?.event.attributes ?? {})) {
        if (!couldName(key, value) || valuesByKey.size > KEYS_MAX) continue;
        valuesByKey.set(key, (valuesByKey.get(key) ?? new Set()).add(String(value)));
      }
    for (const [key, values] of valuesByKey) {
      shares.set(key, [...(shares.get(key) ?? []), values.size / events.length]);
      const counts = seen.get(key) ?? new Map<string, number>();
      seen.set(key, counts);
      for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  const mean = (numbers: readonly number[]): number =>
    numbers.reduce((sum, one) => sum + one, 0) / Math.max(1, numbers.length);
  const facts = [...shares].flatMap(([key, own]): KeyFacts[] => {
    const counts = [...(seen.get(key)?.values() ?? [])];
    if (counts.length < 2) return [];
    return [{ key, values: counts.length, share: mean(own), spread: mean(counts), reach: own.length / classes.length }];
  });
  return new Map(facts.map((fact) => [fact.key, fact]));
}

/** By how much of the trace it divides, and how evenly; names before numbers of unknown meaning. */
function byScore(a: KeyFacts, b: KeyFacts): number {
  const score = ({ key, share, reach }: KeyFacts): number =>
    share * reach * (/name$/iu.test(key) ? 1.1 : isNamingKey(key) ? 1 : 0.85);
  return score(b) - score(a) || a.key.length - b.key.length;
}

/** Drawn texts that stand for what varies, each with the attribute that varies in its place. */
function examplesIn(contract: Contract, classes: readonly EventClass[]): ReadonlyMap<string, string> {
  const votes = new Map<string, Map<string, number>>();
  const constants = new Set(
    classes.flatMap(({ pieces }) => pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []))),
  );
  for (const message of contract.messages) {
    const { template } = message.match;
    if (template === undefined) continue;
    for (const one of classes) {
      const likeness = likenessOfRequest(template, one);
      if (likeness < ALIGNED) continue;
      for (const [example, attribute] of namedPlaces(template, one, contract)) {
        // What stands in the trace just as drawn is no example of anything.
        if (constants.has(example)) continue;
        const own = votes.get(example) ?? new Map<string, number>();
        votes.set(example, own.set(attribute, (own.get(attribute) ?? 0) + likeness));
      }
    }
  }
  const taken = new Set<string>();
  const examples = new Map<string, string>();
  const favourite = (own: ReadonlyMap<string, number>): [string, number] =>
    [...own].sort((a, b) => b[1] - a[1])[0] ?? ['', 0];
  for (const [example, own] of [...votes].sort((a, b) => favourite(b[1])[1] - favourite(a[1])[1])) {
    const [attribute] = favourite(own);
    if (taken.has(attribute)) continue;
    taken.add(attribute);
    examples.set(example, attribute);
  }
  return examples;
}

function namedPlaces(template: UrlTemplate, { pieces }: EventClass, contract: Contract): (readonly [string, string])[] {
  return alignedSegments(template, pieces).flatMap(({ drawn, traced }) => {
    const [segment, piece] = [template.segments[drawn], pieces[traced]];
    if (piece?.kind !== 'varies' || piece.attribute === null || segment === undefined) return [];
    if (segment.kind === 'text') return [[segment.text, piece.attribute] as const];
    const example = segment.kind === 'capture' ? exampleOf(contract, segment.parameter) : undefined;
    return example === undefined ? [] : [[example, piece.attribute] as const];
  });
}

const exampleOf = (contract: Contract, parameter: string): string | undefined =>
  contract.parameters.find(({ name }) => name === parameter)?.example;

/** Whether each value of one goes with one value of the other: the pod with its replica set. */
function determines(inner: GuessedParameter, outer: GuessedParameter, trace: Trace): boolean {
  const owners = new Map<string, string>();
  for (const { event } of trace.events) {
    const [one, other] = [event.attributes?.[inner.attribute], event.attributes?.[outer.attribute]];
    if (one === undefined || other === undefined) continue;
    if ((owners.get(String(one)) ?? String(other)) !== String(other)) return false;
    owners.set(String(one), String(other));
  }
  return owners.size > 0;
}

/** CEL that finds the attribute in an event; null where the language has no way to write it. */
function expressionFor(key: string, trace: Trace): string | null {
  const dot = key.indexOf('.');
  const forms = dot < 0 ? [key] : [key, `${key.slice(0, dot)}[${JSON.stringify(key.slice(dot + 1))}]`];
  const shown = trace.events.find(({ event }) => event.attributes?.[key] !== undefined)?.event;
  if (shown === undefined) return null;
  for (const form of forms) {
    const compiled = compileExpression(form);
    if (!('error' in compiled) && String(compiled.value(shown)) === String(shown.attributes?.[key])) return form;
  }
  return null;
}

/** `k8s.pod.name` → `pod`, `orderId` → `order`, `job` → `job`. */
function nameFor(key: string, taken: readonly string[]): string {
  const stripped = key.replace(/[._-](?:name|id|uid|uuid|key|number)$/iu, '').replace(/(?:Id|ID|Name|Key|Uuid)$/u, '');
  const last = stripped.split('.').at(-1) ?? '';
  const name = /^[A-Za-z_][\w-]*$/u.test(last) ? last : 'instance';
  if (!taken.includes(name)) return name;
  for (let number = 2; ; number += 1) if (!taken.includes(`${name}${number}`)) return `${name}${number}`;
}
