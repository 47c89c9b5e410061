import type { Diagram } from '../diagram/index.ts';
import type { BindingContent } from './binding.ts';
import type { Drawing } from './drawing.ts';
import type { Findings } from './findings.ts';
import { quoted } from './names.ts';

/** Deeper drawings are refused: nobody reads them, and everything downstream would have to care. */
const NESTING_MAX = 100;

/** Keys that say something of drawings only, or of steps only. */
export function refuseForeignKeys(diagram: Diagram, content: BindingContent, findings: Findings): void {
  const isSteps = diagram.dialect === 'steps';
  const foreign = isSteps ? (['messages', 'concurrent', 'loops', 'optional'] as const) : (['steps'] as const);
  for (const key of foreign)
    if (content[key] !== undefined)
      findings.atKey([key], {
        code: 'BND133',
        message: isSteps ? `a list of steps has no ${key}` : 'a drawn diagram has no numbered steps',
        hint: isSteps ? 'under steps: number: [From -> To: pattern]' : 'under messages: drawn text: pattern',
      });
}

const REFUSED: ReadonlySet<string> = new Set(['critical', 'break', 'ref']);

/** Fragments that have a meaning which this version cannot judge; a wrong meaning would be worse. */
export function refuseFragments(diagram: Diagram, findings: Findings): void {
  for (const { kind, at } of diagram.fragments)
    if (REFUSED.has(kind))
      findings.inDrawing(at, {
        code: 'CON101',
        message: `"${kind}" is not supported yet`,
        hint: 'draw it as alt, opt or loop if that is what it means; it would not be checked otherwise',
      });
  for (const { label, at, createdBy, destroyedBy } of diagram.participants)
    if (createdBy !== undefined || destroyedBy !== undefined)
      findings.inDrawing(at, {
        code: 'CON108',
        severity: 'warning',
        message: `that ${quoted(label)} is created or destroyed here is not checked yet`,
        hint: 'the messages themselves are checked in their order',
      });
}

/** Drawings that are nested beyond all use. */
export function refuseDepth(drawing: Drawing, findings: Findings): void {
  const deep = drawing.arrows.find(({ within }) => (within?.depth ?? 0) > NESTING_MAX);
  if (deep !== undefined)
    findings.inDrawing(deep.at, {
      code: 'CON103',
      message: `fragments are nested more than ${NESTING_MAX} levels deep`,
      hint: 'split the diagram',
    });
}
