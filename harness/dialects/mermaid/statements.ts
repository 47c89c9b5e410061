import type { FragmentKind, Note } from '../../diagram/index.ts';
import type { Arrow } from './arrows.ts';

/** A piece of the prepared text; `offset` is where it begins there. */
export interface Spelled {
  readonly text: string;
  readonly offset: number;
}

export type Divider = 'else' | 'and' | 'option';

/** One statement, as its own tokens say it; what it means beside the others is decided later. */
export type Statement = { readonly offset: number } & (
  | { readonly kind: 'header' }
  | {
      readonly kind: 'participant';
      readonly name: Spelled;
      readonly actor: boolean;
      readonly label: string | null;
      readonly metadata: Spelled | null;
      readonly created: boolean;
    }
  | { readonly kind: 'destroy'; readonly name: Spelled }
  | {
      readonly kind: 'message';
      readonly from: Spelled;
      readonly to: Spelled;
      readonly arrow: Arrow;
      readonly text: string;
      /** `+` opens a bar at the receiver, `-` closes one at the sender. */
      readonly bar: '+' | '-' | null;
      /** `()` is glued to the sender's name, where it may be meant as a part of it. */
      readonly gluedCircle: boolean;
    }
  | {
      readonly kind: 'note';
      readonly placement: Note['placement'];
      readonly participants: readonly Spelled[];
      readonly text: string;
    }
  | { readonly kind: 'bar'; readonly on: boolean; readonly name: Spelled }
  /** `link A: …` and its kin say nothing of order, but they declare A. */
  | { readonly kind: 'mention'; readonly name: Spelled }
  | { readonly kind: 'title'; readonly text: string }
  | { readonly kind: 'accessibility'; readonly text: string }
  | { readonly kind: 'stray'; readonly text: string }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'open'; readonly block: FragmentKind | 'box'; readonly label: string }
  | { readonly kind: 'divide'; readonly divider: Divider; readonly label: string }
  | { readonly kind: 'end' }
);
