import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileContract, readBinding, readDocument, type Contract, type Order } from '../../harness/index.ts';

/** The four seed specs, in the order in which `npm run conformance` judges them. */
export const SEED_FILES = [
  'create-pod/diagram.txt',
  'k8s-diagram-collection/diagrams.md',
  'pod-scheduling/steps.md',
] as const;

export const SPEC_NAMES = ['000', '001 complicate', '001 simple', '002'] as const;

export function loadContract(file: string, bindingFile: string, order?: Order): readonly Contract[] {
  const folder = join(import.meta.dirname, '..');
  const document = readDocument(readFileSync(join(folder, file), 'utf8'), file);
  const path = join(folder, bindingFile);
  const bindings = existsSync(path)
    ? readBinding(readFileSync(path, 'utf8'), bindingFile)
    : { value: [], diagnostics: [] };
  const compiled = document.value.map((diagram) =>
    compileContract(diagram, bindings.value, order === undefined ? {} : { order }),
  );
  const errors = [document, bindings, ...compiled]
    .flatMap(({ diagnostics }) => diagnostics)
    .filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ code, message }) => `${code} ${message}`).join('\n'));
  return compiled.map(({ value }) => value);
}

export function loadSeedContracts(order?: Order): readonly Contract[] {
  return SEED_FILES.flatMap((file) => loadContract(file, file.replace(/\.[^.]*$/, '.bindings.yaml'), order));
}
