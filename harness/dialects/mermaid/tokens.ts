import { createToken, type IToken, Lexer, type TokenType } from 'chevrotain';
import { ARROW_PATTERN } from './arrows.ts';

/**
 * The lexer, rule for rule that of Mermaid 11: in each mode the first rule that matches wins, not the longest; keywords come before
 * names, so a keyword is one wherever a token begins (`end->>B` is no message), and nowhere else (`My end->>B` is one).
 *
 * Modes: `statement`; `name` after `participant`, `activate` and the like, where a name runs to the end of the line; `alias` after
 * that name; `label` for the rest of a line after a block keyword or `as`.
 */
type Pattern = RegExp | ((text: string, offset: number) => [string] | null);

interface TokenOptions {
  readonly push?: 'name' | 'alias' | 'label';
  readonly pop?: true;
  readonly skip?: true;
  readonly comment?: true;
  /** What it says to the grammar, where several modes spell the same thing. */
  readonly as?: TokenType;
}

function token(name: string, pattern: Pattern, { push, pop, skip, comment, as }: TokenOptions = {}): TokenType {
  return createToken({
    name,
    pattern: typeof pattern === 'function' ? { exec: (text, offset) => pattern(text, offset) } : pattern,
    line_breaks: true,
    ...(push === undefined ? {} : { push_mode: push }),
    ...(pop === undefined ? {} : { pop_mode: pop }),
    ...(as === undefined ? {} : { categories: as }),
    ...(skip === undefined ? {} : { group: Lexer.SKIPPED }),
    ...(comment === undefined ? {} : { group: 'comments' }),
  });
}

const keyword = (name: string, spelled: string, options: TokenOptions = {}): TokenType =>
  token(name, new RegExp(`${spelled}\\b`, 'i'), options);

/** The end of a statement: newlines, `;`, or nothing at all after a name that ended its line. */
export const StatementEnd = token('StatementEnd', /\n+|;/);
// A blank that stands first takes newlines with it: `autonumber ` before a line end swallows that line end, in Mermaid too.
const Blank = token('Blank', /\s+/, { skip: true });
// Since Mermaid 12 these are keywords only before a blank and a name; Mermaid 11 refuses what is a name then (see MER171).
const linkKeyword = (name: string, spelled: string): TokenType =>
  token(name, new RegExp(`${spelled}(?=[^\\S\\n]\\s*[^/\\\\+()<>:\\n,;\\s-])`, 'i'));

const SameLineBlank = token('SameLineBlank', /[^\S\n]+/, { skip: true });
const HashComment = token('HashComment', /#[^\n]*/, { comment: true });
const PercentComment = token('PercentComment', /%(?!\{)[^\n]*/, { comment: true });
const LetterComment = token('LetterComment', /[^}]%%[^\n]*/, { comment: true });

export const Numeral = token('Numeral', /(?:\d+(?:\.\d{1,2})?|\.\d{1,2})(?=[ \n])/);
export const Box = keyword('Box', 'box', { push: 'label' });
export const ParticipantWord = keyword('ParticipantWord', 'participant', { push: 'name' });
export const ActorWord = keyword('ActorWord', 'actor', { push: 'name' });
export const Create = keyword('Create', 'create');
export const Destroy = keyword('Destroy', 'destroy', { push: 'name' });
export const Loop = keyword('Loop', 'loop', { push: 'label' });
export const Rect = keyword('Rect', 'rect', { push: 'label' });
export const Opt = keyword('Opt', 'opt', { push: 'label' });
export const Alt = keyword('Alt', 'alt', { push: 'label' });
export const Else = keyword('Else', 'else', { push: 'label' });
export const Par = keyword('Par', 'par', { push: 'label' });
export const ParOver = keyword('ParOver', 'par_over', { push: 'label' });
export const And = keyword('And', 'and', { push: 'label' });
export const Critical = keyword('Critical', 'critical', { push: 'label' });
export const Option = keyword('Option', 'option', { push: 'label' });
export const Break = keyword('Break', 'break', { push: 'label' });
export const End = keyword('End', 'end');
export const LeftOf = keyword('LeftOf', 'left of');
export const RightOf = keyword('RightOf', 'right of');
export const Links = linkKeyword('Links', 'links');
export const Link = linkKeyword('Link', 'link');
export const Properties = linkKeyword('Properties', 'properties');
export const Details = linkKeyword('Details', 'details');
export const Over = keyword('Over', 'over');
export const NoteWord = keyword('NoteWord', 'note');
export const Activate = keyword('Activate', 'activate', { push: 'name' });
export const Deactivate = keyword('Deactivate', 'deactivate', { push: 'name' });
export const Title = token('Title', /title\s[^#\n;]+|title:\s[^#\n;]+/i);
export const Accessibility = token('Accessibility', /acc(?:Title|Descr)\s*:\s*[^\n]*|accDescr\s*\{\s*[^}]*\}?/i);
export const Header = keyword('Header', 'sequenceDiagram');
export const Autonumber = keyword('Autonumber', 'autonumber');
export const Off = keyword('Off', 'off');
export const Comma = token('Comma', /,/);
export const Central = token('Central', /\(\)/);
export const Name = token('Name', matchName);
export const ArrowToken = token('ArrowToken', ARROW_PATTERN);
export const Text = token('Text', /:[^#\n;]*/);
export const Plus = token('Plus', /\+/);
export const Minus = token('Minus', /-/);
/** Any other character. Where a statement could begin, Mermaid takes it for an empty one. */
export const Stray = token('Stray', /[^]/);

/** The `@{ … }` after a declared name. */
export const Metadata = createToken({ name: 'Metadata', pattern: Lexer.NA });
// Mermaid 11 refuses a dash or = in it and a blank behind it (see MER171).
const NameBeforeMetadata = token('NameBeforeMetadata', matchNameBeforeMetadata, { as: Name });
const MetadataBeforeAs = token('MetadataBeforeAs', /@\{[^}]+\}(?=\s+as\s)/, { pop: true, push: 'alias', as: Metadata });
const MetadataAtEnd = token('MetadataAtEnd', /@\{[^}]+\}/, { pop: true, as: Metadata });
const NameBeforeAs = token('NameBeforeAs', matchNameBeforeAs, { pop: true, push: 'alias', as: Name });
const NameToLineEnd = token('NameToLineEnd', matchNameToLineEnd, { pop: true, push: 'alias', as: Name });
/** What stands where a declared name should, up to the end of the line, perhaps nothing; ends the mode, so that the next line is read. */
export const BadName = token('BadName', (text, offset) => sticky(/[^\n]*/y, text, offset), { pop: true });
export const As = token('As', /as\b/i, { pop: true, push: 'label' });
const NoAlias = token('NoAlias', () => [''], { pop: true, as: StatementEnd });
export const Label = token('Label', (text, offset) => sticky(/[^#\n;]*/y, text, offset), { pop: true });

function sticky(pattern: RegExp, text: string, offset: number): [string] | null {
  pattern.lastIndex = offset;
  const found = pattern.exec(text);
  return found === null ? null : [found[0]];
}

/** Where a name in a message stops although its characters could go on: an arrow, or `()`, begins there. */
const NAME_STOP = /-x|--|-\)|-\|?[\\/]|[/\\]\|-|\/\/-|\\\\-|\(\)/iy;

/**
 * A name in a message or note: chunks, joined by dashes that are not the beginning of an arrow. A loop and not one regular
 * expression, since a repeated group over a line of millions of dashes exhausts the engine's stack.
 */
function matchName(text: string, offset: number): [string] | null {
  const first = sticky(/[^/\\+()<>\-:\n,;]+/y, text, offset);
  if (first === null) return null;
  let end = offset + first[0].length;
  for (;;) {
    if (sticky(NAME_STOP, text, end) !== null) break;
    const more = sticky(/-*[^+<>\-:\n,;]+/y, text, end);
    if (more === null) break;
    end += more[0].length;
  }
  return [text.slice(offset, end)];
}

/** Without blanks, and followed by `@{`. */
function matchNameBeforeMetadata(text: string, offset: number): [string] | null {
  const name = sticky(/[^<>:\n,;@\s]+/y, text, offset);
  return name !== null && sticky(/[^\S\n]*@\{/y, text, offset + name[0].length) !== null ? name : null;
}

/** Without blanks, and followed by ` as `. */
function matchNameBeforeAs(text: string, offset: number): [string] | null {
  const name = sticky(/[^<>:\n,;@\s]+/y, text, offset);
  if (name === null || sticky(/\s+as\s/iy, text, offset + name[0].length) === null) return null;
  return name;
}

/** To the end of the line or `;`, blanks, `#` and `%` included; if the line goes on in a way a name can't, to the last `#`. */
function matchNameToLineEnd(text: string, offset: number): [string] | null {
  const name = sticky(/[^<>:\n,;@]+/y, text, offset);
  if (name === null) return null;
  const end = offset + name[0].length;
  const stop = text.charAt(end);
  if (stop === '\n' || stop === ';' || stop === '') return name;
  const hash = name[0].lastIndexOf('#');
  return hash > 0 ? [name[0].slice(0, hash)] : null;
}

const COMMENTS = [HashComment, PercentComment, LetterComment];
const BLOCKS = [Loop, Rect, Opt, Alt, Else, Par, ParOver, And, Critical, Option, Break];
const LINKS = [Links, Link, Properties, Details];

const modes = {
  statement: [
    StatementEnd,
    Blank,
    ...COMMENTS,
    Numeral,
    ...[Box, ParticipantWord, ActorWord, Create, Destroy],
    ...BLOCKS,
    ...[End, LeftOf, RightOf, ...LINKS, Over, NoteWord, Activate, Deactivate, Title, Accessibility],
    ...[Header, Autonumber, Off, Comma, Central, Name, ArrowToken, Text, Plus, Minus, Stray],
  ],
  name: [
    SameLineBlank,
    HashComment,
    NameBeforeMetadata,
    MetadataBeforeAs,
    MetadataAtEnd,
    NameBeforeAs,
    NameToLineEnd,
    BadName,
  ],
  alias: [SameLineBlank, HashComment, As, NoAlias],
  label: [SameLineBlank, HashComment, Label],
};

/** Every token type. */
export const VOCABULARY: readonly TokenType[] = [...new Set([...Object.values(modes).flat(), Metadata])];

const lexer = new Lexer(
  { modes, defaultMode: 'statement' },
  { positionTracking: 'onlyOffset', ensureOptimizations: false },
);

/** The tokens of a text, and beside them the comments that Mermaid skips, which may be an author's accident. */
export interface Tokens {
  readonly tokens: readonly IToken[];
  readonly comments: readonly IToken[];
}

/** Cuts a prepared text into tokens; in every mode some token takes any character, so nothing is left over. */
export function tokenize(text: string): Tokens {
  const { tokens, errors, groups } = lexer.tokenize(text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`a mode of the lexer has no rule for some character: ${error.message}`);
  return { tokens, comments: groups['comments'] ?? [] };
}
