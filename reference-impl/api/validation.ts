import { equalJson, isJsonArray, isJsonObject, at, own, textAt } from './json.ts';
import { matchesLabels } from './selectors.ts';
import type { Json, JsonObject, LabelSelector, StatusCause } from './types.ts';

/** What is wrong with an object: one cause per fault, with the field. Empty: valid. */
export type Faults = readonly StatusCause[];

const LABEL = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;
const QUALIFIED = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;
const INT32_MAX = 2 ** 31 - 1;

const invalid = (field: string, message: string): Faults => [{ reason: 'FieldValueInvalid', field, message }];
const required = (field: string, message = 'Required value'): Faults => [
  { reason: 'FieldValueRequired', field, message },
];

/** All faults of an object of a kind, as it would be stored. */
export function validate(kind: string, object: JsonObject): Faults {
  return [...validateMetadata(kind, object), ...(VALIDATORS.get(kind)?.(object) ?? [])];
}

/** All faults of a change: what is immutable must be the same. */
export function validateChange(kind: string, before: JsonObject, after: JsonObject): Faults {
  if (kind === 'Pod') return validatePodChange(before, after);
  if (kind !== 'ReplicaSet' && kind !== 'Deployment') return [];
  const same = equalJson(at(before, 'spec', 'selector'), at(after, 'spec', 'selector'));
  return same ? [] : invalid('spec.selector', 'field is immutable');
}

const VALIDATORS: ReadonlyMap<string, (object: JsonObject) => Faults> = new Map([
  ['Pod', (pod) => validatePodSpec(own(pod, 'spec'), 'spec')],
  ['ReplicaSet', validateWorkload],
  ['Deployment', validateWorkload],
]);

function validateMetadata(kind: string, object: JsonObject): Faults {
  const metadata = own(object, 'metadata');
  const name = textAt(metadata, 'name') ?? '';
  return [
    ...(name === '' ? required('metadata.name', 'name or generateName is required') : validateName(kind, name)),
    ...validateLabels(own(metadata, 'labels'), 'metadata.labels'),
    ...validateAnnotations(own(metadata, 'annotations')),
    ...validateOwners(own(metadata, 'ownerReferences')),
    ...validateFinalizers(own(metadata, 'finalizers')),
  ];
}

function validateName(kind: string, name: string): Faults {
  if (kind === 'Namespace') {
    return LABEL.test(name) ? [] : invalid('metadata.name', `${JSON.stringify(name)} is no DNS label (RFC 1123)`);
  }
  const ok = name.length <= 253 && SUBDOMAIN.test(name);
  return ok ? [] : invalid('metadata.name', `${JSON.stringify(name)} is no DNS subdomain (RFC 1123)`);
}

function validateLabels(labels: Json | undefined, field: string): Faults {
  if (labels === undefined || labels === null) return [];
  if (!isJsonObject(labels)) return invalid(field, 'must be an object');
  return Object.entries(labels).flatMap(([key, value]) => [
    ...(isQualifiedName(key) ? [] : invalid(field, `${JSON.stringify(key)} is no label key`)),
    ...(typeof value === 'string' && LABEL_VALUE.test(value)
      ? []
      : invalid(field, `${JSON.stringify(value ?? null)} is no label value`)),
  ]);
}

function isQualifiedName(key: string): boolean {
  const slash = key.indexOf('/');
  if (slash < 0) return QUALIFIED.test(key);
  const prefix = key.slice(0, slash);
  return prefix.length <= 253 && SUBDOMAIN.test(prefix) && QUALIFIED.test(key.slice(slash + 1));
}

function validateAnnotations(annotations: Json | undefined): Faults {
  if (annotations === undefined || annotations === null) return [];
  const ok = isJsonObject(annotations) && Object.values(annotations).every((value) => typeof value === 'string');
  return ok ? [] : invalid('metadata.annotations', 'must map text to text');
}

function validateOwners(owners: Json | undefined): Faults {
  if (owners === undefined || owners === null) return [];
  if (!isJsonArray(owners)) return invalid('metadata.ownerReferences', 'must be a list');
  const incomplete = owners.some((owner) =>
    ['apiVersion', 'kind', 'name', 'uid'].some((key) => (textAt(owner, key) ?? '') === ''),
  );
  const controllers = owners.filter((owner) => own(owner, 'controller') === true).length;
  return [
    ...(incomplete ? invalid('metadata.ownerReferences', 'apiVersion, kind, name and uid are required') : []),
    ...(controllers > 1 ? invalid('metadata.ownerReferences', 'only one owner may be the controller') : []),
  ];
}

function validateFinalizers(finalizers: Json | undefined): Faults {
  if (finalizers === undefined || finalizers === null) return [];
  const ok =
    isJsonArray(finalizers) && finalizers.every((entry) => typeof entry === 'string' && isQualifiedName(entry));
  return ok ? [] : invalid('metadata.finalizers', 'must be a list of qualified names');
}

function validatePodSpec(spec: Json | undefined, field: string): Faults {
  const containers = own(spec, 'containers');
  if (!isJsonArray(containers) || containers.length === 0) return required(`${field}.containers`);
  const all = [...containers, ...listOf(own(spec, 'initContainers'))];
  const names = all.map((container) => textAt(container, 'name') ?? '');
  const restartPolicy = own(spec, 'restartPolicy');
  const grace = own(spec, 'terminationGracePeriodSeconds');
  return [
    ...all.flatMap((container, i) => validateContainer(container, `${field}.containers[${i}]`)),
    ...(new Set(names).size < names.length ? invalid(`${field}.containers`, 'names must be unique') : []),
    ...(restartPolicy === undefined || ['Always', 'OnFailure', 'Never'].some((policy) => policy === restartPolicy)
      ? []
      : invalid(`${field}.restartPolicy`, 'must be Always, OnFailure or Never')),
    ...(grace === undefined || isCount(grace)
      ? []
      : invalid(`${field}.terminationGracePeriodSeconds`, 'must be a whole number, 0 or greater')),
  ];
}

function validateContainer(container: Json, field: string): Faults {
  const name = textAt(container, 'name') ?? '';
  return [
    ...(LABEL.test(name) ? [] : invalid(`${field}.name`, `${JSON.stringify(name)} is no DNS label (RFC 1123)`)),
    ...((textAt(container, 'image') ?? '') === '' ? required(`${field}.image`) : []),
  ];
}

function validateWorkload(object: JsonObject): Faults {
  const spec = own(object, 'spec');
  const replicas = own(spec, 'replicas');
  return [
    ...validateReplicas(replicas),
    ...validateSelector(own(spec, 'selector'), at(spec, 'template', 'metadata', 'labels')),
    ...validateLabels(at(spec, 'template', 'metadata', 'labels'), 'spec.template.metadata.labels'),
    ...validatePodSpec(at(spec, 'template', 'spec'), 'spec.template.spec'),
  ];
}

/** Faults of a number of replicas; absent is valid. */
export function validateReplicas(replicas: Json | undefined): Faults {
  if (replicas === undefined || isCount(replicas)) return [];
  return invalid('spec.replicas', 'must be a whole number, 0 or greater');
}

function isCount(value: Json): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= INT32_MAX;
}

function validateSelector(selector: Json | undefined, templateLabels: Json | undefined): Faults {
  if (!isLabelSelector(selector)) return required('spec.selector', 'must be a label selector');
  const isEmpty =
    Object.keys(selector.matchLabels ?? {}).length === 0 && (selector.matchExpressions ?? []).length === 0;
  if (isEmpty) return invalid('spec.selector', 'empty selector is invalid for a workload');
  if (matchesLabels(selector, textsOf(templateLabels))) return [];
  return invalid('spec.template.metadata.labels', '`selector` does not match template `labels`');
}

const OPERATORS: ReadonlySet<unknown> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/** Whether a JSON value has the shape of a label selector. */
export function isLabelSelector(value: unknown): value is LabelSelector {
  if (!isJsonObject(value)) return false;
  const labels = own(value, 'matchLabels') ?? {};
  const expressions = own(value, 'matchExpressions') ?? [];
  return (
    isJsonObject(labels) &&
    Object.values(labels).every((text) => typeof text === 'string') &&
    isJsonArray(expressions) &&
    expressions.every(isRequirement)
  );
}

function isRequirement(value: Json): boolean {
  const operator = own(value, 'operator');
  const values = own(value, 'values') ?? [];
  const isTexts = isJsonArray(values) && values.every((text) => typeof text === 'string');
  const needsValues = operator === 'In' || operator === 'NotIn';
  return textAt(value, 'key') !== undefined && OPERATORS.has(operator) && isTexts && values.length > 0 === needsValues;
}

/** What may change in a pod's spec: images, grace period and tolerations. The node comes from a binding only. */
const MUTABLE_POD_FIELDS: ReadonlySet<string> = new Set([
  'containers',
  'initContainers',
  'terminationGracePeriodSeconds',
  'tolerations',
  'activeDeadlineSeconds',
]);

function validatePodChange(before: JsonObject, after: JsonObject): Faults {
  const [old, now] = [own(before, 'spec'), own(after, 'spec')];
  const fields = new Set([...keysOf(old), ...keysOf(now)]);
  const changed = [...fields].filter((key) => !equalJson(own(old, key), own(now, key)));
  const forbidden = changed.filter((key) => !MUTABLE_POD_FIELDS.has(key));
  return [
    ...forbidden.flatMap((key) => invalid(`spec.${key}`, 'pod updates may not change this field')),
    ...(['containers', 'initContainers'] as const).flatMap((list) => {
      const same = equalJson(withoutImages(own(old, list)), withoutImages(own(now, list)));
      return same ? [] : invalid(`spec.${list}`, 'pod updates may change only the images of containers');
    }),
  ];
}

function withoutImages(containers: Json | undefined): readonly Json[] {
  return listOf(containers).map((container) =>
    isJsonObject(container)
      ? Object.fromEntries(Object.entries(container).filter(([key]) => key !== 'image' && key !== 'imagePullPolicy'))
      : container,
  );
}

function listOf(value: Json | undefined): readonly Json[] {
  return isJsonArray(value) ? value : [];
}

function keysOf(value: Json | undefined): readonly string[] {
  return isJsonObject(value) ? Object.keys(value) : [];
}

/** The text properties of an object: its labels, for one. */
export function textsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isJsonObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
