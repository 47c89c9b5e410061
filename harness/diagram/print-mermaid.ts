import { mermaidName, mermaidText, protectLine } from './mermaid-spelling.ts';
import type { Activation, Diagram, Fragment, FragmentKind, Head, Line, Message, Note, Participant } from './types.ts';
import { walkDiagram } from './walk.ts';

/** `half-top` and its kin have no entry without a line: the table is complete by type. */
const ARROWS: Readonly<Record<Head, Readonly<Record<Line, string>>>> = {
  arrow: { solid: '->>', dashed: '-->>' },
  none: { solid: '->', dashed: '-->' },
  cross: { solid: '-x', dashed: '--x' },
  open: { solid: '-)', dashed: '--)' },
  'half-top': { solid: '-|\\', dashed: '--|\\' },
  'half-bottom': { solid: '-|/', dashed: '--|/' },
  'stick-top': { solid: '-\\\\', dashed: '--\\\\' },
  'stick-bottom': { solid: '-//', dashed: '--//' },
};

/** How a fragment opens and how its compartments part; Mermaid has no `group` and no `ref`, `rect` orders nothing either. */
const BLOCKS: Readonly<Record<FragmentKind, { readonly open: string; readonly divider: string | null }>> = {
  loop: { open: 'loop', divider: null },
  alt: { open: 'alt', divider: 'else' },
  opt: { open: 'opt', divider: null },
  par: { open: 'par', divider: 'and' },
  par_over: { open: 'par_over', divider: 'and' },
  critical: { open: 'critical', divider: 'option' },
  break: { open: 'break', divider: null },
  rect: { open: 'rect', divider: null },
  group: { open: 'rect', divider: null },
  ref: { open: 'rect', divider: null },
};

/** The lifelines that stand for found and lost ends, which Mermaid cannot draw. */
const OUTSIDE = { from: 'found', to: 'lost' } as const;

/**
 * A diagram as Mermaid text. Reading it back gives the same diagram apart from places, with four exceptions that Mermaid cannot
 * say: `group` and `ref` become `rect`, found and lost ends get a lifeline, and what is `marksMoved` stands further down.
 */
export function printMermaid(diagram: Diagram): string {
  return new Printer(diagram).print();
}

/**
 * Notes and bars at participants that are not created yet: to Mermaid they would be the creation, and what creates them an
 * error. `printMermaid` writes them where the participant is created.
 */
export function marksMoved(diagram: Diagram): readonly (Note | Activation)[] {
  const printer = new Printer(diagram);
  printer.print();
  return printer.moved;
}

class Printer {
  readonly moved: (Note | Activation)[] = [];
  readonly #diagram: Diagram;
  readonly #lines: string[] = [];
  readonly #names = new Map<string, string>();
  readonly #createdBy = new Map<string, number>();
  readonly #destroyedBy = new Map<number, string[]>();
  /** Marks that wait for a participant to be created. */
  #held: (Note | Activation)[] = [];
  /** Indices of messages before which something else must be said. */
  readonly #preceded = new Set<number>();
  #depth = 0;
  /** The message that comes next, and how many borders of fragments were printed since the one above. */
  #next = 0;
  #borders = 0;
  #notesDone = 0;
  #activationsDone = 0;
  #participantsDone = 0;

  constructor(diagram: Diagram) {
    this.#diagram = diagram;
    for (const participant of diagram.participants) {
      const { id, createdBy, destroyedBy } = participant;
      this.#names.set(id, mermaidName(participant));
      if (createdBy !== undefined) {
        this.#preceded.add(createdBy);
        this.#createdBy.set(id, createdBy);
      }
      if (destroyedBy === undefined) continue;
      this.#preceded.add(destroyedBy);
      this.#destroyedBy.set(destroyedBy, [...(this.#destroyedBy.get(destroyedBy) ?? []), id]);
    }
    for (const { before } of [...diagram.notes, ...diagram.activations]) this.#preceded.add(before);
  }

  print(): string {
    this.#lines.push('sequenceDiagram');
    this.#depth = 1;
    const { title } = this.#diagram;
    if (title !== undefined && title !== '') this.#line(`title ${mermaidText(title)}`);
    this.#declare();
    const { fragments } = this.#diagram;
    const events = walkDiagram(this.#diagram);
    for (const event of events) {
      if (event.kind === 'message') this.#message(event.message, event.index);
      else if (event.kind === 'operand')
        this.#operand(fragments[event.inside.fragment], event.operand.guard, event.index);
      else if (event.kind === 'enter') this.#enter(event.fragment, events);
      else this.#leave();
    }
    this.#before(this.#diagram.messages.length);
    return `${this.#lines.join('\n')}\n`;
  }

  #line(text: string): void {
    this.#lines.push(protectLine('    '.repeat(Math.min(this.#depth, 40)) + text));
  }

  #name(id: string | null, end: 'from' | 'to'): string {
    if (id === null) return OUTSIDE[end];
    return this.#names.get(id) ?? mermaidName({ id, label: id, kind: 'participant' });
  }

  /** Declares participants up to the next one that a message creates: order of declaration is order of columns. */
  #declare(): void {
    const { participants } = this.#diagram;
    for (; this.#participantsDone < participants.length; this.#participantsDone += 1) {
      const participant = participants[this.#participantsDone];
      if (participant === undefined || participant.createdBy !== undefined) return;
      this.#line(this.#declaration(participant));
    }
  }

  #declaration({ id, label, kind }: Participant): string {
    const name = this.#name(id, 'from');
    const keyword = kind === 'actor' ? 'actor' : 'participant';
    const type = kind === 'actor' || kind === 'participant' ? '' : `@{ "type": "${kind}" }`;
    return `${keyword} ${name}${type}${label === id ? '' : ` as ${mermaidText(label)}`}`;
  }

  /** What stands before a message, wherever that is nested. */
  #before(index: number): void {
    const { participants } = this.#diagram;
    const created = participants[this.#participantsDone];
    if (created?.createdBy === index) {
      this.#line(`create ${this.#declaration(created)}`);
      this.#participantsDone += 1;
      this.#declare();
    }
    this.#release(index);
    this.#marks(() => true, index, index);
    for (const id of this.#destroyedBy.get(index) ?? []) this.#line(`destroy ${this.#name(id, 'from')}`);
  }

  /** A border of a fragment comes next: what stands above it is said first. */
  #passBorder(): void {
    const next = this.#next;
    this.#marks(({ before, borders }) => before < next || (borders ?? 0) <= this.#borders, next, next - 1);
    this.#borders += 1;
  }

  /** `born`: the last message so far that may have created participants. */
  #marks(isDue: (mark: Note | Activation) => boolean, index: number, born: number): void {
    const { notes, activations } = this.#diagram;
    const mark = (one: Note | Activation): void => {
      if (this.#isBorn(one, born)) {
        this.#mark(one);
        return;
      }
      this.#held.push(one);
      this.moved.push(one);
    };
    for (let note = notes[this.#notesDone]; note !== undefined && note.before <= index && isDue(note);) {
      mark(note);
      this.#notesDone += 1;
      note = notes[this.#notesDone];
    }
    for (let bar = activations[this.#activationsDone]; bar !== undefined && bar.before <= index && isDue(bar);) {
      mark(bar);
      this.#activationsDone += 1;
      bar = activations[this.#activationsDone];
    }
  }

  /** Do all exist at whom it stands, once the message `born` is drawn? */
  #isBorn(mark: Note | Activation, born: number): boolean {
    const ids = 'on' in mark ? [mark.participant] : mark.participants;
    return ids.every((id) => (this.#createdBy.get(id) ?? -1) <= born);
  }

  #release(born: number): void {
    const due = this.#held.filter((mark) => this.#isBorn(mark, born));
    if (due.length === 0) return;
    this.#held = this.#held.filter((mark) => !this.#isBorn(mark, born));
    for (const mark of due) this.#mark(mark);
  }

  #mark(mark: Note | Activation): void {
    if ('on' in mark) this.#activation(mark);
    else this.#note(mark);
  }

  #passMessage(index: number, borders = 0): void {
    this.#next = index + 1;
    this.#borders = borders;
  }

  #note({ placement, participants, text }: Note): void {
    const first = participants[0];
    const last = participants.at(-1);
    if (first === undefined || last === undefined) return;
    const over =
      participants.length > 1 ? `${this.#name(first, 'from')},${this.#name(last, 'from')}` : this.#name(first, 'from');
    this.#line(
      placement === 'over'
        ? `note over ${over}: ${mermaidText(text)}`
        : `note ${placement} of ${this.#name(first, 'from')}: ${mermaidText(text)}`,
    );
  }

  #activation({ participant, on }: Activation): void {
    this.#line(`${on ? 'activate' : 'deactivate'} ${this.#name(participant, 'from')}`);
  }

  #message({ from, to, text, line, head }: Message, index: number): void {
    this.#before(index);
    this.#line(`${this.#name(from, 'from')}${ARROWS[head][line]}${this.#name(to, 'to')}: ${mermaidText(text)}`);
    this.#passMessage(index);
  }

  #enter(fragment: Fragment, events: Iterator<unknown>): void {
    const both = this.#bothWays(fragment);
    if (both === null) return;
    this.#bothMessages(both.message, both.index);
    // The two operands, their messages, and the end are said by the one arrow.
    for (let skipped = 0; skipped < 5; skipped += 1) events.next();
  }

  /** `<<->>` reads as two messages in either order: a `par` of two mirrored messages at one place. */
  #bothWays(fragment: Fragment): { readonly message: Message; readonly index: number } | null {
    const [one, other, third] = fragment.operands;
    if (fragment.kind !== 'par' || one === undefined || other === undefined || third !== undefined) return null;
    const there = this.#onlyMessage(one.items, one.guard);
    const back = this.#onlyMessage(other.items, other.guard);
    if (there === null || back === null) return null;
    const { message } = there;
    const mirrored =
      message.from === back.message.to && message.to === back.message.from && message.text === back.message.text;
    const alike = message.head === 'arrow' && back.message.head === 'arrow' && message.line === back.message.line;
    const onePlace = message.at.line === back.message.at.line && message.at.column === back.message.at.column;
    return mirrored && alike && onePlace && !this.#preceded.has(back.index) ? there : null;
  }

  #onlyMessage(
    items: Fragment['operands'][number]['items'],
    guard: string,
  ): { message: Message; index: number } | null {
    const [item, more] = items;
    if (guard !== '' || item === undefined || more !== undefined || !('message' in item)) return null;
    const message = this.#diagram.messages[item.message];
    return message === undefined ? null : { message, index: item.message };
  }

  #bothMessages({ from, to, text, line }: Message, index: number): void {
    this.#before(index);
    this.#line(
      `${this.#name(from, 'from')}${line === 'solid' ? '<<->>' : '<<-->>'}${this.#name(to, 'to')}: ${mermaidText(text)}`,
    );
    // The end of what this arrow says is a border.
    this.#passMessage(index + 1, 1);
  }

  #operand(fragment: Fragment | undefined, guard: string, index: number): void {
    if (fragment === undefined) return;
    this.#passBorder();
    const { open, divider } = BLOCKS[fragment.kind];
    const label = guard === '' || fragment.kind === 'group' || fragment.kind === 'ref' ? '' : ` ${mermaidText(guard)}`;
    if (index === 0) {
      this.#line(open + label);
      this.#depth += 1;
    } else if (divider !== null) {
      this.#depth -= 1;
      this.#line(divider + label);
      this.#depth += 1;
    }
  }

  #leave(): void {
    this.#passBorder();
    this.#depth -= 1;
    this.#line('end');
  }
}
