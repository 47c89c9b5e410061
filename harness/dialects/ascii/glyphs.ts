import type { Head } from '../../diagram/index.ts';

/** The alphabet of drawings: which character can be a part of what. */

const setOf = (glyphs: string): ReadonlySet<string> => new Set(Array.from(glyphs));

/** Lifelines and bars. `║` is not among them: it draws frames and notes. */
export const VERTICAL = setOf('│|┃╎╏┆┇┊┋¦╽╿');

/** A lifeline with something attached: where a message leaves, is crossed, or a header ends. */
export const TEE = setOf('├┤┼┬┴┠┨┝┥┣┫┳┻╋┿╂╪╤╧╫');

export const SOLID = setOf('─━═-=');
export const DASH = setOf('╌┄┈┅╍┉╴╶╼╾');
export const HORIZONTAL: ReadonlySet<string> = new Set([...SOLID, ...DASH]);

/** Heads by the side to which they point. */
export const HEAD_LEFT = setOf('<◄◀◁←⇐⟵⟸«↼↽↖↙');
export const HEAD_RIGHT = setOf('>►▶▷→⇒⟶⟹➔➜➤»⇀⇁↗↘');
const SPECIAL_HEADS: ReadonlyMap<string, Head> = new Map([
  ['▷', 'open'],
  ['◁', 'open'],
  ['⇀', 'half-top'],
  ['↼', 'half-top'],
  ['⇁', 'half-bottom'],
  ['↽', 'half-bottom'],
  ['↗', 'stick-top'],
  ['↖', 'stick-top'],
  ['↘', 'stick-bottom'],
  ['↙', 'stick-bottom'],
]);
/** What a tip says about its message. */
export const headOfGlyph = (glyph: string): Head =>
  SPECIAL_HEADS.get(glyph) ?? (HEAD_CROSS.has(glyph) ? 'cross' : 'arrow');
/** Lost messages (crosses) and asynchronous ones, recognised only at the end of a shaft. */
export const HEAD_CROSS = setOf('×');

export const TOP_LEFT = setOf('┌╭┏,.+');
export const TOP_RIGHT = setOf('┐╮┓.+');
export const BOTTOM_LEFT = setOf("└╰┗`'+");
export const BOTTOM_RIGHT = setOf("┘╯┛'+");

/** Everything a box or an icon is drawn with; used where a footer may be cut or overdrawn. */
export const BORDER: ReadonlySet<string> = new Set([
  ...VERTICAL,
  ...TEE,
  ...HORIZONTAL,
  ...TOP_LEFT,
  ...TOP_RIGHT,
  ...BOTTOM_LEFT,
  ...BOTTOM_RIGHT,
  ...setOf('║╔╗╚╝╟╠╣╬_^"/\\'),
]);

/** A glyph from which a line runs downwards, or through which one runs. */
export const isStem = (glyph: string): boolean => VERTICAL.has(glyph) || TEE.has(glyph) || STEMS.has(glyph);
const STEMS = setOf('║╔╗╟╠╣┌┐└┘╭╮╰╯+');

export const isHead = (glyph: string): boolean => HEAD_LEFT.has(glyph) || HEAD_RIGHT.has(glyph);
