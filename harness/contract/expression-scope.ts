/** What an attribute of an event can hold. */
export type ExpressionValue = string | number | boolean;

/** What an expression sees of one event; every trace event has this shape. */
export interface ExpressionScope {
  readonly seq: number;
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly label: string;
  readonly status?: number;
  readonly time?: number;
  readonly attributes?: Readonly<Record<string, ExpressionValue>>;
}

/** Reads one name; undefined where the event has no such value. */
export type Reader = (scope: ExpressionScope) => ExpressionValue | undefined;

const FIELDS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['seq', (scope) => scope.seq],
  ['from', (scope) => scope.from],
  ['to', (scope) => scope.to],
  ['kind', (scope) => scope.kind],
  ['label', (scope) => scope.label],
  ['status', (scope) => scope.status],
  ['time', (scope) => scope.time],
]);

const isValue = (value: unknown): value is ExpressionValue =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** A field of the event, else the attribute of exactly this dotted name. */
export function readerOf(name: string): Reader {
  const field = FIELDS.get(name);
  if (field !== undefined) return field;
  return (scope) => {
    // The type test also keeps inherited names (`constructor`) from being attributes.
    const value: unknown = scope.attributes?.[name];
    return isValue(value) ? value : undefined;
  };
}

/** The same event as nested objects (`k8s.pod.name` becomes k8s → pod → name), for parts that the library evaluates. */
export type NestedView = Readonly<Record<string, unknown>>;

type Branch = Record<string, unknown>;
const newBranch = (): Branch => Object.create(null) as Branch;
const isBranch = (value: unknown): value is Branch => typeof value === 'object' && value !== null;

const views = new WeakMap<ExpressionScope, NestedView>();

export function nestedViewOf(scope: ExpressionScope): NestedView {
  const known = views.get(scope);
  if (known !== undefined) return known;
  const root = newBranch();
  for (const [name, value] of Object.entries(scope.attributes ?? {})) place(root, name.split('.'), value);
  for (const [name, read] of FIELDS) {
    const value = read(scope);
    if (value !== undefined) root[name] = celValueOf(value);
  }
  views.set(scope, root);
  return root;
}

/** CEL tells 1 from 1.0, JSON does not: a whole number is an integer, as it is in the compiled form. */
const celValueOf = (value: ExpressionValue): unknown => (Number.isSafeInteger(value) ? BigInt(value) : value);

function place(root: Branch, path: readonly string[], value: ExpressionValue): void {
  let branch = root;
  for (const name of path.slice(0, -1)) {
    const next = branch[name];
    const child = isBranch(next) ? next : newBranch();
    branch[name] = child;
    branch = child;
  }
  const leaf = path.at(-1) ?? '';
  // `k8s.pod` beside `k8s.pod.name`: the longer name keeps its place, the shorter is only seen by its flat name.
  if (!isBranch(branch[leaf])) branch[leaf] = celValueOf(value);
}
