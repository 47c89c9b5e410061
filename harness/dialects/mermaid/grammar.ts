import type { FragmentKind } from '../../diagram/index.ts';
import { arrowOf } from './arrows.ts';
import type { Divider, Spelled, Statement } from './statements.ts';
import { isOf, type Token, type TokenType } from './lexer.ts';
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

/** Statements that end with themselves and need no line end. The number counts their tokens. */
const SELF_ENDING: ReadonlyMap<TokenType, number> = new Map([
  ...[t.Header, t.Title, t.Accessibility, t.Stray].map((type) => [type, 1] as const),
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
    if (current[0]?.type === t.End && current.length === 1 && !isOf(token, t.ArrowToken)) {
      yield { tokens: current, afterSemicolon };
      current = [];
      afterSemicolon = false;
    }
    const ends = isOf(token, t.StatementEnd);
    if (!ends || current.length > 0) current.push(token);
    const wanted = SELF_ENDING.get(current[0]?.type ?? t.StatementEnd);
    if (!ends && current.length !== wanted) continue;
    if (current.length > 0) yield { tokens: current, afterSemicolon };
    current = [];
    afterSemicolon = token.image === ';';
  }
  if (current.length === 0) return;
  if (current[0]?.type === t.End && current.length === 1) {
    yield { tokens: current, afterSemicolon };
    return;
  }
  // Mermaid lets the end of the text end a statement whose line end was swallowed by a blank.
  yield { tokens: [...current, { type: t.StatementEnd, image: '', startOffset: length }], afterSemicolon };
}

const spelled = (token: Token): Spelled => ({ text: token.image.trim(), offset: token.startOffset });

/** Reads the tokens of one statement from left to right; the first one that does not fit is remembered, and nothing is read then. */
class Cursor {
  readonly #tokens: readonly Token[];
  #next = 0;
  #misfit: Token | null = null;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  /** Takes a token that must be there. */
  take(type: TokenType): Token {
    const token = this.#peek();
    if (this.#misfit === null && this.#next < this.#tokens.length && isOf(token, type)) this.#next += 1;
    else this.#misfit ??= token;
    return token;
  }

  /** Takes a token that may be there. */
  takeIf(type: TokenType): Token | null {
    if (this.#misfit !== null || this.#next >= this.#tokens.length || !isOf(this.#peek(), type)) return null;
    return this.take(type);
  }

  /** The first token that did not fit. */
  misfit(): Token | null {
    if (this.#misfit !== null) return this.#misfit;
    return this.#next < this.#tokens.length ? this.#peek() : null;
  }

  #peek(): Token {
    const token = this.#tokens[this.#next] ?? this.#tokens.at(-1);
    if (token === undefined) throw new Error('a statement has no tokens, but statements are cut where tokens are');
    return token;
  }
}

/** The rule of each token that begins a statement. Blocks are not nested here: nesting is unbounded, and a rule per level would recurse. */
type StatementRule = (first: Token, cursor: Cursor) => Statement;

function participant(keyword: Token, cursor: Cursor): Extract<Statement, { readonly kind: 'participant' }> {
  const name = cursor.take(t.Name);
  const metadata = cursor.takeIf(t.Metadata);
  const label = cursor.takeIf(t.As) === null ? null : cursor.take(t.Label).image;
  cursor.take(t.StatementEnd);
  return {
    kind: 'participant',
    offset: keyword.startOffset,
    name: spelled(name),
    actor: keyword.type === t.ActorWord,
    label,
    metadata:
      metadata === null ? null : { text: metadata.image.slice(2, -1), offset: metadata.startOffset + '@{'.length },
    created: false,
  };
}

function destroy({ startOffset }: Token, cursor: Cursor): Statement {
  const name = cursor.take(t.Name);
  cursor.take(t.StatementEnd);
  return { kind: 'destroy', offset: startOffset, name: spelled(name) };
}

/** Mermaid also reads `create destroy X`, and creates X. */
function create({ startOffset: offset }: Token, cursor: Cursor): Statement {
  const destroyed = cursor.takeIf(t.Destroy);
  const keyword = destroyed ?? cursor.takeIf(t.ActorWord) ?? cursor.take(t.ParticipantWord);
  if (destroyed === null) return { ...participant(keyword, cursor), offset, created: true };
  const name = spelled(cursor.take(t.Name));
  cursor.take(t.StatementEnd);
  return { kind: 'participant', offset, name, actor: false, label: null, metadata: null, created: true };
}

function message(from: Token, cursor: Cursor): Statement {
  const circle = cursor.takeIf(t.Central);
  const arrow = cursor.take(t.ArrowToken);
  // Mermaid has no rule for a bar beside a central connection.
  const bar = circle === null ? (cursor.takeIf(t.Plus) ?? cursor.takeIf(t.Minus)) : null;
  if (bar === null) cursor.takeIf(t.Central);
  const to = cursor.take(t.Name);
  const text = cursor.take(t.Text);
  cursor.take(t.StatementEnd);
  return {
    kind: 'message',
    offset: from.startOffset,
    from: spelled(from),
    to: spelled(to),
    arrow: arrowOf(arrow.type === t.ArrowToken ? arrow.image : '->'),
    text: text.image.slice(1),
    bar: bar === null ? null : bar.type === t.Plus ? '+' : '-',
    gluedCircle: circle !== null && circle.startOffset === endOf(from) && !/\s$/.test(from.image),
  };
}

const endOf = ({ startOffset, image }: Token): number => startOffset + image.length;

function note({ startOffset: offset }: Token, cursor: Cursor): Statement {
  const placement = placementAt(cursor);
  const participants = [spelled(cursor.take(t.Name))];
  if (placement === 'over' && cursor.takeIf(t.Comma) !== null) participants.push(spelled(cursor.take(t.Name)));
  const text = cursor.take(t.Text);
  cursor.take(t.StatementEnd);
  return { kind: 'note', offset, placement, participants, text: text.image.slice(1) };
}

function placementAt(cursor: Cursor): 'left' | 'right' | 'over' {
  if (cursor.takeIf(t.LeftOf) !== null) return 'left';
  if (cursor.takeIf(t.RightOf) !== null) return 'right';
  cursor.take(t.Over);
  return 'over';
}

function bar(keyword: Token, cursor: Cursor): Statement {
  const name = cursor.take(t.Name);
  cursor.take(t.StatementEnd);
  return { kind: 'bar', offset: keyword.startOffset, on: keyword.type === t.Activate, name: spelled(name) };
}

function link({ startOffset: offset }: Token, cursor: Cursor): Statement {
  const name = cursor.take(t.Name);
  cursor.take(t.Text);
  cursor.take(t.StatementEnd);
  return { kind: 'mention', offset, name: spelled(name) };
}

function autonumber({ startOffset: offset }: Token, cursor: Cursor): Statement {
  if (cursor.takeIf(t.Off) === null && cursor.takeIf(t.Numeral) !== null) cursor.takeIf(t.Numeral);
  cursor.take(t.StatementEnd);
  return { kind: 'nothing', offset };
}

const opening =
  (block: FragmentKind | 'box'): StatementRule =>
  ({ startOffset: offset }, cursor) => ({ kind: 'open', offset, block, label: cursor.take(t.Label).image });

const dividing =
  (divider: Divider): StatementRule =>
  ({ startOffset: offset }, cursor) => ({ kind: 'divide', offset, divider, label: cursor.take(t.Label).image });

const RULES: ReadonlyMap<TokenType, StatementRule> = new Map<TokenType, StatementRule>([
  [t.ParticipantWord, participant],
  [t.ActorWord, participant],
  [t.Create, create],
  [t.Destroy, destroy],
  [t.Name, message],
  [t.NoteWord, note],
  [t.Activate, bar],
  [t.Deactivate, bar],
  ...[t.Link, t.Links, t.Properties, t.Details].map((type) => [type, link] as const),
  [t.Autonumber, autonumber],
  ...OPENERS.map(([type, block]) => [type, opening(block)] as const),
  ...DIVIDERS.map(([type, divider]) => [type, dividing(divider)] as const),
  [t.Title, ({ startOffset: offset, image: text }) => ({ kind: 'title', offset, text })],
  [t.End, ({ startOffset: offset }) => ({ kind: 'end', offset })],
  [t.Header, ({ startOffset: offset }) => ({ kind: 'header', offset })],
  [t.Accessibility, ({ startOffset: offset, image: text }) => ({ kind: 'accessibility', offset, text })],
  [t.Stray, ({ startOffset: offset, image: text }) => ({ kind: 'stray', offset, text })],
]);

/** The statement that the tokens make, or the token at which they make none. */
export function parseStatement(tokens: readonly Token[]): Statement | { readonly kind: 'unread'; readonly at: Token } {
  const [first] = tokens;
  if (first === undefined) throw new Error('a statement has no tokens, but statements are cut where tokens are');
  const rule = RULES.get(first.type);
  if (rule === undefined) return { kind: 'unread', at: first };
  const cursor = new Cursor(tokens);
  cursor.take(first.type);
  const statement = rule(first, cursor);
  const misfit = cursor.misfit();
  return misfit === null ? statement : { kind: 'unread', at: misfit };
}
