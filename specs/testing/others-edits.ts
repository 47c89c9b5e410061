import fc from 'fast-check';

/** One fault planted in a log. */
export interface Edit {
  readonly kind: 'drop' | 'swap' | 'wrong key';
  /** 1-based, in the log before the edit. */
  readonly line: number;
  /** The lines that were dropped, exchanged, or changed (before and after). */
  readonly touched: readonly [string, ...string[]];
  readonly lines: readonly string[];
}

/** How a log can be edited: which of its lines are records, and one of them with another value under one of its keys. */
export interface EditableLog {
  readonly lines: readonly string[];
  readonly isRecord: (line: string) => boolean;
  /** `choice` chooses the key and the value. */
  readonly withWrongKey: (line: string, choice: number) => string;
}

/** Single edits at random places, none twice: a record dropped, two neighbours exchanged, or one key of a record wrong. */
export function randomEdits(log: EditableLog, count: number, seed: number): readonly Edit[] {
  const records = log.lines.flatMap((line, index) => (log.isRecord(line) ? [index] : []));
  const edit = fc
    .tuple(fc.constantFrom<Edit['kind'][]>('drop', 'swap', 'wrong key'), fc.nat(records.length - 2), fc.nat(999))
    .map(([kind, at, choice]) => editOf(log, kind, [records[at] ?? 0, records[at + 1] ?? 0], choice));
  const edits = fc.sample(fc.noBias(fc.uniqueArray(edit, { minLength: count, maxLength: count, selector: nameOf })), {
    numRuns: 1,
    seed,
  });
  return edits[0] ?? [];
}

const nameOf = ({ kind, line, touched }: Edit): string => [kind, line, ...touched].join('\n');

function editOf(log: EditableLog, kind: Edit['kind'], [at, next]: readonly [number, number], choice: number): Edit {
  const [record = '', neighbour = ''] = [log.lines[at], log.lines[next]];
  const line = at + 1;
  switch (kind) {
    case 'drop':
      return { kind, line, touched: [record], lines: log.lines.toSpliced(at, 1) };
    case 'swap':
      return { kind, line, touched: [record, neighbour], lines: log.lines.with(at, neighbour).with(next, record) };
    case 'wrong key': {
      const wrong = log.withWrongKey(record, choice);
      return { kind, line, touched: [record, wrong], lines: log.lines.with(at, wrong) };
    }
  }
}
