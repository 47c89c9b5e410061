import { createToken, type TokenType } from 'chevrotain';
import { ARROW_PATTERN } from './arrows.ts';
import { type Comment, Lexer, type Match, matching, type Rule, type Token } from './lexer.ts';

/**
 * The lexer, rule for rule that of Mermaid 11: in each mode the first rule that matches wins, not the longest; keywords come before
 * names, so a keyword is one wherever a token begins (`end->>B` is no message), and nowhere else (`My end->>B` is one).
 *
 * Modes: `statement`; `name` after `participant`, `activate` and the like, where a name runs to the end of the line; `alias` after
 * that name; `label` for the rest of a line after a block keyword or `as`.
 */
type Mode = 'statement' | 'name' | 'alias' | 'label';

interface Options {
  readonly push?: Mode;
  readonly pop?: true;
  readonly fate?: 'comment' | 'skipped';
  /** What it says to the grammar, where several modes spell the same thing differently. */
  readonly as?: TokenType;
  readonly starts?: string;
}

/** Filled by `token`: the rule of each type. */
const ruleOf = new Map<TokenType, Rule<Mode>>();

function token(name: string, pattern: RegExp | Match, options: Options = {}): TokenType {
  const { push = null, pop = false, fate = 'token', as, starts = null } = options;
  const type = createToken({ name, ...(as === undefined ? {} : { categories: as }) });
  const match = typeof pattern === 'function' ? pattern : matching(pattern);
  ruleOf.set(type, { type, match, starts, fate, pop, push });
  return type;
}

const keyword = (name: string, spelled: string, options: Options = {}): TokenType =>
  token(name, new RegExp(`${spelled}\\b`, 'iy'), { ...options, starts: spelled.charAt(0).toLowerCase() });

// Since Mermaid 12 these are keywords only before a blank and a name; Mermaid 11 refuses what is a name then (see MER171).
const linkKeyword = (name: string, spelled: string): TokenType =>
  token(name, new RegExp(`${spelled}(?=[^\\S\\n]\\s*[^/\\\\+()<>:\\n,;\\s-])`, 'iy'), { starts: spelled.charAt(0) });

/** The end of a statement: newlines, `;`, or nothing at all after a name that ended its line. */
export const StatementEnd = token('StatementEnd', /\n+|;/y, { starts: '\n;' });
// A blank that stands first takes newlines with it: `autonumber ` before a line end swallows that line end, in Mermaid too.
const Blank = token('Blank', /\s+/y, { fate: 'skipped' });
const SameLineBlank = token('SameLineBlank', /[^\S\n]+/y, { fate: 'skipped' });
const HashComment = token('HashComment', /#[^\n]*/y, { fate: 'comment', starts: '#' });
const PercentComment = token('PercentComment', /%(?!\{)[^\n]*/y, { fate: 'comment', starts: '%' });
// It can begin with any letter, so it is tried at every token: the two characters are looked at before the pattern is.
const letterComment = matching(/[^}]%%[^\n]*/y);
const LetterComment = token(
  'LetterComment',
  (text, offset) => (text.startsWith('%%', offset + 1) ? letterComment(text, offset) : -1),
  { fate: 'comment' },
);

export const Numeral = token('Numeral', /(?:\d+(?:\.\d{1,2})?|\.\d{1,2})(?=[ \n])/y, { starts: '0123456789.' });
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
export const Title = token('Title', /title\s[^#\n;]+|title:\s[^#\n;]+/iy, { starts: 't' });
export const Accessibility = token('Accessibility', /acc(?:Title|Descr)\s*:\s*[^\n]*|accDescr\s*\{\s*[^}]*\}?/iy, {
  starts: 'a',
});
export const Header = keyword('Header', 'sequenceDiagram');
export const Autonumber = keyword('Autonumber', 'autonumber');
export const Off = keyword('Off', 'off');
export const Comma = token('Comma', /,/y, { starts: ',' });
export const Central = token('Central', /\(\)/y, { starts: '(' });
export const Name = token('Name', matchName);
export const ArrowToken = token('ArrowToken', ARROW_PATTERN, { starts: '-<\\/' });
export const Text = token('Text', /:[^#\n;]*/y, { starts: ':' });
export const Plus = token('Plus', /\+/y, { starts: '+' });
export const Minus = token('Minus', /-/y, { starts: '-' });
/** Any other character. Where a statement could begin, Mermaid takes it for an empty one. */
export const Stray = token('Stray', /[^]/y);

/** The `@{ … }` after a declared name. */
export const Metadata = createToken({ name: 'Metadata' });
// Mermaid 11 refuses a dash or = in it and a blank behind it (see MER171).
const NameBeforeMetadata = token('NameBeforeMetadata', matchNameBeforeMetadata, { as: Name });
const MetadataBeforeAs = token('MetadataBeforeAs', /@\{[^}]+\}(?=\s+as\s)/iy, {
  pop: true,
  push: 'alias',
  as: Metadata,
});
const MetadataAtEnd = token('MetadataAtEnd', /@\{[^}]+\}/y, { pop: true, as: Metadata });
const NameBeforeAs = token('NameBeforeAs', matchNameBeforeAs, { pop: true, push: 'alias', as: Name });
const NameToLineEnd = token('NameToLineEnd', matchNameToLineEnd, { pop: true, push: 'alias', as: Name });
/** What stands where a declared name should, up to the end of the line, perhaps nothing; ends the mode, so that the next line is read. */
export const BadName = token('BadName', /[^\n]*/y, { pop: true });
export const As = token('As', /as\b/iy, { pop: true, push: 'label' });
const NoAlias = token('NoAlias', (_, offset) => offset, { pop: true, as: StatementEnd });
export const Label = token('Label', /[^#\n;]*/y, { pop: true });

/** Where a name in a message stops although its characters could go on: an arrow, or `()`, begins there. */
const nameStop = matching(/-x|--|-\)|-\|?[\\/]|[/\\]\|-|\/\/-|\\\\-|\(\)/iy);
const nameBeginning = matching(/[^/\\+()<>\-:\n,;]+/y);
const nameContinuation = matching(/-*[^+<>\-:\n,;]+/y);

/**
 * A name in a message or note: chunks, joined by dashes that are not the beginning of an arrow. A loop and not one regular
 * expression, since a repeated group over a line of millions of dashes exhausts the engine's stack.
 */
function matchName(text: string, offset: number): number {
  let end = nameBeginning(text, offset);
  if (end === -1) return -1;
  while (nameStop(text, end) === -1) {
    const more = nameContinuation(text, end);
    if (more === -1) break;
    end = more;
  }
  return end;
}

const nameWithoutBlanks = matching(/[^<>:\n,;@\s]+/y);
const metadataFollows = matching(/[^\S\n]*@\{/y);
const asFollows = matching(/\s+as\s/iy);

/** Without blanks, and followed by `@{`. */
function matchNameBeforeMetadata(text: string, offset: number): number {
  const end = nameWithoutBlanks(text, offset);
  return end !== -1 && metadataFollows(text, end) !== -1 ? end : -1;
}

/** Without blanks, and followed by ` as `. */
function matchNameBeforeAs(text: string, offset: number): number {
  const end = nameWithoutBlanks(text, offset);
  return end !== -1 && asFollows(text, end) !== -1 ? end : -1;
}

const nameWithBlanks = matching(/[^<>:\n,;@]+/y);

/** To the end of the line or `;`, blanks, `#` and `%` included; if the line goes on in a way a name can't, to the last `#`. */
function matchNameToLineEnd(text: string, offset: number): number {
  const end = nameWithBlanks(text, offset);
  if (end === -1 || end === text.length || text.startsWith('\n', end) || text.startsWith(';', end)) return end;
  const hash = text.lastIndexOf('#', end - 1);
  return hash > offset ? hash : -1;
}

const COMMENTS = [HashComment, PercentComment, LetterComment];
const BLOCKS = [Loop, Rect, Opt, Alt, Else, Par, ParOver, And, Critical, Option, Break];
const LINKS = [Links, Link, Properties, Details];

const MODES: Readonly<Record<Mode, readonly TokenType[]>> = {
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

const rules = (types: readonly TokenType[]): readonly Rule<Mode>[] =>
  types.map((type) => {
    const rule = ruleOf.get(type);
    if (rule === undefined) throw new Error(`no rule makes a ${type.name}, but a mode names it`);
    return rule;
  });

const lexer = new Lexer<Mode>(
  [
    ['statement', rules(MODES.statement)],
    ['name', rules(MODES.name)],
    ['alias', rules(MODES.alias)],
    ['label', rules(MODES.label)],
  ],
  'statement',
);

/** The types of all tokens, for the grammar. */
export const VOCABULARY: readonly TokenType[] = [Metadata, ...new Set(Object.values(MODES).flat())];

/** Cuts a prepared text into tokens, and collects the comments that Mermaid skips, which may be an author's accident. */
export const tokenize = (text: string, comments: Comment[]): Iterable<Token> => lexer.tokenize(text, comments);
