import { RESOURCES } from '../api/index.ts';
import type { Resource } from '../api/index.ts';

const VERBS = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'] as const;

const SUBRESOURCE_KINDS = {
  status: (kind: string) => ({ kind, verbs: ['get', 'patch', 'update'] }),
  binding: () => ({ kind: 'Binding', verbs: ['create'] }),
  scale: () => ({ group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] }),
} as const;

/** What clients ask to learn which resources there are: path → answer. */
export const DISCOVERY: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  // The version decides which kubectl a version-dispatching kubectl runs.
  [
    '/version',
    { major: '1', minor: '32', gitVersion: 'v1.32.0+asdrawn', platform: `${process.platform}/${process.arch}` },
  ],
  ['/api', { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] }],
  ['/apis', { kind: 'APIGroupList', apiVersion: 'v1', groups: [appsGroup()] }],
  ['/apis/apps', { kind: 'APIGroup', apiVersion: 'v1', ...appsGroup() }],
  ['/api/v1', resourceList('v1')],
  ['/apis/apps/v1', resourceList('apps/v1')],
]);

function appsGroup(): object {
  const version = { groupVersion: 'apps/v1', version: 'v1' };
  return { name: 'apps', versions: [version], preferredVersion: version };
}

function resourceList(groupVersion: string): object {
  const resources = RESOURCES.filter((resource) => resource.apiVersion === groupVersion);
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: resources.flatMap(rowsOf) };
}

function rowsOf(resource: Resource): readonly object[] {
  const { name, singular, kind, namespaced, shortNames } = resource;
  return [
    { name, singularName: singular, namespaced, kind, verbs: VERBS, shortNames },
    ...resource.subresources.map((subresource) => ({
      name: `${name}/${subresource}`,
      singularName: '',
      namespaced,
      ...SUBRESOURCE_KINDS[subresource](kind),
    })),
  ];
}
