import { tokenMatcher, type TokenType } from 'chevrotain';
import { excerpt, type Finding } from './findings.ts';
import type { StatementTokens } from './grammar.ts';
import type { Token } from './lexer.ts';
import * as t from './tokens.ts';

/** What is wrong with a statement that the grammar refused at `at`, in its author's words. */
export function explain(text: string, statement: StatementTokens, at: Token): Finding {
  const tokens = statement.tokens.filter((token) => !tokenMatcher(token, t.StatementEnd));
  const first = tokens[0] ?? at;
  const from = first.startOffset;
  const last = tokens.at(-1);
  const shown = excerpt(text.slice(from, last === undefined ? from : endOf(last)));
  const context: Context = { text, tokens, at, from, shown };
  const explained =
    explainBadName(context) ??
    explainNote(context) ??
    explainAutonumber(context) ??
    explainArrow(context) ??
    explainColon(context) ??
    explainUnknownArrow(context) ??
    explainSemicolon(context, statement.afterSemicolon);
  return (
    explained ?? {
      code: 'MER102',
      offset: from,
      length: shown.length,
      message: `this is no statement of a sequence diagram: "${shown}"`,
      hint: 'write a message (A->>B: text), a participant, a note or a block; a text that goes on in the next line needs <br/>, a comment begins with %%',
    }
  );
}

interface Context {
  readonly text: string;
  /** Without the end of the statement. */
  readonly tokens: readonly Token[];
  readonly at: Token;
  readonly from: number;
  readonly shown: string;
}

const endOf = (token: Token): number => token.startOffset + token.image.length;

const is = (token: Token | undefined, ...types: readonly TokenType[]): boolean =>
  token !== undefined && types.some((type) => tokenMatcher(token, type));

/** Tokens that are spelled like a word, but are not a name. */
const isKeyword = (token: Token): boolean => /^[a-z]/i.test(token.image) && !is(token, t.Name, t.Label, t.BadName);

const keywordAsName = (word: string, offset: number): Finding => ({
  code: 'MER110',
  offset,
  length: word.length,
  message: `"${word}" is a keyword at the start of a name`,
  hint: `write participant ${letter(word)} as ${word}, and ${letter(word)} in the messages`,
});

const letter = (word: string): string => word.charAt(0).toLowerCase();

function explainBadName({ tokens, text }: Context): Finding | undefined {
  const index = tokens.findIndex((token) => token.tokenType === t.BadName);
  const bad = tokens[index];
  const keyword = tokens[index - 1];
  if (bad === undefined || keyword === undefined) return undefined;
  if (/^\s*(?:--?[>x)]|<<-)/.test(bad.image)) return keywordAsName(keyword.image, keyword.startOffset);
  if (bad.image.trim() === '') {
    return {
      code: 'MER112',
      offset: keyword.startOffset,
      length: keyword.image.length,
      message: `"${keyword.image}" names no participant`,
      hint: `write ${keyword.image} Name on one line`,
    };
  }
  const inside = Math.max(bad.image.search(/[<>:,@]/), 0);
  const character = bad.image.charAt(inside);
  const escape = `#${character.charCodeAt(0)};`;
  return {
    code: 'MER111',
    offset: bad.startOffset + inside,
    length: 1,
    message: `a participant's name cannot hold "${character}": "${excerpt(text.slice(bad.startOffset, endOf(bad)))}"`,
    hint:
      character === ','
        ? 'declare one participant per line'
        : `leave it out of the name and show it in the label (participant Name as ...), or write ${escape}`,
  };
}

function explainNote({ tokens, from, shown, at }: Context): Finding | undefined {
  const [first, second] = tokens;
  if (first?.tokenType !== t.NoteWord) return undefined;
  if (is(second, t.ArrowToken, t.Minus)) return keywordAsName(first.image, from);
  const name =
    tokens
      .find((token) => is(token, t.Name))
      ?.image.trim()
      .replace(/^(?:left|right)\s+/i, '') ?? 'A';
  const three = tokens.filter((token) => is(token, t.Comma)).length > 1;
  const keyword = is(second, t.LeftOf, t.RightOf, t.Over) ? tokens[2] : undefined;
  if (keyword !== undefined && isKeyword(keyword)) return keywordAsName(keyword.image, keyword.startOffset);
  return {
    code: 'MER117',
    offset: three ? at.startOffset : from,
    message: three ? 'a note stands over at most two participants' : `this note cannot be read: "${shown}"`,
    hint: three
      ? 'name the first and the last one it covers: note over A,C: text'
      : `write note over ${name}: text, note left of ${name}: text or note right of ${name}: text, on one line`,
  };
}

function explainAutonumber({ tokens, from, shown }: Context): Finding | undefined {
  const [first, second] = tokens;
  if (first?.tokenType !== t.Autonumber) return undefined;
  if (is(second, t.ArrowToken, t.Minus) && !/^\d/.test(tokens[2]?.image ?? '')) return keywordAsName(first.image, from);
  return {
    code: 'MER118',
    offset: from,
    length: shown.length,
    message: `autonumber takes a start and a step, or "off": "${shown}"`,
    hint: 'write autonumber, autonumber 10, autonumber 10 5 or autonumber off, with nothing behind it, no blank either',
  };
}

/** There is an arrow, so a message is meant. */
function explainArrow(context: Context): Finding | undefined {
  const { tokens, from, shown } = context;
  const index = tokens.findIndex((token) => is(token, t.ArrowToken));
  const arrow = tokens[index];
  if (arrow === undefined) return undefined;
  const before = tokens[index - 1];
  const numeral = tokens.find((token) => is(token, t.Numeral));
  if (numeral !== undefined)
    return badCharacter(
      numeral,
      'begin with a number and a blank',
      'glue the number to what follows it, or put a letter before it',
    );
  const word = tokens.slice(0, index).find((token) => isKeyword(token));
  if (word !== undefined) return keywordAsName(word.image, word.startOffset);
  if (before === undefined) {
    return {
      code: 'MER105',
      offset: from,
      length: arrow.image.length,
      message: `message has no sender: "${shown}"`,
      hint: `write Sender${shown}`,
    };
  }
  if (is(before, t.Minus) && before.startOffset + 1 === arrow.startOffset) {
    return unknownArrow(before.startOffset, before.image + arrow.image);
  }
  if (is(before, t.Stray) && before.image === '<' && endOf(before) === arrow.startOffset) {
    return unknownArrow(before.startOffset, before.image + arrow.image);
  }
  const odd = tokens.slice(0, index).find((token) => !is(token, t.Name, t.Central));
  if (odd !== undefined) return badCharacter(odd);
  return explainReceiver(context, index, arrow);
}

function explainReceiver({ tokens, from, shown, text }: Context, index: number, arrow: Token): Finding | undefined {
  const sign = tokens[index + 1];
  const skip = is(sign, t.Plus, t.Minus, t.Central) ? 2 : 1;
  const receiver = tokens[index + skip];
  if (receiver === undefined || is(receiver, t.Text)) {
    const sender = excerpt(text.slice(from, arrow.startOffset));
    const rest = receiver === undefined ? ': text' : excerpt(receiver.image);
    return {
      code: 'MER104',
      offset: from,
      length: shown.length,
      message: `message has no receiver: "${shown}"`,
      hint: `write ${sender}${arrow.image}Receiver${rest}`,
    };
  }
  if (isKeyword(receiver)) return keywordAsName(receiver.image, receiver.startOffset);
  if (is(receiver, t.ArrowToken)) {
    return {
      code: 'MER103',
      offset: receiver.startOffset,
      length: receiver.image.length,
      message: `"${receiver.image}" is read as a second arrow`,
      hint: `if the name begins with ${receiver.image.slice(-1)}, put a blank before it: ${arrow.image}- ${receiver.image.slice(-1)}...`,
    };
  }
  if (is(receiver, t.Stray) && receiver.image === '>') {
    return unknownArrow(arrow.startOffset, arrow.image + receiver.image);
  }
  if (!is(receiver, t.Name)) return badCharacter(receiver);
  return explainAfterReceiver({ tokens, from, shown }, index + skip + 1, receiver);
}

function explainAfterReceiver(
  { tokens, from, shown }: Pick<Context, 'tokens' | 'from' | 'shown'>,
  index: number,
  receiver: Token,
): Finding | undefined {
  const after = tokens[index];
  if (after === undefined) {
    return {
      code: 'MER106',
      offset: from,
      length: shown.length,
      message: `message has no text: "${shown}"`,
      hint: `write ${shown}: text; a colon alone will do`,
    };
  }
  if (is(after, t.ArrowToken)) {
    return {
      code: 'MER113',
      offset: after.startOffset,
      length: after.image.length,
      message: `one message has one arrow; "${after.image}" after "${excerpt(receiver.image)}" is a second one`,
      hint: 'write one message per line; inside a name, a dash must not stand before x, ), / or another dash',
    };
  }
  return badCharacter(after);
}

const badCharacter = (
  token: Token,
  wrong = `hold "${token.image}" there`,
  hint = 'choose a name of letters, digits, blanks and single dashes, and show the rest in a label: participant Name as ...',
): Finding => ({
  code: 'MER111',
  offset: token.startOffset,
  length: token.image.length,
  message: `a name in a message cannot ${wrong}`,
  hint,
});

const unknownArrow = (offset: number, spelled: string): Finding => ({
  code: 'MER103',
  offset,
  length: spelled.length,
  message: `Mermaid has no arrow "${excerpt(spelled)}"`,
  hint: 'use ->> or -->>, -> or -->, -x or --x, -) or --), <<->> or <<-->>',
});

/** `A:B->>C: x`: the colon ended the name and began the text. */
function explainColon({ tokens }: Context): Finding | undefined {
  const [first, second] = tokens;
  if (!is(first, t.Name) || second === undefined || !is(second, t.Text)) return undefined;
  return /--?(?:>>?|[x)])/i.test(second.image.slice(0, 1_000)) ? badCharacter({ ...second, image: ':' }) : undefined;
}

/** What looks like an arrow, but is none. */
function explainUnknownArrow({ tokens, from, text }: Context): Finding | undefined {
  const last = tokens.at(-1);
  if (last === undefined) return undefined;
  // Only the beginning is searched: a row of dashes as long as the file would be searched from each of them.
  const beginning = text.slice(from, Math.min(endOf(last), from + 1_000)).split(':', 1)[0] ?? '';
  const found = /<{1,2}\s?[-=~.]+>*|[-=~.]+\s?[>*o|\\/(]+|\(-|-{2,}/.exec(beginning);
  return found === null ? undefined : unknownArrow(from + found.index, found[0]);
}

function explainSemicolon({ from, shown }: Context, afterSemicolon: boolean): Finding | undefined {
  if (!afterSemicolon) return undefined;
  return {
    code: 'MER120',
    offset: from,
    length: shown.length,
    message: `";" ends a statement, and this is no new one: "${shown}"`,
    hint: 'write #59; for a semicolon in a text',
  };
}
