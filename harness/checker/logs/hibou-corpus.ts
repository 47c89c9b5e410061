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
  /** JSON: name to text. */
  readonly interactions: string;
  /** NDJSON. */
  readonly corpus: string;
  /** 1: every line; 50: every fiftieth. */
  readonly oneIn: number;
  /** Milliseconds, for the table of times. */
  readonly now: () => number;
  /** Judge by the exact notion of cut logs too. */
  readonly cut: boolean;
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
  readonly byKind: ReadonlyMap<string, Count>;
  readonly different: readonly string[];
  /** Lines that HIBOU did not decide, and what is said of them. */
  readonly timeouts: readonly string[];
  readonly events: number;
}

const CUT_BOUNDS = { statesMax: 5_000, stepsMax: 200_000 };

/** Judges every line by both notions that the corpus labels: `elimination` (its column "hibou") and `whole` ("accept"). */
export function compareWithHibou(input: CorpusInput): Comparison {
  const texts = new Map(Object.entries(JSON.parse(input.interactions) as Record<string, string>));
  const judges = new Map<string, CorpusJudge>();
  const byKind = new Map<string, Count>();
  const different: string[] = [];
  const timeouts: string[] = [];
  let events = 0;
  const lines = input.corpus.split('\n').filter((text, index) => text !== '' && index % input.oneIn === 0);
  for (const text of lines) {
    const line = JSON.parse(text) as Line;
    // Lines are sorted by interaction: what was learnt about the last one is not needed any more.
    let judge = judges.get(line.i);
    if (judge === undefined) {
      judges.clear();
      judge = new CorpusJudge(texts.get(`${line.i}.hif`) ?? '');
      judges.set(line.i, judge);
    }
    const logs = judge.logsOf(line.mu);
    events += logs.reduce((sum, log) => sum + log.entries.length, 0);
    const compare = (mode: LogMode, isOk: boolean): void => {
      const from = input.now();
      const judgement = judge.judge(logs, mode);
      const ms = input.now() - from;
      const count = countOf(byKind, `${mode} ${line.k}`);
      count.ms += ms;
      count.maxMs = Math.max(count.maxMs, ms);
      if (judgement.outcome === 'inconclusive') count.undecided++;
      else if ((judgement.outcome === 'conforms') === isOk) count.equal++;
      else {
        count.different++;
        different.push(`${line.i} ${line.k} ${line.t}: ${mode} says ${judgement.outcome}`);
      }
    };
    if (line.hibou === 'TIMEOUT') timeouts.push(`${line.i} ${line.t}: ${judge.judge(logs, 'elimination').outcome}`);
    else compare('elimination', line.hibou !== 'Fail');
    if (line.accept !== undefined) compare('whole', line.accept === 'Pass');
    if (input.cut && line.hibou !== 'TIMEOUT') compare('cut', line.hibou !== 'Fail');
  }
  return { byKind, different, timeouts, events };
}

class CorpusJudge {
  readonly #interaction: NamedInteraction;
  readonly #judge: LogJudge;
  readonly #shows: readonly number[];
  readonly #entries: ReadonlyMap<string, LogEntry>;

  constructor(text: string) {
    const interaction = readInteraction(text);
    if (interaction === null) throw new Error(`the corpus holds an interaction that cannot be read: ${text}`);
    this.#interaction = interaction;
    this.#judge = new LogJudge(interaction);
    this.#shows = [...interaction.lifelines.values()].map((lifeline) =>
      interaction.terms.sets.of(
        [...interaction.lifelineOf.keys()].filter((at) => interaction.lifelineOf[at] === lifeline),
      ),
    );
    this.#entries = new Map([...interaction.actions].map(([name, occurrence]) => [name, { options: [[occurrence]] }]));
  }

  /** A lifeline without a log has an empty one. An action that the interaction does not hold can be nothing. */
  logsOf(mu: Line['mu']): readonly Log[] {
    const entries = (lifeline: string): LogEntry[] =>
      (mu[lifeline] ?? []).map((action) => this.#entries.get(action) ?? { options: [] });
    const known = [...this.#interaction.lifelines].map(([name, lifeline]): Log => ({
      shows: this.#shows[lifeline] ?? 0,
      entries: entries(name),
    }));
    const unknown = Object.keys(mu).filter((name) => !this.#interaction.lifelines.has(name));
    return [...known, ...unknown.map((name): Log => ({ shows: 0, entries: entries(name) }))];
  }

  judge(logs: readonly Log[], mode: LogMode): LogsJudgement {
    return this.#judge.judge(logs, mode === 'cut' ? { mode, bounds: CUT_BOUNDS } : { mode });
  }
}

function countOf(counts: Map<string, Count>, name: string): Count {
  let count = counts.get(name);
  if (count === undefined) counts.set(name, (count = { equal: 0, different: 0, undecided: 0, ms: 0, maxMs: 0 }));
  return count;
}

/** The table, and every line that differs (the first fifty). */
export function describeComparison({ byKind, different, timeouts, events }: Comparison): string {
  const row = (name: string, { equal, different: others, undecided, ms, maxMs }: Count): string =>
    [name.padEnd(24), equal, others, undecided, `${ms.toFixed(0)} ms`, `${maxMs.toFixed(1)} ms`]
      .map((cell, index) => (index === 0 ? String(cell) : String(cell).padStart(12)))
      .join('');
  const total = (mode: string): Count => {
    const sum: Count = { equal: 0, different: 0, undecided: 0, ms: 0, maxMs: 0 };
    for (const [name, count] of byKind)
      if (name.startsWith(`${mode} `)) {
        sum.equal += count.equal;
        sum.different += count.different;
        sum.undecided += count.undecided;
        sum.ms += count.ms;
        sum.maxMs = Math.max(sum.maxMs, count.maxMs);
      }
    return sum;
  };
  const modes = [...new Set([...byKind.keys()].map((name) => name.split(' ')[0] ?? ''))];
  return [
    `${''.padEnd(24)}${['equal', 'different', 'undecided', 'time', 'longest'].map((title) => title.padStart(12)).join('')}`,
    ...[...byKind].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, count]) => row(name, count)),
    ...modes.map((mode) => row(`${mode} in all`, total(mode))),
    `${events} entries of logs`,
    ...timeouts.map((line) => `undecided by HIBOU: ${line}`),
    ...different.slice(0, 50).map((line) => `different: ${line}`),
  ].join('\n');
}
