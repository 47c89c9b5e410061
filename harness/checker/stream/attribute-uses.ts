import { compileExpression, type Contract } from '../../contract/index.ts';
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
  readonly #texts: readonly string[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #links: ReadonlyMap<string, number>;
  readonly #takesAll: boolean;

  /** With `takesAll`, every attribute belongs to the shape. */
  constructor(contracts: readonly Contract[], takesAll = false) {
    this.#takesAll = takesAll;
    this.#texts = contracts.flatMap(expressionsOf).filter((text) => !PLAIN_NAME.test(text));
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
    shape: this.#takesAll || ALWAYS_READ.has(name) ? 'value' : this.#shapeUse(name),
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

  /**
   * An expression reads an attribute by its name, or by parts of it (`k8s.pod["name"]`): so one that holds all its parts may
   * read it. One that only says `has(name)` does not read the value.
   */
  #shapeUse(name: string): AttributeUse['shape'] {
    const parts = name.split('.');
    let isPresenceAsked = false;
    for (const text of this.#texts) {
      if (!parts.every((part) => text.includes(part))) continue;
      const rest = text.replaceAll(`has(${name})`, '');
      if (parts.every((part) => rest.includes(part)) || !text.includes(`has(${name})`)) return 'value';
      isPresenceAsked = true;
    }
    return isPresenceAsked ? 'presence' : 'none';
  }
}

const numbered = (names: readonly string[]): ReadonlyMap<string, number> =>
  new Map([...new Set(names)].map((name, index) => [name, index]));

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
    // A backslash may spell a name otherwise.
    return !('error' in compiled) && !compiled.isSlow && !/\\|\b(?:seq|time)\b/.test(text);
  });
}
