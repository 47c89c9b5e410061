import type { Diagram, Fragment } from '../diagram/index.ts';
import type { BindingContent, Path } from './binding.ts';
import type { Findings } from './findings.ts';
import { beginsAtWord, foldLabel, quoted, suggest } from './names.ts';
import type { Bounds, FragmentChoices } from './term.ts';
import type { Guard } from './types.ts';

/** What the binding says of loops and alternatives, by fragment. */
export function chooseFragments(diagram: Diagram, content: BindingContent, findings: Findings): FragmentChoices {
  const choices = {
    bounds: new Map<number, Bounds>(),
    each: new Map<number, string>(),
    optional: new Set<number>(),
    concurrent: new Set<number>(),
    guards: guardsOf(diagram, content, findings),
  };
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
  for (const [address, binding] of Object.entries(content.loops ?? {})) {
    const { times, each } = typeof binding === 'object' ? binding : { times: binding };
    const text = times === undefined ? '0+' : String(times);
    const bounds = readBounds(text);
    if (bounds === null)
      findings.atValue(typeof binding === 'object' ? ['loops', address, 'times'] : ['loops', address], {
        code: 'BND105',
        message: `${quoted(text)} is no range`,
        hint: 'the first number is the smaller one: 1..5',
      });
    for (const fragment of find(address, 'loop', 'atKey', ['loops', address]))
      choices.bounds.set(fragment, bounds ?? { min: 0, max: null });
    if (each === undefined) continue;
    if (content.parameters === undefined || !Object.hasOwn(content.parameters, each)) {
      const hint = suggest(each, Object.keys(content.parameters ?? {}), 'parameters');
      const message = `${quoted(each)} is no declared parameter`;
      findings.atValue(['loops', address, 'each'], { code: 'BND124', message, hint });
    } else for (const fragment of fragmentsNamed(diagram, 'loop', address)) choices.each.set(fragment, each);
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

/** Bound guards, each for every operand that has its text. */
function guardsOf(diagram: Diagram, content: BindingContent, findings: Findings): readonly Guard[] {
  const operands = diagram.fragments.flatMap((fragment, index) =>
    UNGUARDED.has(fragment.kind)
      ? []
      : fragment.operands.map(({ guard }, operand) => ({ text: foldLabel(guard), guard, fragment: index, operand })),
  );
  return Object.entries(content.guards ?? {}).flatMap(([address, when]) => {
    const folded = foldLabel(address);
    const exact = operands.filter(({ text }) => text === folded);
    const found = exact.length > 0 ? exact : operands.filter(({ text }) => beginsAtWord(text, folded));
    const hint = suggest(
      address,
      operands.map(({ guard }) => guard).filter((guard) => guard !== ''),
      'drawn guards',
    );
    if (found.length === 0)
      findings.atKey(['guards', address], { code: 'BND126', message: `no operand ${quoted(address)} is drawn`, hint });
    return found.map(({ guard, fragment, operand }) => ({ text: guard, when, fragment, operand }));
  });
}

/** Nothing is decided where these begin. */
const UNGUARDED: ReadonlySet<string> = new Set(['rect', 'group', 'ref']);

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
