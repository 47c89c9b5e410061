/**
 * One line of a trace, as JSON Schema (draft 7). Published byte for byte as specs/trace-event.schema.json (a test
 * compares the two), so that a system in any language can check what it emits. Unknown fields are allowed and kept.
 */
const POSITION = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

export const traceEventSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:asdrawn:trace-event:1',
  title: 'asdrawn trace, one line (version 1)',
  description:
    'A trace is a text with one JSON object a line: an event, or a marker that says that the trace begins or ends here.',
  type: 'object',
  if: { required: ['kind'], properties: { kind: { enum: ['begin', 'end', 'problem'] } } },
  then: { $ref: '#/definitions/marker' },
  else: { $ref: '#/definitions/event' },
  definitions: {
    marker: {
      description:
        'begin: nothing happened before. end: nothing will happen any more, so what is missing is missing for good. problem: the source says that the trace is not whole (title and detail as in RFC 9457).',
      type: 'object',
      required: ['kind'],
      properties: {
        kind: { enum: ['begin', 'end', 'problem'] },
        seq: { ...POSITION, description: 'Position of the marker in the trace.' },
        title: { type: 'string', description: 'Of a problem: what it is.' },
        detail: { type: 'string', description: 'Of a problem: what happened here.' },
      },
    },
    event: {
      description: 'The occurrence of one message.',
      type: 'object',
      required: ['seq', 'from', 'to', 'kind', 'label'],
      dependencies: { receivedDomain: ['receivedSeq'] },
      properties: {
        seq: { ...POSITION, description: 'Position of the send in its domain, strictly increasing.' },
        from: { type: 'string', minLength: 1, description: 'Who sent it.' },
        to: { type: 'string', minLength: 1, description: 'Who it was sent to.' },
        kind: {
          enum: ['call', 'reply', 'async', 'lost', 'self'],
          description:
            'call: expects a reply. reply: answers a call. async: expects none. lost: was not received. self: within one participant.',
        },
        label: { type: 'string', description: 'What it says, for example "POST /api/v1/pods".' },
        id: { type: 'string', minLength: 1, description: 'Unique in the trace.' },
        replyTo: { type: 'string', minLength: 1, description: 'id of the call that this reply answers.' },
        receivedSeq: { ...POSITION, description: 'Position of the receipt, in receivedDomain.' },
        point: {
          enum: ['send', 'receive', 'both'],
          default: 'both',
          description: 'Without receivedSeq: which end of the message this event shows. both: one instant.',
        },
        time: { type: 'number', description: 'Milliseconds since the epoch, of the send.' },
        receivedTime: { type: 'number', description: 'Milliseconds since the epoch, of the receipt.' },
        domain: {
          type: 'string',
          description: 'The clock and counter that seq and time belong to; without it, the one of the trace.',
        },
        status: { type: 'integer', description: 'Of a reply: an HTTP or gRPC status code.' },
        receivedDomain: {
          type: 'string',
          description: 'The clock and counter that receivedSeq and receivedTime belong to; without it, domain.',
        },
        parent: {
          type: 'string',
          minLength: 1,
          description: 'id of the event during whose handling this one was sent.',
        },
        causes: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          description:
            'Further ids that happened before this one: sent before it was; and received before, where its sender received them.',
        },
        traceId: { type: 'string', minLength: 1 },
        attributes: {
          type: 'object',
          additionalProperties: { type: ['string', 'number', 'boolean'] },
          description: 'Flat, with OpenTelemetry names where they exist.',
        },
      },
    },
  },
} as const;
