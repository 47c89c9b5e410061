/**
 * What a sequence diagram *is*, free of notation. Every dialect yields this shape; everything downstream reads only this.
 *
 * The nouns are those of UML 2.5.1 section 17 (Interactions): lifeline (here `Participant`), message, combined fragment, operand, guard.
 */

import type { PARTICIPANT_KINDS } from './participant-kinds.ts';

/** A position in the original file: both 1-based; `column` counts UTF-16 code units, as editors and SARIF do. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** Where that is not the diagram's own file: what is drawn here was put in for a reference. */
  readonly file?: string;
}

export type Dialect = 'mermaid' | 'ascii' | 'steps';

/** What is drawn in place of a plain box, if anything. */
export type ParticipantKind = (typeof PARTICIPANT_KINDS)[number];

/** One column of a diagram. `id` is the name that messages use, `label` what the reader sees. */
export interface Participant {
  readonly id: string;
  readonly label: string;
  readonly kind: ParticipantKind;
  readonly at: Place;
  /** Index of the message that creates (destroys) this participant, where the drawing says so. */
  readonly createdBy?: number;
  readonly destroyedBy?: number;
}

export type Line = 'solid' | 'dashed';

/** `arrow` `->>`; `none` `->`; `cross` `-x`; `open` `-)` (asynchronous); the rest are Mermaid's half arrows. */
export type Head = 'arrow' | 'none' | 'cross' | 'open' | 'half-top' | 'half-bottom' | 'stick-top' | 'stick-bottom';

/** Where a message is received that is on its way while others are sent or received. */
export interface Received {
  /** Index of the last message whose sending is drawn above this receipt: the message itself, or one drawn later. */
  readonly after: number;
  /** Which one it is, counted from 0, of the receipts that say the same `after`, from top to bottom. */
  readonly nth: number;
}

/** One arrow. `from` and `to` are participant ids; null is a found or a lost end, which has no lifeline. */
export interface Message {
  readonly from: string | null;
  readonly to: string | null;
  readonly text: string;
  readonly line: Line;
  readonly head: Head;
  readonly at: Place;
  /**
   * Where it is received, if anything is drawn between its sending and its receipt: such a message may be overtaken. Messages
   * stand in the order of their sendings. Missing: it is received right where it is sent, before all others that are received
   * below that sending. See `checkOvertaking` for what must hold.
   */
  readonly received?: Received;
}

export type FragmentKind =
  'loop' | 'alt' | 'opt' | 'par' | 'par_over' | 'critical' | 'break' | 'rect' | 'group' | 'ref';

/** What stands in an operand or at the top level, in drawn order: an index into `messages` or into `fragments`. */
export type Item = { readonly message: number } | { readonly fragment: number };

/** One compartment of a fragment. `guard` is its text, '' where none is drawn. */
export interface Operand {
  readonly guard: string;
  readonly at: Place;
  readonly items: readonly Item[];
}

export interface Fragment {
  readonly kind: FragmentKind;
  readonly at: Place;
  readonly operands: readonly Operand[];
  /** For a `ref`: the drawing that was put in for it. */
  readonly inlined?: { readonly name: string; readonly file: string };
}

/** Where between two messages something stands, as far as fragments begin, part or end there. */
interface Bordered {
  /**
   * How many borders of fragments (the beginning of each operand, and the end) are passed since the message above. Absent: none, so
   * that a bar which closes at the end of an operand closes inside it.
   */
  readonly borders?: number;
}

/** A note beside or over participants; it stands before the message of index `before` (messages.length: after the last). */
export interface Note extends Bordered {
  readonly text: string;
  readonly placement: 'left' | 'right' | 'over';
  readonly participants: readonly string[];
  readonly at: Place;
  readonly before: number;
}

/** An activation bar opens (`on`) or closes at `participant`, just before the message of index `before`. */
export interface Activation extends Bordered {
  readonly participant: string;
  readonly on: boolean;
  readonly before: number;
}

/** One numbered step of a prose description (dialect `steps`); `text` has its blanks folded. */
export interface Step {
  readonly number: number;
  readonly text: string;
  readonly at: Place;
}

/** One service of a topology: `id` is its name in the drawing, `label` what the reader sees. */
export interface Service {
  readonly id: string;
  readonly label: string;
  readonly at: Place;
}

/** Which services can talk to each other, where the document draws that too (Mermaid's `architecture-beta`). */
export interface Topology {
  readonly services: readonly Service[];
  /** Pairs of service ids, each once; either may call the other. */
  readonly connections: readonly (readonly [string, string])[];
}

export interface Diagram {
  /** How the document calls it: the heading or file name it stands under, else the file's own base name. */
  readonly name: string;
  /** The path as the user gave it. */
  readonly file: string;
  readonly dialect: Dialect;
  readonly title?: string;
  readonly participants: readonly Participant[];
  /** In drawn order, flat. */
  readonly messages: readonly Message[];
  readonly fragments: readonly Fragment[];
  /** The top level of the tree. */
  readonly items: readonly Item[];
  readonly notes: readonly Note[];
  readonly activations: readonly Activation[];
  /** Only for dialect `steps`, else empty. */
  readonly steps: readonly Step[];
  /** Where the document has one. */
  readonly topology?: Topology;
}
