import { childrenOf, type Contract, type Lifetime, type Node } from '../contract/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import {
  commonPlace,
  criticalsOf,
  DrawnOrder,
  ENDS,
  isInside,
  NO_DEMANDS,
  pairBit,
  PAIRS_OF_ENDS,
  placeIn,
  relationOfIterations,
  type Demands,
  type End,
  type Place,
  type Placed,
} from './oracle-order.ts';

/** An event of one run, with the moments at which its ends are seen. */
export interface Sighting {
  /** Missing: any event that can be the message, whatever it says. */
  readonly event?: TraceEvent;
  /** The contract messages that it can be, as bits. */
  readonly candidates: number;
  readonly at: Readonly<Record<End, number>>;
}

/** Not seen yet: it happens after the run as we know it. */
export const LATER = Infinity;
/** It happens, and nothing shows when. */
export const HIDDEN = -1;

/**
 * Other ways to read section 4, for where a judge is known to take one (`OTHER_READINGS`). The oracle's own is none of them.
 */
export interface Readings {
  /** A message that is seen at its receipt was sent then, for all that wait for it; it waits for nothing itself. */
  readonly isSentWhenReceived?: boolean;
}

/** What is asked of a run. `mayOwe`: whether the run may be only the beginning of an execution. */
export interface Question {
  readonly sightings: readonly Sighting[];
  readonly mayOwe: boolean;
}

/** How the parts of a node matter to the search; worked out once for a contract. */
interface Outlook {
  /** The messages in it, as bits. */
  readonly messages: number;
  /** Of each part, the messages in the parts behind it. */
  readonly behind: readonly number[];
}

type Continue = () => boolean;

/** Some cases have more executions than anybody wants to wait for. */
export class TooIntricate extends Error {}
const STEPS_MAX = 6_000;

/** How many messages an execution can have. */
const MESSAGES_MAX = 300;

/**
 * The executions of a contract, tried one after the other: every choice is made in every way, every message is given every
 * event that it can be, or is still owed, and each pair of occurrences is looked at where it is decided: at their common place.
 */
export class Executions {
  readonly contract: Contract;
  readonly readings: Readings;
  readonly #order: DrawnOrder;
  readonly #outlooks = new Map<Node, Outlook>();
  /** Whether more than pairs of seen occurrences must be looked at. */
  readonly #isIntricate: boolean;

  #question: Question = { sightings: [], mayOwe: false };
  #claimed = 0;
  #steps = 0;
  #all = 0;
  /** How many messages happened that other instances see. */
  #elsewhere = 0;
  readonly #drawn: Drawn[] = [];

  constructor(contract: Contract, readings: Readings = {}) {
    this.contract = contract;
    this.readings = readings;
    this.#order = new DrawnOrder(contract);
    this.#survey(contract.term);
    this.#isIntricate = this.#order.hasBridges || this.#order.hasCriticals;
  }

  /** Whether the run is, or begins, a linear extension of some execution. */
  some(question: Question): boolean {
    this.#steps = 0;
    this.#question = question;
    this.#claimed = 0;
    this.#elsewhere = 0;
    this.#all = (1 << question.sightings.length) - 1;
    const whole = placeIn(null, this.contract.order);
    const end = this.#fit;
    return this.#visit(this.contract.term, whole, { future: 0, then: end, leave: end, cut: null });
  }

  #survey(node: Node): Outlook {
    const parts = childrenOf(node).map((part) => this.#survey(part));
    const own = node.kind === 'message' ? 1 << node.message : 0;
    const behind: number[] = [];
    for (let index = parts.length - 1, after = 0; index >= 0; index--) {
      behind[index] = after;
      after |= parts[index]?.messages ?? 0;
    }
    const outlook = {
      messages: parts.reduce((all, { messages }) => all | messages, own),
      behind,
    };
    this.#outlooks.set(node, outlook);
    return outlook;
  }

  #outlook(node: Node): Outlook {
    const outlook = this.#outlooks.get(node);
    if (outlook === undefined) throw new Error('Every node was surveyed.');
    return outlook;
  }

  // --- Choices ------------------------------------------------------------------------------------------------------

  #visit(node: Node, place: Place, path: Path): boolean {
    if (++this.#steps > STEPS_MAX) throw new TooIntricate();
    if (!this.#canClaimAll(this.#outlook(node).messages | path.future)) return false;
    switch (node.kind) {
      case 'message':
        return this.#message(node.message, place, path);
      case 'seq':
        return this.#sequence(node, placeIn(place, this.contract.order), path, 0);
      case 'par':
        return this.#parallel(node, placeIn(place, 'none'), path, 0);
      case 'opt':
        return this.#choice([node.body], true, place, path);
      case 'alt':
        return this.#choice(node.operands, node.optional, place, path);
      case 'loop':
        return node.each === undefined
          ? this.#loop(node, placeIn(place, relationOfIterations(this.contract.order), ITERATIONS), path, 0)
          : this.#loopForEach(node, node.each, placeIn(place, 'none', { kind: 'values' }), path);
      case 'guarded':
        return this.#visit(
          node.body,
          placeIn(place, this.contract.order, { kind: 'guarded', guard: node.guard }),
          path,
        );
      case 'break':
        return this.#break(node, place, path);
      case 'critical':
        return this.#critical(node, place, path);
      case 'concurrent':
        return this.#concurrent(node, placeIn(place, 'none', CONCURRENT), path);
    }
  }

  /** Events that nothing still to come can claim: this way leads nowhere. */
  #canClaimAll(future: number): boolean {
    return this.#question.sightings.every(
      ({ candidates }, index) => (this.#claimed & (1 << index)) !== 0 || (candidates & future) !== 0,
    );
  }

  #message(message: number, place: Place, { then, cut, isRest }: Path): boolean {
    if (isRest === true && this.#isKeyed(message)) return this.#happensElsewhere(then);
    const { sightings, mayOwe } = this.#question;
    for (const [index, sighting] of sightings.entries()) {
      if ((this.#claimed & (1 << index)) !== 0 || (sighting.candidates & (1 << message)) === 0) continue;
      if (!isAbout(sighting, place)) continue;
      this.#claimed |= 1 << index;
      const found = this.#happens({ message, place, sighting, cut: null }, this.#canOweRest(place) ? this.#fit : then);
      this.#claimed &= ~(1 << index);
      if (found) return true;
    }
    if (mayOwe && this.#happens({ message, place, sighting: null, cut: null }, then)) return true;
    if (cut === null) return false;
    this.#drawn.push({ message, place, sighting: null, cut });
    const found = then();
    this.#drawn.pop();
    return found;
  }

  /** It is another instance's. */
  #happensElsewhere(then: Continue): boolean {
    this.#elsewhere += 1;
    const found = then();
    this.#elsewhere -= 1;
    return found;
  }

  /** Whether all is seen, and what is drawn behind can come later without a further thought. */
  #canOweRest(place: Place): boolean {
    if (!this.#question.mayOwe || this.#claimed !== this.#all) return false;
    if (this.#order.hasBridges || this.#order.hasOvertaking) return false;
    const { ordered = [], lifetimes = [] } = this.contract;
    if (ordered.length + lifetimes.length > 0) return false;
    for (let at: Place | null = place; at !== null; at = at.around)
      if (at.role.kind === 'critical' || at.role.kind === 'first') return false;
    return true;
  }

  readonly #fit: Continue = () => this.#isFit();

  #sequence(node: Extract<Node, { kind: 'seq' }>, place: Place, path: Path, index: number): boolean {
    const item = node.items[index];
    if (item === undefined) return path.then();
    const future = path.future | (this.#outlook(node).behind[index] ?? 0);
    const first = this.#drawn.length;
    const then = (): boolean =>
      this.#isCutSince(first, path) ? path.then() : this.#sequence(node, place, path, index + 1);
    return this.#visit(item, place, { ...path, future, then });
  }

  #parallel(node: Extract<Node, { kind: 'par' }>, place: Place, path: Path, index: number): boolean {
    const operand = node.operands[index];
    if (operand === undefined) return path.then();
    const future = path.future | (this.#outlook(node).behind[index] ?? 0);
    const then = (): boolean => this.#parallel(node, place, path, index + 1);
    return this.#visit(operand, place, { ...path, future, then, leave: then });
  }

  /** Its content, and then what is around it is over; what of it is broken off by an option of a critical fragment is not. */
  #break(node: Extract<Node, { kind: 'break' }>, place: Place, path: Path): boolean {
    const first = this.#drawn.length;
    const then = (): boolean => (this.#isCutSince(first, path) ? path.then() : path.leave());
    return path.then() || this.#visit(node.body, place, { ...path, then });
  }

  /** An optional part that claims no event could be left out, which only takes demands away. */
  #choice(operands: readonly Node[], isOptional: boolean, place: Place, path: Path): boolean {
    const matters = this.#matters(path);
    for (const operand of operands) {
      const then = (): boolean => (!isOptional || matters()) && path.then();
      if (this.#visit(operand, place, { ...path, then })) return true;
    }
    return isOptional && path.then();
  }

  /**
   * Tells later whether what happened since then matters: it claimed an event, or an option of a critical fragment needs
   * something of its body, which may still be owed, or be another instance's; or what is owed on a lifeline needs its creation.
   */
  #matters({ cut }: Path): () => boolean {
    const [claimed, elsewhere, first] = [this.#claimed, this.#elsewhere, this.#drawn.length];
    return () =>
      this.#claimed !== claimed ||
      (cut !== null && (this.#question.mayOwe || this.#elsewhere !== elsewhere)) ||
      this.#drawn.slice(first).some(({ message }) => this.#mayOweCreation(1 << message));
  }

  /** Is it owed that one of these messages, which are bits, creates a lifeline? */
  #mayOweCreation(messages: number): boolean {
    const { lifetimes = [] } = this.contract;
    return (
      this.#question.mayOwe && lifetimes.some(({ created }) => created !== null && (messages & (1 << created)) !== 0)
    );
  }

  /** Something unseen may matter to an option of a critical fragment. */
  #mayNeedUnseen({ cut, isRest }: Path): boolean {
    return cut !== null && (this.#question.mayOwe || isRest === true);
  }

  #loop(node: Loop, place: Place, path: Path, count: number, isUnseen = false): boolean {
    const isEnough = count >= node.min;
    if (isEnough && path.then()) return true;
    const mayCreate = this.#mayOweCreation(this.#outlook(node.body).messages);
    const mayNeedUnseen = !isUnseen && (mayCreate || (count === 0 && this.#mayNeedUnseen(path)));
    const isDone = isEnough && this.#claimed === this.#all && !mayNeedUnseen;
    if (count === node.max || isDone) return false;
    const before = this.#claimed;
    const matters = this.#matters(path);
    const isWorthIt = (): boolean => !isEnough || (count === 0 || mayNeedUnseen ? matters() : this.#claimed !== before);
    const first = this.#drawn.length;
    const again = (): boolean =>
      this.#isCutSince(first, path)
        ? path.then()
        : isWorthIt() && this.#loop(node, place, path, count + 1, this.#claimed === before);
    const future = path.future | this.#outlook(node.body).messages;
    return this.#visit(node.body, place, { ...path, future, then: again, leave: path.then });
  }

  /** Each value has iterations of its own, which run beside those of the others. */
  #loopForEach(node: Loop, parameter: string, place: Place, path: Path): boolean {
    const { messages } = this.#outlook(node.body);
    const about = this.#question.sightings.filter(({ candidates }) => (candidates & messages) !== 0);
    const values = [...new Set(about.map(({ event }) => valueOf(event, parameter)))];
    const future = path.future | messages;
    const goRound = (value: string, then: Continue): boolean => {
      const { order } = this.contract;
      const own = placeIn(
        placeIn(place, order, { kind: 'value', parameter, value }),
        relationOfIterations(order),
        ITERATIONS,
      );
      return this.#loop(node, own, { ...path, future, then }, 0);
    };
    // A least number is due of each value that goes round here at all; and some value must.
    const next = (index: number, isDone: boolean): boolean => {
      const value = values[index];
      if (value === undefined) {
        const isPassed = isDone && path.then();
        const mayNeedUnseen = this.#mayNeedUnseen(path) || this.#mayOweCreation(messages);
        return isPassed || ((!isDone || mayNeedUnseen) && goRound(ANY, path.then));
      }
      const before = this.#claimed;
      return next(index + 1, isDone) || goRound(value, () => this.#claimed !== before && next(index + 1, true));
    };
    return next(0, node.min === 0);
  }

  /**
   * `conc(A, B, C) = A0* ; (A1 ; (A* beside conc(B, C)))?` with causal `;`, and beside all that the unkeyed rests of iterations
   * that serve other instances. Such loops have no bounds, and no value has iterations of its own.
   */
  #concurrent({ loops }: Concurrent, beside: Place, path: Path): boolean {
    const future = path.future | this.#messagesOf(loops);
    const rests = (index: number): boolean => {
      const loop = loops[index];
      if (loop === undefined) return this.#pipeline(loops, placeIn(beside, 'causal'), path);
      return this.#iterate(loop, beside, { ...path, future, then: () => rests(index + 1) }, [true]);
    };
    return rests(0);
  }

  #pipeline(loops: readonly Node[], place: Place, path: Path): boolean {
    const [loop, ...rest] = loops;
    if (loop?.kind !== 'loop') return path.then();
    const future = path.future | this.#messagesOf(rest);
    const withAll = path.future | this.#messagesOf(loops);
    const first = (): boolean => {
      if (path.then()) return true;
      const [claimed, drawn] = [this.#claimed, this.#drawn.length];
      // What is left out takes only demands away, but for a lifeline that it creates.
      const then = (): boolean =>
        (this.#claimed !== claimed ||
          this.#drawn.slice(drawn).some(({ message }) => this.#mayOweCreation(1 << message))) &&
        path.then();
      const parts = placeIn(place, 'none', CONCURRENT);
      const others = (): boolean => this.#pipeline(rest, placeIn(parts, 'causal'), { ...path, then });
      const more = (): boolean =>
        this.#mentionsInstance(drawn) && this.#iterate(loop, parts, { ...path, future, then: others }, [false, true]);
      const own = placeIn(place, this.contract.order, { kind: 'first' });
      return this.#visit(loop.body, own, { ...path, future: withAll, then: more });
    };
    return this.#iterate(loop, place, { ...path, future: withAll, then: first }, [true]);
  }

  /** Any number of iterations; each may be the whole body or the rest of it, as `rests` says. */
  #iterate(loop: Node, around: Place, path: Path, rests: readonly boolean[]): boolean {
    if (loop.kind !== 'loop') return path.then();
    const place = placeIn(around, relationOfIterations(this.contract.order), ITERATIONS);
    const future = path.future | this.#outlook(loop.body).messages;
    const mayCreate = this.#mayOweCreation(this.#outlook(loop.body).messages);
    const next = (isUnseen: boolean): boolean => {
      if (path.then()) return true;
      const before = this.#claimed;
      const mayNeedUnseen = mayCreate && !isUnseen;
      if (before === this.#all && !mayNeedUnseen) return false;
      const then = (): boolean => (mayNeedUnseen || this.#claimed !== before) && next(this.#claimed === before);
      return rests.some((isRest) => this.#visit(loop.body, place, { ...path, future, isRest, then }));
    };
    return next(false);
  }

  #messagesOf(nodes: readonly Node[]): number {
    return nodes.reduce((all, node) => all | this.#outlook(node).messages, 0);
  }

  /** Where no key tells instances apart, all is about the one that there is. */
  #isKeyed(message: number): boolean {
    return this.contract.key.length === 0 || this.contract.messages[message]?.keyed === true;
  }

  #mentionsInstance(since: number): boolean {
    return this.#drawn.slice(since).some(({ message }) => this.#isKeyed(message));
  }

  /** Whether the body of a critical fragment was broken off since then. */
  #isCutSince(first: number, { cut }: Path): boolean {
    return cut !== null && this.#drawn.slice(first).some((drawn) => drawn.cut === cut);
  }

  /** The body; or a part of it from its beginning, of at least one message, and then one option. */
  #critical(node: Extract<Node, { kind: 'critical' }>, around: Place, path: Path): boolean {
    const place = placeIn(around, this.contract.order, { kind: 'critical', unit: this.#order.unitOf(node) });
    const { behind } = this.#outlook(node);
    if (this.#visit(node.body, place, path)) return true;
    if (node.options.length === 0) return false;
    const first = this.#drawn.length;
    const elsewhere = this.#elsewhere;
    const options = (): boolean =>
      (this.#elsewhere > elsewhere || this.#drawn.slice(first).some(({ cut }) => cut === null)) &&
      node.options.some((option) => this.#visit(option, place, { ...path, leave: path.then }));
    const future = path.future | (behind[0] ?? 0);
    // Where its body is left by a break, all that stands before the option is there.
    return this.#visit(node.body, place, { ...path, future, then: options, leave: options, cut: place });
  }

  // --- Order --------------------------------------------------------------------------------------------------------

  /** Adds a message to the execution if nothing that is there already forbids it, and goes on. */
  #happens(added: Drawn, then: Continue): boolean {
    if (this.#drawn.length >= MESSAGES_MAX) throw new Error('An execution has too many messages for the naive oracle.');
    for (const earlier of this.#drawn) {
      if (!this.#mayStand(earlier, added, this.#order.between(earlier, added))) return false;
      if (!this.#mayStand(added, earlier, this.#order.against(earlier, added))) return false;
    }
    this.#drawn.push(added);
    const found = then();
    this.#drawn.pop();
    return found;
  }

  /** Whether what is known of two messages agrees with what is demanded of them. */
  #mayStand(earlier: Drawn, later: Drawn, demands: Demands): boolean {
    if (demands === NO_DEMANDS) return true;
    if (earlier.cut !== null || later.cut !== null) return true;
    return PAIRS_OF_ENDS.every(([x, y]) => {
      if ((demands & pairBit(x, y)) === 0) return true;
      const [a, b] = [this.#latestMoment(earlier, x), momentOf(later, y)];
      return a < 0 || b < 0 || a <= b;
    });
  }

  #waitsForNothing(drawn: Drawn, end: End): boolean {
    return this.readings.isSentWhenReceived === true && end === 'send' && momentOf(drawn, end) === HIDDEN;
  }

  #latestMoment(drawn: Drawn, end: End): number {
    const at = momentOf(drawn, end);
    return at === HIDDEN && end === 'send' && this.readings.isSentWhenReceived === true
      ? momentOf(drawn, 'receipt')
      : at;
  }

  /** At the end of an execution. */
  #isFit(): boolean {
    if (this.#claimed !== this.#all) return false;
    const { sightings, mayOwe } = this.#question;
    if (!mayOwe && sightings.some(({ at }) => at.receipt === LATER)) return false;
    if (!this.#areGuardsTrue()) return false;
    if (!this.#areKept()) return false;
    const isHidden = sightings.some(({ at }) => at.send === HIDDEN || at.receipt === HIDDEN);
    const isSearched = this.#isIntricate || isHidden;
    const { lifetimes = [] } = this.contract;
    // What nothing shows, or waits for a critical fragment, must find its place with all others.
    const placed = isSearched ? lifetimes.filter((lifetime) => this.#isLivedOnce(lifetime)) : [];
    if (!lifetimes.every((lifetime) => placed.includes(lifetime) || this.#isAlive(lifetime))) return false;
    return !isSearched || this.#hasExtension(placed);
  }

  /** A guard is asked of the event that enters its operand: the first of it. */
  #areGuardsTrue(): boolean {
    if (this.contract.guards === undefined) return true;
    const entering = new Map<Place, Sighting>();
    for (const { sighting, place } of this.#drawn) {
      if (sighting === null) continue;
      for (let at: Place | null = place; at !== null; at = at.around) {
        if (at.role.kind !== 'guarded') continue;
        const known = entering.get(at);
        if (known === undefined || firstMoment(sighting) < firstMoment(known)) entering.set(at, sighting);
      }
    }
    return [...entering].every(
      ([{ role }, { event }]) =>
        role.kind !== 'guarded' || event === undefined || isTrue(this.contract.guards?.[role.guard]?.when, event),
    );
  }

  /** Whether what is promised is kept by what is seen, and can be kept by what is owed, which comes last. */
  #areKept(): boolean {
    const drawn = this.#drawn.filter(({ cut }) => cut === null);
    return this.#order.promises.every(({ earlier, later, isCounted }) => {
      const [ones, others] = [earlier, later].map((message) => drawn.filter((one) => one.message === message));
      if (ones === undefined || others === undefined) return true;
      if (isCounted) return areInTurn(ones, others);
      return ones.every((one) =>
        others.every((other) => !this.#isPromised(one, other, drawn) || lastMoment(one) <= firstMomentOf(other)),
      );
    });
  }

  /** Each of one comes before each of the other where they are drawn so, or beside each other in one run of what holds both. */
  #isPromised(one: Drawn, other: Drawn, drawn: readonly Drawn[]): boolean {
    const { relation, role } = commonPlace(one.place, other.place);
    return relation === 'none' ? role.kind === 'parts' : drawn.indexOf(one) < drawn.indexOf(other);
  }

  /** Is it created and destroyed no more than once where it has a life of its own? */
  #isLivedOnce({ created, destroyed, renewed }: Lifetime): boolean {
    const begins = new Set<Scope>();
    const ends = new Set<Scope>();
    for (const drawn of this.#drawn) {
      const scope = scopeOf(drawn, renewed);
      for (const [message, known] of [
        [created, begins],
        [destroyed, ends],
      ] as const) {
        if (drawn.message !== message || drawn.cut !== null) continue;
        if (known.has(scope)) return false;
        known.add(scope);
      }
    }
    return true;
  }

  /**
   * What happens on a lifeline that is lived once comes after its creation and before its destruction: of each of these
   * occurrences, those that it waits for, as bits. Null: something happens on one that is never created.
   */
  #waitsOfLife(lifetime: Lifetime, occurrences: readonly Occurring[]): readonly bigint[] | null {
    const { lifeline, created, destroyed, renewed } = lifetime;
    const waits = occurrences.map(() => 0n);
    const isLastOn = (occurring: Occurring | undefined): boolean =>
      isEndOf(occurring, destroyed, 'receipt') ||
      (isEndOf(occurring, destroyed, 'send') &&
        this.#lifelineOf(occurring?.placed.message ?? -1, 'receipt') !== lifeline);
    const scopes = new Map<Scope, number[]>();
    for (const [index, { placed, end }] of occurrences.entries()) {
      if (this.#lifelineOf(placed.message, end) !== lifeline) continue;
      const scope = scopeOf(placed, renewed);
      const known = scopes.get(scope);
      if (known === undefined) scopes.set(scope, [index]);
      else known.push(index);
    }
    for (const on of scopes.values()) {
      const birth = on.find((index) => isEndOf(occurrences[index], created, 'receipt'));
      const needsBirth = (index: number): boolean => {
        const occurring = occurrences[index];
        return occurring !== undefined && !this.#isMissed(occurring.placed, occurring.end, created);
      };
      if (created !== null && birth === undefined && on.some(needsBirth)) return null;
      const last = on.findLast((index) => isLastOn(occurrences[index]));
      for (const index of on) {
        if (birth !== undefined && index !== birth && needsBirth(index))
          waits[index] = (waits[index] ?? 0n) | (1n << BigInt(birth));
        if (last !== undefined && index !== last) waits[last] = (waits[last] ?? 0n) | (1n << BigInt(index));
      }
    }
    return waits;
  }

  /** Nothing happens on a lifeline before its creation, and nothing after its destruction. */
  #isAlive({ lifeline, created, destroyed, renewed }: Lifetime): boolean {
    const occurrences = this.#drawn
      .filter(({ cut }) => cut === null)
      .flatMap((drawn) => ENDS.map((end) => ({ drawn, end, at: shownMoment(drawn, end) })))
      .filter(({ drawn, end, at }) => at >= 0 && this.#lifelineOf(drawn.message, end) === lifeline)
      .sort((a, b) => a.at - b.at);
    const begins = ({ drawn, end }: { readonly drawn: Drawn; readonly end: End }): boolean =>
      drawn.message === created && end === 'receipt';
    // What is owed happens in any order, after all that is seen.
    const isBegunLater = occurrences.some((other) => other.at === LATER && begins(other));
    const alive = new Map<Scope, boolean>();
    for (const occurrence of occurrences) {
      const { drawn, end, at } = occurrence;
      const scope = scopeOf(drawn, renewed);
      if (this.#isMissed(drawn, end, created) && !alive.has(scope) && created !== null) continue;
      if (begins(occurrence)) alive.set(scope, true);
      else if (!(alive.get(scope) ?? created === null) && !(at === LATER && isBegunLater)) return false;
      const isLast = end === 'receipt' || this.#lifelineOf(drawn.message, 'receipt') !== lifeline;
      // A receipt that nothing shows may come at any time.
      const isHidden = end === 'receipt' && momentOf(drawn, end) === HIDDEN;
      if (drawn.message === destroyed && isLast && at !== LATER && !isHidden) alive.set(scope, false);
    }
    return true;
  }

  /** What nothing shows to be received may be received by nobody: its receiver need not be there yet. */
  #isMissed(drawn: Drawn, end: End, created: number | null): boolean {
    return end === 'receipt' && momentOf(drawn, end) === HIDDEN && drawn.message !== created;
  }

  #lifelineOf(message: number, end: End): number | null | undefined {
    const { from, to } = this.contract.messages[message] ?? {};
    return end === 'send' ? from : to;
  }

  // --- Linear extensions ----------------------------------------------------------------------------------------------

  /** Whether the hidden and the owed occurrences find their places among those that are seen. */
  #hasExtension(lifetimes: readonly Lifetime[]): boolean {
    const drawn = this.#drawn.filter(({ cut }) => cut === null);
    const occurrences = drawn.flatMap((placed, position): Occurring[] =>
      ENDS.map((end) => ({ placed, position, end, at: momentOf(placed, end) })),
    );
    const lived = lifetimes.map((lifetime) => this.#waitsOfLife(lifetime, occurrences));
    if (lived.includes(null)) return false;
    const seen = occurrences.filter(({ at }) => at >= 0 && at !== LATER).sort((a, b) => a.at - b.at);
    const waits = occurrences.map(({ placed, position, end }, own) => {
      let mask = lived.reduce((all, one) => all | (one?.[own] ?? 0n), 0n);
      for (const [index, other] of occurrences.entries()) {
        if (other.position === position) {
          if (other.end === 'send' && end === 'receipt') mask |= 1n << BigInt(index);
          continue;
        }
        if (this.#waitsForNothing(placed, end)) continue;
        if (this.#order.isPromised(other.placed.message, placed.message))
          if (this.#isPromised(other.placed, placed, drawn)) mask |= 1n << BigInt(index);
        const isBefore = other.position < position;
        const demands = isBefore
          ? this.#order.between(other.placed, placed)
          : this.#order.against(placed, other.placed);
        if ((demands & pairBit(other.end, end)) !== 0) mask |= 1n << BigInt(index);
      }
      return mask;
    });
    const criticals = criticalsOf(drawn);
    const members = [...criticals].map((critical) => ({
      critical,
      mask: occurrences.reduce(
        (mask, { placed }, index) => (isInside(placed.place, critical) ? mask | (1n << BigInt(index)) : mask),
        0n,
      ),
    }));
    const isShut = (index: number, done: bigint): boolean =>
      members.some(({ critical, mask }) => {
        const isOpen = (done & mask) !== 0n && (done & mask) !== mask;
        const place = occurrences[index]?.placed.place;
        if (!isOpen || place === undefined || isInside(place, critical)) return false;
        const { relation, role } = commonPlace(place, critical);
        // Between concurrent loops only causality orders.
        return relation === 'none' && role.kind !== 'concurrent';
      });
    const indexOf = new Map(occurrences.map((occurrence, index) => [occurrence, index]));
    const all = (1n << BigInt(occurrences.length)) - 1n;
    const dead = new Set<bigint>();
    const extend = (done: bigint, next: number): boolean => {
      if (done === all) return true;
      if (dead.has(done)) return false;
      const due = seen[next];
      const mayHappen = (index: number): boolean =>
        (done & (1n << BigInt(index))) === 0n && ((waits[index] ?? 0n) & ~done) === 0n && !isShut(index, done);
      const isAtOnce = due !== undefined && seen[next - 1]?.position === due.position && seen[next - 1]?.at === due.at;
      for (const [index, { at }] of occurrences.entries()) {
        const isNext = due !== undefined && indexOf.get(due) === index;
        // What is shown at one instant was received when it was sent.
        if (isAtOnce && !isNext) continue;
        // What is owed happens after all that is seen.
        if (!isNext && !(at === HIDDEN || (at === LATER && due === undefined))) continue;
        if (mayHappen(index) && extend(done | (1n << BigInt(index)), next + (isNext ? 1 : 0))) return true;
      }
      dead.add(done);
      return false;
    };
    return extend(0n, 0);
  }
}

/** `sighting`: null where it is owed. `cut`: it does not happen, for only a part of that critical fragment does. */
interface Drawn extends Placed {
  readonly sighting: Sighting | null;
  readonly cut: Place | null;
}

/** An end of a message of an execution: the how manieth of its messages, and when the end is seen. */
interface Occurring {
  readonly placed: Drawn;
  readonly position: number;
  readonly end: End;
  readonly at: number;
}

/** Where a lifeline has a life of its own: an iteration, or all. */
type Scope = Place | Drawn | null;

const scopeOf = (drawn: Drawn, renewed: boolean): Scope => (renewed ? iterationOf(drawn) : null);

const isEndOf = (occurring: Occurring | undefined, message: number | null, end: End): boolean =>
  occurring?.placed.message === message && occurring.end === end;

type Loop = Extract<Node, { kind: 'loop' }>;
type Concurrent = Extract<Node, { kind: 'concurrent' }>;

/** Where a path through the drawing goes on. `leave`: after a break. `future`: the messages that may still come, as bits. */
interface Path {
  readonly future: number;
  readonly then: Continue;
  readonly leave: Continue;
  /** The critical fragment of whose body only the beginning happens. */
  readonly cut: Place | null;
  /** Only what does not carry the key: the iteration is about another instance. */
  readonly isRest?: boolean;
}

const ITERATIONS = { kind: 'iterations' } as const;
const CONCURRENT = { kind: 'concurrent' } as const;

function momentOf({ sighting }: { readonly sighting: Sighting | null }, end: End): number {
  return sighting === null ? LATER : sighting.at[end];
}

/** An end that is hidden shows with the other one. */
function shownMoment(drawn: Drawn, end: End): number {
  const at = momentOf(drawn, end);
  return at === HIDDEN ? momentOf(drawn, end === 'send' ? 'receipt' : 'send') : at;
}

/** Infinite where it is owed. */
function firstMomentOf({ sighting }: Drawn): number {
  return sighting === null ? LATER : firstMoment(sighting);
}

function lastMoment(drawn: Drawn): number {
  return Math.max(...ENDS.map((end) => momentOf(drawn, end)));
}

/** The n-th of each end of one comes before the n-th of the other, for the values of loops with `each` that they share. */
function areInTurn(ones: readonly Drawn[], others: readonly Drawn[]): boolean {
  const places = (all: readonly Drawn[]): readonly Place[] => {
    const distinct = new Map(all.map(({ place }) => [JSON.stringify(valuesOf(place)), place]));
    return [...distinct.values()];
  };
  const at = (all: readonly Drawn[], place: Place): readonly Drawn[] =>
    all.filter((drawn) => JSON.stringify(valuesOf(drawn.place)) === JSON.stringify(valuesOf(place)));
  return places(ones).every((one) =>
    places(others).every((other) => {
      const isAgreed = valuesOf(one).every(([name, value]) =>
        valuesOf(other).every(([otherName, otherValue]) => name !== otherName || value === otherValue),
      );
      if (!isAgreed) return true;
      const firsts = at(others, other)
        .map(firstMomentOf)
        .sort((a, b) => a - b);
      return ENDS.every((end) => {
        const moments = at(ones, one)
          .map((drawn) => shownMoment(drawn, end))
          .sort((a, b) => a - b);
        return moments.every((moment, index) => moment <= (firsts[index] ?? LATER));
      });
    }),
  );
}

/** The values that everything at a place is about, by parameter. */
function valuesOf(place: Place): readonly (readonly [string, string])[] {
  const values: (readonly [string, string])[] = [];
  for (let at: Place | null = place; at !== null; at = at.around)
    if (at.role.kind === 'value') values.push([at.role.parameter, at.role.value]);
  return values;
}

function firstMoment({ at }: Sighting): number {
  return at.send < 0 ? at.receipt : at.send;
}

/** An event that may still come may be about any value, also one that was seen. */
function isAbout({ event }: Sighting, place: Place): boolean {
  if (event === undefined) return true;
  for (let at: Place | null = place; at !== null; at = at.around)
    if (at.role.kind === 'value' && valueOf(event, at.role.parameter) !== at.role.value) return false;
  return true;
}

/** Any event may be about a value that no other one is about. */
function valueOf(event: TraceEvent | undefined, parameter: string): string {
  return event === undefined ? ANY : String(event.attributes?.[parameter]);
}
const ANY = 'a value of its own';

/** The iteration of the innermost loop, which may be one message alone; null: outside of all. */
function iterationOf(drawn: Drawn): Place | Drawn | null {
  if (drawn.place.role.kind === 'iterations') return drawn;
  for (let at: Place | null = drawn.place; at !== null; at = at.around)
    if (at.role.kind === 'first' || at.around?.role.kind === 'iterations') return at;
  return null;
}

/** The oracle knows conditions of one form: an attribute and the text that it must be equal to. */
export function isTrue(when: string | undefined, event: TraceEvent): boolean {
  const [, name = '', value] = /^(\w+) == "(\w+)"$/u.exec(when ?? '') ?? [];
  if (value === undefined) throw new Error(`The naive oracle does not know how to read ${when ?? 'nothing'}.`);
  return event.attributes?.[name] === value;
}
