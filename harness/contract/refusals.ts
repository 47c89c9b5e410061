import type { Diagram, Item } from '../diagram/index.ts';
import type { BindingContent } from './binding.ts';
import type { Drawing } from './drawing.ts';
import type { Findings } from './findings.ts';

/** Deeper drawings are refused: nobody reads them, and everything downstream would have to care. */
const NESTING_MAX = 100;
/** The order of arrows is a matter of pairs: a hundred thousand arrows would need more memory than there is. */
const ARROWS_MAX = 10_000;

/** Keys that say something of drawings only, or of steps only. */
export function refuseForeignKeys(diagram: Diagram, content: BindingContent, findings: Findings): void {
  const isSteps = diagram.dialect === 'steps';
  const foreign = isSteps
    ? (['messages', 'concurrent', 'loops', 'optional', 'guards', 'exclusive'] as const)
    : (['steps'] as const);
  for (const key of foreign)
    if (content[key] !== undefined)
      findings.atKey([key], {
        code: 'BND133',
        message: isSteps ? `a list of steps has no ${key}` : 'a drawn diagram has no numbered steps',
        hint: isSteps ? 'under steps: number: [From -> To: pattern]' : 'under messages: drawn text: pattern',
      });
}

/** A loop that runs for ever side by side with others has no end that a break could bring. */
export function refuseBreaks(diagram: Diagram, concurrent: ReadonlySet<number>, findings: Findings): void {
  const pending: { readonly items: readonly Item[]; readonly isEndless: boolean }[] = [
    { items: diagram.items, isEndless: false },
  ];
  for (let next = pending.pop(); next !== undefined; next = pending.pop())
    for (const item of next.items) {
      const fragment = 'fragment' in item ? diagram.fragments[item.fragment] : undefined;
      if (fragment === undefined || !('fragment' in item)) continue;
      if (fragment.kind === 'break' && next.isEndless)
        findings.inDrawing(fragment.at, {
          code: 'CON101',
          message: 'this break would end a loop that runs for ever beside others',
          hint: 'draw it as opt if only the iteration ends, or take the loop out of concurrent',
        });
      const ends = fragment.kind === 'loop' || fragment.kind === 'par' || fragment.kind === 'par_over';
      const isEndless = concurrent.has(item.fragment) || (next.isEndless && !ends);
      for (const { items } of fragment.operands) pending.push({ items, isEndless });
    }
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

/** Drawings that are longer than all use. */
export function refuseLength({ arrows }: Drawing, findings: Findings): void {
  const beyond = arrows[ARROWS_MAX];
  if (beyond !== undefined)
    findings.inDrawing(beyond.at, {
      code: 'CON115',
      message: `the diagram has ${arrows.length} arrows, and ${ARROWS_MAX} are the most that can be judged`,
      hint: 'split the diagram',
    });
}
