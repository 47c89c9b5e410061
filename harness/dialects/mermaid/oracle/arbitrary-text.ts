import fc from 'fast-check';

/** A valid Mermaid text, and the rules of the grammar that it uses. */
export interface Written {
  readonly text: string;
  readonly rules: ReadonlySet<string>;
}

type Draw = fc.GeneratorValue;

/** Every arrow, forward and backward. */
const ARROWS = [
  ...['->>', '-->>', '->', '-->', '-x', '--x', '-X', '-)', '--)', '<<->>', '<<-->>'],
  ...['-|\\', '-|/', '-\\\\', '-//', '/|-', '\\|-', '//-', '\\\\-'],
  ...['--|\\', '--|/', '--\\\\', '--//', '/|--', '\\|--', '//--', '\\\\--'],
];

/** Names that can be declared and used; keywords inside them, punctuation, other scripts. */
const NAMES = [
  ...['A', 'B', 'C', 'Alice', 'API Server', 'api-server', 'x.y', 'a_b', 'xray', 'Ünïcode', '用户', '🎉', '2nd', '1'],
  ...['My end svc', 'endpoint', 'loopback', 'B and C', 'notes', '"Q"', "it's", 'a=b', 'x?y', 'Foo (x)', '[', 'x#58;y'],
];
/** Names that only messages and notes can hold: `@` and `#` end a declaration, or belong to it. */
const USED_NAMES = ['a@b', 'a#b', 'titles', 'accTitles', 'q%r', 'w/o', 'participant_x'];
/** Behind one of these a name swallows what an arrow may begin with: `a-b\\\\-c` is a name. */
const GREEDY = /[-/()]/;

const WORDS = [
  ...[
    'get',
    'OK',
    'GET /a/b?c=1',
    'two  blanks',
    '(201 Created)',
    'a: b',
    'x, y',
    '->>',
    'end',
    'note over A',
    '<br/>',
  ],
  ...[
    '#35;',
    '#59;',
    '#quot;',
    '#nobody;',
    '"q"',
    '%%',
    '-x',
    '&',
    'ü',
    '<a href="b">c</a>',
    '$$x$$',
    '{y}',
    '[z]',
    '1.',
    '\t',
  ],
];

/** What stands for chance: everything is drawn here, so that a seed says it all. */
class Writer {
  readonly rules = new Set<string>();
  readonly #draw: Draw;
  readonly #parts: string[] = [];
  readonly #open: string[] = [];
  readonly #bars = new Map<string, number>();
  readonly #known = new Set<string>();
  #created: string | null = null;
  #destroyed: string | null = null;
  #boxes = 0;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  write(): string {
    this.#beginning();
    const count = this.#draw(fc.nat, { max: 14 });
    for (let done = 0; done < count; done += 1) this.#statement();
    this.#settle();
    while (this.#open.length > 0) this.#end();
    const text = this.#parts.join('');
    if (!this.#chance(6)) return text;
    this.#uses('line ends of other systems');
    return text.replaceAll('\n', this.#pick('\r\n', '\r'));
  }

  #pick<T>(...options: readonly T[]): T {
    return this.#draw(fc.constantFrom<T[]>, ...options);
  }

  /** True once in so many times. */
  #chance(oneIn: number): boolean {
    return this.#draw(fc.nat, { max: oneIn - 1 }) === 0;
  }

  #uses(rule: string): void {
    this.rules.add(rule);
  }

  #beginning(): void {
    const front = this.#pick('', '', '', '---\ntitle: Front\n---\n', '---\nconfig:\n  theme: dark\n---\n');
    if (front !== '') this.#uses('front matter');
    const before = this.#pick('', '', '\n', '  ', '%% comment\n', '%%{init: {"theme": "dark"}}%%\n', '%%{wrap}%%\n');
    if (before.startsWith('%%{')) this.#uses('directive');
    this.#parts.push(front, before, 'sequenceDiagram');
    this.#terminate();
  }

  /** Ends a statement; a blank before the line end would swallow it behind some tokens. */
  #terminate(): void {
    const end = this.#pick(
      '\n',
      '\n',
      '\n',
      '\n',
      '\n\n',
      ';',
      ';\n',
      '\n  \n',
      '\n%% a comment\n',
      '\n# another\n',
      '\n%\n',
    );
    if (end.includes(';')) this.#uses('semicolon');
    if (end.includes('%') || end.includes('#')) this.#uses('comment');
    this.#parts.push(end, this.#pick('', '  ', '\t', '    '));
  }

  #say(rule: string, text: string): void {
    this.#uses(rule);
    this.#parts.push(text);
    // A comment behind a text takes a semicolon with it.
    if (text.endsWith('# tail')) this.#parts.push('\n');
    this.#terminate();
  }

  #word(keyword: string): string {
    if (!this.#chance(8)) return keyword;
    this.#uses('keyword in another case');
    return keyword.toUpperCase();
  }

  #text(): string {
    const prefix = this.#pick('', '', '', '', '', 'wrap:', 'nowrap:', ':wrap:');
    if (prefix !== '') this.#uses('wrap');
    const words = this.#draw(fc.array<string>, fc.constantFrom(...WORDS), { maxLength: 4 });
    if (words.some((word) => /^#\w+;$/.test(word))) this.#uses('entity code');
    const cut = this.#chance(12) ? ' # tail' : '';
    if (cut !== '') this.#uses('text cut by #');
    const text = `${prefix}${words.join(' ')}${cut}`;
    // Glued to the colon, `%%` makes a comment of both.
    return text.startsWith('%') ? ` ${text}` : text;
  }

  #blank(): string {
    return this.#pick('', '', ' ', '  ');
  }

  #used(): string {
    const name = this.#pick(...NAMES, ...NAMES, ...USED_NAMES);
    this.#known.add(name);
    return name;
  }

  #statement(): void {
    const kinds = [
      ...['message', 'message', 'message', 'message', 'declare', 'note', 'bar', 'open', 'divide', 'end', 'box'],
      ...['create', 'destroy', 'autonumber', 'title', 'accessibility', 'link', 'stray'],
    ];
    const kind = this.#pick(...kinds);
    switch (kind) {
      case 'message':
        this.#message(this.#sender(), this.#used());
        return;
      case 'declare':
        this.#declare();
        return;
      case 'note':
        this.#note();
        return;
      case 'bar':
        this.#bar();
        return;
      case 'open':
        this.#openBlock();
        return;
      case 'divide':
        this.#divide();
        return;
      case 'end':
        if (this.#open.length > 0) this.#end();
        return;
      case 'box':
        this.#box();
        return;
      case 'create':
        this.#create();
        return;
      case 'destroy':
        this.#destroy();
        return;
      default:
        this.#aside(kind);
    }
  }

  #message(from: string, to: string): void {
    const greedy = GREEDY.test(from);
    const arrow = this.#pick(...(greedy ? ARROWS.filter((spelled) => /^[-<]/.test(spelled)) : ARROWS));
    this.#uses(`arrow ${arrow}`);
    this.#settleLife(from, to);
    const left = /^\d+$/.test(from) ? '' : this.#blank();
    const central = greedy ? '' : this.#pick('', '', '', '()');
    if (central !== '') this.#uses('central connection at the sender');
    const signs =
      central === '' ? ['', '', '', '+', '()', ...((this.#bars.get(from) ?? 0) > 0 ? ['-'] : [])] : ['', '()'];
    const sign = this.#pick(...signs);
    if (sign !== '') this.#uses(`sign ${sign}`);
    if (sign === '+') this.#count(to, 1);
    if (sign === '-') this.#count(from, -1);
    // `-x` would be an arrow, and so would `-)`.
    const right = sign === '-' ? ' ' : this.#blank();
    const receiver = /^\d+$/.test(to) ? `${to}:` : `${to}${this.#blank()}:`;
    this.#say('message', `${from}${left}${central}${arrow}${sign}${right}${receiver}${this.#blank()}${this.#text()}`);
  }

  /** Often one whose bar is open, so that `-` can close it. */
  #sender(): string {
    const open = [...this.#bars].filter(([, count]) => count > 0).map(([name]) => name);
    return open.length > 0 && this.#chance(2) ? this.#pick(...open) : this.#used();
  }

  #count(name: string, change: number): void {
    this.#bars.set(name, (this.#bars.get(name) ?? 0) + change);
  }

  #declaration(name: string): string {
    const keyword = this.#word(this.#pick('participant', 'participant', 'actor'));
    const plain = !/\s/.test(name);
    const form = this.#pick(
      'plain',
      'plain',
      ...(plain ? ['alias', 'alias', 'wrapped'] : []),
      ...(/^\w+$/.test(name) ? ['typed', 'typed alias'] : []),
    );
    this.#uses(`${keyword.toLowerCase()}, ${form}`);
    if (form === 'plain') return `${keyword} ${name}`;
    if (form === 'alias')
      return `${keyword} ${name} as ${this.#pick('Label', 'Two Words', 'http://x:80', '', 'a -> b', '#35;1')}`;
    if (form === 'wrapped') return `${keyword} ${name} as wrap:${this.#pick('Label', 'Two<br/>Words')}`;
    const type = this.#pick(
      'actor',
      'boundary',
      'collections',
      'control',
      'database',
      'entity',
      'participant',
      'queue',
      'robot',
    );
    const alias = this.#pick('', ', "alias": "Inner"');
    const settings = `@{ "type": "${type}"${alias} }`;
    return `${keyword} ${name}${settings}${form === 'typed' ? '' : ' as Outer'}`;
  }

  #declare(): void {
    const name = this.#pick(...NAMES);
    this.#known.add(name);
    this.#say('declaration', this.#declaration(name));
  }

  #box(): void {
    // One box, and only participants that stand in no other: Mermaid wants each in one box.
    const label = this.#pick('', ' Group', ' Aqua Group', ' rgb(1,2,3) Group', ' transparent Two Words');
    this.#boxes += 1;
    this.#say('box', `${this.#word('box')}${label}`);
    const count = this.#draw(fc.nat, { max: 2 });
    for (let done = 0; done < count; done += 1) {
      const name = `Boxed${this.#boxes}${done}`;
      this.#known.add(name);
      this.#say('declaration', this.#declaration(name));
    }
    this.#say('end', this.#word('end'));
  }

  #create(): void {
    if (this.#created !== null) return;
    // Nothing that was written so far may mention it: Mermaid refuses to create who is there already.
    const written = this.#parts.join('');
    const isNew = (name: string): boolean => !this.#known.has(name) && !written.includes(name);
    const name = this.#pick(...NAMES.filter(isNew), 'Fresh');
    if (!isNew(name)) return;
    this.#known.add(name);
    this.#created = name;
    this.#say('create', `${this.#word('create')} ${this.#declaration(name)}`);
  }

  #destroy(): void {
    if (this.#destroyed !== null || this.#known.size === 0) return;
    const name = this.#pick(...[...this.#known].filter((name) => !/[@#]/.test(name)), 'A');
    this.#known.add(name);
    this.#destroyed = name;
    this.#say('destroy', `${this.#word('destroy')} ${name}`);
  }

  /** The next message must touch whoever was created or destroyed: those that are owed stand before any other. */
  #settleLife(from: string, to: string): void {
    const createdElsewhere = this.#created !== null && this.#created !== to;
    const destroyedElsewhere = this.#destroyed !== null && this.#destroyed !== from && this.#destroyed !== to;
    if (createdElsewhere || destroyedElsewhere) this.#settle();
    this.#created = null;
    this.#destroyed = null;
  }

  #settle(): void {
    const { created, destroyed } = { created: this.#created, destroyed: this.#destroyed };
    this.#created = null;
    this.#destroyed = null;
    if (created !== null) this.#say('message', `Maker->>${created}: made`);
    if (destroyed !== null) this.#say('message', `Killer-x${destroyed}: killed`);
  }

  #note(): void {
    const place = this.#pick('left of', 'right of', 'over', 'over two');
    const name = this.#used();
    const ends = place === 'over two' ? `${name}${this.#blank()},${this.#blank()}${this.#used()}` : name;
    const keyword = place === 'over two' ? 'over' : place;
    const text = this.#text();
    // A name of digits before a blank is a number to the lexer.
    if (/(?:^|,\s*)\d+\s*(?:,|$)/.test(ends)) return;
    this.#say(`note ${place}`, `${this.#word('note')} ${this.#word(keyword)} ${ends}: ${text}`);
  }

  #bar(): void {
    const open = [...this.#bars].filter(([name, count]) => count > 0 && !/[@#]/.test(name)).map(([name]) => name);
    if (open.length > 0 && this.#chance(2)) {
      const name = this.#pick(...open);
      this.#count(name, -1);
      this.#say('deactivate', `${this.#word('deactivate')} ${name}`);
      return;
    }
    const name = this.#pick(...NAMES);
    this.#count(name, 1);
    this.#say('activate', `${this.#word('activate')} ${name}`);
  }

  #openBlock(): void {
    const kind = this.#pick('loop', 'alt', 'opt', 'par', 'par_over', 'critical', 'break', 'rect');
    this.#open.push(kind);
    const label = kind === 'rect' ? ' rgb(0, 255, 0)' : this.#pick('', ` ${this.#text()}`);
    this.#say(kind, `${this.#word(kind)}${label}`);
  }

  #divide(): void {
    const divider = new Map([
      ['alt', 'else'],
      ['par', 'and'],
      ['par_over', 'and'],
      ['critical', 'option'],
    ]).get(this.#open.at(-1) ?? '');
    if (divider === undefined) return;
    this.#say(divider, `${this.#word(divider)}${this.#pick('', ` ${this.#text()}`)}`);
  }

  #end(): void {
    this.#open.pop();
    this.#uses('end');
    this.#parts.push(this.#word('end'));
    if (this.#chance(8)) {
      this.#uses('statement behind end');
      this.#parts.push(' ');
    } else {
      this.#terminate();
    }
  }

  /** Statements that say nothing of order. */
  #aside(kind: string): void {
    if (kind === 'autonumber') {
      const numbers = this.#pick('', ' 10', ' 10 5', ' 1.5 0.25', ' off');
      // Mermaid wants a blank or a line end right behind a number, and takes the line end with the blank.
      this.#uses(`autonumber${numbers}`);
      this.#parts.push(`${this.#word('autonumber')}${numbers}\n`);
    } else if (kind === 'title') {
      const colon = this.#pick('', ':');
      this.#say(`title${colon}`, `${this.#word('title')}${colon} ${this.#pick('Foo', 'Foo bar', 'A #35; b')}`);
    } else if (kind === 'accessibility') {
      const said = this.#pick('accTitle: T; u', 'accDescr: D # e', 'accDescr {\n one\n two; three\n}', 'accTitle : T');
      this.#uses(said.includes('{') ? 'accDescr {}' : said.slice(0, 8));
      this.#parts.push(`${said}\n`);
    } else if (kind === 'stray') {
      this.#say('stray character', this.#pick('>', '<', ')', '/'));
    } else {
      const said = this.#pick(
        'link A: L @ https://a.b/c',
        'links A: {"x": "y"}',
        'properties B: {"class": "z"}',
        'details C: id',
      );
      for (const name of 'ABC') if (said.includes(` ${name}:`)) this.#known.add(name);
      this.#say(said.slice(0, said.indexOf(' ')), said);
    }
  }
}

/** Valid texts that together use every rule of the grammar. */
export const mermaidText: fc.Arbitrary<Written> = fc.gen().map((draw) => {
  const writer = new Writer(draw);
  return { text: writer.write(), rules: writer.rules };
});

/** Every rule that `mermaidText` can use, so that a run can show that it did. */
export const RULES: readonly string[] = [
  ...ARROWS.map((arrow) => `arrow ${arrow}`),
  ...[
    'message',
    'central connection at the sender',
    'sign +',
    'sign -',
    'sign ()',
    'declaration',
    'box',
    'create',
    'destroy',
  ],
  ...[
    'participant, plain',
    'participant, alias',
    'participant, wrapped',
    'participant, typed',
    'participant, typed alias',
  ],
  ...['actor, plain', 'actor, alias', 'actor, wrapped', 'actor, typed', 'actor, typed alias'],
  ...['note left of', 'note right of', 'note over', 'note over two', 'activate', 'deactivate'],
  ...['loop', 'alt', 'else', 'opt', 'par', 'par_over', 'and', 'critical', 'option', 'break', 'rect', 'end'],
  ...['autonumber', 'autonumber 10', 'autonumber 10 5', 'autonumber 1.5 0.25', 'autonumber off', 'title', 'title:'],
  ...['accTitle', 'accDescr', 'accDescr {}', 'link', 'links', 'properties', 'details', 'stray character'],
  ...['front matter', 'directive', 'comment', 'semicolon', 'entity code', 'wrap', 'text cut by #'],
  ...['keyword in another case', 'statement behind end', 'line ends of other systems'],
];

const INSERTED = [
  ...[
    '-',
    '>',
    '<',
    'x',
    ')',
    '(',
    '()',
    '/',
    '\\',
    '|',
    '+',
    ':',
    ',',
    ';',
    '#',
    '%',
    '%%',
    '@',
    '@{',
    '}',
    '{',
    ' ',
    '\n',
    '\t',
  ],
  ...[
    'as',
    ' as ',
    'end',
    'end\n',
    'loop',
    'alt ',
    'else',
    'and',
    'note',
    'note over ',
    'box',
    'participant ',
    'actor',
    'create ',
  ],
  ...[
    'destroy ',
    'activate ',
    'deactivate ',
    'title',
    'title:',
    'accTitle:',
    'accDescr {',
    'autonumber',
    '1',
    '1 ',
    '.5 ',
    'off',
  ],
  ...[
    'sequenceDiagram',
    '->>',
    '-->>',
    '-x',
    '---\n',
    '%%{',
    '}%%',
    '#35;',
    '\u00a0',
    '\u200b',
    'wrap:',
    'link ',
    'style:#a;',
  ],
];

/** Valid texts after some random edits: most of them are wrong somewhere. */
export const editedText: fc.Arbitrary<string> = fc
  .tuple(
    mermaidText,
    fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        kind: fc.constantFrom(
          'insert',
          'insert',
          'insert',
          'delete',
          'drop line',
          'double line',
          'join',
          'upper',
          'swap',
        ),
        inserted: fc.constantFrom(...INSERTED),
        length: fc.integer({ min: 1, max: 4 }),
      }),
      { minLength: 1, maxLength: 4 },
    ),
  )
  .map(([{ text }, edits]) =>
    edits.reduce((edited, { at, kind, inserted, length }) => {
      const from = Math.floor(at * edited.length);
      const cut = edited.slice(from, from + length);
      const lineStart = edited.lastIndexOf('\n', from) + 1;
      const lineEnd = (edited.indexOf('\n', from) + edited.length + 1) % (edited.length + 1) || edited.length;
      const line = edited.slice(lineStart, lineEnd);
      if (kind === 'insert') return edited.slice(0, from) + inserted + edited.slice(from);
      if (kind === 'delete') return edited.slice(0, from) + edited.slice(from + length);
      if (kind === 'drop line') return edited.slice(0, lineStart) + edited.slice(lineEnd);
      if (kind === 'double line') return `${edited.slice(0, lineStart)}${line}\n${edited.slice(lineStart)}`;
      if (kind === 'join') return edited.slice(0, lineEnd) + edited.slice(lineEnd + 1);
      if (kind === 'upper') return edited.slice(0, from) + cut.toUpperCase() + edited.slice(from + length);
      return edited.slice(0, from) + cut.split(/(?:)/u).reverse().join('') + edited.slice(from + length);
    }, text),
  );
