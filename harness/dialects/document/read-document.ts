import type { Diagnostic, Read } from '../../diagnostics/index.ts';
import { type Diagram, type TextSource, wholeFile } from '../../diagram/index.ts';
import { isClearlyDrawn, isErrorPage, lacksHeads, looksLikeAscii, readAscii, seemsDrawn } from '../ascii/index.ts';
import { looksLikeMermaid, otherKindOf, readMermaid } from '../mermaid/index.ts';
import { looksLikeSteps, readSteps } from '../steps/index.ts';
import { type CommentBlock, drawingsInComments } from './comment-blocks.ts';
import { type Caption, type Fence, linesOf, type MarkdownParts, partsOfMarkdown, type Refusal } from './markdown.ts';
import { markedBlocksIn } from './marked-blocks.ts';
import { covers, fileNameCaptions, type Unfenced, unfencedIn } from './unfenced.ts';

/** A longer document is refused: 16 Mi UTF-16 code units, far more than anybody draws, and read in seconds. */
export const DOCUMENT_LENGTH_MAX = 16 * 1024 * 1024;

type Reader = (text: string, source: TextSource) => Read<Diagram>;
type DocumentRead = Read<readonly Diagram[]>;

/** File endings with a fixed reader; any other file is a text that says by its content what it is. */
const READERS: ReadonlyMap<string, (text: string, file: string) => DocumentRead> = new Map([
  ['mmd', readMermaidFile],
  ['mermaid', readMermaidFile],
  ['md', readMarkdown],
  ['markdown', readMarkdown],
  ['mdx', readMarkdown],
  ['puml', refuseSource],
  ['plantuml', refuseSource],
]);

/** Words behind a fence that promise a drawing, perhaps another one than a sequence. */
const DRAWING_INFO: ReadonlySet<string> = new Set([
  'ascii',
  'asciiart',
  'ascii-art',
  'art',
  'aa',
  'diagram',
  'ditaa',
  'drawing',
  'sequence-diagram',
]);
/** Words behind a fence that promise a source of another tool, which may say a sequence. */
const FOREIGN_INFO: ReadonlyMap<string, string> = new Map([
  ['plantuml', 'PlantUML'],
  ['puml', 'PlantUML'],
  ['uml', 'PlantUML'],
  ['plantuml-svg', 'PlantUML'],
  ['sequence', 'js-sequence-diagrams'],
  ['seqdiag', 'seqdiag'],
  ['websequencediagrams', 'WebSequenceDiagrams'],
  ['zenuml', 'ZenUML'],
]);
/** Words behind a fence that promise no language, so that the block may be a drawing. */
const PLAIN_INFO: ReadonlySet<string> = new Set(['', 'text', 'txt', 'plain', 'plaintext', 'none']);
/** Words behind a fence that promise Mermaid. */
export const MERMAID_INFO: ReadonlySet<string> = new Set(['mermaid', '{mermaid}', '{.mermaid}', 'mmd']);

/**
 * Every sequence diagram in a document, in document order, by the ending of its name and by its content. A document without any is an error.
 */
export function readDocument(text: string, file: string): DocumentRead {
  if (text.length > DOCUMENT_LENGTH_MAX) {
    return refused(
      file,
      'DOC102',
      `this document has ${text.length} characters; at most ${DOCUMENT_LENGTH_MAX} are read`,
      'put the diagrams into a file of their own',
    );
  }
  const read = READERS.get(endingOf(file)) ?? readPlain;
  return read(text, file);
}

const baseName = (file: string): string => file.slice(Math.max(file.lastIndexOf('/'), file.lastIndexOf('\\')) + 1);

/** What stands behind the last dot, in lower case. */
export const endingOf = (file: string): string => {
  const name = baseName(file);
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase();
};

function one(read: Reader, text: string, file: string): DocumentRead {
  const { value, diagnostics } = read(text, wholeFile(file, baseName(file)));
  return { value: [value], diagnostics };
}

function refused(file: string, code: string, message: string, hint: string): DocumentRead {
  return { value: [], diagnostics: [{ code, severity: 'error', message, hint, file, line: 1, column: 1 }] };
}

function refuseSource(_text: string, file: string): DocumentRead {
  return refused(
    file,
    'DOC103',
    'PlantUML source is not read, but what PlantUML draws of it is',
    `run plantuml -utxt ${baseName(file)} and give the .utxt file`,
  );
}

function noDiagram(text: string, file: string): DocumentRead {
  return refused(
    file,
    'DOC101',
    'there is no sequence diagram in this document',
    hintFor(text) ??
      'draw one in a ```mermaid fence that begins with sequenceDiagram, as a text drawing in a plain fence, or as a numbered list of steps',
  );
}

/** `A -> B: x`, perhaps behind a comment sign or the sign of a list. */
const WORDED_ARROW = /^\W{0,12}[\p{L}\p{N}_][^:<>|]{0,60}?(?:-{1,2}>|=>|→)[^:<>|\n]{1,60}:[^:\n]/mu;
/** A row of a ladder: a shaft with a head, and text in it at most; it stands apart from the left margin or is long. */
const RUNG = /^\s*(?:[─-]{3,}[^|│]*[>►▶]|[<◄◀][^|│]*[─-]{3,})\s*$/;
const RUNGS_MIN = 2;
const COLUMNS_MIN = 3;
const ROW_LENGTH_MAX = 400;

/** What is missing in a text that is nearly a diagram; null where nothing is known of it. */
function hintFor(text: string): string | null {
  if (WORDED_ARROW.test(text))
    return 'arrows as text (`A -> B: x`) are not read: write them in a ```mermaid fence that begins with sequenceDiagram, as A->>B: x';
  return hasLadder(text) ? 'more than two columns need lifelines: draw | under each name, from row to row' : null;
}

/** Whether names stand side by side over arrows, and no lifelines run down. */
function hasLadder(text: string): boolean {
  let above = '';
  let names = 0;
  let rungs = 0;
  for (const line of linesOf(text)) {
    if (line.trim() === '' || line.length > ROW_LENGTH_MAX) continue;
    if (RUNG.test(line)) {
      if (rungs === 0) names = /[|│<>─]|--/.test(above) ? 0 : above.trim().split(/\s{2,}/).length;
      rungs += 1;
      if (names >= COLUMNS_MIN && rungs >= RUNGS_MIN) return true;
      continue;
    }
    above = line;
    rungs = 0;
  }
  return false;
}

/** Not an error: a document may draw other things than sequences, and only those can be checked. */
function noSequence(file: string, kind: string): DocumentRead {
  const { value, diagnostics } = refused(
    file,
    'DOC106',
    `there is a Mermaid diagram here, but no sequence diagram: ${kind}`,
    'nothing to do: only sequence diagrams say in which order messages go',
  );
  return { value, diagnostics: diagnostics.map((diagnostic) => ({ ...diagnostic, severity: 'info' })) };
}

function readMermaidFile(text: string, file: string): DocumentRead {
  const kind = otherKindOf(text);
  return kind === null ? one(readMermaid, text, file) : noSequence(file, kind);
}

function readPlain(text: string, file: string): DocumentRead {
  if (looksLikeMermaid(text)) return one(readMermaid, text, file);
  const inComments = drawingsInComments(linesOf(text));
  if (inComments.length > 0) return readAll(inComments.map(inComment), file, []);
  if (looksLikeAscii(text)) return one(readAscii, text, file);
  if (looksLikeSteps(text)) return one(readSteps, text, file);
  const kind = otherKindOf(text);
  if (kind !== null) return noSequence(file, kind);
  // A drawing that cannot be read is told what is wrong with it, not that it is none.
  return seemsDrawn(text) || isErrorPage(text) ? one(readAscii, text, file) : noDiagram(text, file);
}

const inComment = ({ startLine, text }: CommentBlock): Found => ({
  startLine,
  text,
  place: (line, column) => ({ line: startLine + line - 1, column }),
  read: readAscii,
});

/** A diagram in a document, not yet read. */
interface Found {
  readonly startLine: number;
  readonly text: string;
  readonly place: TextSource['place'];
  readonly read: Reader;
}

function readMarkdown(text: string, file: string): DocumentRead {
  const lines = linesOf(text);
  const parts = partsOf(lines);
  if (parts.kind !== 'parts') return refusedMarkdown(file, parts);
  const unfenced = unfencedIn(lines, parts.fences);
  const inFences = parts.fences.map((fence) => ({ fence, found: inFence(fence) }));
  const passed = inFences.flatMap(({ fence, found }) => (found.length > 0 ? [] : passedOver(fence, file)));
  const found = [...inFences.flatMap((one) => one.found), ...unfenced.map((range) => withoutFence(lines, range))];
  found.sort((a, b) => a.startLine - b.startLine);
  const captions = captionsOf(lines, parts, unfenced);
  const read = found.length === 0 ? readWithoutDiagram(text, file, parts) : readAll(found, file, captions);
  if (passed.length === 0) return read;
  return { ...read, diagnostics: [...read.diagnostics, ...passed].sort((a, b) => a.line - b.line) };
}

/** Fences, and what other flavours of Markdown have instead. */
export function partsOf(lines: readonly string[]): MarkdownParts | Refusal {
  const parts = partsOfMarkdown(lines);
  if (parts.kind !== 'parts') return parts;
  const blocks = markedBlocksIn(lines, parts.fences);
  if (blocks.length === 0) return parts;
  return { ...parts, fences: [...parts.fences, ...blocks].sort((a, b) => a.startLine - b.startLine) };
}

function readWithoutDiagram(text: string, file: string, { fences }: MarkdownParts): DocumentRead {
  if (looksLikeSteps(text)) return one(readSteps, text, file);
  for (const fence of fences) {
    const kind = MERMAID_INFO.has(fence.info) ? otherKindOf(fence.text) : null;
    if (kind !== null) return noSequence(file, kind);
  }
  return noDiagram(text, file);
}

function refusedMarkdown(file: string, { kind, line }: Refusal): DocumentRead {
  const hint = 'put the diagrams into a file of their own';
  const refusal =
    kind === 'nesting'
      ? refused(file, 'DOC104', 'quotes and lists are nested too deeply here', hint)
      : refused(file, 'DOC105', 'this document is too long from here on to be read as Markdown', hint);
  return { ...refusal, diagnostics: refusal.diagnostics.map((diagnostic) => ({ ...diagnostic, line })) };
}

function inFence({ info, text, startLine, place }: Fence): readonly Found[] {
  const found = (read: Reader): readonly Found[] => [{ startLine, text, place, read }];
  if (MERMAID_INFO.has(info)) return /^\s*sequence-?diagram/im.test(text) ? found(readMermaid) : [];
  const isDrawing = DRAWING_INFO.has(info);
  if (!isDrawing && !PLAIN_INFO.has(info)) return [];
  if (looksLikeMermaid(text)) return found(readMermaid);
  // What is wrong with a drawing is told; what only seems to be one is passed over, unless its author calls it a drawing.
  const isMeant = looksLikeAscii(text) || (isDrawing ? seemsDrawn(text) || isErrorPage(text) : isClearlyDrawn(text));
  return isMeant ? found(readAscii) : [];
}

/** Messages in Mermaid, and in what else is written as text. */
const MERMAID_MESSAGE = /^\s*[^\s%][^:]*?-{1,2}(?:>>?|[x)])[^:]*:/m;
const FOREIGN_MESSAGE = /^\s*[^\s'@][^:\n]*?(?:<-{1,2}|-{1,2}>)/m;

/** Fences that promise a diagram which is not read: nobody should think that it was. */
function passedOver({ info, text, startLine }: Fence, file: string): readonly Diagnostic[] {
  const at = { file, line: startLine, column: 1 };
  const tool = FOREIGN_INFO.get(info);
  if (tool !== undefined) {
    if (!FOREIGN_MESSAGE.test(text)) return [];
    const message = `this ${tool} source is not read`;
    const hint = `draw the sequence in a \`\`\`mermaid fence, or as text${tool === 'PlantUML' ? ': plantuml -utxt does' : ''}`;
    return [{ code: 'DOC107', severity: 'warning', message, hint, ...at }];
  }
  if (!MERMAID_INFO.has(info)) {
    if (PLAIN_INFO.has(info) && lacksHeads(text)) {
      const message = 'this drawing has lifelines and lines between them, but no heads of arrows, and is not read';
      const hint = 'end each arrow with a head, > or <, right before a lifeline';
      return [{ code: 'DOC110', severity: 'warning', message, hint, ...at }];
    }
    if (!DRAWING_INFO.has(info)) return [];
    const message = `this fence is called "${info}", but no sequence diagram can be seen in it`;
    const hint = 'nothing to do if it draws something else; else draw at least two named lifelines and an arrow';
    return [{ code: 'DOC109', severity: 'info', message, hint, ...at }];
  }
  if (otherKindOf(text) !== null) return [];
  const word = /^\s*(\S{1,40})/.exec(text)?.[1];
  const message =
    word === undefined
      ? 'this Mermaid fence is empty'
      : `this Mermaid fence begins with ${JSON.stringify(word)}, which is no kind of diagram`;
  const severity = MERMAID_MESSAGE.test(text) ? 'error' : 'warning';
  return [{ code: 'DOC108', severity, message, hint: 'begin a sequence diagram with sequenceDiagram', ...at }];
}

function withoutFence(lines: readonly string[], { startLine, endLine }: Unfenced): Found {
  return {
    startLine,
    text: lines.slice(startLine - 1, endLine).join('\n'),
    place: (line, column) => ({ line: startLine + line - 1, column }),
    read: readMermaid,
  };
}

/** Headings and file names from top to bottom, without those that only seem so: in a diagram, or in front matter. */
function captionsOf(
  lines: readonly string[],
  { fences, headings }: MarkdownParts,
  unfenced: readonly Unfenced[],
): readonly Caption[] {
  const frontMatterEnd = lines[0]?.trimEnd() === '---' ? lines.indexOf('---', 1) + 1 : 0;
  const inDiagram = covers(unfenced, lines.length);
  const captions = [
    ...headings.filter(({ line, text }) => text !== '' && !inDiagram(line)),
    ...fileNameCaptions(lines, covers([...fences, ...unfenced], lines.length)),
  ];
  return captions.filter(({ line }) => line > frontMatterEnd).sort((a, b) => a.line - b.line);
}

function readAll(found: readonly Found[], file: string, captions: readonly Caption[]): DocumentRead {
  const unique = new UniqueNames();
  const diagrams: Diagram[] = [];
  const diagnostics: Diagnostic[] = [];
  let caption = -1;
  for (const { startLine, text, place, read } of found) {
    while ((captions[caption + 1]?.line ?? Infinity) < startLine) caption += 1;
    const name = unique.of(captions[caption]?.text ?? baseName(file));
    const one = read(text, { file, name, place });
    diagrams.push(one.value);
    diagnostics.push(...one.diagnostics);
  }
  return { value: diagrams, diagnostics };
}

/** Gives every diagram of a document its own name: the second under one heading becomes `Heading (2)`. */
class UniqueNames {
  readonly #given = new Set<string>();
  readonly #counts = new Map<string, number>();

  of(name: string): string {
    let count = this.#counts.get(name) ?? 1;
    let unique = count === 1 ? name : `${name} (${count})`;
    while (this.#given.has(unique)) {
      count += 1;
      unique = `${name} (${count})`;
    }
    this.#given.add(unique);
    this.#counts.set(name, count + 1);
    return unique;
  }
}
