import { stringify } from 'yaml';
import { overtakings, printAscii, printMermaid, type Diagram } from '../diagram/index.ts';
import { cellsOf } from '../dialects/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import type { JudgedCase } from './judged-case.ts';

/** A case as the stanzas of a transcript: the drawing, its binding, the trace in the shorthand. */
export function describeCase({ drawn, events }: Pick<JudgedCase, 'drawn' | 'events'>): string {
  const check = events.map(({ event }) => describeEvent(event));
  return [
    [...drawingOf(drawn.diagram), '----', 'ok'],
    ['bind', stringify(drawn.content).trimEnd(), '----', 'ok'],
    ['check', 'begin', ...check, '----'],
  ]
    .map((stanza) => stanza.join('\n'))
    .join('\n\n');
}

/** What overtakes can only be drawn. */
function drawingOf(diagram: Diagram): readonly string[] {
  if (overtakings(diagram).length > 0) return ['draw art', ...rowsOf(printAscii(diagram, cellsOf) ?? '')];
  const rows = printMermaid(diagram).split('\n').slice(1);
  return ['draw', ...rowsOf(rows.map((row) => row.slice(2)).join('\n'))];
}

const rowsOf = (text: string): readonly string[] => text.split('\n').filter((row) => row !== '');

function describeEvent(event: TraceEvent): string {
  const { seq, receivedSeq, from, to, label, kind, id, replyTo, point, status, parent, attributes = {} } = event;
  const said = {
    kind,
    at: receivedSeq === undefined ? seq : `${seq}..${receivedSeq}`,
    point,
    id,
    reply: replyTo,
    status,
    parent,
    ...attributes,
  };
  const words = Object.entries(said).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return [from, '->', to, label, ...words].join(' ');
}
