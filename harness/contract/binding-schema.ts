/**
 * The binding language as data. The same keys carry their description to editors (specs/binding.schema.json is this schema)
 * and their form to the reader. Keywords of one type do not touch values of another, so alternatives need no `oneOf`, whose
 * errors name every branch but not the mistake.
 */

const cel = {
  type: 'string',
  minLength: 1,
  description:
    'CEL over one event: seq, from, to, kind, label, status, time, and every attribute by its dotted name. A missing attribute makes the expression not true.',
} as const;

const pattern = {
  type: 'string',
  minLength: 1,
  description:
    'METHOD /path (* is one segment, {name} one segment captured as parameter, ?key or ?key=value must be there, other query parameters are free), or plain words: an exact label, or else CEL',
} as const;

const why = { type: 'string', minLength: 3, description: 'the reason; shown with every verdict' } as const;

const address = {
  type: 'string',
  minLength: 1,
  description:
    'the drawn text, or the beginning of it up to the end of a word, or From -> To, From --> To, From -> To: text',
} as const;

/** Keys that cannot stand beside another one. `dependencies` touch maps only, so a text in the same place is not asked. */
const excludes = (others: readonly string[]) => ({ not: { anyOf: others.map((other) => ({ required: [other] })) } });

const WAYS_TO_SHOW = ['match', 'when', 'fold', 'via', 'link', 'inside', 'times', 'erratum', 'lost', 'retry'] as const;

const retries = {
  retry: {
    type: 'integer',
    minimum: 0,
    maximum: 100,
    description: 'how many times the same call may come again while it is unanswered or refused; the last one counts',
  },
  retryOn: {
    type: 'array',
    minItems: 1,
    maxItems: 100,
    items: { type: 'integer', minimum: 0 },
    description: 'the statuses after which a call may be tried again; default: 409, 429, 502, 503, 504',
  },
} as const;

const ways = {
  match: { $ref: '#/definitions/pattern' },
  when: { $ref: '#/definitions/cel' },
  fold: {
    type: 'array',
    minItems: 2,
    maxItems: 100,
    items: { $ref: '#/definitions/part' },
    description: 'one drawn arrow is these calls, one after the other; the drawn reply is the reply of the last',
  },
  via: {
    type: ['string', 'array'],
    minLength: 1,
    minItems: 1,
    maxItems: 10,
    items: { type: 'string', minLength: 1 },
    description: 'participants that relay this message, in this order; the message is its last hop',
  },
  link: { type: 'string', minLength: 1, default: 'etcd.revision', description: 'attribute that is equal on every hop' },
  inside: {
    type: ['string', 'boolean'],
    minLength: 1,
    description:
      'the drawn message that must have caused it; false: do not look. Otherwise: the call to its sender that is drawn open here',
  },
  times: { enum: [1, '0..1', '1+', '0+'], default: 1, description: 'how often in this place' },
  lost: { type: 'boolean', default: false, description: 'it is sent, and must not be received' },
  ...retries,
  erratum: { ...why, description: 'drawn wrong: match and when hold instead of the drawn text. The reason' },
} as const;

const omitted = {
  absent: { ...why, description: 'this system never sends it: removed, and its order with it. The reason' },
  unobservable: {
    ...why,
    description: 'it happens, but this trace cannot show it: the order through it stays. The reason',
  },
} as const;

const WAY_CONFLICTS = { fold: excludes(['match', 'via']) };
const MESSAGE_CONFLICTS = {
  ...WAY_CONFLICTS,
  lost: excludes(['via', 'retry']),
  absent: excludes(['unobservable', ...WAYS_TO_SHOW]),
  unobservable: excludes(WAYS_TO_SHOW),
};

const STEP_CONFLICTS = {
  absent: excludes(['unobservable', 'while', 'standing', 'show']),
  unobservable: excludes(['while', 'standing', 'show']),
  while: { required: ['show'], ...excludes(['standing']) },
  standing: { required: ['show'] },
  show: {
    anyOf: [
      { required: ['while'] },
      { required: ['standing'] },
      { required: ['absent'] },
      { required: ['unobservable'] },
    ],
  },
};

/** `From -> To` as steps write a message: the arrow says what kind it is. */
const STEP_ARROW = String.raw`^\s*\S.*?\s(->|->>|-->|-->>|-x|-\))\s+\S`;

export const PARAMETER_NAME = String.raw`^[A-Za-z_][A-Za-z0-9_.-]*$`;

const times = {
  type: ['integer', 'string'],
  minimum: 0,
  pattern: String.raw`^[0-9]+(\.\.[0-9]*|\+)?$`,
  description: 'how often: 3, 1..5 or 1+',
} as const;

const DURATION = String.raw`^[0-9]+(\.[0-9]+)?(ms|s|m|h)$`;

/** JSON Schema (draft 7) of one YAML document. */
export const BINDING_SCHEMA = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'asdrawn-binding',
  title: 'asdrawn binding',
  description: 'How the names and texts of a sequence diagram show up in a trace.',
  type: 'object',
  additionalProperties: false,
  definitions: {
    cel,
    pattern,
    why,
    address,
    eventPattern: {
      type: ['string', 'object'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: false,
      properties: { match: { $ref: '#/definitions/pattern' }, when: { $ref: '#/definitions/cel' } },
      description: 'From -> To: pattern, or a pattern alone: any participants',
    },
    part: {
      type: ['string', 'object'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: false,
      properties: { match: { $ref: '#/definitions/pattern' }, when: { $ref: '#/definitions/cel' } },
    },
    shown: {
      type: ['string', 'object'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: false,
      properties: ways,
      dependencies: WAY_CONFLICTS,
    },
    message: {
      type: ['string', 'object'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: false,
      properties: { ...ways, ...omitted },
      dependencies: MESSAGE_CONFLICTS,
    },
    messageOrOccurrences: {
      type: ['string', 'object', 'array'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: false,
      properties: { ...ways, ...omitted },
      dependencies: MESSAGE_CONFLICTS,
      minItems: 1,
      items: { $ref: '#/definitions/message' },
    },
    selector: {
      type: ['string', 'object'],
      minLength: 1,
      required: ['is', 'when'],
      additionalProperties: false,
      properties: { is: { type: 'string', minLength: 1 }, when: { $ref: '#/definitions/cel' } },
    },
    participant: {
      type: ['string', 'object', 'array'],
      minLength: 1,
      required: ['is', 'when'],
      additionalProperties: false,
      properties: { is: { type: 'string', minLength: 1 }, when: { $ref: '#/definitions/cel' } },
      minItems: 1,
      items: { $ref: '#/definitions/selector' },
    },
    parameter: {
      type: ['string', 'object'],
      minLength: 1,
      minProperties: 1,
      additionalProperties: false,
      properties: {
        example: { type: 'string', minLength: 1, description: 'the drawn text that stands for it' },
        from: { ...cel, description: 'CEL that finds its value in an event' },
      },
      description: 'CEL that finds its value in an event, or how it is drawn and where it is found',
    },
    shownMessages: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        minProperties: 1,
        maxProperties: 1,
        propertyNames: { pattern: STEP_ARROW },
        additionalProperties: { $ref: '#/definitions/shown' },
      },
    },
    step: {
      type: ['array', 'object'],
      minItems: 1,
      maxItems: 100,
      items: {
        type: 'object',
        minProperties: 1,
        maxProperties: 1,
        propertyNames: { pattern: STEP_ARROW },
        additionalProperties: { $ref: '#/definitions/shown' },
      },
      minProperties: 1,
      additionalProperties: false,
      properties: {
        ...omitted,
        while: { type: 'integer', minimum: 0, description: 'this step happens beside that one' },
        standing: {
          ...why,
          description: 'it holds from before the run and is shown by one event anywhere earlier. The reason',
        },
        show: { $ref: '#/definitions/shownMessages' },
      },
      dependencies: STEP_CONFLICTS,
    },
  },
  properties: {
    diagram: {
      type: 'string',
      minLength: 1,
      description: 'where a document holds several: the heading or file name it stands under',
    },
    order: {
      enum: ['lifeline', 'causal', 'strict'],
      default: 'lifeline',
      description: 'the order that the drawing demands',
    },
    only: { ...cel, description: 'CEL: events for which it is not true are outside this contract' },
    unordered: {
      type: 'array',
      items: { type: 'array', minItems: 2, items: { $ref: '#/definitions/address' } },
      description: '[a, b, c]: the drawing puts a before b and c, the system does not promise it',
    },
    ordered: {
      type: 'array',
      items: { type: 'array', minItems: 2, maxItems: 100, items: { $ref: '#/definitions/address' } },
      description: '[a, b, c]: the system promises a before b and b before c, though the drawing does not',
    },
    instance: {
      type: ['string', 'array'],
      minLength: 1,
      minItems: 1,
      items: { type: 'string', minLength: 1 },
      description: 'the parameters that name an instance, outer before inner; default: the last one declared',
    },
    parameters: {
      type: 'object',
      propertyNames: { pattern: PARAMETER_NAME },
      additionalProperties: { $ref: '#/definitions/parameter' },
      description: 'names that stand for many values',
    },
    participants: {
      type: 'object',
      additionalProperties: { $ref: '#/definitions/participant' },
      description: 'drawn participant: how the trace calls it',
    },
    messages: {
      type: 'object',
      additionalProperties: { $ref: '#/definitions/messageOrOccurrences' },
      description: 'drawn message: how it shows up; a list has one entry per drawn occurrence, top to bottom',
    },
    steps: {
      type: 'object',
      propertyNames: { pattern: '^[0-9]+$' },
      additionalProperties: { $ref: '#/definitions/step' },
      description: 'number of a step: the messages that show it',
    },
    concurrent: {
      type: 'array',
      minItems: 2,
      items: { $ref: '#/definitions/address' },
      description: 'loops that run for ever side by side, by their text',
    },
    loops: {
      type: 'object',
      additionalProperties: {
        ...times,
        type: ['integer', 'string', 'object'],
        minProperties: 1,
        additionalProperties: false,
        properties: {
          times,
          each: {
            type: 'string',
            minLength: 1,
            description: 'parameter: iterations of its different values run beside each other',
          },
        },
      },
      description: 'text of a loop: how often, 3, 1..5 or 1+',
    },
    optional: {
      type: 'array',
      items: { $ref: '#/definitions/address' },
      description: 'alternatives, by the text of one of their branches, of which none may be taken',
    },
    guards: {
      type: 'object',
      additionalProperties: { $ref: '#/definitions/cel' },
      description: 'text of an operand: what must be true of the event that enters it',
    },
    ends: { $ref: '#/definitions/eventPattern' },
    within: {
      type: 'object',
      propertyNames: { pattern: String.raw`^\s*\S.*\s\.\.\s+\S` },
      additionalProperties: { type: 'string', pattern: DURATION },
      description: '"a .. b": the longest time from one message to the other, 500ms, 30s, 5m or 1h',
    },
    forbid: {
      type: 'object',
      additionalProperties: { $ref: '#/definitions/eventPattern' },
      description: 'a name of your own: the message that must never occur',
    },
    runs: {
      enum: ['sequential', 'once'],
      default: 'sequential',
      description: 'whether an instance that is over may go through the drawing again',
    },
    errors: {
      enum: ['note', 'violate'],
      default: 'note',
      description: 'what a call is that is drawn without its reply, and is answered by an error',
    },
    ...retries,
    exclusive: {
      type: 'boolean',
      default: false,
      description: 'no two instances are in one critical fragment at the same time',
    },
    closed: {
      type: 'boolean',
      default: false,
      description: 'events between drawn participants that match nothing are violations',
    },
  },
} as const;
