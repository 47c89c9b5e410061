/**
 * PlantUML's text output against its source. Each fixture is a source of our own, `NAME.puml`, and what PlantUML drew from it:
 * `.txt` and `.utxt` (1.2023.1), `.v2020.*` (1.2020.02), `.v2026_1.*` (1.2026.1). The reader below is as small as the sources allow.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { hasErrors } from '../../diagnostics/index.ts';
import { wholeFile, type Diagram, type Item } from '../../diagram/index.ts';
import { readAscii } from './index.ts';

const FIXTURES = new URL('testdata/plantuml/', import.meta.url);
const KINDS = 'participant|actor|boundary|control|entity|database|collections|queue';

/** Sources whose drawing does not show what they say, with the reason; what is read from them instead is tested one by one below. */
const LOSSY: Readonly<Record<string, string>> = {
  autonumber_fmt: 'formats of automatic numbers, which the source reader of this test does not know',
  create_kinds: 'a cross is drawn over the label "allocated"',
  lost_found: '`A ->? : short lost` is drawn exactly as `A -> B`, and `[x-> A` as `[<-> A`',
  nomessages: 'no message at all',
  'partition_over.txt': 'a syntax error: PlantUML writes its message into the file',
  'partition_over.utxt': 'the same',
  'partition_over.v2020': 'the same',
  same_names: 'two participants with one name',
  'self.v2026_1': '`A <- A` is drawn at the left edge, away from its lifeline',
  'notes.v2026_8': 'notes make that version write a stack trace into the file',
  'lost_found.v2026_8': 'a dashed arrow of two cells has no gap; otherwise as above',
  'frame_break.v2026_8': 'a keyword that does not fit is left out, so `break` and `critical` are drawn alike',
  'frame_group.v2026_8': 'the same',
  'frame_msg_crossing.v2026_8': 'the same',
  'frame_par.v2026_8': 'the same',
  'frame_partial.v2026_8': 'the same',
  'par_and.v2026_8': 'the same',
  'partition_over.v2026_8': 'the name of a partition stands where others have their keyword',
  'teoz_box.v2020': 'nested boxes are an error in that version: it writes its message into the file',
};
const isLossy = (file: string): boolean =>
  Object.keys(LOSSY).some((name) => file === name || file.startsWith(`${name}.`));

interface Source {
  readonly participants: string[];
  readonly messages: { from: string | null; to: string | null; text: string; line: string }[];
  readonly tree: unknown;
  readonly notes: string[];
}

type Compartment = [guard: string, ...items: Node[]];
type Node = number | readonly [kind: string, ...operands: readonly Compartment[]];

/** What 1.2026.8 draws instead of what the source says: codes for names, no numbers, one head of two. */
const isCompact = (file: string): boolean => file.includes('.v2026_8.');

function readSource(text: string, compact = false): Source {
  const names = new Map<string, string>();
  const messages: Source['messages'] = [];
  const notes: string[] = [];
  const root: Compartment = [''];
  const open: { operand: Compartment; node: [string, ...Compartment[]] }[] = [];
  const calls: (readonly [string, string])[] = [];
  let number: number | null = null;
  let lastNumber = 0;
  let block: string[] | null = null;
  let automatic = false;
  const here = (): Compartment => open.at(-1)?.operand ?? root;
  const nameOf = (id: string): string | null => {
    if (id === '' || id === '[' || id === ']' || id === '?') return null;
    const plain = id.replace(/^"|"$/g, '');
    if (!names.has(plain)) names.set(plain, plain);
    return names.get(plain)!;
  };
  const add = (from: string | null, to: string | null, label: string, line: string): void => {
    const numbered = number === null ? label : `${number} ${label}`.trim();
    if (number !== null) lastNumber = number++;
    here().push(messages.length);
    messages.push({ from, to, text: numbered.replaceAll('\\n', '\n'), line });
  };
  for (const raw of text.split('\n')) {
    const row = raw.trim();
    if (block !== null) {
      if (/^end ?(note|legend)$/.test(row)) {
        if (row.endsWith('note')) notes.push(block.join('\n'));
        block = null;
      } else block.push(row);
      continue;
    }
    let match: RegExpExecArray | null;
    if ((match = new RegExp(`^(?:create )?(${KINDS}|create) ("[^"]*"|\\S+)(?: as (\\S+))?`).exec(row)) !== null) {
      const label = match[2]!.replace(/^"|"$/g, '').replace('\\n', ' ');
      names.set(match[3] ?? label, compact ? (match[3] ?? label) : (names.get(label) ?? label));
    } else if (/^(?:note|hnote|rnote) [^:]*$/.test(row) || row === 'legend') block = [];
    else if ((match = /^(?:note|hnote|rnote) [^:]*: ?(.*)$/.exec(row)) !== null) notes.push(match[1]!);
    else if ((match = /^== ?(.*?) ?==$/.exec(row)) !== null) notes.push(match[1]!);
    else if ((match = /^\.\.\. (.*) \.\.\.$/.exec(row)) !== null) notes.push(match[1]!);
    else if ((match = /^ref over .*? : (.*)$/.exec(row)) !== null) here().push(['ref', [match[1]!]]);
    else if ((match = /^(alt|opt|loop|par|break|critical|group|partition)\b ?(.*)$/.exec(row)) !== null) {
      const guard =
        match[1] === 'partition'
          ? `PARTITION ${match[2]!}`
          : match[1] === 'group'
            ? match[2]!.replace(/^(.*?)(?: \[(.*)\])?$/, (_, label: string, condition?: string) =>
                [label.toUpperCase(), condition].filter(Boolean).join(' '),
              )
            : match[2]!;
      const operand: Compartment = [guard];
      const node: [string, ...Compartment[]] = [match[1] === 'partition' ? 'group' : match[1]!, operand];
      here().push(node);
      open.push({ operand, node });
    } else if ((match = /^else ?(.*)$/.exec(row)) !== null) {
      const top = open.at(-1)!;
      top.operand = [match[1]!];
      top.node.push(top.operand);
    } else if (row === 'end') open.pop();
    else if ((match = /^autonumber(?: (stop|resume))? ?(\d+)?$/.exec(row)) !== null) {
      // The number after `resume` is the step of later numbers, not the next one.
      if (compact) continue;
      number = match[1] === 'stop' ? null : match[1] === 'resume' ? lastNumber + 1 : Number(match[2] ?? 1);
    } else if (row === 'autoactivate on') automatic = true;
    else if ((match = /^return ?(.*)$/.exec(row)) !== null) {
      const [caller, callee] = calls.pop()!;
      add(callee, caller, match[1]!, 'dashed');
    } else if (
      (match =
        /^(?:& |\{\w+\} )?("[^"]*"|[\p{L}\w.]+|\[|\?)? ?([<xo]{0,2}(?:<<|[<xo\\/])?-+(?:\[#\w+\])?-*(?:>>|[>xo\\/]){0,3}) ?("[^"]*"|[\p{L}\w.]+|\]|\?)? ?(?:: ?(.*))?$/u.exec(
          row,
        )) !== null
    ) {
      const [, left = '', arrow = '', right = '', label = ''] = match;
      const [a, b] = [nameOf(left), nameOf(right)];
      const bare = arrow.replace(/\[.*?\]/, '');
      const line = /--/.test(bare) ? 'dashed' : 'solid';
      const [toLeft, toRight] = [bare.includes('<'), /[>\\/]/.test(bare)];
      if (toLeft && toRight && !compact) {
        const index = messages.length;
        add(a, b, label, line);
        add(b, a, label, line);
        here().splice(-2, 2, ['par', ['', index], ['', index + 1]]);
      } else {
        const isBack = toLeft && !toRight;
        add(isBack ? b : a, isBack ? a : b, label, line);
      }
      if (automatic && line === 'solid' && a !== null && b !== null) calls.push(toLeft ? [b, a] : [a, b]);
    } else if (
      !/^(?:@|title|header|footer|caption|skinparam|hide|activate|deactivate|destroy|newpage|\.\.\.|\|\|\||mainframe|!pragma|box|end box|\{|$)/.test(
        row,
      )
    ) {
      throw new Error(`the source reader of this test does not know: ${row}`);
    }
  }
  return { participants: [...names.values()], messages, tree: root.slice(1), notes };
}

/** A diagram in the shape of `readSource`. */
function shape(diagram: Diagram): Source {
  const node = (item: Item): Node => {
    if ('message' in item) return item.message;
    const { kind, operands } = diagram.fragments[item.fragment]!;
    return [kind, ...operands.map(({ guard, items }): Compartment => [guard, ...items.map(node)])];
  };
  return {
    participants: diagram.participants.map(({ label }) => label),
    messages: diagram.messages.map(({ from, to, text, line }) => ({ from, to, text, line })),
    tree: diagram.items.map(node),
    notes: diagram.notes.map(({ text }) => text),
  };
}

/** Column order may differ from the order of declaration only for participants that are created later. */
const comparable = (source: Source): Source => ({
  ...source,
  participants: source.participants.toSorted(),
  notes: source.notes.toSorted(),
});

const names = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.puml'))
  .map((file) => file.slice(0, -'.puml'.length));
const EXTENSIONS = ['', 'v2020.', 'v2026_1.', 'v2026_8.'].flatMap((version) => [`${version}utxt`, `${version}txt`]);
const drawings = names
  .flatMap((name) => EXTENSIONS.map((extension) => ({ name, file: `${name}.${extension}` })))
  .filter(({ file }) => existsSync(new URL(file, FIXTURES)));

const readFixture = (file: string) => readAscii(readFileSync(new URL(file, FIXTURES), 'utf8'), wholeFile(file, file));

/** Of the drawings, those that must be read exactly. A change that loses one shows here, not only in the one test. */
const EXACT_MIN = 456;

describe('PlantUML text output says what its source says', () => {
  const exact = drawings.filter(({ file }) => !isLossy(file));

  test(`${exact.length} of ${drawings.length} drawings are compared; the others have a reason`, () => {
    expect(exact.length).toBeGreaterThanOrEqual(EXACT_MIN);
  });

  test.each(exact)('$file', ({ name, file }) => {
    const { value, diagnostics } = readFixture(file);
    const source = readSource(readFileSync(new URL(`${name}.puml`, FIXTURES), 'utf8'), isCompact(file));
    expect(comparable(shape(value))).toEqual(comparable(source));
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

const versionsOf = (name: string): string[] =>
  drawings.filter((drawing) => drawing.file.startsWith(`${name}.`) && !isCompact(drawing.file)).map(({ file }) => file);
const compactOf = (name: string): string[] => [`${name}.v2026_8.utxt`, `${name}.v2026_8.txt`];
const codesOf = (file: string): string[] => readFixture(file).diagnostics.map(({ code }) => code);
const arrowsOf = (file: string): string[] =>
  readFixture(file).value.messages.map(
    ({ from, to, text, line }) => `${from ?? '*'} ${line === 'solid' ? '->' : '-->'} ${to ?? '*'}: ${text}`,
  );

describe('where the drawing has lost something, the reader says so or reads what is drawn', () => {
  test.each(['partition_over.txt', 'partition_over.utxt', ...versionsOf('partition_over.v2020')])(
    '%s is an error page, and refused as one',
    (file) => {
      expect(codesOf(file)).toEqual(['ASC102']);
    },
  );

  test.each(versionsOf('teoz_box.v2020'))('%s is an error page, and refused as one', (file) => {
    expect(codesOf(file)).toEqual(['ASC102']);
  });

  test.each(versionsOf('nomessages'))('%s has no arrow, and is refused', (file) => {
    expect(codesOf(file)).toContain('ASC104');
  });

  test.each(versionsOf('same_names'))('%s has two participants of one name, and is refused', (file) => {
    expect(codesOf(file)).toContain('ASC105');
  });

  test.each(versionsOf('self.v2026_1'))('%s draws a loop at no lifeline, and is refused', (file) => {
    expect(codesOf(file)).toContain('ASC112');
  });

  test.each(versionsOf('create_kinds'))(
    '%s draws a cross over a label, and a warning says that it may be wrong',
    (file) => {
      const { diagnostics } = readFixture(file);
      expect(diagnostics.map(({ code, line }) => [code, line])).toContainEqual(['ASC124', 28]);
      expect(arrowsOf(file)).toEqual([
        'User -> Factory: make',
        'Factory -> Worker One: spawn',
        'Worker One -> Worker One: warm up',
        'Worker One --> Factory: ready',
        'Factory -> Store: allocate',
        'Store --> Factory: allo\\a/ed',
        'Factory -> Worker One: stop',
        'Factory --> User: finished',
      ]);
      expect(hasErrors(diagnostics)).toBe(false);
    },
  );

  test.each(versionsOf('lost_found'))(
    '%s reads ends in the void as found and lost, and warns where they are short',
    (file) => {
      expect(codesOf(file).filter((code) => code === 'ASC116').length).toBe(3);
      expect(arrowsOf(file)).toEqual([
        '* -> A: from left',
        'A -> *: to left',
        '* --> A: from left dashed',
        'A -> *: to right from A',
        'B -> *: to right',
        '* -> B: from right',
        '* --> B: from right dashed',
        '* -> A: found o',
        'B -> *: lost o',
        '* -> A: fx',
        // 1.2020.02 drops the second head.
        ...(file.includes('v2020') ? [] : ['A -> *: fx']),
        '* -> A: short found',
        'A -> B: short lost',
      ]);
    },
  );

  test.each(versionsOf('autonumber_fmt'))('%s keeps the numbers as they are drawn', (file) => {
    expect(arrowsOf(file)).toEqual([
      'A -> B: [001] first',
      'B -> A: (15) second',
      'A -> B: 1.1.1 dotted',
      'A -> B: 2.1.1 incd',
    ]);
  });
});

describe('what 1.2026.8 has lost is refused, or said', () => {
  const unnamed = ['frame_break', 'frame_group', 'frame_msg_crossing', 'frame_par', 'frame_partial', 'par_and'];

  test.each(unnamed.flatMap(compactOf))('%s has a frame without a keyword, and is refused at it', (file) => {
    const errors = readFixture(file).diagnostics.filter(({ severity }) => severity === 'error');
    expect(errors[0]?.code).toBe('ASC132');
  });

  test('two fragments of different kinds are drawn byte by byte alike', () => {
    const rows = readFileSync(new URL('frame_break.v2026_8.utxt', FIXTURES), 'utf8').split('\n');
    const borders = rows.flatMap((row, index) => (row.startsWith('╔') ? [index] : []));
    expect(borders).toHaveLength(2);
    const [first = 0, second = 0] = borders;
    const bare = (row = ''): string => row.replace(/[a-z]/g, ' ');
    expect(rows[first]).toBe(rows[second]);
    expect(bare(rows[first + 1])).toBe(bare(rows[second + 1]));
    expect(rows[first + 3]).toBe(rows[second + 3]);
  });

  test('arrows of all styles are drawn byte by byte alike', () => {
    const rows = readFileSync(new URL('arrow_styles.v2026_1.utxt', FIXTURES), 'utf8').split('\n');
    const solid = rows.filter((row) => /─>/.test(row) && !/ ─|<─/.test(row)).map((row) => row.trimEnd());
    expect(solid.length).toBeGreaterThanOrEqual(9);
    expect(new Set(solid).size).toBe(1);
  });

  test.each(compactOf('notes'))('%s is a stack trace, and refused as one', (file) => {
    expect(codesOf(file)).toEqual(['ASC102']);
  });

  test.each(compactOf('partition_over'))('%s is refused', (file) => {
    expect(hasErrors(readFixture(file).diagnostics)).toBe(true);
  });

  test.each(compactOf('lost_found'))('%s reads ends in the void as found and lost', (file) => {
    expect(hasErrors(readFixture(file).diagnostics)).toBe(false);
    expect(arrowsOf(file)).toEqual([
      '* -> A: from left',
      'A -> *: to left',
      '* --> A: from left dashed',
      'A -> *: to right from A',
      'B -> *: to right',
      '* -> B: from right',
      '* -> B: from right dashed',
      '* -> A: found o',
      'B -> *: lost o',
      '* -> A: fx',
      '* -> A: short found',
      'A -> B: short lost',
    ]);
  });

  test.each(compactOf('same_names'))('%s names participants by their codes, which differ', (file) => {
    expect(readFixture(file).value.participants.map(({ label }) => label)).toEqual(['a', 'b']);
  });
});

describe('participants know their kind, their creation and their end', () => {
  test.each(versionsOf('create_kinds'))('%s', (file) => {
    const { participants } = readFixture(file).value;
    expect(
      participants.map(({ label, kind, createdBy, destroyedBy }) => ({ label, kind, createdBy, destroyedBy })),
    ).toEqual([
      { label: 'User', kind: 'actor', createdBy: undefined, destroyedBy: undefined },
      { label: 'Factory', kind: 'participant', createdBy: undefined, destroyedBy: undefined },
      { label: 'Worker One', kind: 'participant', createdBy: 1, destroyedBy: 6 },
      { label: 'Store', kind: 'database', createdBy: 4, destroyedBy: undefined },
    ]);
  });
});
