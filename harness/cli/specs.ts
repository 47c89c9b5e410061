import { resolve } from 'node:path';
import {
  checkBindings,
  compileContract,
  inlineReferences,
  readBinding,
  type Binding,
  type Contract,
  type Order,
} from '../contract/index.ts';
import { hasErrors, type Diagnostic } from '../diagnostics/index.ts';
import type { Diagram } from '../diagram/index.ts';
import { readDocumentWithTopology } from '../dialects/index.ts';
import { bindingFileOf } from './binding-file.ts';
import { exists, filesBelow, problem, readText } from './files.ts';
import { sourcesWithDrawings } from './source-drawings.ts';

export interface SpecOptions {
  /** Instead of the `.bindings.yaml` beside each spec. */
  readonly binding?: string;
  /** Overrides the order of the binding. */
  readonly order?: Order;
  /** Only the diagram of this name. */
  readonly diagram?: string;
  /** `false`: judge the bare drawing, without what the bindings say of differences between it and the system. */
  readonly errata?: boolean;
}

export interface LoadedSpec {
  readonly diagram: Diagram;
  readonly contract: Contract;
}

export interface LoadedSpecs {
  readonly specs: readonly LoadedSpec[];
  readonly diagrams: readonly Diagram[];
  readonly diagnostics: readonly Diagnostic[];
  /** Files of a folder whose numbered lists have no binding: ordinary prose, no specs. */
  readonly passedOver: readonly string[];
  /** Every text that a diagnostic or a report may quote, by file. */
  readonly sources: ReadonlyMap<string, string>;
}

const SPEC_FILE = /\.(mmd|mermaid|md|markdown|txt|utxt|atxt)$/i;

/** Reads every diagram of every path, compiles each with its binding, and gathers all that is wrong on the way. */
export async function loadSpecs(paths: readonly string[], options: SpecOptions): Promise<LoadedSpecs> {
  const read = await readDiagrams(paths, options.diagram);
  const { sources } = read;
  const diagnostics = [...read.diagnostics];
  const specs: LoadedSpec[] = [];
  for (const file of new Set(read.diagrams.map((diagram) => diagram.file))) {
    const bindings = await bindingsFor(file, options, sources);
    const inFile = read.all.filter((diagram) => diagram.file === file);
    diagnostics.push(...bindings.diagnostics, ...checkBindings(inFile, bindings.value));
  }
  const passedOver: string[] = [];
  for (const diagram of read.diagrams) {
    const bindings = await bindingsFor(diagram.file, options, sources);
    if (diagram.dialect === 'steps' && bindings.value.length === 0 && !read.named.has(diagram.file)) {
      passedOver.push(diagram.file);
      continue;
    }
    if (hasErrors(bindings.diagnostics)) continue;
    const inlined = inlineReferences(diagram, read.all);
    diagnostics.push(...inlined.diagnostics);
    const compiled = compileContract(inlined.value, bindings.value, {
      errata: options.errata ?? true,
      ...(options.order === undefined ? {} : { order: options.order }),
    });
    diagnostics.push(...compiled.diagnostics);
    if (!hasErrors([...inlined.diagnostics, ...compiled.diagnostics]))
      specs.push({ diagram: inlined.value, contract: compiled.value });
  }
  return { specs, diagrams: read.diagrams, diagnostics: unique(diagnostics), passedOver, sources };
}

export interface ReadDiagrams {
  readonly diagrams: readonly Diagram[];
  /** Also those that `only` leaves out. */
  readonly all: readonly Diagram[];
  readonly diagnostics: readonly Diagnostic[];
  /** Files that were named, not found in a folder. */
  readonly named: ReadonlySet<string>;
  readonly sources: Map<string, string>;
}

/** Reads every diagram; in a folder, a file without one is no spec, and is passed over. */
export async function readDiagrams(paths: readonly string[], only?: string): Promise<ReadDiagrams> {
  const sources = new Map<string, string>();
  const diagrams: Diagram[] = [];
  const diagnostics: Diagnostic[] = [];
  const named = new Set<string>();
  for (const path of paths) {
    if (path === '-' && !(await exists(path))) {
      diagnostics.push(noStandardInput());
      continue;
    }
    const below = await filesBelow(path);
    if ('problem' in below) {
      diagnostics.push(below.problem);
      continue;
    }
    const { isFolder, files, strayLinks } = below;
    diagnostics.push(...strayLinks.filter(mayHoldSpecs).map(strayLink));
    if (!isFolder) named.add(path);
    else diagnostics.push(...overlookedSources(path, await sourcesWithDrawings(files), paths));
    const before = diagrams.length;
    for (const file of isFolder ? files.filter((name) => SPEC_FILE.test(name)) : files) {
      const text = await readText(file);
      if (typeof text !== 'string') {
        // In a folder it is not said to be a spec, but it may be one, so it is told.
        const isPassedOver = isFolder && text.problem.code === 'CLI108';
        diagnostics.push(isPassedOver ? { ...text.problem, severity: 'warning' } : text.problem);
        continue;
      }
      sources.set(file, text);
      const document = await readDocumentWithTopology(text, file);
      if (isFolder && document.value.length === 0 && isMerelyProse(document.diagnostics)) continue;
      diagnostics.push(...document.diagnostics);
      diagrams.push(...document.value);
    }
    if (isFolder && diagrams.length === before && !hasErrors(diagnostics))
      diagnostics.push(
        problem(
          'CLI105',
          path,
          'no file in this folder holds a sequence diagram',
          'name a .mmd, .md or .txt file with a diagram in it',
        ).problem,
      );
  }
  const wanted = only === undefined ? diagrams : diagrams.filter((diagram) => diagram.name === only);
  if (only !== undefined && wanted.length === 0 && diagrams.length > 0)
    diagnostics.push(
      problem(
        'CLI106',
        diagrams[0]?.file ?? '',
        `no diagram is called "${only}"`,
        `there are: ${diagrams.map((diagram) => diagram.name).join(', ')}`,
      ).problem,
    );
  return { diagrams: wanted, all: diagrams, diagnostics, named, sources };
}

/** A link that leads to a spec or, as far as its name says, to a folder. */
const mayHoldSpecs = (link: string): boolean => SPEC_FILE.test(link) || !/\.\w+$/.test(link);

function strayLink(link: string): Diagnostic {
  const hint = 'name what it leads to beside the folder, if its drawings are meant';
  const told = problem('CLI110', link, 'this link leads out of the folder, or nowhere: it was not read', hint);
  return { ...told.problem, severity: 'warning' };
}

const noStandardInput = (): Diagnostic =>
  problem(
    'CLI101',
    '-',
    'only --trace reads standard input, not a spec',
    'write the drawing to a file, and name the file',
  ).problem;

/** Files that are named in a sentence. */
const NAMED_MAX = 3;

/** Drawings in the comments of source files are read where the file is named: in a folder nobody said that they are specs. */
function overlookedSources(
  folder: string,
  sources: readonly string[],
  paths: readonly string[],
): readonly Diagnostic[] {
  const left = sources.filter((file) => !paths.some((path) => resolve(path) === resolve(file)));
  if (left.length === 0) return [];
  const names = `${left.slice(0, NAMED_MAX).join(', ')}${left.length > NAMED_MAX ? ', …' : ''}`;
  const message =
    left.length === 1
      ? `1 source file in this folder holds a drawing in its comments, and is not read: ${names}`
      : `${left.length} source files in this folder hold drawings in their comments, and are not read: ${names}`;
  const told = problem(
    'CLI111',
    folder,
    message,
    'name such files themselves; of a folder only .mmd, .md, .txt and the like are read',
  );
  return [{ ...told.problem, severity: 'warning' }];
}

/** The one complaint of a document without any diagram. */
const isMerelyProse = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.every(({ code }) => code.startsWith('DOC'));

async function bindingsFor(
  specFile: string,
  options: SpecOptions,
  sources: Map<string, string>,
): Promise<{ readonly value: readonly Binding[]; readonly diagnostics: readonly Diagnostic[] }> {
  const file = options.binding ?? bindingFileOf(specFile);
  if (options.binding === undefined && !(await exists(file))) return { value: [], diagnostics: [] };
  const text = await readText(file);
  if (typeof text !== 'string') return { value: [], diagnostics: [text.problem] };
  sources.set(file, text);
  return readBinding(text, file);
}

/** A binding for two diagrams is read twice: its faults are told once. */
function unique(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Map(diagnostics.map((diagnostic) => [JSON.stringify(diagnostic), diagnostic]));
  return [...seen.values()];
}
