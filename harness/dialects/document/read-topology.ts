import type { Diagnostic, Read } from '../../diagnostics/index.ts';
import { checkTopology, type Diagram, type Topology, type TopologyFinding } from '../../diagram/index.ts';
import { looksLikeArchitecture, readArchitecture } from '../mermaid/index.ts';
import { type Fence, linesOf } from './markdown.ts';
import { endingOf, MERMAID_INFO, partsOf, readDocument } from './read-document.ts';

interface PlacedTopology {
  readonly line: number;
  readonly topology: Topology;
}

/**
 * `readDocument`, and for each diagram the topology that the document draws in an `architecture-beta` block: the nearest one above,
 * else the first. A message between services that it does not connect is an error. Only a document with such a block waits.
 */
export async function readDocumentWithTopology(text: string, file: string): Promise<Read<readonly Diagram[]>> {
  const read = readDocument(text, file);
  const fences = architecturesIn(text, file);
  if (fences.length === 0 || read.value.length === 0) return read;
  const topologies: PlacedTopology[] = [];
  const diagnostics: Diagnostic[] = [...read.diagnostics];
  for (const { text: drawn, place, startLine } of fences) {
    const { value, diagnostics: told } = await readArchitecture(drawn, { file, name: file, place });
    diagnostics.push(...told);
    // One that cannot be read forbids nothing.
    if (value.services.length > 0) topologies.push({ line: startLine, topology: value });
  }
  const diagrams = read.value.map((diagram) => withTopology(diagram, topologies));
  return { value: diagrams, diagnostics: [...diagnostics, ...diagrams.flatMap(tellTopology)] };
}

const MARKDOWN_ENDINGS: ReadonlySet<string> = new Set(['md', 'markdown', 'mdx']);

/** Only Markdown holds several drawings; the word is looked for first, since Markdown is slow to parse. */
function architecturesIn(text: string, file: string): readonly Fence[] {
  if (!MARKDOWN_ENDINGS.has(endingOf(file)) || !text.includes('architecture')) return [];
  const parts = partsOf(linesOf(text));
  if (parts.kind !== 'parts') return [];
  return parts.fences.filter(({ info, text: body }) => MERMAID_INFO.has(info) && looksLikeArchitecture(body));
}

function withTopology(diagram: Diagram, topologies: readonly PlacedTopology[]): Diagram {
  const line = diagram.messages[0]?.at.line ?? diagram.participants[0]?.at.line ?? 1;
  const nearest = topologies.findLast((placed) => placed.line < line) ?? topologies[0];
  // Steps have no participants whose connections could be looked up.
  if (nearest === undefined || diagram.dialect === 'steps') return diagram;
  return { ...diagram, topology: nearest.topology };
}

const tellTopology = (diagram: Diagram): readonly Diagnostic[] =>
  checkTopology(diagram).map((finding) => diagnosticOf(diagram, finding));

function diagnosticOf(diagram: Diagram, finding: TopologyFinding): Diagnostic {
  const { file, messages, participants } = diagram;
  const labelOf = (id: string): string => participants.find((participant) => participant.id === id)?.label ?? id;
  if (finding.kind === 'no-such-connection') {
    const { from, to } = finding;
    return {
      code: 'MER180',
      severity: 'error',
      message: `the architecture does not connect "${labelOf(from)}" and "${labelOf(to)}"`,
      hint: `draw the connection there, or the message by the way that it really takes`,
      file,
      ...(messages[finding.message]?.at ?? { line: 1, column: 1 }),
    };
  }
  const stranger = participants.find(({ id }) => id === finding.participant);
  return {
    code: 'MER181',
    severity: 'info',
    message: `"${labelOf(finding.participant)}" is no service of the architecture, so its messages are not looked up there`,
    hint: 'give the participant the id or the label of its service, if it has one',
    file,
    ...(stranger?.at ?? { line: 1, column: 1 }),
  };
}
