import type { Read } from '../diagnostics/index.ts';
import type { Activation, Diagram, Fragment, Item, Message, Note, Participant, Place } from '../diagram/index.ts';
import { Findings } from './findings.ts';
import { foldName, quoted } from './names.ts';

/** Messages and fragments that references bring into one drawing, and how deep references may lead. */
const INLINED_MAX = 10_000;
const DEPTH_MAX = 50;

/**
 * The drawing with what its references stand for, put in where they stand: of the `library`, the drawing whose name, title or
 * file name is the reference's text, once both are folded. Its participants are those of the same name, or new ones; its
 * messages keep their own places. A reference of another name stays as it is: anything may happen there.
 */
export function inlineReferences(diagram: Diagram, library: readonly Diagram[]): Read<Diagram> {
  const findings = new Findings(diagram.file, null);
  if (!diagram.fragments.some(isReference)) return { value: diagram, diagnostics: [] };
  const value = new Inliner(diagram, byNames(library), findings).inline();
  return { value, diagnostics: findings.diagnostics };
}

/** A reference in which something is drawn stands for nothing else. */
const isReference = ({ kind, operands }: Fragment): boolean =>
  kind === 'ref' && operands.every(({ items }) => items.length === 0) && (operands[0]?.guard ?? '').trim() !== '';

/** A drawing on its way into another: under which ids its participants go, and where its messages went. */
interface Copy {
  readonly diagram: Diagram;
  /** The drawings that led here, itself last. */
  readonly chain: readonly Diagram[];
  readonly ids: ReadonlyMap<string, string>;
  readonly messages: Map<number, number>;
}

type Task =
  | { readonly kind: 'item'; readonly copy: Copy; readonly item: Item; readonly out: Item[] }
  | { readonly kind: 'finish'; readonly copy: Copy };

class Inliner {
  readonly #root: Diagram;
  readonly #named: ReadonlyMap<string, readonly Diagram[]>;
  readonly #findings: Findings;
  readonly #participants: Participant[] = [];
  readonly #messages: Message[] = [];
  readonly #fragments: Fragment[] = [];
  readonly #notes: Note[] = [];
  readonly #activations: Activation[] = [];
  readonly #pending: Task[] = [];
  /** Created or destroyed by more than one of the drawings: of those nothing is demanded. */
  readonly #reborn = new Set<string>();
  #inlined = 0;
  #isFull = false;

  constructor(root: Diagram, named: ReadonlyMap<string, readonly Diagram[]>, findings: Findings) {
    this.#root = root;
    this.#named = named;
    this.#findings = findings;
  }

  inline(): Diagram {
    const items: Item[] = [];
    this.#participants.push(...this.#root.participants.map(withoutLifetime));
    const ids = new Map(this.#root.participants.map(({ id }) => [id, id]));
    this.#copy({ diagram: this.#root, chain: [this.#root], ids, messages: new Map() }, items);
    for (let task = this.#pending.pop(); task !== undefined; task = this.#pending.pop()) {
      if (task.kind === 'finish') this.#finish(task.copy);
      else if ('message' in task.item) this.#addMessage(task.copy, task.item.message, task.out);
      else this.#addFragment(task.copy, task.item.fragment, task.out);
    }
    return {
      ...this.#root,
      participants: this.#participants,
      messages: this.#messages,
      fragments: this.#fragments,
      items,
      notes: this.#notes.sort((a, b) => a.before - b.before),
      activations: this.#activations.sort((a, b) => a.before - b.before),
    };
  }

  #copy(copy: Copy, out: Item[]): void {
    this.#pending.push({ kind: 'finish', copy });
    this.#copyItems(copy, copy.diagram.items, out);
  }

  #copyItems(copy: Copy, items: readonly Item[], out: Item[]): void {
    for (const item of [...items].reverse()) this.#pending.push({ kind: 'item', copy, item, out });
  }

  #addMessage(copy: Copy, index: number, out: Item[]): void {
    const message = copy.diagram.messages[index];
    if (message === undefined) return;
    this.#count(copy);
    const added = this.#messages.length;
    this.#messages.push({
      ...message,
      from: idOf(copy, message.from),
      to: idOf(copy, message.to),
      at: this.#placeOf(copy, message.at),
      ...arrivalAt(message.received, added - index),
    });
    copy.messages.set(index, added);
    out.push({ message: added });
  }

  #addFragment(copy: Copy, index: number, out: Item[]): void {
    const fragment = copy.diagram.fragments[index];
    if (fragment === undefined) return;
    this.#count(copy);
    const operands = fragment.operands.map(({ guard, at }) => ({
      guard,
      at: this.#placeOf(copy, at),
      items: [] as Item[],
    }));
    const at = this.#placeOf(copy, fragment.at);
    const target = isReference(fragment) ? this.#targetOf(copy, fragment, at) : null;
    const inlined = target === null ? {} : { inlined: { name: target.name, file: target.file } };
    out.push({ fragment: this.#fragments.push({ ...fragment, at, operands, ...inlined }) - 1 });
    const [first] = operands;
    if (target !== null && first !== undefined) {
      const ids = this.#joined(target);
      this.#copy({ diagram: target, chain: [...copy.chain, target], ids, messages: new Map() }, first.items);
      return;
    }
    // The first operand is on top of the stack.
    for (const [operand, { items }] of [...fragment.operands.entries()].reverse())
      this.#copyItems(copy, items, operands[operand]?.items ?? []);
  }

  /** The drawing that a reference stands for; null: none, or none that can be put in. */
  #targetOf({ diagram, chain }: Copy, { operands }: Fragment, at: Place): Diagram | null {
    const text = operands[0]?.guard ?? '';
    const called = this.#named.get(foldName(text)) ?? [];
    const inFile = called.filter(({ file }) => file === diagram.file);
    const [target, second] = inFile.length === 1 ? inFile : called;
    if (target === undefined) return null;
    if (second !== undefined && inFile.length !== 1) {
      const places = called.slice(0, 3).map(({ name, file }) => `${quoted(name)} in ${file}`);
      this.#findings.inDrawing(at, {
        code: 'CON110',
        severity: 'warning',
        message: `${called.length} drawings are called ${quoted(text)}: the reference stays a gap, in which anything may happen`,
        hint: `give them names of their own: ${places.join(', ')}`,
      });
      return null;
    }
    return this.#isPossible(target, chain, at) ? target : null;
  }

  #isPossible(target: Diagram, chain: readonly Diagram[], at: Place): boolean {
    if (target.dialect === 'steps') {
      this.#findings.inDrawing(at, {
        code: 'CON113',
        severity: 'warning',
        message: `${quoted(target.name)} is a list of steps, which draws no arrows: the reference stays a gap, in which anything may happen`,
        hint: 'refer to a drawing, or draw what happens there',
      });
      return false;
    }
    const first = chain.findIndex((one) => nameInAll(one) === nameInAll(target));
    if (first >= 0) {
      const way = [...chain.slice(first), target].map(({ name }) => quoted(name));
      this.#findings.inDrawing(at, {
        code: 'CON111',
        message: `this reference leads back to where it stands: ${way.join(' refers to ')}`,
        hint: 'a drawing cannot hold itself: draw a loop, or take one of the references out',
      });
      return false;
    }
    if (chain.length <= DEPTH_MAX && this.#inlined <= INLINED_MAX) return true;
    this.#tellTooMuch(at);
    return false;
  }

  #tellTooMuch(at: Place): void {
    if (this.#isFull) return;
    this.#isFull = true;
    this.#findings.inDrawing(at, {
      code: 'CON112',
      message: `references lead more than ${DEPTH_MAX} drawings deep, or bring in more than ${INLINED_MAX} arrows and frames`,
      hint: 'judge the drawings by themselves, one at a time',
    });
  }

  #count({ chain }: Copy): void {
    if (chain.length > 1) this.#inlined++;
  }

  /** Under which ids the participants of a drawing go in this one; those that are new are added. */
  #joined(target: Diagram): ReadonlyMap<string, string> {
    const ids = new Map<string, string>();
    for (const participant of target.participants) {
      const known = this.#participants.find((one) => isSame(one, participant));
      if (known !== undefined) {
        ids.set(participant.id, known.id);
        continue;
      }
      const id = this.#freeId(participant);
      const at = this.#placeIn(target, participant.at);
      this.#participants.push(withoutLifetime({ ...participant, id, label: labelOf(participant), at }));
      ids.set(participant.id, id);
    }
    return ids;
  }

  #freeId({ id, label }: Participant): string {
    const isTaken = (name: string): boolean => this.#participants.some((one) => one.id === name);
    if (!isTaken(id)) return id;
    let free = label;
    for (let count = 2; isTaken(free); count++) free = `${label} (${count})`;
    return free;
  }

  /** Once all its messages are in: what stands beside them. */
  #finish(copy: Copy): void {
    const { diagram, messages } = copy;
    const before = (index: number): number => messages.get(index) ?? this.#messages.length;
    for (const note of diagram.notes)
      this.#notes.push({
        ...note,
        participants: note.participants.map((id) => copy.ids.get(id) ?? id),
        at: this.#placeOf(copy, note.at),
        before: before(note.before),
      });
    for (const activation of diagram.activations)
      this.#activations.push({
        ...activation,
        participant: copy.ids.get(activation.participant) ?? activation.participant,
        before: before(activation.before),
      });
    for (const participant of diagram.participants) this.#setLifetime(copy, participant);
  }

  #setLifetime({ ids, messages }: Copy, { id, createdBy, destroyedBy }: Participant): void {
    const created = messages.get(createdBy ?? -1);
    const destroyed = messages.get(destroyedBy ?? -1);
    const position = this.#participants.findIndex((one) => one.id === ids.get(id));
    const known = this.#participants[position];
    if (known === undefined || (created === undefined && destroyed === undefined)) return;
    const isAgain = known.createdBy !== undefined || known.destroyedBy !== undefined || this.#reborn.has(known.id);
    if (isAgain) this.#reborn.add(known.id);
    this.#participants[position] = isAgain
      ? withoutLifetime(known)
      : {
          ...known,
          ...(created === undefined ? {} : { createdBy: created }),
          ...(destroyed === undefined ? {} : { destroyedBy: destroyed }),
        };
  }

  /** In the drawing's own file a place needs no file. */
  #placeOf({ diagram }: Copy, at: Place): Place {
    return this.#placeIn(diagram, at);
  }

  #placeIn({ file }: Diagram, at: Place): Place {
    return file === this.#root.file ? at : { file, ...at };
  }
}

const idOf = ({ ids }: Copy, id: string | null): string | null => (id === null ? null : (ids.get(id) ?? id));

/** Nothing is put in between the two ends of a message: no fragment stands there. */
const arrivalAt = (received: Message['received'], shift: number): Pick<Message, 'received'> =>
  received === undefined ? {} : { received: { ...received, after: received.after + shift } };

const withoutLifetime = ({ id, label, kind, at }: Participant): Participant => ({ id, label, kind, at });

/** By what readers see; an id that both use says nothing where it is only short for something (`A as Api`, `A as Auth`). */
function isSame(one: Participant, other: Participant): boolean {
  const label = foldName(labelOf(other));
  return (
    foldName(labelOf(one)) === label || foldName(one.id) === label || foldName(labelOf(one)) === foldName(other.id)
  );
}

const labelOf = ({ id, label }: Participant): string => (label === '' ? id : label);

/** The drawings by what a reference may call them: name, the same without an extension, title; or file, where that holds no other. */
function byNames(library: readonly Diagram[]): ReadonlyMap<string, readonly Diagram[]> {
  // A file may be given twice, by itself and in its folder.
  const drawings = [...new Map(library.map((one) => [nameInAll(one), one])).values()];
  const inFile = new Map<string, number>();
  for (const { file } of drawings) inFile.set(file, (inFile.get(file) ?? 0) + 1);
  const named = new Map<string, Diagram[]>();
  for (const drawing of drawings) {
    const { name, title, file } = drawing;
    const stem = inFile.get(file) === 1 ? [withoutExtension(file.slice(file.search(/[^/\\]*$/u)))] : [];
    const names = [name, withoutExtension(name), ...(title === undefined ? [] : [title]), ...stem].map(foldName);
    for (const called of new Set(names)) named.set(called, [...(named.get(called) ?? []), drawing]);
  }
  return named;
}

const withoutExtension = (name: string): string => name.replace(/\.\w+$/u, '');

const nameInAll = ({ file, name }: Diagram): string => JSON.stringify([file, name]);
