import { compileExpression, namesRead, type Contract } from '../../contract/index.ts';
import type { AttributeUse } from '../../trace/index.ts';

/** Read without any expression: where HTTP and gRPC say what was asked and how it was answered. */
const ALWAYS_READ = new Set([
  'http.request.method',
  'url.path',
  'url.query',
  'http.response.status_code',
  'rpc.grpc.status_code',
]);

/** An expression that is the name of one attribute, and nothing else. */
const PLAIN_NAME = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$/;

/** The places of the values that one contract asks of an event, apart from its shape. */
export interface ValuePlaces {
  /** By parameter: null where its value is no plain attribute, and so belongs to the shape. */
  readonly parameters: readonly (number | null)[];
  /** By attribute that links the hops of a relay: its place among the links. */
  readonly links: ReadonlyMap<string, number>;
}

/** What some contracts ask of the attributes of an event. */
export class AttributeUses {
  /** By attribute that some expression reads: does it read the value, or only ask whether there is one? */
  readonly #read = new Map<string, 'value' | 'presence'>();
  readonly #places: ReadonlyMap<string, number>;
  readonly #links: ReadonlyMap<string, number>;
  readonly #takesAll: boolean;

  /** See `NumberingOptions.segments`. */
  readonly segments: ReadonlySet<string> | null;

  /** With `takesAll`, every attribute belongs to the shape. */
  constructor(contracts: readonly Contract[], takesAll = false) {
    this.#takesAll = takesAll;
    for (const text of contracts.flatMap(expressionsOf))
      for (const { name, isOnlyAskedFor } of PLAIN_NAME.test(text) ? [] : namesRead(text))
        if (!isOnlyAskedFor || !this.#read.has(name)) this.#read.set(name, isOnlyAskedFor ? 'presence' : 'value');
    this.segments = takesAll ? null : segmentsOf(contracts);
    this.#places = numbered(contracts.flatMap(plainParameters));
    this.#links = numbered(contracts.flatMap(linksOf));
  }

  /** How many values an event has apart from its shape. */
  get values(): number {
    return this.#places.size;
  }

  get links(): number {
    return this.#links.size;
  }

  readonly useOf = (name: string): AttributeUse => ({
    shape: this.#takesAll || ALWAYS_READ.has(name) ? 'value' : (this.#read.get(name) ?? 'none'),
    place: this.#places.get(name) ?? -1,
    link: this.#links.get(name) ?? -1,
  });

  placesOf(contract: Contract): ValuePlaces {
    const placeOf = (name: string): number | null => this.#places.get(name) ?? null;
    return {
      parameters: contract.parameters.map(({ from }) =>
        from !== undefined && PLAIN_NAME.test(from) ? placeOf(from) : null,
      ),
      links: new Map(linksOf(contract).map((link) => [link, this.#links.get(link) ?? -1])),
    };
  }
}

const numbered = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map([...new Set(names)].map((name, index) => [name, index]));

/** The path segments that templates name; null: a label is read in another way as well. */
function segmentsOf(contracts: readonly Contract[]): ReadonlySet<string> | null {
  const matchers = contracts.flatMap(({ messages, replaced = [] }) =>
    [...messages, ...replaced].map(({ match }) => match),
  );
  const isReadOtherwise =
    contracts.flatMap(expressionsOf).some((text) => namesRead(text).some(({ name }) => name === 'label')) ||
    matchers.some(
      ({ label, template, words }) => REQUEST_LIKE.test(label ?? '') || capturesTwice(template) || mayBeRequest(words),
    );
  if (isReadOtherwise) return null;
  const segments = matchers.flatMap(({ template }) => template?.segments ?? []);
  return new Set(segments.flatMap((segment) => (segment.kind === 'text' ? [segment.text] : [])));
}

/** A drawn text that labels of requests may equal, but for their case. */
const REQUEST_LIKE = /^\s*\w+\s+\//;

/** Words that may be a method and a path. */
const mayBeRequest = (words: Contract['messages'][number]['match']['words']): boolean => {
  const path = words?.[1];
  return path !== undefined && (path.kind !== 'text' || path.text.startsWith('/'));
};

/** A name that stands twice must hold one value: which labels do is not seen by their segments alone. */
function capturesTwice(template: Contract['messages'][number]['match']['template']): boolean {
  const names = (template?.segments ?? []).flatMap((segment) =>
    segment.kind === 'capture' ? [segment.parameter] : [],
  );
  return new Set(names).size < names.length;
}

const plainParameters = ({ parameters }: Contract): string[] =>
  parameters.flatMap(({ from }) => (from !== undefined && PLAIN_NAME.test(from) ? [from] : []));

const linksOf = ({ messages }: Contract): string[] => [
  ...new Set(messages.flatMap(({ match }) => (match.via === undefined ? [] : [match.via.link]))),
];

/** Every expression of a contract that a stream may have to evaluate. */
function expressionsOf(contract: Contract): string[] {
  const selectors = [
    ...contract.lifelines.flatMap(({ traced }) => traced),
    ...contract.messages.flatMap(({ match }) => match.via?.relays.flat() ?? []),
  ];
  return [
    contract.only,
    ...selectors.map(({ when }) => when),
    ...contract.messages.map(({ match }) => match.when),
    ...(contract.replaced ?? []).map(({ match }) => match.when),
    ...contract.parameters.map(({ from }) => from),
  ].filter((text) => text !== undefined);
}

/**
 * Is what an event can be, apart from others, decided by its shape? Not if an expression asks for its position or its time,
 * which differ from event to event, or is evaluated by the library, which sees everything.
 */
export function isDecidedByShape(contract: Contract): boolean {
  return expressionsOf(contract).every((text) => {
    const compiled = compileExpression(text);
    const isOfOneEvent = namesRead(text).some(({ name }) => name === 'seq' || name === 'time');
    return !('error' in compiled) && !compiled.isSlow && !isOfOneEvent;
  });
}
