import { findRequest, queryOf, segmentsOf } from './template.ts';
import type { Matcher, Parameter, TemplateSegment } from './types.ts';

/** Parameters by name: those that the binding declares, then those that the drawing's own texts suggest. */
export class Parameters {
  readonly #byName = new Map<string, Parameter>();

  constructor(declared: readonly Parameter[]) {
    for (const parameter of declared) this.#byName.set(parameter.name, parameter);
  }

  get list(): readonly Parameter[] {
    return [...this.#byName.values()];
  }

  get(name: string): Parameter | undefined {
    return this.#byName.get(name);
  }

  withExample(text: string): Parameter | undefined {
    return this.list.find(({ example }) => example === text);
  }

  /** The parameter that a drawn word or path segment stands for, guessed where it has the looks of a placeholder. */
  of(word: string): Parameter | undefined {
    const known = this.withExample(word);
    if (known !== undefined) return known;
    const name = guessedName(word);
    if (name === undefined) return undefined;
    const parameter = this.#byName.get(name) ?? { name, example: word, guessed: true };
    this.#byName.set(name, parameter);
    return parameter;
  }
}

/** `{pod}`, `<pod-name>`, `:id`: the name stands in the placeholder. */
const BRACKETED = /^(?:\{([A-Za-z_][\w.-]*)\}|<([A-Za-z_][\w. -]*)>|:([A-Za-z_][\w-]*))$/u;
/** `my-pod-xxx`, `my-pod-x…`, `podxxx`: the name is what stands before. */
const CROSSED = /^([A-Za-z_](?:[\w.-]*[\w.])??)(?:[-_]x+(?:…|\.\.\.)|[-_]x{2,}|x{3,})$/iu;
/** `xxxxxxxx`, `…`: anything, without a name. */
const ANYTHING = /^(?:x{3,}|…|\.\.\.)$/iu;

/** A longer word is no name of anything; the bound also keeps the expressions above cheap. */
const NAME_MAX = 100;

function guessedName(word: string): string | undefined {
  if (word.length > NAME_MAX) return undefined;
  const bracketed = BRACKETED.exec(word);
  const name = bracketed?.[1] ?? bracketed?.[2] ?? bracketed?.[3] ?? CROSSED.exec(word)?.[1];
  return name === undefined || ANYTHING.test(word) ? undefined : name.trim().replace(/\s+/gu, '-');
}

/** How a drawn text is matched where no pattern is bound: as a request if it holds one, else word for word. */
export function matchDrawnText(text: string, parameters: Parameters): Pick<Matcher, 'template' | 'words' | 'label'> {
  const request = findRequest(text);
  if (request !== null) {
    const segments = segmentsOf(request.path).map((segment) => segmentOf(segment, parameters));
    const query = queryOf(request.query).map(({ key, value }) => ({
      key,
      value: value !== null && parameters.of(value) === undefined && !ANYTHING.test(value) ? value : null,
    }));
    return { template: { method: request.method, segments, query } };
  }
  const label = text.trim();
  if (label === '') return {};
  const words = label.split(/\s+/u).map((word) => wordOf(word, parameters));
  return words.some(({ kind }) => kind !== 'text') ? { words } : { label };
}

function wordOf(word: string, parameters: Parameters): TemplateSegment {
  const parameter = parameters.of(word);
  if (parameter !== undefined) return { kind: 'capture', parameter: parameter.name };
  return ANYTHING.test(word) ? { kind: 'any' } : { kind: 'text', text: word };
}

const segmentOf = (segment: string, parameters: Parameters): TemplateSegment =>
  segment === '*' ? { kind: 'any' } : wordOf(segment, parameters);

/** Whether a drawn text shows one value of the parameter. */
export const showsExample = (text: string, parameter: Parameter): boolean =>
  parameter.example !== undefined && text.includes(parameter.example);

/** The parameters that a request, or the words of a label, capture. */
export const capturesOf = ({ template, words = [] }: Pick<Matcher, 'template' | 'words'>): string[] =>
  [...(template?.segments ?? []), ...words].flatMap((segment) =>
    segment.kind === 'capture' ? [segment.parameter] : [],
  );
