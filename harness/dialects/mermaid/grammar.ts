import { EmbeddedActionsParser, EOF, tokenMatcher, type TokenType } from 'chevrotain';
import type { FragmentKind } from '../../diagram/index.ts';
import { arrowOf } from './arrows.ts';
import { type Token, tokenOf } from './lexer.ts';
import type { Divider, Spelled, Statement } from './statements.ts';
import * as t from './tokens.ts';

/** The tokens of one statement; `afterSemicolon`: it follows another one on its line. */
export interface StatementTokens {
  readonly tokens: readonly Token[];
  readonly afterSemicolon: boolean;
}

const OPENERS: readonly (readonly [TokenType, FragmentKind | 'box'])[] = [
  [t.Box, 'box'],
  [t.Loop, 'loop'],
  [t.Rect, 'rect'],
  [t.Opt, 'opt'],
  [t.Alt, 'alt'],
  [t.Par, 'par'],
  [t.ParOver, 'par_over'],
  [t.Critical, 'critical'],
  [t.Break, 'break'],
];
const DIVIDERS: readonly (readonly [TokenType, Divider])[] = [
  [t.Else, 'else'],
  [t.And, 'and'],
  [t.Option, 'option'],
];

/** Statements that are one token with a text in it. */
const SINGLE_TEXTS: readonly (readonly [TokenType, 'title' | 'accessibility' | 'stray'])[] = [
  [t.Title, 'title'],
  [t.Accessibility, 'accessibility'],
  [t.Stray, 'stray'],
];

/** Statements that end with themselves and need no line end. The number counts their tokens. */
const SELF_ENDING: ReadonlyMap<TokenType, number> = new Map([
  [t.Header, 1] as const,
  ...SINGLE_TEXTS.map(([type]) => [type, 1] as const),
  ...[...OPENERS, ...DIVIDERS].map(([type]) => [type, 2] as const),
]);

/**
 * Cuts the tokens into statements, so that an error in one leaves the others readable. Mermaid's own parser stops at the first error.
 * `end A->>B: x` is two statements, and `end->>B: x` is one, in which a name is a keyword.
 */
export function* cutStatements(tokens: Iterable<Token>, length: number): Generator<StatementTokens, void, undefined> {
  let current: Token[] = [];
  let afterSemicolon = false;
  for (const token of tokens) {
    if (current[0]?.tokenType === t.End && current.length === 1 && !tokenMatcher(token, t.ArrowToken)) {
      yield { tokens: current, afterSemicolon };
      current = [];
      afterSemicolon = false;
    }
    const ends = tokenMatcher(token, t.StatementEnd);
    if (!ends || current.length > 0) current.push(token);
    const wanted = SELF_ENDING.get(current[0]?.tokenType ?? t.StatementEnd);
    if (!ends && current.length !== wanted) continue;
    if (current.length > 0) yield { tokens: current, afterSemicolon };
    current = [];
    afterSemicolon = token.image === ';';
  }
  if (current.length === 0) return;
  if (current[0]?.tokenType === t.End && current.length === 1) {
    yield { tokens: current, afterSemicolon };
    return;
  }
  // Mermaid lets the end of the text end a statement whose line end was swallowed by a blank.
  yield { tokens: [...current, tokenOf(t.StatementEnd, '', length)], afterSemicolon };
}

const spelled = (token: Token): Spelled => ({ text: token.image.trim(), offset: token.startOffset });

const endOf = ({ startOffset, image }: Token): number => startOffset + image.length;

type Alternatives<T> = { readonly ALT: () => T }[];
type Participant = Extract<Statement, { readonly kind: 'participant' }>;

/**
 * Reads one statement. The next token alone always says what follows. Blocks are not nested here: nesting is unbounded, and a rule per
 * level would recurse. Alternatives that a message meets are made once, since making them costs more than choosing one.
 */
export class StatementParser extends EmbeddedActionsParser {
  /** `validate`: whether Chevrotain looks for mistakes in the grammar, which a test asks for once, and no reader must wait for. */
  constructor({ validate }: { readonly validate: boolean }) {
    super([...t.VOCABULARY], { recoveryEnabled: false, maxLookahead: 1, skipValidations: !validate });
    this.performSelfAnalysis();
  }

  /** A statement, with nothing behind it; null if the tokens make none. */
  readonly statement = this.RULE(
    'statement',
    (): Statement | null => {
      const statement = this.OR(this.#statements);
      this.CONSUME(EOF);
      return statement;
    },
    { recoveryValueFunc: () => null },
  );

  readonly #participant = this.RULE('participant', (): Participant => {
    const keyword = this.OR([{ ALT: () => this.CONSUME(t.ParticipantWord) }, { ALT: () => this.CONSUME(t.ActorWord) }]);
    const name = this.CONSUME(t.Name);
    const metadata = this.OPTION((): Spelled => {
      const { image, startOffset } = this.CONSUME(t.Metadata);
      return { text: image.slice(2, -1), offset: startOffset + '@{'.length };
    });
    const label = this.OPTION1(() => {
      this.CONSUME(t.As);
      return this.CONSUME(t.Label).image;
    });
    this.CONSUME(t.StatementEnd);
    return {
      kind: 'participant',
      offset: keyword.startOffset,
      name: spelled(name),
      actor: keyword.tokenType === t.ActorWord,
      label: label ?? null,
      metadata: metadata ?? null,
      created: false,
    };
  });

  readonly #destroy = this.RULE('destroy', (): Extract<Statement, { readonly kind: 'destroy' }> => {
    const offset = this.CONSUME(t.Destroy).startOffset;
    const name = this.CONSUME(t.Name);
    this.CONSUME(t.StatementEnd);
    return { kind: 'destroy', offset, name: spelled(name) };
  });

  /** Mermaid also reads `create destroy X`, and creates X. */
  readonly #create = this.RULE('create', (): Statement => {
    const offset = this.CONSUME(t.Create).startOffset;
    return this.OR<Participant>([
      { ALT: () => ({ ...this.SUBRULE(this.#participant), offset, created: true }) },
      {
        ALT: () => {
          const { name } = this.SUBRULE(this.#destroy);
          return { kind: 'participant', offset, name, actor: false, label: null, metadata: null, created: true };
        },
      },
    ]);
  });

  readonly #message = this.RULE('message', (): Statement => {
    const from = this.CONSUME(t.Name);
    const { circle, arrow, bar } = this.OR(this.#arrows);
    const to = this.CONSUME1(t.Name);
    const text = this.CONSUME(t.Text);
    this.CONSUME(t.StatementEnd);
    // While Chevrotain learns the grammar, tokens are placeholders.
    return this.ACTION(() => ({
      kind: 'message',
      offset: from.startOffset,
      from: spelled(from),
      to: spelled(to),
      arrow: arrowOf(arrow.image),
      text: text.image.slice(1),
      bar,
      gluedCircle: circle !== null && circle.startOffset === endOf(from) && !/\s$/.test(from.image),
    }));
  });

  /** The arrow of a message. Mermaid has no rule for a bar beside a central connection. */
  readonly #arrows: Alternatives<{ circle: Token | null; arrow: Token; bar: '+' | '-' | null }> = [
    {
      ALT: () => {
        const arrow = this.CONSUME(t.ArrowToken);
        return { circle: null, arrow, bar: this.OPTION(this.#receiverSign) ?? null };
      },
    },
    {
      ALT: () => {
        const circle = this.CONSUME(t.Central);
        const arrow = this.CONSUME1(t.ArrowToken);
        this.OPTION1(() => this.CONSUME1(t.Central));
        return { circle, arrow, bar: null };
      },
    },
  ];

  readonly #receiverSign = (): '+' | '-' | null =>
    this.OR1<'+' | '-' | null>([
      { ALT: () => (this.CONSUME(t.Plus), '+') },
      { ALT: () => (this.CONSUME(t.Minus), '-') },
      { ALT: () => (this.CONSUME2(t.Central), null) },
    ]);

  readonly #note = this.RULE('note', (): Statement => {
    const offset = this.CONSUME(t.NoteWord).startOffset;
    const { placement, participants } = this.OR<
      Pick<Extract<Statement, { kind: 'note' }>, 'placement' | 'participants'>
    >([
      {
        ALT: () => {
          this.CONSUME(t.LeftOf);
          return { placement: 'left', participants: [spelled(this.CONSUME(t.Name))] };
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.RightOf);
          return { placement: 'right', participants: [spelled(this.CONSUME1(t.Name))] };
        },
      },
      {
        ALT: () => {
          this.CONSUME(t.Over);
          const first = spelled(this.CONSUME2(t.Name));
          const second = this.OPTION(() => {
            this.CONSUME(t.Comma);
            return spelled(this.CONSUME3(t.Name));
          });
          return { placement: 'over', participants: second === undefined ? [first] : [first, second] };
        },
      },
    ]);
    const text = this.CONSUME(t.Text);
    this.CONSUME(t.StatementEnd);
    return { kind: 'note', offset, placement, participants, text: text.image.slice(1) };
  });

  readonly #bar = this.RULE('bar', (): Statement => {
    const keyword = this.OR([{ ALT: () => this.CONSUME(t.Activate) }, { ALT: () => this.CONSUME(t.Deactivate) }]);
    const name = this.CONSUME(t.Name);
    this.CONSUME(t.StatementEnd);
    return { kind: 'bar', offset: keyword.startOffset, on: keyword.tokenType === t.Activate, name: spelled(name) };
  });

  readonly #link = this.RULE('link', (): Statement => {
    const keyword = this.OR(
      [t.Link, t.Links, t.Properties, t.Details].map((type) => ({ ALT: () => this.CONSUME(type) })),
    );
    const name = this.CONSUME(t.Name);
    this.CONSUME(t.Text);
    this.CONSUME(t.StatementEnd);
    return { kind: 'mention', offset: keyword.startOffset, name: spelled(name) };
  });

  readonly #autonumber = this.RULE('autonumber', (): Statement => {
    const offset = this.CONSUME(t.Autonumber).startOffset;
    this.OPTION(() => {
      this.OR([
        { ALT: () => this.CONSUME(t.Off) },
        {
          ALT: () => {
            this.CONSUME(t.Numeral);
            this.OPTION1(() => this.CONSUME1(t.Numeral));
          },
        },
      ]);
    });
    this.CONSUME(t.StatementEnd);
    return { kind: 'nothing', offset };
  });

  readonly #open = this.RULE('open', (): Statement => {
    const { offset, block } = this.OR(this.#openers);
    return { kind: 'open', offset, block, label: this.CONSUME(t.Label).image };
  });

  readonly #openers: Alternatives<{ offset: number; block: FragmentKind | 'box' }> = OPENERS.map(([type, block]) => ({
    ALT: () => ({ offset: this.CONSUME(type).startOffset, block }),
  }));

  readonly #divide = this.RULE('divide', (): Statement => {
    const { offset, divider } = this.OR(this.#dividers);
    return { kind: 'divide', offset, divider, label: this.CONSUME(t.Label).image };
  });

  readonly #dividers: Alternatives<{ offset: number; divider: Divider }> = DIVIDERS.map(([type, divider]) => ({
    ALT: () => ({ offset: this.CONSUME(type).startOffset, divider }),
  }));

  /** A statement of one token. */
  readonly #single = this.RULE('single', (): Statement => this.OR(this.#singles));

  readonly #singles: Alternatives<Statement> = [
    { ALT: () => ({ kind: 'end', offset: this.CONSUME(t.End).startOffset }) },
    { ALT: () => ({ kind: 'header', offset: this.CONSUME(t.Header).startOffset }) },
    ...SINGLE_TEXTS.map(([type, kind]) => ({
      ALT: (): Statement => {
        const { startOffset: offset, image: text } = this.CONSUME(type);
        return { kind, offset, text };
      },
    })),
  ];

  readonly #statements: Alternatives<Statement> = [
    { ALT: () => this.SUBRULE(this.#message) },
    { ALT: () => this.SUBRULE(this.#participant) },
    { ALT: () => this.SUBRULE(this.#create) },
    { ALT: () => this.SUBRULE(this.#destroy) },
    { ALT: () => this.SUBRULE(this.#note) },
    { ALT: () => this.SUBRULE(this.#bar) },
    { ALT: () => this.SUBRULE(this.#link) },
    { ALT: () => this.SUBRULE(this.#autonumber) },
    { ALT: () => this.SUBRULE(this.#open) },
    { ALT: () => this.SUBRULE(this.#divide) },
    { ALT: () => this.SUBRULE(this.#single) },
  ];
}

/** Made for the first statement: a document without Mermaid need not wait for it. */
let parser: StatementParser | undefined;

/** The statement that the tokens make, or the token at which they make none. */
export function parseStatement(tokens: readonly Token[]): Statement | { readonly kind: 'unread'; readonly at: Token } {
  parser ??= new StatementParser({ validate: false });
  // A copy: the parser marks the end of its input by tokens of its own behind it.
  parser.input = [...tokens];
  const statement = parser.statement();
  if (statement !== null) return statement;
  const [error] = parser.errors;
  const last = tokens.at(-1);
  if (error === undefined || last === undefined) throw new Error('the parser refused a statement without an error');
  return { kind: 'unread', at: error.token.tokenType === EOF ? last : error.token };
}
