import type { Place } from '../diagram/index.ts';
import type { Order } from './types.ts';

/** The content of one YAML document, in the form that the schema demands. Keys from the author: read with `Object.entries` only. */
export interface BindingContent {
  readonly diagram?: string;
  readonly order?: Order;
  readonly only?: string;
  readonly unordered?: readonly (readonly string[])[];
  readonly ordered?: readonly (readonly string[])[];
  readonly instance?: string | readonly string[];
  readonly parameters?: Readonly<Record<string, string | ParameterBinding>>;
  readonly participants?: Readonly<Record<string, SelectorBinding | readonly SelectorBinding[]>>;
  readonly messages?: Readonly<Record<string, MessageBinding | readonly MessageBinding[]>>;
  readonly steps?: Readonly<Record<string, StepBinding>>;
  readonly concurrent?: readonly string[];
  readonly loops?: Readonly<Record<string, number | string | LoopBinding>>;
  readonly optional?: readonly string[];
  readonly guards?: Readonly<Record<string, string>>;
  readonly ends?: EventBinding;
  readonly within?: Readonly<Record<string, string>>;
  readonly forbid?: Readonly<Record<string, EventBinding>>;
  readonly runs?: 'sequential' | 'once';
  readonly errors?: 'note' | 'violate';
  readonly retry?: number;
  readonly retryOn?: readonly number[];
  readonly exclusive?: boolean;
  readonly closed?: boolean;
}

export interface LoopBinding {
  readonly times?: number | string;
  readonly each?: string;
}

/** `From -> To: pattern`, or a pattern alone. */
export type EventBinding = string | { readonly match?: string; readonly when?: string };

export interface ParameterBinding {
  readonly example?: string;
  readonly from?: string;
}

export type SelectorBinding = string | { readonly is: string; readonly when: string };

export type PartBinding = string | { readonly match?: string; readonly when?: string };

export type MessageBinding = string | MessageDetails;

export interface MessageDetails {
  readonly match?: string;
  readonly when?: string;
  readonly fold?: readonly PartBinding[];
  readonly via?: string | readonly string[];
  readonly link?: string;
  readonly inside?: string | boolean;
  readonly times?: 1 | '0..1' | '1+' | '0+';
  readonly erratum?: string;
  readonly absent?: string;
  readonly unobservable?: string;
  readonly lost?: boolean;
  readonly retry?: number;
  readonly retryOn?: readonly number[];
}

export type StepBinding = readonly ShownMessage[] | StepDetails;

/** One entry: `From -> To` and its pattern. */
export type ShownMessage = Readonly<Record<string, MessageBinding>>;

export interface StepDetails {
  readonly absent?: string;
  readonly unobservable?: string;
  readonly while?: number;
  readonly standing?: string;
  readonly show?: readonly ShownMessage[];
}

/** Where a value of the YAML stands, and its key. */
export interface Spot {
  readonly key: Place | null;
  readonly value: Place;
  /** The text stands in one line as it is, `lead` characters after `value`: an offset in it is an offset in the file. */
  readonly lead: number | null;
}

/** One binding: what it says, and where it says it. */
export interface Binding {
  readonly file: string;
  readonly at: Place;
  readonly content: BindingContent;
  /** By JSON pointer (`/messages/create Pod/when`). */
  readonly spots: ReadonlyMap<string, Spot>;
}

export type Path = readonly (string | number)[];

export const pointerOf = (path: Path): string =>
  path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Whether a value that may be one or several is several; unlike `Array.isArray` this also knows readonly lists. */
export const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
