/** What a token is. `as`: what it says to the grammar, where several modes spell the same thing differently. */
export interface TokenType {
  readonly name: string;
  readonly as?: TokenType;
}

/** A piece of the prepared text. */
export interface Token {
  readonly type: TokenType;
  readonly image: string;
  readonly startOffset: number;
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

/** Whether a token is of a type, by itself or by what it says to the grammar. */
export const isOf = ({ type }: Token, wanted: TokenType): boolean => type === wanted || type.as === wanted;

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

/** A lexer with modes in which the first rule that matches wins, not the longest. */
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
    let after: Token | null = null;
    for (let offset = 0; offset < text.length;) {
      const mode = modes.at(-1) ?? this.#first;
      const found = this.#match(mode, text, offset);
      if (found === null) throw new Error(`the mode ${mode} of the lexer has no rule for a character`);
      const { rule, end } = found;
      if (rule.pop) modes.pop();
      if (rule.push !== null) modes.push(rule.push);
      if (rule.fate !== 'skipped') {
        const token = { type: rule.type, image: text.slice(offset, end), startOffset: offset };
        if (rule.fate === 'comment') comments.push({ ...token, after });
        else yield (after = token);
      }
      offset = end;
    }
  }

  #match(mode: Mode, text: string, offset: number): { readonly rule: Rule<Mode>; readonly end: number } | null {
    for (const rule of this.#rules.get(mode)?.[Math.min(text.charCodeAt(offset), CODES)] ?? []) {
      const end = rule.match(text, offset);
      if (end !== -1) return { rule, end };
    }
    return null;
  }
}
