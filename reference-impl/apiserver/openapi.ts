import { RESOURCES } from '../api/index.ts';
import type { Resource } from '../api/index.ts';

const GROUP_VERSIONS: ReadonlyMap<string, string> = new Map([
  ['api/v1', 'v1'],
  ['apis/apps/v1', 'apps/v1'],
]);

/**
 * What kubectl asks for before it sends a manifest: path → answer. The schemas are empty; what kubectl looks for is whether the server validates
 * fields (`fieldValidation`), because it then leaves validation to the server.
 */
export const OPENAPI: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  [
    '/openapi/v3',
    {
      paths: Object.fromEntries(
        [...GROUP_VERSIONS.keys()].map((path) => [path, { serverRelativeURL: `/openapi/v3/${path}` }]),
      ),
    },
  ],
  ...[...GROUP_VERSIONS].map(([path, apiVersion]): [string, unknown] => [
    `/openapi/v3/${path}`,
    documentOf(apiVersion),
  ]),
]);

function documentOf(apiVersion: string): object {
  const resources = RESOURCES.filter((resource) => resource.apiVersion === apiVersion);
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.32.0' },
    paths: Object.fromEntries(resources.map((resource) => [objectPath(resource), { patch: patchOperation(resource) }])),
    components: { schemas: {} },
  };
}

function objectPath({ name, group, apiVersion, namespaced }: Resource): string {
  const prefix = group === '' ? '/api/v1' : `/apis/${apiVersion}`;
  return `${prefix}${namespaced ? '/namespaces/{namespace}' : ''}/${name}/{name}`;
}

function patchOperation({ group, kind }: Resource): object {
  return {
    parameters: [{ name: 'fieldValidation', in: 'query', schema: { type: 'string', uniqueItems: true } }],
    responses: {},
    'x-kubernetes-action': 'patch',
    'x-kubernetes-group-version-kind': { group, kind, version: 'v1' },
  };
}
