import { stringify } from 'yaml';
import { printMermaid } from '../diagram/index.ts';
import type { TraceEvent } from '../trace/index.ts';
import type { JudgedCase } from './judged-case.ts';

/** A case as the stanzas of a transcript: the drawing, its binding, the trace in the shorthand. */
export function describeCase({ drawn, events }: Pick<JudgedCase, 'drawn' | 'events'>): string {
  const drawing = printMermaid(drawn.diagram)
    .split('\n')
    .slice(1)
    .map((line) => line.slice(2))
    .filter((line) => line !== '');
  const check = events.map(({ event }) => describeEvent(event));
  return [
    ['draw', ...drawing, '----', 'ok'],
    ['bind', stringify(drawn.content).trimEnd(), '----', 'ok'],
    ['check', 'begin', ...check, '----'],
  ]
    .map((stanza) => stanza.join('\n'))
    .join('\n\n');
}

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
