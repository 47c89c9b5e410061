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
export const HEAD_LEFT = setOf('<◄◀◁←⇐⟵⟸«↼↽↖↙◂◃⬅⇠⟨');
export const HEAD_RIGHT = setOf('>►▶▷→⇒⟶⟹➔➜➤»⇀⇁↗↘▸▹➡➝➞⮕⇢⟩');
const SPECIAL_HEADS: ReadonlyMap<string, Head> = new Map([
  ['▷', 'open'],
  ['◁', 'open'],
  ['▹', 'open'],
  ['◃', 'open'],
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

/** What a glyph can be a part of, as bits: stages that look at every cell ask for these. */
export const KIND = {
  blank: 1,
  vertical: 2,
  tee: 4,
  horizontal: 8,
  topLeft: 16,
  /** A corner of a frame: more signs are drawn for one than for a box. */
  frameTopLeft: 32,
  frameTopRight: 64,
  /** A line that runs down beside a frame: `║` too. */
  wall: 128,
  /** A cell of a frame's upper or lower border. */
  border: 256,
  /** The first cell of a box, of an icon, of a frame that a tool has drawn or a note. */
  box: 512,
  icon: 1024,
  frame: 2048,
  solid: 4096,
  /** From which a line runs downwards, or through which one runs. */
  stem: 8192,
} as const;

const FRAME_TOP_LEFT = [...TOP_LEFT, ...setOf('╔*/')];
const FRAME_TOP_RIGHT = [...TOP_RIGHT, ...setOf('╗*\\')];

/** For each UTF-16 unit its kinds; glyphs of several units are none of them. */
const KINDS = new Uint16Array(0x10000);
for (const [glyphs, kind] of [
  [' ', KIND.blank],
  [VERTICAL, KIND.vertical | KIND.wall],
  ['║', KIND.wall],
  [TEE, KIND.tee | KIND.border],
  [HORIZONTAL, KIND.horizontal | KIND.border],
  ['+.', KIND.border],
  [TOP_LEFT, KIND.topLeft],
  [FRAME_TOP_LEFT, KIND.frameTopLeft],
  [FRAME_TOP_RIGHT, KIND.frameTopRight],
  [[...TOP_LEFT, '|'], KIND.box],
  ['┌/|+', KIND.icon],
  ['╔,_', KIND.frame],
  [SOLID, KIND.solid],
  [[...VERTICAL, ...TEE, ...setOf('║╔╗╟╠╣┌┐└┘╭╮╰╯+')], KIND.stem],
] as const)
  for (const glyph of glyphs) KINDS[glyph.charCodeAt(0)] = (KINDS[glyph.charCodeAt(0)] ?? 0) | kind;

/** The bits of `KIND` of a glyph. */
export const kindsOf = (glyph: string): number => (glyph.length === 1 ? (KINDS[glyph.charCodeAt(0)] ?? 0) : 0);

/** A glyph from which a line runs downwards, or through which one runs. */
export const isStem = (glyph: string): boolean => (kindsOf(glyph) & KIND.stem) !== 0;

export const isHead = (glyph: string): boolean => HEAD_LEFT.has(glyph) || HEAD_RIGHT.has(glyph);
