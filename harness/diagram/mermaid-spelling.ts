import type { Participant } from './types.ts';

/** A character as Mermaid's entity code, which means it literally wherever it stands. */
const entity = (character: string): string => `#${character.codePointAt(0) ?? 0};`;

/** Words that Mermaid takes for a keyword where a name begins. */
const KEYWORD =
  /^(?:participant|actor|create|destroy|activate|deactivate|note|over|left of|right of|loop|rect|opt|alt|else|par|par_over|and|critical|option|break|box|end|links|link|properties|details|title|accTitle|accDescr|sequenceDiagram|autonumber|off)(?!\w)/i;

/**
 * Free text (message, note, guard, label): `#` and `;` would end it, blanks at its ends would be trimmed, a leading
 * `wrap:` would be taken for an instruction, `%%` for a comment or directive, and `="` inside a tag is rewritten.
 */
export function mermaidText(text: string): string {
  return text
    .replace(/[#;\n\r\uFDD0\uFDD1]|^\s+|\s+$|(?<==)"|%(?=%)|(?<=%)%/g, (found) => found.replace(/[^]/g, entity))
    .replace(/^(?=:?(?:no)?wrap:)./, entity);
}

/** One character of a name that stands for itself at every position; a single dash does before a letter other than x. */
const SAFE = /[\p{L}\p{N}_.= ]|(?<=[\p{L}\p{N}_])-(?=[\p{L}\p{N}_])(?!x)/giu;

/**
 * A participant's name, one spelling for declaration and use. Blanks are kept unless Mermaid would then lose the label (it reads
 * `participant API Server as X` as one long name) or trim them.
 */
export function mermaidName({ id, label, kind }: Pick<Participant, 'id' | 'label' | 'kind'>): string {
  const typed = kind !== 'participant' && kind !== 'actor';
  const glued = typed || label !== id || /^\s|\s$|\sas(?:\s|$)/i.test(id);
  const safe = new Set<number>();
  for (const match of id.matchAll(SAFE)) {
    const plain = !(glued && match[0] === ' ') && !(typed && /[-=]/.test(match[0]));
    // A letter outside the basic plane is two code units, both safe.
    if (plain) for (let unit = 0; unit < match[0].length; unit += 1) safe.add(match.index + unit);
  }
  if (KEYWORD.test(id) || /^\d+(?:\.\d+)?\s/.test(id)) safe.delete(0);
  let name = '';
  let unit = 0;
  // By code point: half of a surrogate pair is nothing that a browser could show.
  for (const character of id) {
    name += safe.has(unit) ? character : entity(character);
    unit += character.length;
  }
  return name;
}

/** Mermaid drops a `;` from lines that look like its flow chart's `style a: #…;`, which would break an entity code. */
export function protectLine(line: string): string {
  if (!/style|classDef/.test(line) || !line.includes('#')) return line;
  // No keyword ends where these are split: `linkstyle` must not become `links` and an entity.
  return line.replaceAll('style', `st${entity('y')}le`).replaceAll('classDef', `class${entity('D')}ef`);
}
