/**
 * Diagram + binding, compiled: an alphabet of matchers and an interaction term over it. Plain JSON data: it can be
 * printed, stored and sent; expressions stay text and are compiled by whoever evaluates them (`compileExpression`).
 */

import type { FragmentKind } from '../diagram/index.ts';

/** See `strict`, `lifeline`, `causal` in docs/semantics.md. */
export type Order = 'strict' | 'lifeline' | 'causal';

/** A drawn arrow, or a numbered step: what a verdict speaks of. `index` is its position in `Contract.drawn`. */
export interface DrawnArrow {
  readonly index: number;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly style: 'solid' | 'dashed' | 'step';
}

/** A drawn fragment; its position in `Contract.fragments` is its index in `Diagram.fragments`. */
export interface DrawnFragment {
  readonly kind: FragmentKind;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The operand that it stands in; null at the top level. */
  readonly outer: { readonly fragment: number; readonly operand: number } | null;
  readonly operands: readonly DrawnOperand[];
}

/** One compartment: its text, and the drawn arrows that stand in it, but in no fragment of it. */
export interface DrawnOperand {
  readonly text: string;
  readonly line: number;
  readonly column: number;
  readonly arrows: readonly number[];
}

/** A reference to what is drawn elsewhere. `file`: where it stands, if that is not the drawing's own file. */
export interface DrawnReference {
  readonly line: number;
  readonly text: string;
  readonly file?: string;
}

/** How a drawn participant is called in the trace; `when` (CEL) tells apart participants that share one traced name. */
export interface Selector {
  readonly name: string;
  readonly when?: string;
}

export interface Lifeline {
  readonly id: string;
  readonly label: string;
  /** Names are compared after folding (`foldName`): case, blanks, `-` and `_` do not count. */
  readonly traced: readonly Selector[];
}

/** `POST /api/v1/pods/{pod}/binding`: `*` is one segment, `{name}` one segment captured as a parameter. */
export interface UrlTemplate {
  readonly method: string;
  readonly segments: readonly TemplateSegment[];
  /** Query parameters that must be there; null: with any value. Others are free. */
  readonly query: readonly { readonly key: string; readonly value: string | null }[];
}
export type TemplateSegment =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'capture'; readonly parameter: string };

/** What a reply's text says of its status: one number, `4xx`, any 2xx or gRPC 0, any 4xx or 5xx; or any of several of these. */
export type StatusRule = SingleStatusRule | { readonly kind: 'anyOf'; readonly rules: readonly SingleStatusRule[] };
export type SingleStatusRule =
  | { readonly kind: 'exact'; readonly status: number }
  /** `hundreds`: the first digit of the status. */
  | { readonly kind: 'class'; readonly hundreds: number }
  | { readonly kind: 'success' }
  | { readonly kind: 'error' };

/**
 * Which events can be this message, apart from its participants. Everything that is present must hold.
 * `inside`: `caller` (the default): while a call to the sender is drawn open, only events that serve that call;
 * `message`: only events caused by that contract message; `free`: no restriction.
 */
export interface Matcher {
  readonly template?: UrlTemplate;
  /** The words of the event's label, case folded: `{name}` is one word captured as a parameter. */
  readonly words?: readonly TemplateSegment[];
  /** Equal to the event's label after folding blanks and case. */
  readonly label?: string;
  readonly when?: string;
  readonly status?: StatusRule;
  /**
   * Of a solid arrow: it may be drawn for a reply, which then fits by the label, or by a number that its text names as the status;
   * `status` is what such a reply must have. `calls`: it answers one of these messages; null: whatever `when` says.
   */
  readonly orReply?: { readonly calls: readonly number[] | null; readonly status?: StatusRule };
  /** Relayed: the event is the last hop; every earlier hop must exist before it with an equal `link` attribute. */
  readonly via?: { readonly relays: readonly (readonly Selector[])[]; readonly link: string };
  readonly inside:
    | { readonly kind: 'caller'; readonly call: number | null }
    | { readonly kind: 'message'; readonly message: number }
    | { readonly kind: 'free' };
}

/**
 * One message of the alphabet. A drawn arrow is one of these, or several: a fold (`docker run` = create, start), a step
 * with several messages. `from`, `to` index `lifelines`; null is a found or lost end.
 */
export interface ContractMessage {
  readonly index: number;
  /** Index into `Contract.drawn`. */
  readonly drawn: number;
  readonly from: number | null;
  readonly to: number | null;
  /** `send`: drawn solid, may show as a call, an async or a lost event. */
  readonly kind: 'call' | 'reply' | 'send';
  /** For a reply: the contract message that it answers. */
  readonly replyOf?: number;
  readonly match: Matcher;
  /**
   * Whether its receipt is owed: `free` (a crossed arrow): the message may be lost; `never`: it must not be received.
   * Missing: it must be received, where the trace can show that.
   */
  readonly receipt?: 'free' | 'never';
  /** The same call may come again, this many times, while it is unanswered or answered by one of these statuses. */
  readonly retry?: { readonly max: number; readonly on: readonly number[] };
  /**
   * A copy of message `of` for the place where it is the first event of what it stands in: of the guarded operands, whose
   * guards must then be true, and of the critical fragments (by fragment, outer before inner), which it opens.
   */
  readonly entry?: {
    readonly of: number;
    readonly outermost: 'guard' | 'critical';
    readonly guards: readonly number[];
    readonly criticals: readonly number[];
  };
  /** Whether it carries the last key parameter (see `Contract.key`): by its drawn example text or by its pattern. */
  readonly keyed: boolean;
}

/**
 * A message that may be overtaken: it is an item of the sequence, where it is sent; it is received below the item of index `after`,
 * its own or a later one, and below the late receipts that stand before it in the list.
 */
export interface LateReceipt {
  readonly message: number;
  readonly after: number;
}

/**
 * The interaction term. `fragment` indexes `Diagram.fragments`; `keyed`: some message in it carries the last key parameter.
 * `seq` composes by the contract's order. `concurrent`: loops that run for ever side by side, as a pipeline.
 */
export type Node =
  | { readonly kind: 'message'; readonly message: number }
  | {
      readonly kind: 'seq';
      readonly items: readonly Node[];
      /** Each item is one iteration, or several, of one loop: composed as its iterations are. Drawn is no such thing. */
      readonly iterations?: true;
      /** Receipts that do not stand right below their sending, from top to bottom; absent: none. */
      readonly late?: readonly LateReceipt[];
    }
  | {
      readonly kind: 'alt';
      readonly operands: readonly Node[];
      /** No operand may be taken: a single drawn operand, or `optional` in the binding. */
      readonly optional: boolean;
      readonly fragment: number;
      readonly keyed: boolean;
    }
  | { readonly kind: 'opt'; readonly body: Node; readonly fragment: number; readonly keyed: boolean }
  | {
      readonly kind: 'loop';
      readonly body: Node;
      readonly min: number;
      /** null: no upper bound. */
      readonly max: number | null;
      /** null: not drawn, made by `times`. */
      readonly fragment: number | null;
      readonly keyed: boolean;
      /** The parameter whose values have iterations of their own, which run beside each other. */
      readonly each?: string;
    }
  /** An operand with a bound guard, which must be true of the event that enters it. */
  | { readonly kind: 'guarded'; readonly guard: number; readonly body: Node }
  /** The body; or its beginning, from its first message up to all of it, and then one of the options. One thing, seen from outside. */
  | {
      readonly kind: 'critical';
      readonly body: Node;
      readonly options: readonly Node[];
      readonly fragment: number;
      readonly keyed: boolean;
    }
  /** Its content, and then the loop, the parallel operand or the diagram around it is over; or nothing. */
  | { readonly kind: 'break'; readonly body: Node; readonly fragment: number; readonly keyed: boolean }
  /** `fragment` is -1 where nothing is drawn: steps that happen beside each other. */
  | {
      readonly kind: 'par';
      readonly operands: readonly Node[];
      readonly fragment: number;
      /** Something happens in one operand at least. Drawn is no such thing. */
      readonly some?: true;
    }
  | { readonly kind: 'concurrent'; readonly loops: readonly Node[] };

/** A name that stands for many values. `example` is its drawn text; `from` (CEL) finds its value in an event. */
export interface Parameter {
  readonly name: string;
  readonly example?: string;
  readonly from?: string;
  /** Guessed from the drawing (`my-pod-xxx`), not declared: told by `explain`. */
  readonly guessed: boolean;
}

/** A bound guard: `fragment` and `operand` say where it is drawn. */
export interface Guard {
  readonly text: string;
  readonly when: string;
  readonly fragment: number;
  readonly operand: number;
}

/** From any of the contract messages `from` to any of `to` no more than this; per iteration where both stand in one loop. */
export interface Timing {
  /** As the binding writes it: `create Pod .. update pod status`. */
  readonly text: string;
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly maxMs: number;
  readonly perIteration: boolean;
}

/** Events that are no drawn message; null: any participant, any kind. */
export interface EventPattern {
  readonly from: readonly Selector[] | null;
  readonly to: readonly Selector[] | null;
  readonly isReply: boolean | null;
  readonly match: Matcher;
}

/** A message that must never occur. */
export interface Forbidden extends EventPattern {
  readonly name: string;
}

/** When a lifeline exists: from the receipt of one contract message to the end of another. */
export interface Lifetime {
  readonly lifeline: number;
  readonly created: number | null;
  readonly destroyed: number | null;
  /** Some loop holds its destruction, and not its creation: then each iteration has a lifeline of its own. */
  readonly renewed: boolean;
}

/** How an arrow is drawn that the binding takes out or replaces: if it occurs after all, the binding is stale. */
export interface Replaced {
  readonly drawn: number;
  readonly kind: 'absent' | 'erratum';
  readonly from: number | null;
  readonly to: number | null;
  readonly match: Matcher;
}

/** Where drawing and system honestly differ, with the reason the binding gives; shown with every verdict, in drawn order. */
export type ContractNote =
  | { readonly kind: 'absent' | 'unobservable' | 'erratum'; readonly drawn: number; readonly reason: string }
  | { readonly kind: 'unordered'; readonly drawn: number; readonly others: readonly number[]; readonly reason: string }
  | { readonly kind: 'standing'; readonly drawn: number; readonly reason: string };

export interface Contract {
  readonly v: 1;
  readonly spec: { readonly name: string; readonly file: string; readonly dialect: 'mermaid' | 'ascii' | 'steps' };
  /** Path of the binding, or null: zero configuration. */
  readonly binding: string | null;
  readonly order: Order;
  readonly lifelines: readonly Lifeline[];
  /** Every drawn arrow or step, in drawn order, the absent ones included. */
  readonly drawn: readonly DrawnArrow[];
  /** The drawn arrows of which an entry of the binding speaks; absent: none. */
  readonly bound?: readonly number[];
  /** Every drawn fragment; absent: none is drawn. */
  readonly fragments?: readonly DrawnFragment[];
  readonly messages: readonly ContractMessage[];
  readonly term: Node;
  readonly parameters: readonly Parameter[];
  /** The parameters that name an instance, outer before inner (`[deployment, pod]`); empty: one instance, or one per trace id. */
  readonly key: readonly string[];
  /** CEL: events for which it is not true are outside the contract. */
  readonly only?: string;
  /** Pairs of contract messages (earlier, later) whose drawn order is not promised. */
  readonly unordered: readonly (readonly [number, number])[];
  /** Pairs of contract messages (earlier, later) that are promised though not drawn, wherever the two stand. */
  readonly ordered?: readonly (readonly [number, number])[];
  /**
   * Pairs (earlier, later) that stay ordered through a message which this source cannot show: the closure of the order
   * through the removed message, where it is sure to lie between the two.
   */
  readonly bridged: readonly (readonly [number, number])[];
  /** Standing messages: they hold from before the run; each must be shown by some event before the event of `before`. */
  readonly standing: readonly { readonly message: number; readonly before: number | null }[];
  /** Events between drawn participants that match nothing are violations. */
  readonly closed: boolean;
  /**
   * Pairs of lifelines, smaller index first, between which the document's topology lets events pass, in both directions; absent:
   * it draws none. A lifeline that is no service of the topology stands in a pair with every other one.
   */
  readonly connections?: readonly (readonly [number, number])[];
  readonly guards?: readonly Guard[];
  readonly timings?: readonly Timing[];
  readonly forbidden?: readonly Forbidden[];
  /** The event that ends an instance. */
  readonly ends?: EventPattern;
  /** An instance goes through the drawing only once. */
  readonly runs?: 'once';
  /** A call whose reply is not drawn, and is an error, violates; else that is a remark. */
  readonly errors?: 'violate';
  /** Critical fragments exclude each other over all instances. */
  readonly exclusive?: true;
  readonly lifetimes?: readonly Lifetime[];
  readonly replaced?: readonly Replaced[];
  /** References to what is drawn elsewhere: anything may happen there. */
  readonly gaps?: readonly DrawnReference[];
  /** References for which the drawing of that name was put in. */
  readonly inlined?: readonly (DrawnReference & {
    readonly name: string;
    readonly from: string;
    readonly arrows: number;
  })[];
  readonly notes: readonly ContractNote[];
}
