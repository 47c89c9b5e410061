import type { BindingContent } from '../contract/index.ts';
import { receivedFrom } from '../diagram/index.ts';
import type {
  Diagram,
  DrawnEnd,
  Fragment,
  FragmentKind,
  Head,
  Item,
  Line,
  Message,
  Operand,
} from '../diagram/index.ts';
import type { Random } from './random.ts';

/** A small drawing, and what its binding says. */
export interface DrawnCase {
  readonly diagram: Diagram;
  readonly content: BindingContent;
}

/** The attributes by which events say which instance they are of, which iteration, and whether a guard holds. */
export const KEY = 'k';
export const EACH = 'e';
export const GUARD = 'g';

/** A message of whose text this is a part is drawn with the key. */
const SHOWN = `-${KEY}`;

type MessageBinding = NonNullable<BindingContent['messages']>[string];

const NAMES = ['A', 'B', 'C', 'D', 'E'];
const MESSAGES_MAX = 6;
const AT = { line: 1, column: 1 };

/** What a message of a drawing can say in reply: nothing, or a status. */
const REPLIES = ['fine', 'fine', 'ok', '200'];

/**
 * A drawing that the compiler may still refuse: what contradicts itself is not avoided here. `overtaking` decides who overtakes whom,
 * by itself, so that all else is drawn as it would be without.
 */
export function randomDrawing(random: Random, overtaking: Random): DrawnCase {
  return new Drawer(random, overtaking).draw();
}

interface Open {
  readonly from: string;
  readonly to: string;
}

class Drawer {
  readonly #random: Random;
  readonly #overtaking: Random;
  readonly #messages: Message[] = [];
  readonly #fragments: Fragment[] = [];
  readonly #loops: Record<string, string | { times: string; each: string }> = {};
  readonly #guards: Record<string, string> = {};
  readonly #optional: string[] = [];
  readonly #concurrent: string[] = [];
  readonly #hasConcurrent: boolean;
  readonly #names: readonly string[];
  #open: readonly Open[] = [];
  #last = 'A';
  /** A concurrent loop has no end that a break could bring. */
  #mayBreak = true;
  #isInCritical = false;

  constructor(random: Random, overtaking: Random) {
    this.#random = random;
    this.#overtaking = overtaking;
    this.#hasConcurrent = random.oneIn(8);
    this.#names = NAMES.slice(
      0,
      random.weighted([
        [1, 2],
        [1, 3],
        [5, 4],
        [3, 5],
      ]),
    );
  }

  draw(): DrawnCase {
    const random = this.#random;
    const budget = 1 + random.below(MESSAGES_MAX);
    const items = this.#items(3, budget, 2);
    if (this.#messages.length === 0) items.push(this.#message());
    const diagram: Diagram = {
      name: 'generated',
      file: 'generated.mmd',
      dialect: 'mermaid',
      participants: this.#names.map((id) => ({ id, label: id, kind: 'participant', at: AT })),
      messages: this.#messages,
      fragments: this.#fragments,
      items,
      notes: [],
      activations: [],
      steps: [],
    };
    return { diagram: random.oneIn(5) ? this.#withLifetimes(diagram) : diagram, content: this.#binding() };
  }

  /** One participant comes into being, or goes, with a message. */
  #withLifetimes(diagram: Diagram): Diagram {
    const { messages, participants } = diagram;
    const chosen = this.#random.of(participants);
    if (chosen === undefined) return diagram;
    const touching = this.#drawnBy(diagram.items).filter(
      (index) => messages[index]?.from === chosen.id || messages[index]?.to === chosen.id,
    );
    const [first = -1, last = -1] = [touching[0], touching.at(-1)];
    // What others overtake may arrive below what its receiver does: that would contradict its creation.
    const begins =
      messages[first]?.to === chosen.id && messages[first].from !== chosen.id && messages[first].received === undefined;
    const isCreated = begins && !this.#random.oneIn(3);
    // Nor may anything be on its way to it, or from it, when it goes.
    const isPlain = touching.every((index) => messages[index]?.received === undefined);
    const mayBeDestroyed = last > first && isPlain && this.#random.oneIn(2);
    const isDestroyed = mayBeDestroyed && !(isCreated && this.#isOftener(last, first));
    const lifetime = { ...(isCreated ? { createdBy: first } : {}), ...(isDestroyed ? { destroyedBy: last } : {}) };
    return { ...diagram, participants: participants.map((one) => (one === chosen ? { ...one, ...lifetime } : one)) };
  }

  /** Does one message come twice or more for each time that the other does? What is created once is not destroyed twice. */
  #isOftener(message: number, other: number): boolean {
    return this.#fragments.some(({ kind, operands }) => {
      const bound = this.#loops[operands[0]?.guard ?? ''];
      const times = typeof bound === 'object' ? bound.times : bound;
      if (kind !== 'loop' || times?.startsWith('2') !== true) return false;
      const inside = operands.flatMap(({ items }) => this.#drawnBy(items));
      return inside.includes(message) && !inside.includes(other);
    });
  }

  /** The messages as they are drawn: of a concurrent loop the one with the key is made first, and may stand last. */
  #drawnBy(items: readonly Item[]): readonly number[] {
    return items.flatMap((item) =>
      'message' in item
        ? [item.message]
        : (this.#fragments[item.fragment]?.operands.flatMap((operand) => this.#drawnBy(operand.items)) ?? []),
    );
  }

  /** Parts one after the other, of about `budget` messages. */
  #items(depth: number, budget: number, loops: number): Item[] {
    const items: Item[] = [];
    const full = this.#messages.length + budget;
    while (this.#messages.length < Math.min(full, MESSAGES_MAX)) {
      const left = Math.min(full, MESSAGES_MAX) - this.#messages.length;
      if (this.#mayBeConcurrent(left, loops)) items.push(...this.#concurrentLoops(depth, left, loops));
      else if (left >= 4 && this.#random.oneIn(6)) items.push(...this.#relayed());
      else if (depth > 0 && this.#random.below(5) < 3) items.push(this.#fragment(depth, left, loops));
      else items.push(this.#message());
      if (this.#random.oneIn(12)) break;
    }
    if (this.#overtaking.oneIn(2)) this.#overtake(items);
    return items;
  }

  /** Of messages that stand one after the other, some are received only after others are sent or received. */
  #overtake(items: readonly Item[]): void {
    const run = firstRun(items, this.#overtaking);
    const ends = run.flatMap((message): DrawnEnd[] => [
      { message, end: 'sending' },
      { message, end: 'receipt' },
    ]);
    for (const message of run) {
      const times = this.#mayBeOvertaken(message) && this.#overtaking.oneIn(2) ? 1 + this.#overtaking.below(4) : 0;
      for (let left = times; left > 0; left--) {
        const at = ends.findIndex((end) => end.message === message && end.end === 'receipt');
        const [next, behind] = [ends[at + 1], ends[at + 2]];
        if (next === undefined) break;
        // What cannot be overtaken is passed as a whole.
        const isWhole = next.message === behind?.message && !this.#mayBeOvertaken(next.message);
        ends.splice(at + (isWhole ? 2 : 1), 0, ...ends.splice(at, 1));
      }
    }
    for (const [message, received] of receivedFrom(ends)) {
      const drawn = this.#messages[message];
      if (drawn !== undefined) this.#messages[message] = { ...drawn, received };
    }
  }

  #mayBeOvertaken(message: number): boolean {
    const { from = null, to = null } = this.#messages[message] ?? {};
    return from !== null && to !== null && from !== to;
  }

  #mayBeConcurrent(left: number, loops: number): boolean {
    const isFree = this.#hasConcurrent && this.#concurrent.length === 0 && !this.#isInCritical;
    return isFree && loops > 0 && left >= 2 && this.#random.oneIn(2);
  }

  /** Loops that run for ever side by side; something in each shows the key. */
  #concurrentLoops(depth: number, budget: number, loops: number): Item[] {
    const count = budget > 2 && this.#random.oneIn(3) ? 3 : 2;
    const outer = this.#mayBreak;
    this.#mayBreak = false;
    const items = Array.from({ length: count }, (): Item => {
      const index = this.#fragments.length;
      const at = { line: index + 1, column: 1 };
      const guard = `f${index}a`;
      this.#concurrent.push(guard);
      this.#fragments.push({ kind: 'loop', at, operands: [] });
      const keyed = this.#message(true);
      const inner = this.#random.oneIn(2) ? this.#items(depth - 1, Math.ceil(budget / count) - 1, loops - 1) : [];
      const isFirst = this.#random.oneIn(2);
      this.#fragments[index] = {
        kind: 'loop',
        at,
        operands: [{ guard, at, items: isFirst ? [keyed, ...inner] : [...inner, keyed] }],
      };
      return { fragment: index };
    });
    this.#mayBreak = outer;
    return items;
  }

  /** A call that is passed on, and answered before the answer to that is there: `causal` has a rule of its own for it. */
  #relayed(): Item[] {
    const [from = 'A', by = 'B', to = from] = shuffled(this.#names, this.#random);
    const reply = (): string => this.#random.of(REPLIES) ?? '';
    const items = [
      this.#put(from, by, `m${this.#messages.length}`, 'solid', 'arrow'),
      this.#put(by, to, `m${this.#messages.length}`, 'solid', 'arrow'),
      this.#put(by, from, reply(), 'dashed', 'arrow'),
      this.#put(to, by, reply(), 'dashed', 'arrow'),
    ];
    this.#open = this.#open.slice(0, -2);
    return items;
  }

  #fragment(depth: number, budget: number, loops: number): Item {
    const index = this.#fragments.length;
    const kind = this.#random.weighted<FragmentKind>([
      [3, 'alt'],
      [2, 'opt'],
      [loops > 0 ? 6 : 0, 'loop'],
      [4, 'par'],
      [4, 'critical'],
      [this.#mayBreak ? 4 : 0, 'break'],
      [1, 'rect'],
    ]);
    const at = { line: index + 1, column: 1 };
    // Fragments are numbered as they are opened.
    this.#fragments.push({ kind, at, operands: [] });
    const count = this.#operandCount(kind);
    const before = this.#open;
    const after: Open[] = [];
    const operands: Operand[] = [];
    for (let operand = 0; operand < count; operand++) {
      this.#open = before;
      const share = Math.max(1, Math.ceil(budget / count) - this.#random.below(2));
      const items = this.#inside(kind, () => this.#items(depth - 1, share, kind === 'loop' ? loops - 1 : loops));
      if (items.length === 0 && operands.length > 0) break;
      if (items.length === 0) items.push(this.#message());
      operands.push({ guard: `f${index}${'abc'[operand] ?? ''}`, at, items });
      after.push(...this.#open.filter((open) => !after.includes(open)));
    }
    this.#open = kind === 'break' ? before : after;
    this.#fragments[index] = { kind, at, operands };
    this.#bindFragment(kind, operands);
    return { fragment: index };
  }

  #inside(kind: FragmentKind, draw: () => Item[]): Item[] {
    const [mayBreak, isInCritical] = [this.#mayBreak, this.#isInCritical];
    if (kind === 'loop' || kind === 'par') this.#mayBreak = true;
    if (kind === 'critical') this.#isInCritical = true;
    const items = draw();
    [this.#mayBreak, this.#isInCritical] = [mayBreak, isInCritical];
    return items;
  }

  #operandCount(kind: FragmentKind): number {
    if (kind === 'par') return 2 + (this.#random.oneIn(4) ? 1 : 0);
    if (kind === 'alt') return 1 + this.#random.below(3);
    return kind === 'critical' ? 1 + this.#random.below(3) : 1;
  }

  #bindFragment(kind: FragmentKind, operands: readonly Operand[]): void {
    const first = operands[0]?.guard ?? '';
    if (kind === 'loop') {
      const times = this.#random.weighted([
        [4, null],
        [1, '1+'],
        [1, '2..'],
        [1, '0..1'],
        [1, '1..2'],
        [1, '2'],
        [1, '0..2'],
      ]);
      if (times !== null) this.#loops[first] = times;
      if (this.#random.oneIn(4)) this.#loops[first] = { times: times ?? '0+', each: EACH };
    }
    if (kind === 'alt' && operands.length > 1 && this.#random.oneIn(4)) this.#optional.push(first);
    if (kind === 'rect') return;
    for (const { guard } of operands)
      if (this.#random.oneIn(kind === 'par' ? 10 : 4)) this.#guards[guard] = `${GUARD} == "${this.#random.below(2)}"`;
  }

  #message(showsKey = false): Item {
    const random = this.#random;
    const names = this.#names;
    const answered =
      !showsKey && this.#open.length > 0 && random.below(5) < 2 ? random.of(this.#open.slice(-2)) : undefined;
    if (answered !== undefined) {
      this.#open = this.#open.filter((open) => open !== answered);
      return this.#put(answered.to, answered.from, random.of(REPLIES) ?? '', 'dashed', 'arrow');
    }
    const like =
      !showsKey && random.oneIn(7) ? random.of(this.#messages.filter(({ line }) => line === 'solid')) : undefined;
    const own = `m${this.#messages.length}${showsKey ? SHOWN : ''}`;
    if (like !== undefined && random.oneIn(2)) return this.#put(like.from, like.to, like.text, 'solid', like.head);
    const from = random.oneIn(2) ? this.#last : (random.of(names) ?? 'A');
    const isSelf = random.oneIn(6);
    const others = names.filter((name) => name !== from);
    const to = isSelf ? from : (random.of(others) ?? from);
    const text = like?.text ?? own;
    const line = random.oneIn(20) ? 'dashed' : 'solid';
    const head = random.weighted<Head>([
      [8, 'arrow'],
      [1, 'open'],
      [1, 'cross'],
    ]);
    // A found or a lost end has no lifeline.
    const outside = random.oneIn(14) ? random.below(2) : null;
    return this.#put(outside === 0 ? null : from, outside === 1 ? null : to, text, line, head);
  }

  #put(from: string | null, to: string | null, text: string, line: Line, head: Head): Item {
    const message =
      this.#messages.push({
        from,
        to,
        text,
        line,
        head,
        at: { line: this.#messages.length + 1, column: 1 },
      }) - 1;
    if (to !== null) this.#last = to;
    if (line === 'solid' && head === 'arrow' && from !== null && to !== null)
      this.#open = [...this.#open, { from, to }];
    return { message };
  }

  #binding(): BindingContent {
    const random = this.#random;
    const texts = [...new Set(this.#messages.map(({ text }) => text))];
    const usesEach = Object.values(this.#loops).some((loop) => typeof loop === 'object');
    // A parameter that is declared and no instance would name the instance.
    const isKeyed = usesEach || this.#concurrent.length > 0 || random.oneIn(2);
    const pairs = random.oneIn(3) ? [this.#pair(texts), ...(random.oneIn(3) ? [this.#pair(texts)] : [])] : [];
    const unordered = pairs.filter((pair) => pair.length === 2);
    // Of a text that is drawn twice one would promise what contradicts the drawing.
    const once = texts.filter((text) => this.#messages.filter((message) => message.text === text).length === 1);
    const promised = random.oneIn(8) ? this.#pair(once) : [];
    return {
      order: random.of(['strict', 'lifeline', 'causal'] as const) ?? 'lifeline',
      messages: Object.fromEntries(texts.map((text) => [text, this.#bindMessage(text)])),
      parameters: {
        ...(usesEach ? { [EACH]: EACH } : {}),
        ...(isKeyed ? { [KEY]: this.#concurrent.length > 0 ? { example: SHOWN, from: KEY } : KEY } : {}),
      },
      ...(isKeyed ? { instance: KEY } : {}),
      ...(Object.keys(this.#loops).length === 0 ? {} : { loops: this.#loops }),
      ...(Object.keys(this.#guards).length === 0 ? {} : { guards: this.#guards }),
      ...(this.#concurrent.length === 0 ? {} : { concurrent: this.#concurrent }),
      ...(this.#optional.length === 0 ? {} : { optional: this.#optional }),
      ...(unordered.length === 0 ? {} : { unordered }),
      ...(promised.length === 0 ? {} : { ordered: [promised] }),
    };
  }

  #bindMessage(text: string): MessageBinding {
    const isReply = !text.startsWith('m');
    // A concurrent loop that shows no key is about no instance.
    const showsKey = text.endsWith(SHOWN);
    if (!isReply && !showsKey && this.#random.oneIn(12)) return { unobservable: 'nothing shows it' };
    return { inside: false, ...(!isReply && this.#random.oneIn(40) ? { lost: true } : {}) };
  }

  /** Two texts, the one drawn earlier first. */
  #pair(texts: readonly string[]): string[] {
    const at = this.#random.below(texts.length - 1);
    return texts.length < 2 ? [] : [texts[at] ?? '', texts[at + 1 + this.#random.below(texts.length - at - 1)] ?? ''];
  }
}

/** Messages that stand one after the other, from one of them on. */
function firstRun(items: readonly Item[], random: Random): readonly number[] {
  const first = random.below(items.length);
  const behind = items.slice(first).findIndex((item) => !('message' in item));
  const run = items.slice(first, behind < 0 ? items.length : first + behind);
  return run.flatMap((item) => ('message' in item ? [item.message] : []));
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const rest = [...items];
  return items.flatMap(() => rest.splice(random.below(rest.length), 1));
}
