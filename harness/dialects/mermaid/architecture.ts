import type { Diagnostic, Read } from '../../diagnostics/index.ts';
import type { TextSource, Topology } from '../../diagram/index.ts';
import { otherKindOf } from './other-kinds.ts';

/** A larger drawing is refused: nobody looks at it, and its groups could connect all with all. */
const SERVICES_MAX = 1_000;
const LENGTH_MAX = 256 * 1024;

type Architecture = Awaited<ReturnType<typeof parseArchitecture>>;
type Edge = Architecture['edges'][number];

/** Whether a text is meant as Mermaid's drawing of services and their connections. */
export const looksLikeArchitecture = (text: string): boolean =>
  text.includes('architecture') && otherKindOf(text)?.startsWith('architecture') === true;

/** Mermaid's own parser, loaded where it is needed: it takes longer to start than everything else together. */
async function parseArchitecture(text: string) {
  const { parse } = await import('@mermaid-js/parser');
  return parse('architecture', text);
}

/**
 * Reads an `architecture-beta` drawing as a topology. An edge connects two services, in both directions: replies go back, so its
 * arrow heads say nothing here. An edge from a group (`{group}`) connects all services in it, and a junction all that meet there.
 */
export async function readArchitecture(text: string, source: TextSource): Promise<Read<Topology>> {
  const nothing: Topology = { services: [], connections: [] };
  const { file } = source;
  const refuse = (message: string, hint: string, line = 1, column = 1): Diagnostic => ({
    ...{ code: 'MER182', severity: 'error', message, hint, file },
    ...source.place(line, column),
  });
  if (text.length > LENGTH_MAX) {
    const told = refuse(
      `this drawing has ${text.length} characters; at most ${LENGTH_MAX} are read`,
      'draw less in one',
    );
    return { value: nothing, diagnostics: [told] };
  }
  let drawn: Architecture;
  try {
    drawn = await parseArchitecture(text);
  } catch (error) {
    return { value: nothing, diagnostics: mistakesIn(error, refuse) };
  }
  if (drawn.services.length > SERVICES_MAX) {
    const told = refuse(
      `there are ${drawn.services.length} services; at most ${SERVICES_MAX} are read`,
      'draw less in one',
    );
    return { value: nothing, diagnostics: [told] };
  }
  return topologyOf(drawn, source);
}

/** The parser throws its list of mistakes; anything else that it throws is one mistake without a place. */
function mistakesIn(
  error: unknown,
  refuse: (message: string, hint: string, line?: number, column?: number) => Diagnostic,
): readonly Diagnostic[] {
  const hint = 'write service name(icon)[Label] and name:R -- L:other, one on each line';
  const found = errorsOf(error).map(({ message, line, column }) =>
    refuse(`this architecture cannot be read: ${message}`, hint, line, column),
  );
  return found.length > 0 ? found : [refuse('this architecture cannot be read', hint)];
}

interface Mistake {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

const MISTAKES_MAX = 20;

function errorsOf(error: unknown): readonly Mistake[] {
  if (typeof error !== 'object' || error === null || !('result' in error)) return [];
  const { lexerErrors, parserErrors } = error.result as {
    readonly lexerErrors: readonly { readonly message: string; readonly line?: number; readonly column?: number }[];
    readonly parserErrors: readonly {
      readonly message: string;
      readonly token: { readonly startLine?: number; readonly startColumn?: number };
    }[];
  };
  const all = [
    ...lexerErrors.map(({ message, line, column }) => ({ message, line, column })),
    ...parserErrors.map(({ message, token }) => ({ message, line: token.startLine, column: token.startColumn })),
  ];
  return all.slice(0, MISTAKES_MAX).map(({ message, line, column }) => ({
    message: (message.split('\n', 1)[0] ?? '').slice(0, 200),
    // The end of the text has no place.
    line: Number.isInteger(line) ? (line ?? 1) : 1,
    column: Number.isInteger(column) ? (column ?? 1) : 1,
  }));
}

function topologyOf(drawn: Architecture, source: TextSource): Read<Topology> {
  const members = membersOf(drawn);
  const diagnostics: Diagnostic[] = [];
  const endsOf = (id: string, ofGroup: boolean, edge: Edge): readonly string[] => {
    const group = drawn.services.find((service) => service.id === id)?.in;
    if (ofGroup && group !== undefined) return members.get(group) ?? [];
    if (members.has(id)) return [id];
    diagnostics.push({
      ...{ code: 'MER183', severity: 'error', file: source.file },
      message: `this connection names "${id}", which is no service and no junction`,
      hint: `declare it above: service ${id}(server)[${id}]`,
      ...placeOf(edge, source),
    });
    return [];
  };
  const links = drawn.edges.map((edge) => [
    endsOf(edge.lhsId, edge.lhsGroup, edge),
    endsOf(edge.rhsId, edge.rhsGroup, edge),
  ]);
  const services = drawn.services.map((service) => ({
    id: service.id,
    label: service.title ?? service.id,
    at: placeOf(service, source),
  }));
  const connections = connectionsOf(links, new Set(drawn.junctions.map(({ id }) => id)));
  return { value: { services, connections }, diagnostics };
}

/** Everything that can be an end of an edge, and for groups the services in them at any depth. */
function membersOf({ groups, services, junctions }: Architecture): ReadonlyMap<string, readonly string[]> {
  const members = new Map<string, string[]>();
  const parents = new Map(groups.map((group) => [group.id, group.in] as const));
  for (const { id } of junctions) members.set(id, [id]);
  for (const service of services) {
    members.set(service.id, [service.id]);
    const seen = new Set<string>();
    // A group may be drawn inside itself by mistake.
    for (
      let group: string | undefined = service.in;
      group !== undefined && !seen.has(group);
      group = parents.get(group)
    ) {
      seen.add(group);
      members.set(group, [...(members.get(group) ?? []), service.id]);
    }
  }
  return members;
}

type Links = readonly (readonly (readonly string[])[])[];

/** Pairs of services: linked directly, or through junctions only. */
function connectionsOf(links: Links, junctions: ReadonlySet<string>): Topology['connections'] {
  const neighbours = new Map<string, Set<string>>();
  const join = (one: string, other: string): void => {
    neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other));
    neighbours.set(other, (neighbours.get(other) ?? new Set()).add(one));
  };
  for (const [left = [], right = []] of links) for (const one of left) for (const other of right) join(one, other);
  const found: (readonly [string, string])[] = [];
  for (const service of neighbours.keys()) {
    if (junctions.has(service)) continue;
    for (const other of reached(service, neighbours, junctions)) if (service < other) found.push([service, other]);
  }
  return found;
}

function reached(
  service: string,
  neighbours: ReadonlyMap<string, ReadonlySet<string>>,
  junctions: ReadonlySet<string>,
): ReadonlySet<string> {
  const seen = new Set([service]);
  const waiting = [service];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const next of neighbours.get(at) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      if (junctions.has(next)) waiting.push(next);
    }
  }
  return new Set([...seen].filter((id) => id !== service && !junctions.has(id)));
}

function placeOf(
  node: {
    readonly $cstNode?: { readonly range: { readonly start: { readonly line: number; readonly character: number } } };
  },
  source: TextSource,
): ReturnType<TextSource['place']> {
  const start = node.$cstNode?.range.start;
  return start === undefined ? source.place(1, 1) : source.place(start.line + 1, start.character + 1);
}
