import { hasErrors } from '../../../diagnostics/index.ts';
import { type Diagram, type Message, walkDiagram, wholeFile } from '../../../diagram/index.ts';
import { readMermaid } from '../read-mermaid.ts';
import type { MermaidAnswer, MermaidRecord } from './mermaid.ts';

/** One thing as both sides are compared: name, ends and text of a message; name and label of a block; id, label and type of a participant. */
export type Comparable = readonly (string | number | null)[];

/** What a diagram says, in a form that can be made of our diagram and of Mermaid's answer alike. */
export interface Content {
  readonly title: string;
  /** With the indices of the messages that create and destroy. */
  readonly participants: readonly Comparable[];
  /** Messages and blocks, in order. */
  readonly records: readonly Comparable[];
  /** With the number of messages above. */
  readonly notes: readonly Comparable[];
  readonly bars: readonly Comparable[];
}

/** How we read something on purpose otherwise than Mermaid's records say. */
export interface Deviation {
  readonly name: string;
  readonly reason: string;
  readonly rewrite: (record: MermaidRecord) => readonly MermaidRecord[];
  readonly text: (text: string) => string;
}

/** How our reading of a text differs from Mermaid's answer; null if it does not. */
export type Difference =
  | { readonly kind: 'acceptance'; readonly ours: readonly string[]; readonly theirs: string | null }
  | { readonly kind: 'Mermaid 12' }
  | { readonly kind: 'content'; readonly part: keyof Content; readonly ours: unknown; readonly theirs: unknown };

const PARTS: readonly (keyof Content)[] = ['title', 'participants', 'records', 'notes', 'bars'];

/** Reads a text and compares; the deviations given explain what they explain. */
export function differenceFrom(
  text: string,
  answer: MermaidAnswer,
  deviations: readonly Deviation[] = DEVIATIONS,
): Difference | null {
  const { value, diagnostics } = readMermaid(text, wholeFile('text.mmd', 'text'));
  const accepted = !hasErrors(diagnostics);
  if (accepted !== answer.ok) {
    if (accepted && diagnostics.some(({ code }) => code === 'MER171')) return { kind: 'Mermaid 12' };
    const ours = diagnostics.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`);
    return { kind: 'acceptance', ours, theirs: answer.error ?? null };
  }
  if (!accepted) return null;
  const ours = contentOf(value);
  const theirs = contentOfAnswer(answer, deviations);
  for (const part of PARTS) {
    // Mermaid keeps a title of the front matter elsewhere.
    if (part === 'title' && theirs.title === '' && text.trimStart().startsWith('---')) continue;
    if (JSON.stringify(ours[part]) !== JSON.stringify(theirs[part])) {
      return { kind: 'content', part, ours: ours[part], theirs: theirs[part] };
    }
  }
  return null;
}

const same = (record: MermaidRecord): readonly MermaidRecord[] => [record];
const verbatim = (text: string): string => text;

const NAMED: Readonly<Record<string, string>> = { quot: '"', amp: '&', lt: '<', gt: '>', hearts: '♥', infin: '∞' };

/** That of acceptance: our lexer is the union of two versions of Mermaid, and warns where they differ. */
export const MERMAID_12 = {
  name: 'Mermaid 12',
  reason:
    'what Mermaid 12 accepts is accepted (a dash, = or blank before @{, a name that begins with the word link), with the warning MER171',
};

/** Those of content. Everything else is equal. */
export const DEVIATIONS: readonly Deviation[] = [
  {
    name: 'both ways',
    reason: '<<->> says two things: a message each way, in either order, which is a par of two operands',
    rewrite: (record) => {
      if (!record.n.startsWith('BIDIRECTIONAL_')) return [record];
      const there = { ...record, n: record.n.slice('BIDIRECTIONAL_'.length) };
      const back = { ...there, ...ends(there.to, there.from) };
      return [{ n: 'PAR_START', msg: '' }, there, { n: 'PAR_AND', msg: '' }, back, { n: 'PAR_END' }];
    },
    text: verbatim,
  },
  {
    name: 'reversed half arrow',
    reason:
      'its head is drawn at the left name, so the message goes from right to left; Mermaid records the names as typed',
    rewrite: (record) => {
      if (!record.n.includes('_REVERSE')) return [record];
      return [
        { ...record, ...ends(record.to, record.from), n: record.n.replace('_ARROW', '').replace('_REVERSE', '') },
      ];
    },
    text: verbatim,
  },
  {
    name: 'entity code',
    reason: 'a name, label or text is what a reader sees: #35; is #; Mermaid leaves the decoding to the browser',
    rewrite: same,
    text: (text) =>
      text.replace(/#(?:(\d+)|(\w+));/g, (whole, point?: string, name?: string) => {
        if (point !== undefined) return Number(point) <= 0x10ffff ? String.fromCodePoint(Number(point)) : whole;
        return NAMED[name ?? ''] ?? whole;
      }),
  },
  {
    name: 'unknown type',
    reason: 'a type that Mermaid does not know is drawn as a plain participant, and is one to us (with a warning)',
    rewrite: same,
    text: verbatim,
  },
];

const KINDS = new Set('participant actor boundary control entity database collections queue'.split(' '));

const ends = (from: string | undefined, to: string | undefined): Pick<MermaidRecord, 'from' | 'to'> => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});

const isMessage = ({ n, from }: MermaidRecord): boolean => from !== undefined && !/^(?:ACTIVE|NOTE|CENTRAL)/.test(n);

/** Mermaid's answer, rewritten by the deviations that are given. */
export function contentOfAnswer(
  { title = '', actors = [], messages = [], created = [], destroyed = [] }: MermaidAnswer,
  deviations: readonly Deviation[],
): Content {
  const read = (text: unknown): string =>
    deviations.reduce((done, { text }) => text(done), typeof text === 'string' ? text : '');
  const known = deviations.some(({ name }) => name === 'unknown type');
  const pieces = messages.map((record) =>
    deviations.reduce<readonly MermaidRecord[]>((done, { rewrite }) => done.flatMap(rewrite), [record]),
  );
  const records = pieces.flat();
  // How many messages stand above each of Mermaid's own records.
  const above = [0];
  for (const piece of pieces) above.push((above.at(-1) ?? 0) + piece.filter(isMessage).length);
  const touching = (index: number | undefined, fits: (record: MermaidRecord) => boolean): number | null => {
    if (index === undefined) return null;
    const next = messages.findIndex((record, at) => at >= index && isMessage(record));
    const found = messages[next];
    return found !== undefined && fits(found) ? (above[next] ?? null) : null;
  };
  const createdAt = new Map(created);
  const destroyedAt = new Map(destroyed);
  return {
    // Blanks that entity codes stand for are compared where they count, in texts.
    title: read(title).trim(),
    participants: actors.map(({ id, description, type }) => [
      read(id),
      read(description),
      known && !KINDS.has(type) ? 'participant' : type,
      touching(createdAt.get(id), ({ to }) => to === id),
      touching(destroyedAt.get(id), ({ from, to }) => from === id || to === id),
    ]),
    records: records
      .filter(({ n }) => !/^(?:ACTIVE|NOTE|CENTRAL|AUTONUMBER)/.test(n))
      .map((record) =>
        isMessage(record)
          ? [record.n, read(record.from), read(record.to), read(record.msg)]
          : [record.n, record.n.endsWith('_END') ? '' : read(record.msg)],
      ),
    ...besides(pieces, above, read),
  };
}

function besides(
  pieces: readonly (readonly MermaidRecord[])[],
  above: readonly number[],
  read: (text: unknown) => string,
): Pick<Content, 'notes' | 'bars'> {
  const placed = pieces.flatMap((piece, index) => piece.map((record) => ({ record, before: above[index] ?? 0 })));
  return {
    notes: placed
      .filter(({ record }) => record.n === 'NOTE')
      .map(({ record: { from, to, msg, placement }, before }) => [
        ['left', 'right', 'over'][placement ?? 2] ?? 'over',
        read(from),
        read(to),
        read(msg),
        before,
      ]),
    bars: placed
      .filter(({ record }) => record.n.startsWith('ACTIVE_'))
      .map(({ record: { n, from }, before }) => [n, read(from), before]),
  };
}

/** Our diagram. */
export function contentOf(diagram: Diagram): Content {
  return {
    title: (diagram.title ?? '').trim(),
    participants: diagram.participants.map(({ id, label, kind, createdBy, destroyedBy }) => [
      id,
      label,
      kind,
      createdBy ?? null,
      destroyedBy ?? null,
    ]),
    records: [...recordsOf(diagram)],
    notes: diagram.notes.map(({ participants, text, placement, before }) => [
      placement,
      participants[0] ?? null,
      participants.at(-1) ?? null,
      text,
      before,
    ]),
    bars: diagram.activations.map(({ participant, on, before }) => [
      on ? 'ACTIVE_START' : 'ACTIVE_END',
      participant,
      before,
    ]),
  };
}

const DIVIDERS: Readonly<Record<string, string>> = {
  alt: 'ALT_ELSE',
  par: 'PAR_AND',
  par_over: 'PAR_AND',
  critical: 'CRITICAL_OPTION',
};

function* recordsOf(diagram: Diagram): Generator<Comparable> {
  for (const event of walkDiagram(diagram)) {
    if (event.kind === 'message') {
      yield [nameOf(event.message), event.message.from, event.message.to, event.message.text];
    } else if (event.kind === 'operand') {
      const kind = diagram.fragments[event.inside.fragment]?.kind ?? '';
      yield [event.index === 0 ? `${kind.toUpperCase()}_START` : (DIVIDERS[kind] ?? ''), event.operand.guard];
    } else if (event.kind === 'leave') {
      yield [`${event.fragment.kind.toUpperCase().replace('PAR_OVER', 'PAR')}_END`, ''];
    }
  }
}

function nameOf({ line, head }: Message): string {
  const stem = line === 'solid' ? 'SOLID' : 'DOTTED';
  switch (head) {
    case 'arrow':
      return stem;
    case 'none':
      return `${stem}_OPEN`;
    case 'cross':
      return `${stem}_CROSS`;
    case 'open':
      return `${stem}_POINT`;
    case 'half-top':
    case 'half-bottom':
    case 'stick-top':
    case 'stick-bottom': {
      const [shape, side] = head.toUpperCase().split('-');
      return `${shape === 'HALF' ? 'SOLID' : 'STICK'}_${side ?? ''}${line === 'solid' ? '' : '_DOTTED'}`;
    }
  }
}
