export { attributesOf, attributesOfPath, describeRequest } from './attributes.ts';
export type { ObjectAttributes, RequestDescription } from './attributes.ts';
export { at, equalJson, isJsonArray, isJsonObject, nestsTooDeep, numberAt, own, textAt } from './json.ts';
export { withProperty, withValueAt, NESTING_MAX } from './json.ts';
export { RESOURCES, parseObjectPath, pathOf, resourceNamed, resourceOfKind } from './resources.ts';
export type { ObjectPath, Resource, Subresource } from './resources.ts';
export type * from './types.ts';
