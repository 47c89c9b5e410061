import { foldName, readRequestLine, type RequestLine } from '../contract/index.ts';
import type { Trace, TraceEvent } from '../trace/index.ts';
import { wordsOf } from './words.ts';

/** A piece of a path or label: as it stands, or one that varies, with the attribute that has the same value, where one has. */
export type Piece =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'varies'; readonly attribute: string | null };

/** Events between the same two participants that differ only in names and numbers. */
export interface EventClass {
  readonly from: string;
  readonly to: string;
  readonly kind: TraceEvent['kind'];
  /** Null: the label is no request. */
  readonly method: string | null;
  /** Of the path, or of the label between its separators (which are pieces too). */
  readonly pieces: readonly Piece[];
  /** Positions in the trace. */
  readonly events: readonly number[];
  readonly words: readonly string[];
  /** The label of the first event. */
  readonly sample: string;
}

/** Classes beyond these are left out, rarest first: more cannot be looked through. */
const CLASSES_MAX = 2_000;

/** The calls and messages of a trace by class, most frequent first; replies are told by their calls. */
export function classesOf(trace: Trace): readonly EventClass[] {
  const vary = new Varying(trace);
  const classes = new Map<
    string,
    { readonly first: number; readonly pieces: readonly Piece[]; readonly events: number[] }
  >();
  for (const [index, { event }] of trace.events.entries()) {
    if (event.kind === 'reply') continue;
    const pieces = vary.piecesOf(event);
    const shape = pieces.map((piece) => (piece.kind === 'text' ? `t${piece.text}` : 'v'));
    const key = JSON.stringify([foldName(event.from), foldName(event.to), event.kind, methodOf(event), shape]);
    const known = classes.get(key);
    if (known !== undefined) known.events.push(index);
    else classes.set(key, { first: index, pieces, events: [index] });
  }
  return [...classes.values()]
    .sort((a, b) => b.events.length - a.events.length || a.first - b.first)
    .slice(0, CLASSES_MAX)
    .flatMap(({ first, pieces, events }) => {
      const event = trace.events[first]?.event;
      if (event === undefined) return [];
      const texts = pieces.flatMap((piece) => (piece.kind === 'text' ? [piece.text] : []));
      const words = wordsOf([methodOf(event) ?? '', ...texts].join(' '));
      const { from, to, kind, label } = event;
      return [{ from, to, kind, method: methodOf(event), pieces, events, words, sample: label }];
    });
}

const methodOf = (event: TraceEvent): string | null => requestOf(event)?.method ?? null;

/** Method and path from OpenTelemetry's HTTP attributes, else from a label of that form. */
function requestOf(event: TraceEvent): RequestLine | null {
  const [method, path] = [event.attributes?.['http.request.method'], event.attributes?.['url.path']];
  if (typeof method !== 'string' || typeof path !== 'string') return readRequestLine(event.label);
  return { method, path, query: null };
}

/** What divides a label that is no request; kept, since a pattern must hold it. */
const SEPARATORS = /([\s/:,;()[\]{}="'`|]+)/u;
const PIECES_MAX = 60;

function rawPieces(event: TraceEvent): readonly string[] {
  const request = requestOf(event);
  if (request === null) return event.label.split(SEPARATORS, PIECES_MAX).filter((piece) => piece !== '');
  return request.path
    .split('/')
    .filter((segment) => segment !== '')
    .slice(0, PIECES_MAX);
}

/** Numbers, UUIDs, hashes and names that end in a number; versions (`v1`) are none. */
const IDENTIFIER =
  /^(?:\d+|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{14,}|(?=[^\d]*\d)[0-9a-f]{8,}|(?!v\d)[a-z][\w.]*[-_.](?=[^\d]*\d)[0-9a-z]+)$/iu;

export const looksLikeIdentifier = (text: string): boolean => text.length <= 200 && IDENTIFIER.test(text);

/** `k8s.pod.name`, `order_id`, `orderId`. */
const NAMING_KEY = /(?:^|[._-])(?:name|id|uid|uuid|key|number)$|[a-z](?:Id|ID|Name|Key|Uuid)$/u;
/** A place, or an attribute of another name, with so many values holds names. */
const VALUES_MAX = 8;
/** Keys that describe the transport, not what it is about. */
const TRANSPORT = /^(?:http|url|server|client|network|user_agent|rpc|db|messaging|thread|code|telemetry|otel)\./u;

export const isTransport = (key: string): boolean => TRANSPORT.test(key);

interface Group {
  readonly values: Map<string, Set<string>>;
  readonly places: Map<number, Set<string>>;
}

/** Which pieces vary: asked within the events of one form between the same two participants. */
class Varying {
  readonly #groups = new Map<string, Group>();

  constructor(trace: Trace) {
    for (const { event } of trace.events) {
      if (event.kind === 'reply') continue;
      const raw = rawPieces(event);
      const key = groupOf(event, raw);
      const group = this.#groups.get(key) ?? { values: new Map(), places: new Map() };
      this.#groups.set(key, group);
      for (const [name, value] of Object.entries(event.attributes ?? {})) add(group.values, name, String(value));
      for (const [place, text] of raw.entries()) add(group.places, place, text);
    }
  }

  piecesOf(event: TraceEvent): readonly Piece[] {
    const raw = rawPieces(event);
    const group = this.#groups.get(groupOf(event, raw));
    return raw.map((text, place): Piece => {
      if (SEPARATORS.test(text)) return { kind: 'text', text };
      const attribute = this.#attributeFor(text, event, group);
      if (attribute !== null || looksLikeIdentifier(text)) return { kind: 'varies', attribute };
      const isOpen = (group?.places.get(place)?.size ?? 0) >= VALUES_MAX;
      return isOpen ? { kind: 'varies', attribute: null } : { kind: 'text', text };
    });
  }

  /** The attribute of this event that has this value, if it is one that names things and not always the same thing. */
  #attributeFor(text: string, event: TraceEvent, group: Group | undefined): string | null {
    for (const [key, value] of Object.entries(event.attributes ?? {})) {
      if (isTransport(key) || String(value) !== text) continue;
      const values = group?.values.get(key)?.size ?? 0;
      if (looksLikeIdentifier(text)) return key;
      if (values >= VALUES_MAX || (values >= 2 && NAMING_KEY.test(key))) return key;
    }
    return null;
  }
}

function groupOf(event: TraceEvent, raw: readonly string[]): string {
  const first = requestOf(event) === null ? raw[0] : methodOf(event);
  return JSON.stringify([foldName(event.from), foldName(event.to), event.kind, first, raw.length]);
}

function add<Key>(sets: Map<Key, Set<string>>, key: Key, value: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  // A set that is full has said what it can say.
  else if (known.size < 1_000) known.add(value);
}

/** Whether an attribute's name says that it names things. */
export const isNamingKey = (key: string): boolean => NAMING_KEY.test(key);
