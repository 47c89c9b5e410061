import type { DrawnArrow } from '../contract/index.ts';
import type { Violation } from '../verdict/index.ts';

/** One sentence that names the arrows by their drawn text and place. */
export function describeViolation(violation: Violation, arrows: readonly DrawnArrow[], waiting = 0): string {
  const arrow = nameArrow(arrows, violation.arrow);
  const other = nameArrow(arrows, violation.mustFollow);
  switch (violation.kind) {
    case 'out-of-order':
      if (violation.arrow === violation.mustFollow) return `the parts of ${arrow} happened in the wrong order`;
      return `${arrow} happened before ${other}, which must come first`;
    case 'missing': {
      const choices = violation.expected.map((index) => nameArrow(arrows, index));
      const missing = choices.length > 1 && violation.event === null ? `one of ${choices.join(' or ')}` : arrow;
      const despite = violation.mustFollow === null ? '' : `, though ${other} did, which must come after it`;
      const more =
        waiting === 0 ? '' : `; ${waiting} more arrow${waiting === 1 ? '' : 's'} drawn after it did not happen either`;
      return `${missing} never happened${despite}${more}`;
    }
    case 'repeated':
      return `${arrow} happened again, where the drawing does not repeat it`;
    case 'unexpected':
      return `${arrow} is not possible here: another branch was taken, or what it belongs to is over`;
    case 'wrong-status':
      return `${arrow} came with status ${violation.event?.status ?? 'unknown'}, which is not what is drawn`;
    case 'not-drawn':
      return `${violation.event?.from ?? ''} -> ${violation.event?.to ?? ''}: ${violation.event?.label ?? ''} is not drawn, and the binding says that the drawing is closed`;
  }
}

/** `"bind pod" (diagram.txt:24)`; an arrow without text is named by its ends. */
export function nameArrow(arrows: readonly DrawnArrow[], index: number | null): string {
  const arrow = index === null ? undefined : arrows[index];
  if (arrow === undefined) return 'a message that no arrow draws';
  const text =
    arrow.text === '' ? `${arrow.from} ${arrow.style === 'dashed' ? '-->' : '->'} ${arrow.to}` : `"${arrow.text}"`;
  return `${text} (${arrow.file}:${arrow.line})`;
}
