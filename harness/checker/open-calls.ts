import type { Values } from './value-sets.ts';

/** What a call can be, and what it says of its instance. */
export interface CallLabel {
  readonly messages: readonly number[];
  readonly values: Values;
}

/** A call without a reply yet. */
export interface OpenCall {
  readonly id: string | undefined;
  readonly from: string;
  readonly to: string;
  readonly traceId: string | undefined;
  readonly label: CallLabel;
  /** Later calls have greater numbers. */
  readonly number: number;
  /** The drawing shows a reply to it. */
  readonly isAnswerable: boolean;
}

/** A call that was closed, and the calls, by number, of which one was: itself alone, if all beside it are of one instance. */
export interface ClosedCall {
  readonly call: OpenCall;
  /** null: too many. */
  readonly oneOf: readonly number[] | null;
}

/** Calls between two, of one trace id, that were opened since none was open. */
interface Beside {
  open: number;
  /** By number; more than `BESIDE_MAX` are not told apart. */
  readonly calls: number[];
  /** What all of them say of their instance; null: they may be of several. */
  instance: Values | null;
}

/** Calls that may be the one that a reply answers. */
const BESIDE_MAX = 100;

/** Calls without a reply yet, by their ends. */
export class OpenCalls {
  readonly #max: number;
  /** The parameters that make an instance. */
  readonly #key: readonly string[];
  readonly #byEnds = new Map<string, OpenCall[]>();
  readonly #byReceiver = new Map<string, Set<OpenCall[]>>();
  readonly #beside = new Map<string, Beside>();

  constructor(max: number, key: readonly string[]) {
    this.#max = max;
    this.#key = key;
  }

  open(call: OpenCall): void {
    const key = `${call.from}>${call.to}`;
    let calls = this.#byEnds.get(key);
    if (calls === undefined) {
      this.#byEnds.set(key, (calls = []));
      const lists = this.#byReceiver.get(call.to) ?? new Set();
      this.#byReceiver.set(call.to, lists.add(calls));
    }
    calls.push(call);
    this.#noteOpened(call);
    const forgotten = calls.length > this.#max ? calls.shift() : undefined;
    if (forgotten !== undefined) this.#noteClosed(forgotten);
  }

  /** Closes the call of that id, or else the latest one of that trace id. */
  close(from: string, to: string, id: string | undefined, traceId: string | undefined): ClosedCall | null {
    const calls = this.#byEnds.get(`${from}>${to}`) ?? [];
    const index = calls.findLastIndex((call) => (id === undefined ? call.traceId === traceId : call.id === id));
    const [call] = index < 0 ? [] : calls.splice(index, 1);
    return call === undefined ? null : { call, oneOf: this.#noteClosed(call) };
  }

  latest(from: string, to: string, traceId: string | undefined): OpenCall | undefined {
    return this.#byEnds.get(`${from}>${to}`)?.findLast((call) => call.traceId === traceId);
  }

  /**
   * Of the calls to a participant that contradict no value, the latest of those that share the most. A write of one pod
   * serves the request that names this pod, not a later one that names the pod's owner only.
   */
  latestServed(receiver: string, values: Values): CallLabel | null {
    let best: OpenCall | null = null;
    let most = 0;
    for (const calls of this.#byReceiver.get(receiver) ?? [])
      for (let at = calls.length - 1; at >= 0; at--) {
        const call = calls[at];
        const shared = call === undefined ? 0 : sharedValues(call.label.values, values);
        if (call === undefined || shared === 0 || shared < most) continue;
        if (shared > most || best === null || call.number > best.number) best = call;
        most = shared;
        // No earlier call between these two shares more.
        if (shared === values.size) break;
      }
    return best?.label ?? null;
  }

  #noteOpened(call: OpenCall): void {
    if (!call.isAnswerable || this.#key.length === 0) return;
    const name = exchangeOf(call);
    const beside = this.#beside.get(name);
    const own = call.label.values;
    if (beside === undefined) {
      this.#beside.set(name, { open: 1, calls: [call.number], instance: own });
      return;
    }
    beside.open++;
    if (beside.calls.length <= BESIDE_MAX) beside.calls.push(call.number);
    if (beside.instance !== null && !this.#areOne(beside.instance, own)) beside.instance = null;
  }

  #noteClosed(call: OpenCall): readonly number[] | null {
    const name = exchangeOf(call);
    const beside = call.isAnswerable ? this.#beside.get(name) : undefined;
    if (beside === undefined) return null;
    if (--beside.open === 0) this.#beside.delete(name);
    if (beside.instance !== null) return [call.number];
    return beside.calls.length > BESIDE_MAX ? null : beside.calls;
  }

  /** Do both name the same whole instance? What names none may be of any. */
  #areOne(a: Values, b: Values): boolean {
    return this.#key.every((name) => a.has(name) && a.get(name) === b.get(name));
  }
}

const exchangeOf = ({ from, to, traceId }: OpenCall): string => `${from}>${to}#${traceId ?? ''}`;

/** How many values two events have in common; 0 also where one contradicts the other. */
function sharedValues(a: Values, b: Values): number {
  let shared = 0;
  for (const [name, value] of a) {
    const other = b.get(name);
    if (other === undefined) continue;
    if (other !== value) return 0;
    shared++;
  }
  return shared;
}
