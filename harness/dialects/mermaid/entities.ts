import { ENTITY_END, ENTITY_START } from './prepare.ts';

/** Latin-1 from U+00A0 on, in order: the names of HTML 4. */
const LATIN_1 =
  'nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml'.split(
    ' ',
  );

const OTHERS: readonly (readonly [string, string])[] = [
  ['quot', '"'],
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['apos', "'"],
  ['num', '#'],
  ['semi', ';'],
  ['colon', ':'],
  ['comma', ','],
  ['percnt', '%'],
  ['lpar', '('],
  ['rpar', ')'],
  ['lbrace', '{'],
  ['rbrace', '}'],
  ['lbrack', '['],
  ['rbrack', ']'],
  ['ndash', '–'],
  ['mdash', '—'],
  ['lsquo', '‘'],
  ['rsquo', '’'],
  ['ldquo', '“'],
  ['rdquo', '”'],
  ['bull', '•'],
  ['hellip', '…'],
  ['euro', '€'],
  ['trade', '™'],
  ['larr', '←'],
  ['uarr', '↑'],
  ['rarr', '→'],
  ['darr', '↓'],
  ['harr', '↔'],
  ['rArr', '⇒'],
  ['lArr', '⇐'],
  ['infin', '∞'],
  ['ne', '≠'],
  ['le', '≤'],
  ['ge', '≥'],
  ['hearts', '♥'],
  ['spades', '♠'],
  ['clubs', '♣'],
  ['diams', '♦'],
  ['check', '✓'],
  ['cross', '✗'],
  ['alpha', 'α'],
  ['beta', 'β'],
  ['gamma', 'γ'],
  ['delta', 'δ'],
  ['lambda', 'λ'],
  ['mu', 'μ'],
  ['pi', 'π'],
];

const NAMED: ReadonlyMap<string, string> = new Map([
  ...LATIN_1.map((name, index) => [name, String.fromCharCode(0xa0 + index)] as const),
  ...OTHERS,
]);

const MARKED = new RegExp(`${ENTITY_START}(\\w+)${ENTITY_END}`, 'g');

/** What a reader sees: `#35;` is `#`, `#quot;` is `"`. A code that nobody knows stays as it was typed. */
export const decodeEntities = (text: string): string =>
  text.includes(ENTITY_START) ? text.replace(MARKED, (_, code: string) => decodeOne(code) ?? `#${code};`) : text;

function decodeOne(code: string): string | undefined {
  if (!/^\d+$/.test(code)) return NAMED.get(code);
  const point = Number(code);
  return point <= 0x10ffff ? String.fromCodePoint(point) : undefined;
}
