import { foldName, type Contract, type ContractMessage } from '../contract/index.ts';
import type { Trace } from '../trace/index.ts';
import type { EventClass } from './event-classes.ts';
import { likenessOfContent } from './likeness.ts';
import { wordsOf } from './words.ts';

/** How a drawn participant is probably called in the trace. */
export interface Namesake {
  readonly lifeline: number;
  /** The traced name; null: none is sure. */
  readonly name: string | null;
  /** How it was found: `same`: by its own name, nothing to say; the others are guesses. */
  readonly why: 'same' | 'alike' | 'messages' | 'traffic' | 'unsure';
  /** Names that could be meant, likeliest first, where none is sure. */
  readonly others: readonly string[];
}

/** A name is sure from here on, and only with such a lead over the next. */
const SURE = 0.45;
const LEAD = 0.12;
const OTHERS_MAX = 4;
/** Names and lifelines beyond these are not weighed against each other. */
const NAMES_MAX = 200;

/**
 * Names each drawn participant: by its own name, else by likeness of names, by messages with like contents at its ends, and by who
 * talks to whom; the surest first, since each one that is known makes its partners easier to tell.
 */
export function namesakesOf(contract: Contract, classes: readonly EventClass[], trace: Trace): readonly Namesake[] {
  const names = [
    ...new Map(
      // Who only answers is in no class.
      [...classes, ...trace.events.flatMap(({ event }) => (event.kind === 'reply' ? [event] : []))].flatMap(
        ({ from, to }) =>
          [
            [foldName(from), from],
            [foldName(to), to],
          ] as const,
      ),
    ).values(),
  ].slice(0, NAMES_MAX);
  const found = new Map<number, Namesake>();
  const lifelines = lifelinesInUse(contract);
  for (const lifeline of lifelines) {
    const traced = contract.lifelines[lifeline]?.traced ?? [];
    const name = names.find((one) => traced.some((selector) => foldName(selector.name) === foldName(one)));
    if (name !== undefined) found.set(lifeline, { lifeline, name, why: 'same', others: [] });
  }
  const votes = votesOf(contract, classes);
  for (;;) {
    const taken = new Set([...found.values()].map(({ name }) => name));
    const free = names.filter((name) => !taken.has(name));
    const rows = lifelines
      .filter((lifeline) => !found.has(lifeline))
      .map((lifeline) => rank(contract, { lifeline, free, votes, classes, found }));
    const best = rows.filter(isSure).sort((a, b) => scoreOf(b) - scoreOf(a))[0];
    const choice = best?.choices[0];
    if (best === undefined || choice === undefined) {
      for (const { lifeline, choices } of rows)
        found.set(lifeline, {
          lifeline,
          name: null,
          why: 'unsure',
          others: choices
            .filter(({ score }) => score > 0.1)
            .slice(0, OTHERS_MAX)
            .map(({ name }) => name),
        });
      return lifelines.flatMap((lifeline) => found.get(lifeline) ?? []);
    }
    found.set(best.lifeline, { lifeline: best.lifeline, name: choice.name, why: choice.why, others: [] });
  }
}

function lifelinesInUse({ lifelines, messages }: Contract): number[] {
  const used = new Set(messages.flatMap(({ from, to }) => [from, to]));
  return [...lifelines.keys()].filter((lifeline) => used.has(lifeline)).slice(0, NAMES_MAX);
}

interface Choice {
  readonly name: string;
  readonly score: number;
  readonly why: 'alike' | 'messages' | 'traffic';
}

interface Row {
  readonly lifeline: number;
  /** Likeliest first. */
  readonly choices: readonly Choice[];
}

const scoreOf = ({ choices }: Row): number => choices[0]?.score ?? 0;

const isSure = ({ choices }: Row): boolean =>
  (choices[0]?.score ?? 0) >= SURE && (choices[0]?.score ?? 0) - (choices[1]?.score ?? 0) >= LEAD;

interface Evidence {
  readonly lifeline: number;
  readonly free: readonly string[];
  readonly votes: Votes;
  readonly classes: readonly EventClass[];
  readonly found: ReadonlyMap<number, Namesake>;
}

function rank(contract: Contract, { lifeline, free, votes, classes, found }: Evidence): Row {
  const label = contract.lifelines[lifeline]?.label ?? '';
  const drawn = drawnRelations(contract, lifeline, found);
  const isKnown = new Set([...found.values()].flatMap(({ name }) => (name === null ? [] : [foldName(name)])));
  const choices = free.map((name): Choice => {
    const alike = likenessOfNames(label, name);
    const voted = votes.get(lifeline)?.get(foldName(name)) ?? 0;
    const traffic = weightOf(drawn) * overlap(drawn, tracedRelations(classes, name, isKnown));
    const score = Math.min(1, 0.6 * alike + 0.5 * voted + 0.55 * traffic);
    const why = 0.6 * alike >= 0.5 * voted && alike >= 0.5 ? 'alike' : 0.5 * voted >= 0.3 ? 'messages' : 'traffic';
    return { name, score, why };
  });
  return { lifeline, choices: choices.sort((a, b) => b.score - a.score) };
}

/** 0 to 1: words in common, one name within the other, or its initials. */
export function likenessOfNames(one: string, other: string): number {
  const [a, b] = [foldName(one), foldName(other)];
  if (a === b) return 1;
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length >= 3 && long.includes(short)) return 0.8;
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const common = words.filter((word) => others.includes(word)).length;
  if (common > 0) return 0.4 + (0.4 * common) / Math.max(words.length, others.length);
  const initials = (text: string): string =>
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .split(/[\s_-]+/u)
      .map((word) => word.charAt(0))
      .join('')
      .toLowerCase();
  if (short.length >= 2 && [one, other].some((name) => initials(name) === short)) return 0.7;
  return 0;
}

/** For each lifeline, how much of what is drawn at it is like events at each traced name. */
type Votes = ReadonlyMap<number, ReadonlyMap<string, number>>;

/** Contents less alike than this say nothing of who exchanged them. */
const TELLING = 0.5;

function votesOf(contract: Contract, classes: readonly EventClass[]): Votes {
  const votes = new Map<number, Map<string, number>>();
  const counts = new Map<number, number>();
  for (const message of contract.messages) {
    if (message.kind === 'reply') continue;
    const ends = [message.from, message.to];
    for (const end of ends) if (end !== null) counts.set(end, (counts.get(end) ?? 0) + 1);
    for (const { one, score } of likest(contract, message, classes))
      for (const [end, name] of [
        [message.from, one.from],
        [message.to, one.to],
      ] as const) {
        if (end === null) continue;
        const own = votes.get(end) ?? new Map<string, number>();
        votes.set(end, own);
        own.set(foldName(name), (own.get(foldName(name)) ?? 0) + score);
      }
  }
  for (const [end, own] of votes)
    for (const [name, score] of own) own.set(name, Math.min(1, score / Math.max(1, (counts.get(end) ?? 1) / 2)));
  return votes;
}

/** The classes whose contents are most like a message; if several between different participants are, they share its vote. */
function likest(
  contract: Contract,
  message: ContractMessage,
  classes: readonly EventClass[],
): readonly { readonly one: EventClass; readonly score: number }[] {
  const scored = classes
    .map((one) => ({ one, score: likenessOfContent(contract, message, one) }))
    .filter(({ score }) => score >= TELLING)
    .sort((a, b) => b.score - a.score);
  const top = scored.filter(({ score }) => score === scored[0]?.score);
  return top.map(({ one, score }) => ({ one, score: score / top.length }));
}

/** What passes at a participant, by direction, whether it is answered, and the partner where that is known; each with its partners. */
type Relations = ReadonlyMap<string, ReadonlySet<string>>;

function relate(relations: Map<string, Set<string>>, key: string, partner: string): void {
  relations.set(key, (relations.get(key) ?? new Set()).add(partner));
}

function drawnRelations(contract: Contract, lifeline: number, found: ReadonlyMap<number, Namesake>): Relations {
  const relations = new Map<string, Set<string>>();
  for (const { from, to, kind } of contract.messages) {
    if (kind === 'reply' || (from !== lifeline && to !== lifeline)) continue;
    const partner = from === lifeline ? to : from;
    const name = partner === null ? null : (found.get(partner)?.name ?? null);
    const direction = from === lifeline ? 'to' : 'from';
    const known = name === null ? 'somebody' : `"${foldName(name)}"`;
    relate(relations, `${kind === 'call' ? 'call' : 'send'} ${direction} ${known}`, String(partner));
  }
  return relations;
}

function tracedRelations(classes: readonly EventClass[], name: string, isKnown: ReadonlySet<string>): Relations {
  const relations = new Map<string, Set<string>>();
  const folded = foldName(name);
  for (const { from, to, kind } of classes) {
    const [sender, receiver] = [foldName(from), foldName(to)];
    if (sender !== folded && receiver !== folded) continue;
    const partner = sender === folded ? receiver : sender;
    const known = isKnown.has(partner) ? `"${partner}"` : 'somebody';
    relate(relations, `${kind === 'call' ? 'call' : 'send'} ${sender === folded ? 'to' : 'from'} ${known}`, partner);
  }
  return relations;
}

/** One message to somebody tells little of who sent it; one to a partner that is known, or several, tell enough. */
function weightOf(drawn: Relations): number {
  const weights = [...drawn].map(([relation, partners]) => (relation.endsWith('somebody') ? 0.5 : 1) * partners.size);
  return Math.min(
    1,
    weights.reduce((sum, weight) => sum + weight, 0),
  );
}

/** Relations in common ÷ all; partners that are not known yet count by their number only. */
function overlap(drawn: Relations, traced: Relations): number {
  let [common, all] = [0, 0];
  for (const key of new Set([...drawn.keys(), ...traced.keys()])) {
    const [a, b] = [drawn.get(key)?.size ?? 0, traced.get(key)?.size ?? 0];
    common += Math.min(a, b);
    all += Math.max(a, b);
  }
  return all === 0 ? 0 : common / all;
}
