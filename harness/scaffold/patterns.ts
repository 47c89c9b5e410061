import type { EventClass, Piece } from './event-classes.ts';

/** The parameter, by the attribute that has its value. */
export type ParameterOf = (attribute: string) => string | undefined;

/**
 * A pattern of the binding language that matches the events of a class, and of no other class between the same two
 * participants.
 */
export function patternOf(one: EventClass, rivals: readonly EventClass[], parameterOf: ParameterOf): string {
  if (one.method !== null) return `${one.method} /${one.pieces.map((piece) => segment(piece, parameterOf)).join('/')}`;
  if (one.pieces.every(({ kind }) => kind === 'text')) return exact(one.sample);
  const prefix = prefixOf(one);
  const isOwn = rivals.every((rival) => rival === one || !textOf(rival).startsWith(prefix));
  return prefix.trim().length >= 3 && isOwn
    ? `label.startsWith(${JSON.stringify(prefix)})`
    : `label.matches(${JSON.stringify(`^${one.pieces.map(expression).join('')}$`)})`;
}

/** A class in one line for people: what varies is `*`. */
export const textOf = ({ method, pieces }: EventClass): string => {
  const texts = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '*'));
  return method === null ? texts.join('') : `${method} /${texts.join('/')}`;
};

function segment(piece: Piece, parameterOf: ParameterOf): string {
  // A brace or a star in a path is no pattern: any segment fits there.
  if (piece.kind === 'text') return /[*{}]/u.test(piece.text) ? '*' : piece.text;
  const parameter = piece.attribute === null ? undefined : parameterOf(piece.attribute);
  return parameter === undefined ? '*' : `{${parameter}}`;
}

/** Plain words are an exact label; what looks like a request, or a constant of CEL, is not. */
const PLAIN = /^[\p{L}\p{N}_][\p{L}\p{N}_ .-]*$/u;
const CONSTANT = /^\s*(?:true|false|null)\s*$/u;

const exact = (label: string): string =>
  PLAIN.test(label) && !CONSTANT.test(label) ? label : `label == ${JSON.stringify(label)}`;

function prefixOf({ pieces }: EventClass): string {
  const end = pieces.findIndex(({ kind }) => kind === 'varies');
  return pieces
    .slice(0, end)
    .map((piece) => (piece.kind === 'text' ? piece.text : ''))
    .join('');
}

const expression = (piece: Piece): string =>
  piece.kind === 'varies' ? '[^\\s/]+' : piece.text.replace(/[.*+?^${}()|[\]\\]/gu, '\\$&');
