import type { Diagnostic } from '../diagnostics/index.ts';
import type { Diagram } from '../diagram/index.ts';
import type { Binding } from './binding.ts';
import { Findings } from './findings.ts';
import { foldLabel, quoted, suggest } from './names.ts';

/** Entries of a binding file that name none of the document's diagrams; call it once per document. */
export function checkBindings(diagrams: readonly Diagram[], bindings: readonly Binding[]): readonly Diagnostic[] {
  return bindings.flatMap((binding) => {
    const { diagram } = binding.content;
    if (diagram === undefined || diagrams.some((one) => isCalled(one, diagram))) return [];
    const findings = new Findings(binding.file, binding);
    const names = diagrams.map(({ name }) => name);
    const hint = suggest(diagram, names, 'diagrams in the document');
    findings.atValue(['diagram'], { code: 'BND140', message: `there is no diagram ${quoted(diagram)}`, hint });
    return findings.diagnostics;
  });
}

/** By its heading or title, or the same without an extension. */
function isCalled({ name, title }: Diagram, wanted: string): boolean {
  const folded = foldLabel(wanted);
  return [name, name.replace(/\.\w+$/u, ''), title].some((one) => one !== undefined && foldLabel(one) === folded);
}

/** The binding that names the diagram, else the one that names none; null: zero configuration. */
export function chooseBinding(
  diagram: Diagram,
  bindings: readonly Binding[],
): { readonly binding: Binding | null; readonly diagnostics: readonly Diagnostic[] } {
  const named = bindings.filter(({ content }) => content.diagram !== undefined && isCalled(diagram, content.diagram));
  const candidates = named.length > 0 ? named : bindings.filter(({ content }) => content.diagram === undefined);
  const [binding = null, second] = candidates;
  if (second === undefined) return { binding, diagnostics: [] };
  const findings = new Findings(second.file, second);
  findings.atValue(named.length > 0 ? ['diagram'] : [], {
    code: 'BND141',
    message: `a second binding fits the diagram ${quoted(diagram.name)}`,
    hint: 'in each YAML document say which diagram it is for: diagram: its heading or file name',
  });
  return { binding, diagnostics: findings.diagnostics };
}
