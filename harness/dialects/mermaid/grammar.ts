import { createTokenInstance, EmbeddedActionsParser, type IToken, tokenMatcher, type TokenType } from 'chevrotain';
import type { FragmentKind } from '../../diagram/index.ts';
import { arrowOf } from './arrows.ts';
import type { Divider, Spelled, Statement } from './statements.ts';
import * as t from './tokens.ts';

/** The tokens of one statement; `afterSemicolon`: it follows another one on its line. */
export interface StatementTokens {
  readonly tokens: readonly IToken[];
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

/** Statements that end with themselves and need no line end: `end A->>B: x` is two. The number counts their tokens. */
const SELF_ENDING: ReadonlyMap<TokenType, number> = new Map([
  ...[t.Header, t.End, t.Title, t.Accessibility, t.Stray].map((type) => [type, 1] as const),
  ...[...OPENERS, ...DIVIDERS].map(([type]) => [type, 2] as const),
]);

/**
 * Cuts the tokens into statements, so that an error in one leaves the others readable. Mermaid's own parser stops at the first error.
 */
export function cutStatements(tokens: readonly IToken[], length: number): readonly StatementTokens[] {
  const statements: StatementTokens[] = [];
  let current: IToken[] = [];
  let afterSemicolon = false;
  const finish = (next: boolean): void => {
    if (current.length > 0) statements.push({ tokens: current, afterSemicolon });
    current = [];
    afterSemicolon = next;
  };
  for (const token of tokens) {
    const ends = tokenMatcher(token, t.StatementEnd);
    if (!ends || current.length > 0) current.push(token);
    const wanted = SELF_ENDING.get(current[0]?.tokenType ?? t.StatementEnd);
    if (ends || current.length === wanted) finish(token.image === ';');
  }
  // Mermaid lets the end of the text end a statement whose line end was swallowed by a blank.
  if (current.length > 0) current.push(createTokenInstance(t.StatementEnd, '', length, length, 0, 0, 0, 0));
  finish(false);
  return statements;
}

const spelled = (token: IToken): Spelled => ({ text: token.image.trim(), offset: token.startOffset });

/** Reads one statement from its tokens. Blocks are not nested here: nesting is unbounded, and a rule per level would recurse. */
class StatementParser extends EmbeddedActionsParser {
  constructor() {
    super([...t.VOCABULARY], { recoveryEnabled: false, maxLookahead: 2 });
    this.performSelfAnalysis();
  }

  readonly statement = this.RULE('statement', (): Statement => {
    return this.OR<Statement>([
      { ALT: () => this.SUBRULE(this.#participant) },
      { ALT: () => this.SUBRULE(this.#create) },
      { ALT: () => this.SUBRULE(this.#destroy) },
      { ALT: () => this.SUBRULE(this.#message) },
      { ALT: () => this.SUBRULE(this.#note) },
      { ALT: () => this.SUBRULE(this.#bar) },
      { ALT: () => this.SUBRULE(this.#link) },
      { ALT: () => this.SUBRULE(this.#autonumber) },
      { ALT: () => this.SUBRULE(this.#open) },
      { ALT: () => this.SUBRULE(this.#divide) },
      { ALT: () => this.SUBRULE(this.#single) },
    ]);
  });

  readonly #participant = this.RULE('participant', (): Statement => {
    const keyword = this.OR([{ ALT: () => this.CONSUME(t.ParticipantWord) }, { ALT: () => this.CONSUME(t.ActorWord) }]);
    const name = this.CONSUME(t.Name);
    const metadata = this.OPTION((): Spelled => {
      const { image, startOffset } = this.CONSUME(t.Metadata);
      return { text: image.slice(2, -1), offset: startOffset + 2 };
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

  readonly #destroy = this.RULE('destroy', (): Statement => {
    const offset = this.CONSUME(t.Destroy).startOffset;
    const name = this.CONSUME(t.Name);
    this.CONSUME(t.StatementEnd);
    return { kind: 'destroy', offset, name: spelled(name) };
  });

  /** Mermaid also reads `create destroy X`, and creates X. */
  readonly #create = this.RULE('create', (): Statement => {
    const offset = this.CONSUME(t.Create).startOffset;
    const inner = this.OR<Statement>([
      { ALT: () => this.SUBRULE(this.#participant) },
      { ALT: () => this.SUBRULE(this.#destroy) },
    ]);
    if (inner.kind === 'participant') return { ...inner, offset, created: true };
    if (inner.kind !== 'destroy') return inner;
    return { kind: 'participant', offset, name: inner.name, actor: false, label: null, metadata: null, created: true };
  });

  readonly #message = this.RULE('message', (): Statement => {
    const from = this.CONSUME(t.Name);
    const centralFrom = this.OPTION(() => this.CONSUME(t.Central));
    const arrow = this.CONSUME(t.ArrowToken);
    const bar = this.OPTION1(() =>
      this.OR([
        // Mermaid has no rule for a bar beside a central connection.
        { GATE: () => centralFrom === undefined, ALT: () => this.CONSUME(t.Plus).image },
        { GATE: () => centralFrom === undefined, ALT: () => this.CONSUME(t.Minus).image },
        { ALT: () => this.CONSUME1(t.Central).image },
      ]),
    );
    const to = this.CONSUME1(t.Name);
    const text = this.CONSUME(t.Text);
    this.CONSUME(t.StatementEnd);
    return this.ACTION(() => ({
      kind: 'message',
      offset: from.startOffset,
      from: spelled(from),
      to: spelled(to),
      arrow: arrowOf(arrow.image),
      text: text.image.slice(1),
      bar: bar === '+' || bar === '-' ? bar : null,
      gluedCircle:
        centralFrom !== undefined &&
        centralFrom.startOffset === from.startOffset + from.image.length &&
        !/\s$/.test(from.image),
    }));
  });

  readonly #note = this.RULE('note', (): Statement => {
    const offset = this.CONSUME(t.NoteWord).startOffset;
    const participants: Spelled[] = [];
    const placement = this.OR<'left' | 'right' | 'over'>([
      { ALT: () => (this.CONSUME(t.LeftOf), 'left') },
      { ALT: () => (this.CONSUME(t.RightOf), 'right') },
      { ALT: () => (this.CONSUME(t.Over), 'over') },
    ]);
    participants.push(spelled(this.CONSUME(t.Name)));
    this.OPTION({
      GATE: () => placement === 'over',
      DEF: () => {
        this.CONSUME(t.Comma);
        participants.push(spelled(this.CONSUME1(t.Name)));
      },
    });
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
    const keyword = this.OR([
      { ALT: () => this.CONSUME(t.Link) },
      { ALT: () => this.CONSUME(t.Links) },
      { ALT: () => this.CONSUME(t.Properties) },
      { ALT: () => this.CONSUME(t.Details) },
    ]);
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
    const { offset, word } = this.OR(
      OPENERS.map(([type, word]) => ({
        ALT: () => ({ offset: this.CONSUME(type).startOffset, word }),
      })),
    );
    return { kind: 'open', offset, block: word, label: this.CONSUME(t.Label).image };
  });

  readonly #divide = this.RULE('divide', (): Statement => {
    const { offset, word } = this.OR(
      DIVIDERS.map(([type, word]) => ({
        ALT: () => ({ offset: this.CONSUME(type).startOffset, word }),
      })),
    );
    return { kind: 'divide', offset, divider: word, label: this.CONSUME(t.Label).image };
  });

  readonly #single = this.RULE('single', (): Statement => {
    const { offset, statement } = this.OR<{ offset: number; statement: StatementBody }>([
      {
        ALT: () => {
          const title = this.CONSUME(t.Title);
          return { offset: title.startOffset, statement: { kind: 'title', text: title.image } };
        },
      },
      { ALT: () => ({ offset: this.CONSUME(t.End).startOffset, statement: { kind: 'end' } }) },
      { ALT: () => ({ offset: this.CONSUME(t.Header).startOffset, statement: { kind: 'header' } }) },
      {
        ALT: () => {
          const told = this.CONSUME(t.Accessibility);
          return { offset: told.startOffset, statement: { kind: 'accessibility', text: told.image } };
        },
      },
      {
        ALT: () => {
          const stray = this.CONSUME(t.Stray);
          return { offset: stray.startOffset, statement: { kind: 'stray', text: stray.image } };
        },
      },
    ]);
    return { offset, ...statement };
  });
}

type StatementBody =
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'accessibility' | 'stray'; readonly text: string }
  | { readonly kind: 'end' | 'header' | 'nothing' };

const parser = new StatementParser();

/** The statement that the tokens make, or the token at which they make none. */
export function parseStatement(
  tokens: readonly IToken[],
): Statement | { readonly kind: 'unread'; readonly at: IToken } {
  parser.input = [...tokens];
  const statement = parser.statement();
  const [error] = parser.errors;
  return error === undefined ? statement : { kind: 'unread', at: error.token };
}
