/**
 * PlantUML's text output against its source. Each fixture is a source of our own, `NAME.puml`, and what PlantUML drew from it:
 * `.txt` and `.utxt` (1.2023.1), `.v2020.*` (1.2020.02), `.v2026_1.*` (1.2026.1). The reader below is as small as the sources allow.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { wholeFile, type Diagram, type Item } from '../../diagram/index.ts';
import { readAscii } from './index.ts';
import type { Code } from './reports.ts';

const FIXTURES = new URL('testdata/plantuml/', import.meta.url);
const KINDS = 'participant|actor|boundary|control|entity|database|collections|queue';

/**
 * Drawings that say less than their source, each with its proof: `proofs/` holds a second source of the same name that says something
 * else, and its drawing, which is the same byte by byte. `answer` is what the reader makes of it: what the second source says, or an
 * error of this code. Documented in `docs/ascii.md`.
 */
const LOSSY: readonly { readonly files: RegExp; readonly answer: 'second' | Code; readonly why: string }[] = [
  {
    files: /^create_kinds\.(?:v2026_1\.)?u?txt$/,
    answer: 'second',
    why: 'a cross is drawn over three letters of a label',
  },
  { files: /^lost_found\.(?:v2026_1\.)?u?txt$/, answer: 'second', why: '`[x->` is drawn as `[<->`' },
  { files: /^lost_short\.(?:v2020\.|v2026_1\.)?u?txt$/, answer: 'second', why: '`A ->?` is drawn as `A -> B`' },
  { files: /^self_elsewhere\.v2026_1\.u?txt$/, answer: 'second', why: '`B <- B` is drawn as `A -> A`' },
  { files: /^self_apart\.v2026_1\.u?txt$/, answer: 'second', why: '`C <- C` is drawn as `B -> B`' },
  {
    files: /^(?:frame_(?:break|group|msg_crossing|par|partial)|par_and)\.v2026_8\.u?txt$/,
    answer: 'ASC132',
    why: 'a keyword that does not fit is left out',
  },
  { files: /^notes\.v2026_8\.u?txt$/, answer: 'ASC102', why: 'a stack trace instead of a drawing' },
  {
    files: /^partition_over\.(?:v2020\.)?u?txt$/,
    answer: 'ASC102',
    why: 'a syntax error: the message shows the source up to it',
  },
  { files: /^teoz_box\.v2020\.u?txt$/, answer: 'ASC102', why: 'the same' },
];

/**
 * Drawings that are not read as their source says, without such a proof: PlantUML draws nothing else that way, but people do.
 * They are read as a person's drawing; what the reader makes of them is written down here.
 */
const UNPROVEN: readonly { readonly files: RegExp; readonly why: string; readonly arrows: readonly string[] }[] = [
  {
    files: /^lost_shorter\..*/,
    why: '`A ->?` ends one column beside where `A -> B` would end',
    arrows: ['A -> B: there', 'A -> B: short lost'],
  },
  { files: /^lost_short\.v2026_8\.u?txt$/, why: 'the same', arrows: ['A -> B: there', 'A -> B: eleven char'] },
  {
    files: /^found_dashed\.v2026_8\.u?txt$/,
    why: 'a dashed arrow of two cells, `<─ `, whose gap falls on its end',
    arrows: ['A -> B: there', '* -> B: from right', '* -> B: from right dashed'],
  },
];

/** Drawings that are read as their source says, and refused all the same, with this code. */
const REFUSED: readonly { readonly files: RegExp; readonly code: Code; readonly why: string }[] = [
  { files: /^nomessages\./, code: 'ASC104', why: 'no message at all' },
  { files: /^same_names\.(?!v2026_8)/, code: 'ASC105', why: 'two participants with one name' },
];

/**
 * What is not compared, since it is not drawn: pairs of sources in `constructs/` that differ in nothing else, and whose drawings are
 * the same byte by byte.
 */
const NOT_DRAWN: Readonly<Record<string, string>> = {
  heads: '`->`, `->>`, `->x`, `->o` and half arrows',
  cross: '`->x]`',
  kinds: 'control or entity',
  queues: 'collections or queue',
  ids: 'codes, beside names',
  around: 'header, footer, caption, legend, boxes around participants, colours',
  notekind: '`hnote` or `rnote`, from 1.2023.1 on',
  plain_kinds: '1.2026.8: every kind of participant',
  names: '1.2026.8: names, beside codes',
  numbers: '1.2026.8: automatic numbers',
  both_ways: '1.2026.8: one head of `<->`',
  bars: '1.2026.8: activation',
};

interface Source {
  readonly title: string | undefined;
  readonly kinds: readonly string[];
  readonly participants: string[];
  readonly messages: { from: string | null; to: string | null; text: string; line: string }[];
  readonly tree: unknown;
  readonly notes: string[];
}

type Compartment = [guard: string, ...items: Node[]];
type Node = number | readonly [kind: string, ...operands: readonly Compartment[]];

/** Every other kind looks like a participant, or like one another. */
const DRAWN_KINDS: ReadonlySet<string> = new Set(['actor', 'database', 'boundary']);

const kindsOf = (names: readonly string[], kinds: ReadonlyMap<string, string>): string[] =>
  names.map((name) => `${name}: ${kinds.get(name) ?? 'participant'}`).toSorted();

/** What 1.2026.8 draws instead of what the source says: codes for names, no numbers, one head of two. */
const isCompact = (file: string): boolean => file.includes('.v2026_8.');

/** Automatic numbers: `1.1.2` counts in its last place, a format shows them in a run of `0` or `#`. */
class Numbers {
  #running = false;
  #places: number[] = [1];
  #step = 1;
  #format = '';

  /** What stands behind `autonumber`. */
  command(text: string): void {
    const [, word, start, step, format] =
      /^(stop|resume|inc A)?(?: ?([\d.]+))?(?: (\d+))?(?: ?"(.*)")?$/.exec(text.trim()) ?? [];
    this.#running = word !== 'stop';
    if (word === 'inc A') this.#places = this.#places.map((place, index) => (index === 0 ? place + 1 : 1));
    if (word !== undefined) return;
    this.#places = (start ?? '1').split('.').map(Number);
    this.#step = Number(step ?? 1);
    this.#format = (format ?? '').replace(/<[^>]*>/g, '');
  }

  before(label: string): string {
    if (!this.#running) return label;
    const digits = this.#places.join('.');
    const shown =
      this.#format === '' ? digits : this.#format.replace(/0+|#+/, (run) => digits.padStart(run.length, '0'));
    this.#places = this.#places.with(-1, (this.#places.at(-1) ?? 0) + this.#step);
    return `${shown} ${label}`.trim();
  }
}

function readSource(text: string, compact = false): Source {
  const names = new Map<string, string>();
  const kinds = new Map<string, string>();
  const numbers = new Numbers();
  let title: string | undefined;
  const messages: Source['messages'] = [];
  const notes: string[] = [];
  const root: Compartment = [''];
  const open: { operand: Compartment; node: [string, ...Compartment[]] }[] = [];
  const calls: (readonly [string, string])[] = [];
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
    const numbered = numbers.before(label);
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
      if (DRAWN_KINDS.has(match[1]!) && !compact) kinds.set(names.get(match[3] ?? label)!, match[1]!);
    } else if (/^(?:note|hnote|rnote) [^:]*$/.test(row) || row === 'legend') block = [];
    else if ((match = /^(?:note|hnote|rnote) [^:]*: ?(.*)$/.exec(row)) !== null) notes.push(match[1]!);
    else if ((match = /^== ?(.*?) ?==$/.exec(row)) !== null) notes.push(match[1]!);
    else if ((match = /^\.\.\. (.*) \.\.\.$/.exec(row)) !== null) notes.push(match[1]!);
    else if ((match = /^ref over .*? : (.*)$/.exec(row)) !== null) here().push(['ref', [match[1]!]]);
    else if ((match = /^(alt|opt|loop|par|break|critical|group|partition)\b ?(.*)$/.exec(row)) !== null) {
      const upper = (label: string): string => (compact ? label : label.toUpperCase());
      const guard =
        match[1] === 'partition'
          ? `${compact ? '' : 'PARTITION '}${match[2]!}`
          : match[1] === 'group'
            ? match[2]!.replace(/^(.*?)(?: \[(.*)\])?$/, (_, label: string, condition?: string) =>
                [upper(label), condition].filter(Boolean).join(' '),
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
    else if ((match = /^autonumber ?(.*)$/.exec(row)) !== null) {
      // The number after `resume` is the step of later numbers, not the next one.
      if (!compact) numbers.command(match[1]!);
    } else if ((match = /^title (.*)$/.exec(row)) !== null) {
      title = match[1]!;
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
      !/^(?:@|header|footer|caption|skinparam|hide|activate|deactivate|destroy|newpage|\.\.\.|\|\|\||mainframe|!pragma|box|end box|\{|$)/.test(
        row,
      )
    ) {
      throw new Error(`the source reader of this test does not know: ${row}`);
    }
  }
  const participants = [...names.values()];
  return { title, participants, kinds: kindsOf(participants, kinds), messages, tree: root.slice(1), notes };
}

/** A diagram in the shape of `readSource`. */
function shape(diagram: Diagram): Source {
  const node = (item: Item): Node => {
    if ('message' in item) return item.message;
    const { kind, operands } = diagram.fragments[item.fragment]!;
    return [kind, ...operands.map(({ guard, items }): Compartment => [guard, ...items.map(node)])];
  };
  const kinds = new Map(diagram.participants.map(({ label, kind }) => [label, kind]));
  const participants = diagram.participants.map(({ label }) => label);
  return {
    title: diagram.title,
    participants,
    kinds: kindsOf(participants, kinds),
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

const textOf = (file: string): string => readFileSync(new URL(file, FIXTURES), 'utf8');
const readText = (file: string) => readAscii(textOf(file), wholeFile(file, file));
const errorsOf = (file: string): string[] =>
  readText(file)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ code }) => code);
const arrowsOf = (file: string): string[] =>
  readText(file).value.messages.map(
    ({ from, to, text, line }) => `${from ?? '*'} ${line === 'solid' ? '->' : '-->'} ${to ?? '*'}: ${text}`,
  );

const excluded = [...LOSSY, ...UNPROVEN];
const exact = drawings.filter(({ file }) => !excluded.some(({ files }) => files.test(file)));

/** Of the drawings, those that must be read exactly. A change that loses one shows here, not only in the one test. */
const EXACT = 518;

describe('PlantUML text output says what its source says', () => {
  test(`${exact.length} of ${drawings.length} drawings are compared; the others are on a list`, () => {
    expect(exact).toHaveLength(EXACT);
  });

  test.each(exact)('$file', ({ name, file }) => {
    const { value } = readText(file);
    const said = readSource(textOf(`${name}.puml`), isCompact(file));
    expect(comparable(shape(value))).toEqual(comparable(said));
    const refused = REFUSED.find(({ files }) => files.test(file));
    expect(errorsOf(file)[0]).toBe(refused?.code);
  });
});

describe('a drawing counts as one that has lost something only where another source is drawn the same', () => {
  const lossy = LOSSY.flatMap((row) =>
    drawings.filter(({ file }) => row.files.test(file)).map((drawing) => ({ ...row, ...drawing })),
  );

  test('every row of the lists names drawings, and no drawing is on two of them', () => {
    for (const { files } of [...excluded, ...REFUSED]) {
      const named = drawings.filter(({ file }) => files.test(file));
      expect([files, named.length]).not.toEqual([files, 0]);
      expect(named.filter(({ file }) => excluded.some((row) => row.files !== files && row.files.test(file)))).toEqual(
        [],
      );
    }
  });

  test('every proof belongs to a drawing on the list, and every such drawing has one', () => {
    const proofs = readdirSync(new URL('proofs/', FIXTURES)).filter((file) => !file.endsWith('.puml'));
    expect(proofs.toSorted()).toEqual(lossy.map(({ file }) => file).toSorted());
  });

  test.each(lossy)('$file: $why', ({ name, file, answer }) => {
    const [first, second] = [textOf(`${name}.puml`), textOf(`proofs/${name}.puml`)];
    expect(second).not.toBe(first);
    expect(textOf(`proofs/${file}`)).toBe(textOf(file));
    if (answer === 'second') {
      const said = comparable(readSource(second, isCompact(file)));
      expect(said).not.toEqual(comparable(readSource(first, isCompact(file))));
      expect(comparable(shape(readText(file).value))).toEqual(said);
      expect(errorsOf(file)).toEqual([]);
    } else expect(errorsOf(file)[0]).toBe(answer);
  });

  const constructs = readdirSync(new URL('constructs/', FIXTURES));

  test.each(Object.entries(NOT_DRAWN))('%s: not drawn is %s', (name) => {
    expect(textOf(`constructs/${name}.one.puml`)).not.toBe(textOf(`constructs/${name}.other.puml`));
    const pairs = constructs.filter((file) => file.startsWith(`${name}.one.`) && !file.endsWith('.puml'));
    expect(pairs.length).toBeGreaterThanOrEqual(2);
    for (const file of pairs)
      expect(textOf(`constructs/${file.replace('.one.', '.other.')}`)).toBe(textOf(`constructs/${file}`));
  });

  test('every pair of constructs is on the list', () => {
    const found = new Set(constructs.map((file) => file.split('.')[0]));
    expect([...found].toSorted()).toEqual(Object.keys(NOT_DRAWN).toSorted());
  });

  const unproven = UNPROVEN.flatMap((row) =>
    drawings.filter(({ file }) => row.files.test(file)).map(({ file }) => ({ ...row, file })),
  );

  test.each(unproven)('$file, without a proof: $why', ({ file, arrows }) => {
    expect(arrowsOf(file)).toEqual(arrows);
  });
});

describe('where the reader had to choose, it says so', () => {
  const codesOf = (file: string): string[] => readText(file).diagnostics.map(({ code }) => code);

  test.each(['create_kinds.utxt', 'create_kinds.txt'])('%s draws a cross over a label', (file) => {
    const { diagnostics } = readText(file);
    expect(diagnostics.map(({ code, line }) => [code, line])).toContainEqual(['ASC124', 28]);
  });

  test.each(['lost_found.utxt', 'lost_found.v2026_1.txt'])('%s has arrows that end in the void', (file) => {
    expect(codesOf(file).filter((code) => code === 'ASC116')).toHaveLength(3);
    expect(codesOf(file)).toContain('ASC118');
  });

  test.each(['self.v2026_1.utxt', 'self_apart.v2026_1.txt'])('%s draws loops apart from their lifeline', (file) => {
    expect(codesOf(file)).toContain('ASC147');
  });

  test.each(['partition_over.v2026_8.utxt', 'partition_two.v2026_8.txt'])('%s has a name on a frame', (file) => {
    expect(codesOf(file)).toContain('ASC146');
  });
});
