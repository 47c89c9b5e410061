import { editDistance } from '../diagnostics/index.ts';
import { traceEventSchema } from './schema.ts';

/** Names that differ only in case, `-` and `_` are one name to whoever wrote them. */
const folded = (name: string): string => name.replace(/[-_]/gu, '').toLowerCase();

/** Longer words are no slip of the pen for one of ours. */
const LETTERS_MAX = 40;

/**
 * The word that was probably meant: equal but for case, `-` and `_`, or at most two letters away, and one letter in three, so
 * that `type` is not taken for `time`, nor `pid` for `id`.
 */
export function meantBy(word: string, words: readonly string[]): string | undefined {
  if (word.length > LETTERS_MAX) return undefined;
  const written = folded(word);
  let best: string | undefined;
  let bestDistance = Infinity;
  for (const candidate of words) {
    const wanted = folded(candidate);
    const lettersMax = Math.min(2, Math.floor(Math.min(written.length, wanted.length) / 3));
    const distance = editDistance(written, wanted);
    if (distance <= lettersMax && distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

const { properties, required } = traceEventSchema.definitions.event;

/** What no event goes without. */
export const REQUIRED_FIELDS: readonly string[] = required;
const FIELDS: ReadonlySet<string> = new Set(Object.keys(properties));
/** Whether events have a field of this name. */
export const isField = (name: string): boolean => FIELDS.has(name);
/** A field that is needed and mistyped is missing, which is said anyway: a name beside it (`labels`) is another one. */
const OPTIONAL_FIELDS = [...FIELDS].filter((field) => !REQUIRED_FIELDS.includes(field));

/** Names that are told, and names that are remembered as meaning nothing. */
const TOLD_MAX = 100;
const FOREIGN_MAX = 10_000;

/** Fields of a trace that its events do not have, but whose names are nearly those of fields that they do have. */
export class MistypedFields {
  readonly #told = new Set<string>();
  /** Known to be near nothing: most names come in every line. */
  readonly #foreign = new Set<string>();

  /** The field that is meant by a name that was not told yet; undefined: none, or nobody has to be told. */
  meantBy(name: string): string | undefined {
    if (isField(name) || this.#foreign.has(name) || this.#told.has(name)) return undefined;
    if (name.length > LETTERS_MAX || this.#told.size >= TOLD_MAX) return undefined;
    const meant = meantBy(name, OPTIONAL_FIELDS);
    if (meant === undefined && this.#foreign.size < FOREIGN_MAX) this.#foreign.add(name);
    return meant;
  }

  /** From now on nobody has to be told of it. */
  markTold(name: string): void {
    this.#told.add(name);
  }
}
