import type { Contract } from '../../contract/index.ts';
import type { InstanceVerdict } from '../../verdict/index.ts';
import { BoundMet } from '../terms.ts';
import { Bindings, NamedBinding, type Binding, type Instance } from './bindings.ts';
import type { LiveInstances } from './live-instances.ts';

/** What all runs have in common that took the same arrows as often. */
export interface RunProfile {
  readonly taken: InstanceVerdict['taken'];
  /** Events taken by one such run. */
  readonly events: number;
  runs: number;
}

/** A run that went as drawn. */
export interface FinishedRun {
  readonly name: string;
  readonly values: readonly (string | undefined)[];
  /** Instances made before its own. */
  readonly serial: number;
  readonly run: number;
  readonly profile: RunProfile;
}

/** Different profiles kept. */
export const PROFILES_MAX = 100_000;
/** Runs that went as drawn and are listed one by one; further ones are only counted. */
export const LISTED_MAX = 100_000;

const LATEST_MAX = 8;

class ListedRun extends NamedBinding implements FinishedRun {
  readonly serial: number;
  readonly run: number;
  readonly profile: RunProfile;

  constructor(bindings: Bindings, binding: Binding, { serial, run, profile }: Omit<FinishedRun, 'name' | 'values'>) {
    super(bindings, binding);
    this.serial = serial;
    this.run = run;
    this.profile = profile;
  }
}

function isAlike(counts: readonly number[], instances: LiveInstances, instance: Instance): boolean {
  for (let message = 0; message < counts.length; message++)
    if (counts[message] !== instances.count(instance, message)) return false;
  return true;
}

/** The runs that went as drawn: counted by what they took, and listed up to a bound. */
export class FinishedRuns {
  readonly listed: FinishedRun[] = [];
  readonly profiles = new Map<string, RunProfile>();
  readonly #contract: Contract;
  readonly #listedMax: number;
  /** Profiles that were looked up last: most runs are like one of them. */
  readonly #latest: { readonly counts: readonly number[]; readonly profile: RunProfile }[] = [];
  /** Those of the runs that are listed: they stay when their instances are forgotten. */
  readonly #bindings: Bindings;
  count = 0;

  constructor(contract: Contract, listedMax: number) {
    this.#contract = contract;
    this.#listedMax = listedMax;
    this.#bindings = new Bindings(contract.key.length);
  }

  /** A run of an instance is over. `isLast`: the trace is over too, and bindings keep their numbers. */
  add(instances: LiveInstances, instance: Instance, isLast: boolean): void {
    this.count++;
    const profile = this.#profileOf(instances, instance);
    profile.runs++;
    if (this.listed.length >= this.#listedMax) return;
    const run = { serial: instances.serial(instance), run: instances.runs(instance) + 1, profile };
    const { bindings } = instances;
    const binding = instances.binding(instance);
    this.#bindings.places = bindings.places;
    this.listed.push(
      isLast
        ? new ListedRun(bindings, binding, run)
        : new ListedRun(this.#bindings, this.#bindings.take(binding, bindings), run),
    );
  }

  #profileOf(instances: LiveInstances, instance: Instance): RunProfile {
    for (const { counts, profile } of this.#latest) if (isAlike(counts, instances, instance)) return profile;
    const profile = this.#lookUp(instances, instance);
    const counts = this.#contract.messages.map(({ index }) => instances.count(instance, index));
    this.#latest.unshift({ counts, profile });
    if (this.#latest.length > LATEST_MAX) this.#latest.pop();
    return profile;
  }

  #lookUp(instances: LiveInstances, instance: Instance): RunProfile {
    const { messages } = this.#contract;
    let name = '';
    for (let message = 0; message < messages.length; message++) name += `${instances.count(instance, message)},`;
    let profile = this.profiles.get(name);
    if (profile === undefined) {
      if (this.profiles.size >= PROFILES_MAX) throw new BoundMet(`${PROFILES_MAX} different runs`);
      this.profiles.set(name, (profile = this.#newProfile(instances, instance)));
    }
    return profile;
  }

  #newProfile(instances: LiveInstances, instance: Instance): RunProfile {
    const taken: Record<number, number> = {};
    let events = 0;
    for (const { index, drawn } of this.#contract.messages) {
      const count = instances.count(instance, index);
      events += count;
      // The parts of a folded arrow are one arrow: it happened as often as its most frequent part.
      if (count > 0) taken[drawn] = Math.max(taken[drawn] ?? 0, count);
    }
    return { taken, events, runs: 0 };
  }
}
