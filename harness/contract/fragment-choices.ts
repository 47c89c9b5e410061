import type { Diagram, Fragment } from '../diagram/index.ts';
import type { BindingContent, Path } from './binding.ts';
import type { Findings } from './findings.ts';
import { beginsAtWord, foldLabel, quoted, suggest } from './names.ts';
import type { Bounds, FragmentChoices } from './term.ts';

/** What the binding says of loops and alternatives, by fragment. */
export function chooseFragments(diagram: Diagram, content: BindingContent, findings: Findings): FragmentChoices {
  const choices = { bounds: new Map<number, Bounds>(), optional: new Set<number>(), concurrent: new Set<number>() };
  const find = (address: string, kind: Fragment['kind'], tell: 'atKey' | 'atValue', path: Path): readonly number[] => {
    const found = fragmentsNamed(diagram, kind, address);
    if (found.length > 0) return found;
    const guards = diagram.fragments
      .filter((one) => one.kind === kind)
      .flatMap((one) => one.operands.map(({ guard }) => guard));
    const hint = suggest(address, guards, `drawn ${kind}`);
    findings[tell](path, { code: 'BND126', message: `no ${kind} ${quoted(address)} is drawn`, hint });
    return [];
  };
  for (const [address, text] of Object.entries(content.loops ?? {})) {
    const bounds = readBounds(String(text));
    if (bounds === null)
      findings.atValue(['loops', address], {
        code: 'BND105',
        message: `${quoted(String(text))} is no range`,
        hint: 'the first number is the smaller one: 1..5',
      });
    for (const fragment of find(address, 'loop', 'atKey', ['loops', address]))
      choices.bounds.set(fragment, bounds ?? { min: 0, max: null });
  }
  for (const [position, address] of (content.optional ?? []).entries())
    for (const fragment of find(address, 'alt', 'atValue', ['optional', position])) choices.optional.add(fragment);
  for (const [position, address] of (content.concurrent ?? []).entries()) {
    const path: Path = ['concurrent', position];
    const found = find(address, 'loop', 'atValue', path);
    if (found.length > 1 || found.some((fragment) => choices.concurrent.has(fragment)))
      findings.atValue(path, {
        code: 'BND125',
        message:
          found.length > 1 ? `${quoted(address)} is drawn ${found.length} times` : `${quoted(address)} is listed twice`,
        hint: 'name every loop once, by enough of its text',
      });
    for (const fragment of found) choices.concurrent.add(fragment);
  }
  return choices;
}

/** By the text of an operand: the whole of it first, else its beginning up to the end of a word. */
function fragmentsNamed(diagram: Diagram, kind: Fragment['kind'], address: string): readonly number[] {
  const folded = foldLabel(address);
  const named = (fits: (guard: string) => boolean): number[] =>
    diagram.fragments.flatMap((fragment, index) =>
      fragment.kind === kind && fragment.operands.some(({ guard }) => fits(foldLabel(guard))) ? [index] : [],
    );
  const exact = named((guard) => guard === folded);
  return exact.length > 0 ? exact : named((guard) => beginsAtWord(guard, folded));
}

/** `3`, `1..5`, `1..`, `1+`. */
function readBounds(text: string): Bounds | null {
  const [, least = '', range, most] = /^(\d+)(\.\.(\d*)|\+)?$/u.exec(text) ?? [];
  const min = Number(least);
  if (range === undefined) return { min, max: min };
  if (most === undefined || most === '') return { min, max: null };
  return Number(most) < min ? null : { min, max: Number(most) };
}
