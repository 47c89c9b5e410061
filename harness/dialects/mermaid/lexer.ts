import type { IToken, TokenType } from 'chevrotain';

/** A piece of the prepared text: what Chevrotain's parser looks at, and nothing more. */
export type Token = Readonly<Pick<IToken, 'image' | 'startOffset' | 'tokenType' | 'tokenTypeIdx'>>;

/** A token of a type, as Chevrotain's parser takes it. Its own `createTokenInstance` fills six more fields, at every token. */
export function tokenOf(tokenType: TokenType, image: string, startOffset: number): Token {
  const { tokenTypeIdx } = tokenType;
  if (tokenTypeIdx === undefined)
    throw new Error(`the token type ${tokenType.name} has no index: createToken gives one`);
  return { image, startOffset, tokenType, tokenTypeIdx };
}

/** Finds where a token that begins at `offset` ends, or -1; it may be empty only where it ends its mode. */
export type Match = (text: string, offset: number) => number;

/** One rule of a mode: what it matches, what becomes of the match, and which mode comes next. */
export interface Rule<Mode extends string> {
  readonly type: TokenType;
  readonly match: Match;
  /** The characters that it can begin with, in lower case; null: any. Only makes it faster. */
  readonly starts: string | null;
  readonly fate: 'token' | 'comment' | 'skipped';
  /** Whether the mode ends here, and which one begins then. */
  readonly pop: boolean;
  readonly push: Mode | null;
}

/** What a regular expression with the flag `y` matches. */
export function matching(pattern: RegExp): Match {
  return (text, offset) => {
    pattern.lastIndex = offset;
    return pattern.test(text) ? pattern.lastIndex : -1;
  };
}

/** A comment, with the token before it: the end of a text that a comment cuts off looks like any other. */
export interface Comment extends Token {
  readonly after: Token | null;
}

/** Characters up to here have a list of rules each; all beyond share one. */
const CODES = 128;

/** The rules that can match at a character, in order: most of sixty begin with one letter only. */
function rulesByCode<Mode extends string>(rules: readonly Rule<Mode>[]): readonly (readonly Rule<Mode>[])[] {
  return Array.from({ length: CODES + 1 }, (_, code) => {
    const character = code === CODES ? '' : String.fromCharCode(code).toLowerCase();
    return rules.filter(({ starts }) => starts === null || (character !== '' && starts.includes(character)));
  });
}

/**
 * A lexer with modes; Chevrotain's own tries every pattern of a mode at every token, and took ten times as long as its parser. Here
 * the characters that a rule can begin with are known, and the first rule that matches wins, not the longest.
 */
export class Lexer<Mode extends string> {
  readonly #rules: ReadonlyMap<Mode, readonly (readonly Rule<Mode>[])[]>;
  readonly #first: Mode;

  constructor(modes: readonly (readonly [Mode, readonly Rule<Mode>[]])[], first: Mode) {
    this.#rules = new Map(modes.map(([mode, rules]) => [mode, rulesByCode(rules)]));
    this.#first = first;
  }

  /** Cuts a text into tokens, comments aside; every mode must have a rule for every character. One by one: a text may be long. */
  *tokenize(text: string, comments: Comment[]): Generator<Token, void, undefined> {
    const modes: Mode[] = [this.#first];
    let rules = this.#rulesOf(this.#first);
    let after: Token | null = null;
    for (let offset = 0; offset < text.length;) {
      let end = -1;
      let rule: Rule<Mode> | undefined;
      for (rule of rules[Math.min(text.charCodeAt(offset), CODES)] ?? []) {
        end = rule.match(text, offset);
        if (end !== -1) break;
      }
      if (rule === undefined || end === -1) throw new Error('a mode of the lexer has no rule for a character');
      if (rule.pop) modes.pop();
      if (rule.push !== null) modes.push(rule.push);
      if (rule.pop || rule.push !== null) rules = this.#rulesOf(modes.at(-1) ?? this.#first);
      if (rule.fate !== 'skipped') {
        const token = tokenOf(rule.type, text.slice(offset, end), offset);
        if (rule.fate === 'comment') comments.push({ ...token, after });
        else yield (after = token);
      }
      offset = end;
    }
  }

  #rulesOf(mode: Mode): readonly (readonly Rule<Mode>[])[] {
    return this.#rules.get(mode) ?? [];
  }
}
