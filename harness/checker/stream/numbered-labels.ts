import { foldName, type Contract, type ContractMessage } from '../../contract/index.ts';
import {
  EMPTY_TEXT,
  EVENT_KINDS,
  EVENT_POINTS,
  IS_CALL,
  IS_READ,
  NO_ID,
  NO_TEXT,
  type Id,
  type NumberedEvent,
  type Numbering,
  type Text,
  type TraceEvent,
} from '../../trace/index.ts';
import { callsAnswered, isAsReply, Labeller, valueOf } from '../labels.ts';
import { answerAmong, BOTH_ENDS, boundAnswers, endsShown, type Answer } from '../bound-answers.ts';
import type { ValuePlaces } from './attribute-uses.ts';
import { ROOT, type Binding, type Bindings } from './bindings.ts';
import { withPlace } from './columns.ts';
import type { RememberedEvents } from './remembered-events.ts';

/** What a numbered event can be. There is one object, which holds each label in turn. */
export interface NumberedLabel {
  /** As in `Label`: equal lists are one object. */
  readonly messages: readonly number[];
  readonly wrongStatus: readonly number[];
  /** Of its values of the key; of its trace id, where the contract has no key. */
  readonly binding: Binding;
  readonly isOfUnknownCall: boolean;
  /** It serves a call that was answered already. */
  readonly servesAnswered: boolean;
  /** It carries the last value of the key by itself. */
  readonly showsLast: boolean;
}

/** What the events of one shape can be, apart from other events. */
interface ShapeLabel {
  readonly candidates: readonly ShapeCandidate[];
  /** By parameter: the value that the shape shows; NO_TEXT: none. */
  readonly values: Int32Array;
  /** The lists of messages, by the candidates that fit, as bits. */
  readonly lists: Map<number, Lists>;
}

interface Lists {
  /** Of `messages`. */
  readonly number: number;
  readonly messages: readonly number[];
  readonly wrongStatus: readonly number[];
  /** The candidates that fit, in their order. */
  readonly found: readonly ShapeCandidate[];
  readonly answer: Answer;
}

/** Plain fields, not those of the contract: these are asked for every event, and objects of one form are read fastest. */
interface ShapeCandidate {
  /** The index of its message. */
  readonly message: number;
  readonly isAsDrawn: boolean;
  /** Of a reply: it answers one of these; null: any, or it is none. */
  readonly calls: readonly number[] | null;
  /** The call that its sender must be serving, and the message that must have made it act; or NONE. */
  readonly served: number;
  readonly cause: number;
  /** By parameter: the captured value; or the path segment of the label that is captured, -1: none. */
  readonly captures: Int32Array;
  readonly areSegments: boolean;
  /** Is a captured value asked to be the one that the event carries by itself? */
  readonly asksCaptures: boolean;
  readonly via: Via | null;
}

/** No message. */
const NONE = -1;

interface Via {
  /** The place of the link that all hops share. */
  readonly link: number;
  /** For each hop a set of hops as bits, of which one must have been seen. */
  readonly hops: readonly number[];
}

export interface NumberedLabellerOptions {
  readonly numbering: Numbering;
  readonly places: ValuePlaces;
  readonly begun: () => boolean;
  readonly bindings: Bindings;
  readonly remembered: RememberedEvents;
}

/** How far a chain of parents is followed: a real one is a few calls deep, a longer one is a loop. */
const PARENTS_MAX = 1_000;
const REPLY = EVENT_KINDS.indexOf('reply');

/**
 * Labels numbered events as `Labeller` does events (a property compares them): what an event can be by itself is asked once
 * for each shape; what its call, its causes and earlier hops say of it is looked up by numbers.
 */
export class NumberedLabeller {
  readonly #contract: Contract;
  readonly #options: NumberedLabellerOptions;
  readonly #labeller: Labeller;
  readonly #parameters: readonly string[];
  readonly #valuesOf: readonly (ReturnType<typeof valueOf> | null)[];
  /** By place of the key: its parameter. */
  readonly #key: readonly number[];
  /** Of each hop that some relay asks for (folded names, and the link), its bit. */
  readonly #hopBits = new Map<string, number>();
  readonly #links: readonly number[];
  readonly #boundAnswers: ReadonlyMap<number, number>;
  /** By the place of a link's value: the value that stands there, and the hops that were seen with it. */
  readonly #hopValues: Id[] = [];
  readonly #hopsSeen: number[] = [];
  /** Lists of messages; the first is the empty one. */
  readonly #lists: (readonly number[])[] = [];
  readonly #listNumbers = new Map<string, number>();
  readonly #noMessages = this.#list([]).list;
  /** By participant: a number for its folded name. */
  readonly #folded: number[] = [];
  readonly #folds = new Map<string, number>();
  /** What the sender of the current event serves, once it was asked for. */
  #served: readonly number[] | null | undefined;
  #isServedAnswered = false;
  /** By pair of participants and link: the bit of that hop, or 0. */
  readonly #bits = new Map<number, number>();
  #age = 0;
  #shapes: (ShapeLabel | undefined)[] = [];
  /** By text: the bindings of it alone at either place of the key, plus 1. */
  #single = new Int32Array(1 << 10);
  /** By text of the second place: the text that was met with it at the first, and their binding plus 1. */
  #double = new Int32Array(1 << 10);
  #bindingsAge = 0;
  readonly #label: { -readonly [K in keyof NumberedLabel]: NumberedLabel[K] };

  constructor(contract: Contract, options: NumberedLabellerOptions) {
    this.#contract = contract;
    this.#options = options;
    this.#labeller = new Labeller(contract, { hasParents: true, rememberedMax: 1 });
    const captured = contract.messages.flatMap(({ match }) =>
      [...(match.template?.segments ?? []), ...(match.words ?? [])].flatMap((segment) =>
        segment.kind === 'capture' ? [segment.parameter] : [],
      ),
    );
    this.#parameters = [...new Set([...contract.parameters.map(({ name }) => name), ...contract.key, ...captured])];
    this.#valuesOf = contract.parameters.map(({ from }, index) =>
      from === undefined || options.places.parameters[index] !== null ? null : valueOf(from),
    );
    this.#key = contract.key.map((name) => this.#parameters.indexOf(name));
    this.#links = [...options.places.links.values()];
    this.#boundAnswers = boundAnswers(contract);
    for (const message of contract.messages) this.#viaOf(message);
    this.#label = {
      messages: this.#noMessages,
      wrongStatus: this.#noMessages,
      binding: ROOT,
      isOfUnknownCall: false,
      servesAnswered: false,
      showsLast: false,
    };
  }

  /** What the event can be, and remembers it; null: nothing. */
  label(event: NumberedEvent): NumberedLabel | null {
    const { numbering, bindings, remembered } = this.#options;
    if (numbering.age !== this.#age) this.#forget();
    if (bindings.age !== this.#bindingsAge) this.#forgetBindings();
    const shape = (this.#shapes[event.shape] ??= this.#newShape(event));
    const lists = shape.candidates.length === 0 ? null : this.#among(shape, event);
    if (event.id !== NO_ID) remembered.setList(numbering.ids.placeOf(event.id), lists?.number ?? 0);
    if (this.#hopBits.size > 0) this.#rememberHops(event);
    return lists === null ? null : this.#label;
  }

  /** What the event of an id can be, if it is remembered. */
  messagesOf(id: Id): readonly number[] | null {
    const { numbering, remembered } = this.#options;
    const { ids } = numbering;
    if (id === NO_ID || !ids.has(id) || (ids.flags(id) & IS_READ) === 0) return null;
    return this.#lists[remembered.list(ids.placeOf(id))] ?? this.#noMessages;
  }

  #forget(): void {
    this.#age = this.#options.numbering.age;
    this.#shapes = [];
    this.#forgetBindings();
  }

  #forgetBindings(): void {
    this.#bindingsAge = this.#options.bindings.age;
    this.#single.fill(0);
    this.#double.fill(0);
  }

  #newShape({ shape, label }: NumberedEvent): ShapeLabel {
    const { numbering } = this.#options;
    const example = numbering.shapes[shape];
    if (example === undefined) throw new Error(`shape ${shape} is not of this numbering`);
    const values = new Int32Array(this.#parameters.length).fill(NO_TEXT);
    this.#valuesOf.forEach((read, index) => {
      const value = read?.(example) ?? null;
      if (value !== null) values[index] = numbering.texts.numberOf(value);
    });
    // A request that stands in attributes is not read from the label.
    const areSegments = numbering.hasSegments(label) && !hasRequestAttributes(example.attributes);
    const candidates = this.#labeller.candidates(example).map(({ message, captures, isAsDrawn }): ShapeCandidate => {
      const found = new Int32Array(this.#parameters.length).fill(NO_TEXT);
      if (areSegments)
        for (const [index, segment] of (message.match.template?.segments ?? []).entries()) {
          if (segment.kind === 'capture') found[this.#parameters.indexOf(segment.parameter)] = index;
        }
      else
        for (const [name, value] of captures) found[this.#parameters.indexOf(name)] = numbering.texts.numberOf(value);
      const { index, match } = message;
      const { inside } = match;
      const isReply = isAsReply(message, example);
      return {
        message: index,
        isAsDrawn,
        calls: callsAnswered(message, example),
        served: inside.kind === 'caller' && !isReply ? (inside.call ?? NONE) : NONE,
        cause: inside.kind === 'message' && !isReply ? inside.message : NONE,
        captures: found,
        areSegments,
        asksCaptures: captures.size > 0 && match.words === undefined,
        via: this.#viaOf(message),
      };
    });
    return { candidates, values, lists: new Map() };
  }

  #viaOf({ from, match: { via } }: ContractMessage): Via | null {
    if (via === undefined || from === null) return null;
    const stations = [this.#contract.lifelines[from]?.traced ?? [], ...via.relays];
    const link = this.#options.places.links.get(via.link) ?? -1;
    const hops = stations
      .slice(1)
      .map((to, index) =>
        (stations[index] ?? [])
          .flatMap((a) => to.map((b) => this.#hopBit(hopOf(foldName(a.name), foldName(b.name), link))))
          .reduce((bits, bit) => bits | bit, 0),
      );
    return { link, hops };
  }

  #hopBit(hop: string): number {
    let bit = this.#hopBits.get(hop);
    if (bit === undefined) this.#hopBits.set(hop, (bit = 1 << this.#hopBits.size));
    return bit;
  }

  /** Which of the candidates the event can be; `#label` then holds what it is. */
  #among(shape: ShapeLabel, event: NumberedEvent): Lists | null {
    const { candidates } = shape;
    let bits = 0;
    this.#served = undefined;
    this.#isServedAnswered = false;
    for (let index = 0; index < candidates.length; index++) {
      const candidate = candidates[index];
      if (candidate !== undefined && this.#fits(candidate, shape, event)) bits |= 1 << index;
    }
    if (bits === 0) return null;
    const label = this.#label;
    const lists = shape.lists.get(bits) ?? this.#newLists(shape, bits);
    label.messages = lists.messages;
    label.wrongStatus = lists.wrongStatus;
    this.#bind(shape, event, lists.found);
    const { numbering } = this.#options;
    label.isOfUnknownCall =
      event.kind === REPLY &&
      event.replyTo !== NO_ID &&
      numbering.ids.hasForgotten &&
      this.#options.begun() &&
      this.messagesOf(event.replyTo) === null;
    if (lists.answer !== 'any' && event.replyTo !== NO_ID && this.#isAnsweredAgain(event, lists.answer))
      label.isOfUnknownCall = true;
    label.servesAnswered = this.#servesAnswered(lists);
    return lists;
  }

  #servesAnswered({ found }: Lists): boolean {
    return this.#isServedAnswered && found.every(({ served }) => served !== NONE);
  }

  /** Of a call that is not remembered nobody knows. */
  #isAnsweredAgain({ replyTo, point }: NumberedEvent, answer: Answer): boolean {
    const { remembered, numbering } = this.#options;
    const { ids } = numbering;
    if (!ids.has(replyTo) || (ids.flags(replyTo) & IS_READ) === 0) return true;
    const place = ids.placeOf(replyTo);
    // Asked first: to look for place -1 of a list is slow.
    const ends = point < 0 ? BOTH_ENDS : endsShown({ point: EVENT_POINTS[point] });
    const isSeen = (remembered.answered(place) & ends) !== 0;
    if (answer === 'bound') remembered.noteAnswer(place, ends);
    return isSeen;
  }

  #newLists(shape: ShapeLabel, bits: number): Lists {
    const found = shape.candidates.filter((_, index) => (bits & (1 << index)) !== 0);
    const listOf = (isAsDrawn: boolean) =>
      this.#list(found.filter((one) => one.isAsDrawn === isAsDrawn).map(({ message }) => message));
    const { number, list } = listOf(true);
    const answer = answerAmong(
      found.map(({ message }) => message),
      this.#boundAnswers,
    );
    const lists = { number, messages: list, wrongStatus: listOf(false).list, found, answer };
    shape.lists.set(bits, lists);
    return lists;
  }

  #list(messages: readonly number[]): { readonly number: number; readonly list: readonly number[] } {
    const name = messages.join();
    let number = this.#listNumbers.get(name);
    if (number === undefined) this.#listNumbers.set(name, (number = this.#lists.push(messages) - 1));
    return { number, list: this.#lists[number] ?? messages };
  }

  /** The value of a parameter that the event carries by itself. */
  #ownValue(parameter: number, shape: ShapeLabel, { values }: NumberedEvent): Text {
    const place = this.#options.places.parameters[parameter] ?? null;
    if (place === null) return shape.values[parameter] ?? NO_TEXT;
    const text = values[place] ?? NO_TEXT;
    return text === EMPTY_TEXT ? NO_TEXT : text;
  }

  #fits(candidate: ShapeCandidate, shape: ShapeLabel, event: NumberedEvent): boolean {
    const { captures, calls, served, cause, via } = candidate;
    if (candidate.asksCaptures)
      for (let parameter = 0; parameter < captures.length; parameter++) {
        if (captures[parameter] === NO_TEXT) continue;
        const captured = this.#captured(candidate, parameter, event);
        const own = this.#ownValue(parameter, shape, event);
        if (own !== NO_TEXT && own !== captured) return false;
      }
    if (via !== null && !this.#isRelayed(via, event)) return false;
    if (calls !== null && !this.#answers(calls, event)) return false;
    if (served !== NONE && !this.#isServing(served, event)) return false;
    return cause === NONE || this.#isCausedBy(cause, event);
  }

  #captured({ captures, areSegments }: ShapeCandidate, parameter: number, { label }: NumberedEvent): Text {
    const captured = captures[parameter] ?? NO_TEXT;
    if (!areSegments || captured === NO_TEXT) return captured;
    return this.#options.numbering.segmentOf(label, captured);
  }

  #bind(shape: ShapeLabel, event: NumberedEvent, found: readonly ShapeCandidate[]): void {
    const key = this.#key;
    const label = this.#label;
    if (key.length === 0) {
      label.binding = event.traceId === NO_TEXT ? ROOT : this.#singleBinding(0, event.traceId);
      return;
    }
    const first = this.#keyValue(key[0] ?? -1, shape, event, found);
    if (key.length < 2) {
      label.showsLast = first !== NO_TEXT;
      label.binding = first === NO_TEXT ? ROOT : this.#singleBinding(0, first);
      return;
    }
    const second = this.#keyValue(key[1] ?? -1, shape, event, found);
    label.showsLast = second !== NO_TEXT;
    if (first === NO_TEXT) label.binding = second === NO_TEXT ? ROOT : this.#singleBinding(1, second);
    else label.binding = second === NO_TEXT ? this.#singleBinding(0, first) : this.#doubleBinding(first, second);
  }

  #keyValue(parameter: number, shape: ShapeLabel, event: NumberedEvent, found: readonly ShapeCandidate[]): Text {
    if (parameter < 0) return NO_TEXT;
    const own = this.#ownValue(parameter, shape, event);
    if (own !== NO_TEXT) return own;
    for (let index = 0; index < found.length; index++) {
      const candidate = found[index];
      const captured = candidate === undefined ? NO_TEXT : this.#captured(candidate, parameter, event);
      if (captured !== NO_TEXT) return captured;
    }
    return NO_TEXT;
  }

  #singleBinding(place: number, text: Text): Binding {
    const at = 2 * text + place;
    const known = this.#single[at] ?? 0;
    if (known > 0) return known - 1;
    const { numbering, bindings } = this.#options;
    const value = bindings.valueOf(text, numbering.texts);
    const binding = place === 0 ? bindings.of(value, NO_TEXT) : bindings.of(NO_TEXT, value);
    this.#single = withPlace(this.#single, at);
    this.#single[at] = binding + 1;
    return binding;
  }

  #doubleBinding(first: Text, second: Text): Binding {
    const at = 2 * second;
    const known = this.#double[at + 1] ?? 0;
    if (known > 0 && this.#double[at] === first) return known - 1;
    const { numbering, bindings } = this.#options;
    const alone = this.#single[2 * first] ?? 0;
    const value = alone > 0 ? bindings.value(alone - 1, 0) : bindings.valueOf(first, numbering.texts);
    const binding = bindings.of(value, bindings.valueOf(second, numbering.texts));
    this.#double = withPlace(this.#double, at + 1);
    this.#double[at] = first;
    this.#double[at + 1] = binding + 1;
    return binding;
  }

  #isRelayed({ link, hops }: Via, event: NumberedEvent): boolean {
    const value = event.links[link] ?? NO_ID;
    if (value === NO_ID) return false;
    const place = this.#options.numbering.links.placeOf(value);
    const seen = this.#hopValues[place] === value ? (this.#hopsSeen[place] ?? 0) : 0;
    return hops.every((bits) => (seen & bits) !== 0);
  }

  #rememberHops(event: NumberedEvent): void {
    const { links } = this.#options.numbering;
    for (const link of this.#links) {
      const value = event.links[link] ?? NO_ID;
      if (value === NO_ID) continue;
      const bit = this.#bitOf(event, link);
      if (bit === 0) continue;
      const place = links.placeOf(value);
      const seen = this.#hopValues[place] === value ? (this.#hopsSeen[place] ?? 0) : 0;
      this.#hopValues[place] = value;
      this.#hopsSeen[place] = seen | bit;
    }
  }

  #bitOf({ sender, receiver }: NumberedEvent, link: number): number {
    const key = (sender * PARTICIPANTS_MAX + receiver) * LINKS_MAX + link;
    let bit = this.#bits.get(key);
    if (bit === undefined) {
      const { participants } = this.#options.numbering;
      const hop = hopOf(foldName(participants[sender] ?? ''), foldName(participants[receiver] ?? ''), link);
      this.#bits.set(key, (bit = this.#hopBits.get(hop) ?? 0));
    }
    return bit;
  }

  /** A reply belongs to its call; to any if that call is not in the trace, but for one that was never made. */
  #answers(calls: readonly number[], { replyTo }: NumberedEvent): boolean {
    const messages = this.messagesOf(replyTo);
    if (messages !== null) return calls.some((call) => messages.includes(call));
    return !this.#options.begun() || this.#options.numbering.ids.hasForgotten;
  }

  #isServing(call: number, event: NumberedEvent): boolean {
    // Many messages may ask, and the answer is one.
    const served = this.#served === undefined ? (this.#served = this.#servedCall(event)) : this.#served;
    return served === null || served.includes(call);
  }

  /** What the call that the sender is serving can be: the nearest ancestor that is a call to the sender. */
  #servedCall(event: NumberedEvent): readonly number[] | null {
    const { ids } = this.#options.numbering;
    const sender = this.#fold(event.sender);
    let parent = event.parent;
    for (let steps = 0; parent !== NO_ID && steps < PARENTS_MAX; steps++) {
      const messages = this.messagesOf(parent);
      if (messages === null) return null;
      if ((ids.flags(parent) & IS_CALL) !== 0 && this.#fold(ids.receiver(parent)) === sender) {
        this.#isServedAnswered = this.#options.remembered.answered(ids.placeOf(parent)) !== 0;
        return messages;
      }
      parent = ids.parent(parent);
    }
    return null;
  }

  /** What made the sender act is the nearest ancestor that it received; further ones made others act. */
  #isCausedBy(message: number, event: NumberedEvent): boolean {
    const { ids } = this.#options.numbering;
    const sender = this.#fold(event.sender);
    let parent = event.parent;
    for (let steps = 0; parent !== NO_ID && steps < PARENTS_MAX; steps++) {
      const messages = this.messagesOf(parent);
      // A parent that is not in the trace proves nothing either way.
      if (messages === null) return true;
      if (this.#fold(ids.receiver(parent)) === sender) return messages.includes(message);
      parent = ids.parent(parent);
    }
    return false;
  }

  #fold(participant: number): number {
    const known = this.#folded[participant];
    if (known !== undefined) return known;
    const name = foldName(this.#options.numbering.participants[participant] ?? '');
    let fold = this.#folds.get(name);
    if (fold === undefined) this.#folds.set(name, (fold = this.#folds.size));
    this.#folded[participant] = fold;
    return fold;
  }
}

const hasRequestAttributes = (attributes: TraceEvent['attributes']): boolean =>
  typeof attributes?.['http.request.method'] === 'string' && typeof attributes['url.path'] === 'string';

const hopOf = (from: string, to: string, link: number): string => `${from}>${to}#${link}`;

/** Messages that one event can be, as bits of one number. */
const CANDIDATES_MAX = 31;
/** Hops that relays may ask for, as bits of one number; and more links than any contract has. */
const HOPS_MAX = 31;
const LINKS_MAX = 1_024;
const PARTICIPANTS_MAX = 131_072;

/** Are its messages and the hops of its relays few enough to be sets of bits? */
export const fitsBits = ({ lifelines, messages }: Contract): boolean =>
  messages.length <= CANDIDATES_MAX &&
  messages.reduce((sum, { from, match: { via } }) => {
    if (via === undefined || from === null) return sum;
    const stations = [lifelines[from]?.traced ?? [], ...via.relays];
    return sum + stations.slice(1).reduce((hops, to, index) => hops + to.length * (stations[index]?.length ?? 0), 0);
  }, 0) <= HOPS_MAX;

/** Does some message ask which call its sender serves? Without parents that is inferred from all open calls. */
export const asksServedCall = ({ messages }: Contract): boolean =>
  messages.some(({ match: { inside } }) => inside.kind === 'caller' && inside.call !== null);
