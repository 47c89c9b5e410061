export { attributesOf, attributesOfPath, describeRequest } from './attributes.ts';
export type { ObjectAttributes, RequestDescription } from './attributes.ts';
export { at, equalJson, isJsonArray, isJsonObject, nestsTooDeep, numberAt, own, textAt } from './json.ts';
export { withProperty, withValueAt, NESTING_MAX } from './json.ts';
export { applyJsonPatch, applyMergePatch } from './patch.ts';
export type { Patched } from './patch.ts';
export { RESOURCES, parseObjectPath, pathOf, resourceNamed, resourceOfKind } from './resources.ts';
export type { ObjectPath, Resource, Subresource } from './resources.ts';
export {
  formatLabelSelector,
  matchesFields,
  matchesLabels,
  parseFieldSelector,
  parseLabelSelector,
} from './selectors.ts';
export type { FieldRequirement, Parsed } from './selectors.ts';
export { applyStrategicMergePatch } from './strategic-merge.ts';
export { isLabelSelector, textsOf, validate, validateChange, validateReplicas } from './validation.ts';
export type { Faults } from './validation.ts';
export type * from './types.ts';
