import { readInteraction, type NamedInteraction } from './interaction-text.ts';
import { LogJudge, type Log, type LogEntry, type LogMode, type LogsJudgement } from './judge-logs.ts';

/** One line of the corpus: interaction, kind, name, logs by lifeline, and the labels. */
interface Line {
  readonly i: string;
  readonly k: string;
  readonly t: string;
  readonly mu: Readonly<Record<string, readonly string[]>>;
  readonly hibou: string;
  readonly accept?: string;
}

export interface CorpusInput {
  /** JSON: name of an interaction to its text. */
  readonly interactions: string;
  /** NDJSON. */
  readonly corpus: string;
  /** 1: every line; 50: every fiftieth. */
  readonly oneIn: number;
  /** Judge by the exact notion of cut logs too. */
  readonly cut: boolean;
  /** Milliseconds, for the table of times. */
  readonly now: () => number;
}

/** A notion against a label, counted. */
interface Count {
  equal: number;
  different: number;
  undecided: number;
  ms: number;
  maxMs: number;
}

export interface Comparison {
  /** By mode and kind, as `cut slices`. */
  readonly counts: ReadonlyMap<string, Count>;
  readonly different: readonly string[];
  /** Lines that HIBOU did not decide, and what is said of them. */
  readonly timeouts: readonly string[];
  readonly entries: number;
}

/**
 * Judges every line by both notions that the corpus labels: `elimination` (its column "hibou": Pass and WeakPass are yes, Fail
 * is no) and `whole` (its column "accept"); with `cut`, also by that notion against the label of elimination.
 */
export function compareWithHibou(input: CorpusInput): Comparison {
  const texts = new Map(Object.entries(JSON.parse(input.interactions) as Record<string, string>));
  const comparer = new Comparer(texts, input);
  for (const [index, text] of input.corpus.split('\n').entries())
    if (text !== '' && index % input.oneIn === 0) comparer.compare(JSON.parse(text) as Line);
  return comparer;
}

class Comparer implements Comparison {
  readonly counts = new Map<string, Count>();
  readonly different: string[] = [];
  readonly timeouts: string[] = [];
  entries = 0;
  readonly #texts: ReadonlyMap<string, string>;
  readonly #input: CorpusInput;
  /** Lines are sorted by interaction: only the judge of the last one is needed. */
  #judge: { readonly interaction: string; readonly judge: CorpusJudge } | null = null;

  constructor(texts: ReadonlyMap<string, string>, input: CorpusInput) {
    this.#texts = texts;
    this.#input = input;
  }

  compare(line: Line): void {
    const judge = this.#judgeOf(line.i);
    const logs = judge.logsOf(line.mu);
    for (const log of logs) this.entries += log.entries.length;
    const { hibou, accept } = line;
    if (hibou === 'TIMEOUT') this.timeouts.push(`${line.i} ${line.t}: ${judge.judge(logs, 'elimination').outcome}`);
    else this.#hold(line, logs, 'elimination', hibou !== 'Fail');
    if (hibou !== 'TIMEOUT' && this.#input.cut) this.#hold(line, logs, 'cut', hibou !== 'Fail');
    if (accept !== undefined) this.#hold(line, logs, 'whole', accept === 'Pass');
  }

  #judgeOf(interaction: string): CorpusJudge {
    if (this.#judge?.interaction === interaction) return this.#judge.judge;
    const judge = new CorpusJudge(this.#texts.get(`${interaction}.hif`) ?? '');
    this.#judge = { interaction, judge };
    return judge;
  }

  #hold(line: Line, logs: readonly Log[], mode: LogMode, isOk: boolean): void {
    const from = this.#input.now();
    const { outcome } = this.#judgeOf(line.i).judge(logs, mode);
    const ms = this.#input.now() - from;
    const count = this.#countOf(`${mode} ${line.k}`);
    count.ms += ms;
    count.maxMs = Math.max(count.maxMs, ms);
    if (outcome === 'inconclusive') count.undecided++;
    else if ((outcome === 'conforms') === isOk) count.equal++;
    else {
      count.different++;
      this.different.push(`${line.i} ${line.k} ${line.t}: ${mode} says ${outcome}`);
    }
  }

  #countOf(name: string): Count {
    const known = this.counts.get(name);
    if (known !== undefined) return known;
    const count = { equal: 0, different: 0, undecided: 0, ms: 0, maxMs: 0 };
    this.counts.set(name, count);
    return count;
  }
}

class CorpusJudge {
  readonly #lifelines: ReadonlyMap<string, number>;
  readonly #judge: LogJudge;
  /** By lifeline. */
  readonly #shows: readonly number[];
  readonly #entries: ReadonlyMap<string, LogEntry>;

  constructor(text: string) {
    const interaction = readInteraction(text);
    if (interaction === null) throw new Error(`the corpus holds an interaction that cannot be read: ${text}`);
    this.#lifelines = interaction.lifelines;
    this.#judge = new LogJudge(interaction);
    this.#shows = [...interaction.lifelines.values()].map((lifeline) => shownOn(interaction, lifeline));
    this.#entries = new Map([...interaction.actions].map(([name, occurrence]) => [name, { options: [[occurrence]] }]));
  }

  /** A lifeline without a log has an empty one; an action that the interaction does not hold has no reading. */
  logsOf(mu: Line['mu']): readonly Log[] {
    const entries = (lifeline: string): LogEntry[] =>
      (mu[lifeline] ?? []).map((action) => this.#entries.get(action) ?? { options: [] });
    const known = [...this.#lifelines].map(([name, lifeline]): Log => {
      return { shows: this.#shows[lifeline] ?? 0, entries: entries(name) };
    });
    const unknown = Object.keys(mu).filter((name) => !this.#lifelines.has(name));
    return [...known, ...unknown.map((name): Log => ({ shows: 0, entries: entries(name) }))];
  }

  judge(logs: readonly Log[], mode: LogMode): LogsJudgement {
    return this.#judge.judge(logs, { mode });
  }
}

function shownOn({ terms, lifelineOf }: NamedInteraction, lifeline: number): number {
  return terms.sets.of([...lifelineOf.keys()].filter((occurrence) => lifelineOf[occurrence] === lifeline));
}

const COLUMNS = ['equal', 'different', 'undecided', 'time', 'longest'];
/** Differences that are listed. */
const LISTED_MAX = 50;

/** The table by mode and kind, what is said where HIBOU timed out, and the first lines that differ. */
export function describeComparison({ counts, different, timeouts, entries }: Comparison): string {
  const sorted = [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const modes = [...new Set(sorted.map(([name]) => name.split(' ')[0] ?? ''))];
  return [
    row('', COLUMNS),
    ...sorted.map(([name, count]) => row(name, cells(count))),
    ...modes.map((mode) => row(`${mode} in all`, cells(totalOf(mode, counts)))),
    `${entries} entries of logs`,
    ...timeouts.map((line) => `undecided by HIBOU: ${line}`),
    ...different.slice(0, LISTED_MAX).map((line) => `different: ${line}`),
  ].join('\n');
}

function totalOf(mode: string, counts: ReadonlyMap<string, Count>): Count {
  const own = [...counts].filter(([name]) => name.startsWith(`${mode} `)).map(([, count]) => count);
  return own.reduce((sum, count) => ({
    equal: sum.equal + count.equal,
    different: sum.different + count.different,
    undecided: sum.undecided + count.undecided,
    ms: sum.ms + count.ms,
    maxMs: Math.max(sum.maxMs, count.maxMs),
  }));
}

function cells({ equal, different, undecided, ms, maxMs }: Count): string[] {
  return [String(equal), String(different), String(undecided), `${ms.toFixed(0)} ms`, `${maxMs.toFixed(1)} ms`];
}

const row = (name: string, values: readonly string[]): string =>
  [name.padEnd(24), ...values.map((value) => value.padStart(11))].join('');
