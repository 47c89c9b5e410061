import type { Diagram } from '../diagram/index.ts';
import type { ArrowPlan } from './arrow-plans.ts';
import type { Lifetime } from './types.ts';

/** Participants that are created or destroyed by an arrow; an arrow without a message leaves no trace of it. */
export function lifetimesOf(diagram: Diagram, plans: readonly ArrowPlan[]): readonly Lifetime[] {
  const loopsAround = (arrow: number | undefined): number[] => {
    const loops: number[] = [];
    for (let at = plans[arrow ?? -1]?.arrow.within ?? null; at !== null; at = at.outer)
      if (diagram.fragments[at.fragment]?.kind === 'loop') loops.push(at.fragment);
    return loops;
  };
  const messageOf = (arrow: number | undefined, part: 'first' | 'last'): number | null => {
    const plan = plans[arrow ?? -1];
    if (plan === undefined || plan.count === 0) return null;
    return part === 'first' ? plan.first : plan.first + plan.count - 1;
  };
  return diagram.participants.flatMap(({ createdBy, destroyedBy }, lifeline): Lifetime[] => {
    const [created, destroyed] = [messageOf(createdBy, 'first'), messageOf(destroyedBy, 'last')];
    if (created === null && destroyed === null) return [];
    const renewed = created === null && createdBy === undefined && loopsAround(destroyedBy).length > 0;
    return [{ lifeline, created, destroyed, renewed }];
  });
}
