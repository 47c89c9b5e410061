import {
  isParticipantKind,
  PARTICIPANT_KINDS,
  type Activation,
  type Diagram,
  type FragmentKind,
  type Item,
  type Message,
  type Note,
  type Participant,
  type ParticipantKind,
  type Place,
} from '../../diagram/index.ts';
import { forwardSpelling } from './arrows.ts';
import { decodeEntities } from './entities.ts';
import { excerpt, type Findings } from './findings.ts';
import { readMetadata } from './metadata.ts';
import type { Divider, Spelled, Statement } from './statements.ts';

/** What a participant still may become while the text is read. */
type Drafted = { -readonly [Key in keyof Participant]: Participant[Key] };

interface DraftedOperand {
  readonly guard: string;
  readonly at: Place;
  readonly items: Item[];
}

interface DraftedFragment {
  readonly kind: FragmentKind;
  readonly at: Place;
  readonly operands: DraftedOperand[];
}

/** A block that waits for its `end`; `fragment` is null for a box, which holds participants only. */
interface OpenBlock {
  readonly word: FragmentKind | 'box';
  readonly offset: number;
  readonly fragment: DraftedFragment | null;
  /** `end loop` ends one block and opens another on the same line. */
  readonly afterEnd: boolean;
}

type Of<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>;

const DIVIDED: ReadonlyMap<string, Divider> = new Map<string, Divider>([
  ['alt', 'else'],
  ['par', 'and'],
  ['par_over', 'and'],
  ['critical', 'option'],
]);
const DIVIDES: Readonly<Record<Divider, string>> = { else: 'alt', and: 'par', option: 'critical' };

/** Deeper nesting is refused: nobody draws it, and every level costs those who read the diagram. */
export const NESTING_MAX = 20_000;

const withArticle = (word: string): string => `${/^[aeio]/.test(word) ? 'an' : 'a'} ${word}`;

/** What a reader sees of a text: `wrap:` is an instruction, blanks at the ends don't show, entity codes are decoded. */
const shownText = (text: string): string =>
  decodeEntities(
    text
      .trim()
      .replace(/^:?(?:no)?wrap:/, '')
      .trim(),
  );

/**
 * Makes a diagram of statements, in one pass and with an explicit stack of open blocks. It keeps Mermaid's own state (who exists, whose
 * bar is open, who waits to be created) and so refuses what Mermaid refuses beyond its grammar.
 */
export class DiagramBuilder {
  readonly #findings: Findings;
  readonly #place: (offset: number) => Place;
  readonly #participants = new Map<string, Drafted>();
  readonly #firstNames = new Map<string, Spelled>();
  readonly #messages: Message[] = [];
  readonly #fragments: DraftedFragment[] = [];
  readonly #items: Item[] = [];
  readonly #notes: Note[] = [];
  readonly #activations: Activation[] = [];
  /** Borders of fragments since the last message. */
  #borders = 0;
  readonly #open: OpenBlock[] = [];
  /** Per participant its open bars, each with how many were opened before it anywhere. */
  readonly #bars = new Map<string, number[]>();
  #barsOpened = 0;
  readonly #boxOf = new Map<string, number>();
  #boxes = 0;
  #tooDeep = false;
  #title: string | undefined;
  #created: Spelled | null = null;
  #destroyed: Spelled | null = null;
  /** Who has a `destroy` since the last message. */
  readonly #destroyedNext = new Set<string>();
  /** The line of the last `end`, to explain `end loop`. */
  #endedOnLine = 0;

  constructor(findings: Findings, place: (offset: number) => Place, title: string | undefined) {
    this.#findings = findings;
    this.#place = place;
    this.#title = title;
  }

  /** Takes the next statement. */
  add(statement: Statement): void {
    if (this.#open.at(-1)?.word === 'box' && !this.#fitsBox(statement)) return;
    switch (statement.kind) {
      case 'participant':
        this.#declare(statement);
        return;
      case 'destroy':
        this.#destroy(decodeEntities(statement.name.text), statement.offset);
        return;
      case 'message':
        this.#message(statement);
        return;
      case 'note':
        this.#note(statement);
        return;
      case 'bar':
        this.#bar(decodeEntities(statement.name.text), statement.on, statement.offset);
        return;
      case 'mention':
        this.#mention(statement.name);
        return;
      case 'title':
        this.#title = decodeEntities(statement.text.slice(/^title:/i.test(statement.text) ? 7 : 6).trim());
        return;
      case 'open':
        this.#openBlock(statement);
        return;
      case 'divide':
        this.#divide(statement);
        return;
      case 'end':
        this.#end(statement);
        return;
      case 'header':
        this.#findings.error({
          code: 'MER101',
          offset: statement.offset,
          length: 'sequenceDiagram'.length,
          message: 'a second sequenceDiagram begins inside the first',
          hint: 'one diagram, one sequenceDiagram: put the second into its own file or fence',
        });
        return;
      case 'accessibility':
      case 'stray':
      case 'nothing':
    }
  }

  /** The diagram, after the last statement. */
  finish(name: string, file: string): Diagram {
    for (const block of this.#open) {
      if (this.#findings.enough || this.#tooDeep) break;
      this.#unclosed(block);
    }
    return {
      name,
      file,
      dialect: 'mermaid',
      ...(this.#title === undefined || this.#title === '' ? {} : { title: this.#title }),
      participants: [...this.#participants.values()],
      messages: this.#messages,
      fragments: this.#fragments,
      items: this.#items,
      notes: this.#notes,
      activations: this.#activations,
      steps: [],
    };
  }

  /** Whether blocks are nested too deeply to read on. */
  get tooDeep(): boolean {
    return this.#tooDeep;
  }

  /** Who is known by which id and label, for warnings. */
  get participants(): ReadonlyMap<string, Participant> {
    return this.#participants;
  }

  /** How and where each of them is named first, in that order. */
  get firstNames(): ReadonlyMap<string, Spelled> {
    return this.#firstNames;
  }

  #fitsBox(statement: Statement): boolean {
    const allowed = ['participant', 'destroy', 'end'].includes(statement.kind);
    if (allowed && !(statement.kind === 'participant' && statement.created)) return true;
    this.#findings.error({
      code: 'MER114',
      offset: statement.offset,
      message: 'a box holds declarations of participants only',
      hint: 'close the box with end before the first message, note or block',
    });
    // The block's own end is still to come and must find it.
    if (statement.kind === 'open') this.#openBlock(statement);
    return false;
  }

  #mention(name: Spelled): string {
    const id = decodeEntities(name.text);
    if (!this.#participants.has(id)) this.#create(id, name, 'participant', id);
    return id;
  }

  #create(id: string, name: Spelled, kind: ParticipantKind, label: string): Drafted {
    const drafted: Drafted = { id, label, kind, at: this.#place(name.offset) };
    this.#participants.set(id, drafted);
    this.#firstNames.set(id, name);
    return drafted;
  }

  #declare(statement: Of<'participant'>): void {
    const { name, created } = statement;
    const id = decodeEntities(name.text);
    const known = this.#participants.get(id);
    if (created && known !== undefined) {
      this.#findings.error({
        code: 'MER116',
        offset: name.offset,
        length: name.text.length,
        message: `"${excerpt(id)}" exists already and cannot be created`,
        hint: `create it under another name with the same label: create participant ${excerpt(id)}2 as ${excerpt(id)}`,
      });
      return;
    }
    const { label, kind } = this.#described(statement, id);
    const drafted = known ?? this.#create(id, name, kind ?? 'participant', label ?? id);
    // Mermaid takes a second declaration seriously only if it brings a label.
    if (known !== undefined && label !== null) {
      drafted.label = label;
      drafted.kind = kind ?? 'participant';
    }
    this.#putIntoBox(id, name);
    if (created) this.#awaitCreation({ text: id, offset: statement.offset });
  }

  #described(statement: Of<'participant'>, id: string): { label: string | null; kind: ParticipantKind | null } {
    const own = statement.label === null ? null : shownText(statement.label);
    const keyword = statement.actor ? 'actor' : 'participant';
    if (statement.metadata === null) return { label: own, kind: keyword };
    const read = readMetadata(statement.metadata.text);
    if (read.kind === 'bad') {
      this.#findings.error({
        code: 'MER119',
        offset: statement.metadata.offset,
        message: `the settings of "${excerpt(id)}" cannot be read: ${read.message}`,
        hint: 'write them on one line: @{ "type": "database", "alias": "Label" }',
      });
      return { label: own, kind: keyword };
    }
    const type = read.strings.get('type');
    const alias = read.strings.get('alias');
    if (type !== undefined && !isParticipantKind(type)) {
      this.#findings.warning({
        code: 'MER170',
        offset: statement.metadata.offset,
        message: `Mermaid knows no participant of type "${excerpt(type)}"`,
        hint: `use one of ${PARTICIPANT_KINDS.join(', ')}`,
      });
    }
    const kind = type === undefined ? keyword : isParticipantKind(type) ? type : 'participant';
    // What stands behind `as` counts, unless it only repeats the name.
    const useAlias = alias !== undefined && alias !== '' && (own === null || own === id);
    return { label: useAlias ? decodeEntities(alias) : own, kind };
  }

  #putIntoBox(id: string, name: Spelled): void {
    if (this.#open.at(-1)?.word !== 'box') return;
    if ((this.#boxOf.get(id) ?? this.#boxes) !== this.#boxes) {
      this.#findings.error({
        code: 'MER121',
        offset: name.offset,
        length: name.text.length,
        message: `"${excerpt(id)}" stands in two boxes`,
        hint: 'declare a participant in one box only',
      });
      return;
    }
    this.#boxOf.set(id, this.#boxes);
  }

  #awaitCreation(created: Spelled): void {
    if (this.#created !== null) {
      this.#findings.warning({
        code: 'MER157',
        offset: this.#created.offset,
        message: `no message creates "${excerpt(this.#created.text)}": another create comes first`,
        hint: 'put the message that creates a participant directly below its create',
      });
    }
    this.#created = created;
  }

  #message(statement: Of<'message'>): void {
    const left = this.#mention(statement.from);
    const right = this.#mention(statement.to);
    this.#settleLife(statement.offset, left, right);
    const { line, head, direction } = statement.arrow;
    const text = shownText(statement.text);
    const at = this.#place(statement.offset);
    if (direction === 'backward') this.#warnOfBackward(statement, left, right);
    const there: Message = { from: left, to: right, text, line, head, at };
    const back: Message = { ...there, from: right, to: left };
    if (direction === 'both') this.#bothWays(there, back);
    else this.#put({ message: this.#messages.push(direction === 'forward' ? there : back) - 1 });
    // What stands for an arrow both ways ends below it.
    this.#borders = direction === 'both' ? 1 : 0;
    if (statement.bar === '+') this.#bar(right, true, statement.offset);
    if (statement.bar === '-') this.#endSenderBar(left, right, statement.offset);
  }

  #warnOfBackward({ arrow, offset }: Of<'message'>, left: string, right: string): void {
    this.#findings.warning({
      code: 'MER166',
      offset,
      message: `the head of this arrow is at the left: the message goes from "${excerpt(right)}" to "${excerpt(left)}"`,
      hint: `write ${excerpt(right)}${forwardSpelling(arrow)}${excerpt(left)}: text, where the sender stands first`,
    });
  }

  /** One message each way, in either order: which is what `par` means. */
  #bothWays(there: Message, back: Message): void {
    const operands = [there, back].map((message) => {
      const index = this.#messages.push(message) - 1;
      return { guard: '', at: message.at, items: [{ message: index }] };
    });
    this.#put({ fragment: this.#fragments.push({ kind: 'par', at: there.at, operands }) - 1 });
  }

  #destroy(id: string, offset: number): void {
    this.#destroyed = { text: id, offset };
    this.#destroyedNext.add(id);
    delete this.#participants.get(id)?.destroyedBy;
  }

  /** The first message after `create` must go to the created one, the first after `destroy` touch the destroyed one. */
  #settleLife(offset: number, left: string, right: string): void {
    const index = this.#messages.length;
    if (this.#created !== null) {
      const created = this.#participants.get(this.#created.text);
      if (this.#created.text === right && created !== undefined) created.createdBy = index;
      else this.#lifeError(offset, this.#created, 'create', `a message to it`);
      this.#created = null;
    } else if (this.#destroyed !== null) {
      const touched = this.#destroyed.text === left || this.#destroyed.text === right;
      if (!touched) this.#lifeError(offset, this.#destroyed, 'destroy', `a message from or to it`);
      this.#destroyed = null;
    } else {
      this.#warnAfterDestruction(offset, left, right);
    }
    // Mermaid notes each destruction where it stands, also below a create that is settled first.
    for (const id of this.#destroyedNext) {
      const destroyed = this.#participants.get(id);
      if ((id === left || id === right) && destroyed !== undefined) destroyed.destroyedBy = index;
    }
    this.#destroyedNext.clear();
  }

  #lifeError(offset: number, { text, offset: from }: Spelled, word: 'create' | 'destroy', wanted: string): void {
    this.#findings.error({
      code: 'MER115',
      offset,
      message: `the first message after "${word} ${excerpt(text)}" (line ${this.#place(from).line}) must be ${wanted}`,
      hint: `put ${word} ${excerpt(text)} directly above the message that does it`,
    });
  }

  #warnAfterDestruction(offset: number, left: string, right: string): void {
    const gone = [left, right].find((id) => this.#participants.get(id)?.destroyedBy !== undefined);
    if (gone === undefined) return;
    this.#findings.warning({
      code: 'MER162',
      offset,
      message: `"${excerpt(gone)}" was destroyed above and still takes part in a message`,
      hint: 'move its destroy below, or use another participant',
    });
  }

  #note({ participants, placement, text, offset }: Of<'note'>): void {
    this.#notes.push({
      text: shownText(text),
      placement,
      participants: participants.map((name) => this.#mention(name)),
      at: this.#place(offset),
      ...this.#here(),
    });
  }

  /** Where between the messages something stands. */
  #here(): { readonly before: number; readonly borders?: number } {
    const before = this.#messages.length;
    return this.#borders === 0 ? { before } : { before, borders: this.#borders };
  }

  #bar(participant: string, on: boolean, offset: number): void {
    const open = this.#bars.get(participant) ?? [];
    if (on) {
      open.push(this.#barsOpened);
      this.#barsOpened += 1;
      this.#bars.set(participant, open);
    } else if (open.pop() === undefined) {
      this.#findings.error({
        code: 'MER122',
        offset,
        message: `"${excerpt(participant)}" has no open activation to end here`,
        hint: 'a "-" behind an arrow deactivates the sender; in an alt, end an activation in one branch or behind it, since Mermaid counts from top to bottom',
      });
      return;
    }
    this.#activations.push({ participant, on, ...this.#here() });
  }

  /** `A->>-B` ends the activation of A, which surprises whoever just activated B. */
  #endSenderBar(sender: string, receiver: string, offset: number): void {
    const own = this.#bars.get(sender)?.at(-1);
    const other = this.#bars.get(receiver)?.at(-1);
    if (sender !== receiver && own !== undefined && other !== undefined && other > own) {
      this.#findings.warning({
        code: 'MER167',
        offset,
        message: `"-" ends the activation of the sender "${excerpt(sender)}", not of "${excerpt(receiver)}", which was activated last`,
        hint: `if the receiver is meant, write no "-" and deactivate ${excerpt(receiver)} on the next line`,
      });
    }
    this.#bar(sender, false, offset);
  }

  #put(item: Item): void {
    const operand = this.#open.at(-1)?.fragment?.operands.at(-1);
    (operand?.items ?? this.#items).push(item);
  }

  #openBlock({ block, label, offset }: Of<'open'>): void {
    const at = this.#place(offset);
    if (this.#open.length >= NESTING_MAX) {
      this.#tooDeep = true;
      this.#findings.error({
        code: 'MER125',
        offset,
        message: `blocks are nested ${NESTING_MAX} deep here, and this text is not read on`,
        hint: 'close what is open with end, or draw the inner blocks in a diagram of their own',
      });
      return;
    }
    const afterEnd = this.#endedOnLine === at.line;
    if (block === 'box') {
      this.#boxes += 1;
      this.#open.push({ word: block, offset, fragment: null, afterEnd });
      return;
    }
    const fragment: DraftedFragment = { kind: block, at, operands: [{ guard: shownText(label), at, items: [] }] };
    this.#put({ fragment: this.#fragments.push(fragment) - 1 });
    this.#open.push({ word: block, offset, fragment, afterEnd });
    this.#borders += 1;
  }

  #divide({ divider, label, offset }: Of<'divide'>): void {
    const block = this.#open.at(-1);
    if (block?.fragment != null && DIVIDED.get(block.word) === divider) {
      block.fragment.operands.push({ guard: shownText(label), at: this.#place(offset), items: [] });
      this.#borders += 1;
      return;
    }
    const where = block === undefined ? 'no block is open' : `the open block is ${withArticle(block.word)}`;
    this.#findings.error({
      code: 'MER109',
      offset,
      length: divider.length,
      message: `"${divider}" belongs directly into ${withArticle(DIVIDES[divider])}, but here ${where}`,
      hint: `close what is open with end first, or begin the block with ${DIVIDES[divider]}`,
    });
  }

  #end({ offset }: Of<'end'>): void {
    this.#endedOnLine = this.#place(offset).line;
    const block = this.#open.pop();
    if (block !== undefined) {
      if (block.fragment !== null) this.#borders += 1;
      return;
    }
    this.#findings.error({
      code: 'MER108',
      offset,
      length: 'end'.length,
      message: '"end" closes nothing: no block is open here',
      hint: 'remove it, or open a block above; a participant called "end" needs another name',
    });
  }

  #unclosed({ word, offset, afterEnd }: OpenBlock): void {
    this.#findings.error({
      code: 'MER107',
      offset,
      length: word.length,
      message: `this ${word} is never closed`,
      hint: afterEnd
        ? `write "end" alone: "end ${word}" opens another ${word}`
        : 'write end on the line after its last message',
    });
  }
}
