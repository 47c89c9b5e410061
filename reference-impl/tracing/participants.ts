/** First word of a user agent (before `/` or a blank) and the participant that it stands for. */
const PARTICIPANTS: ReadonlyMap<string, string> = new Map([
  ['scheduler', 'Scheduler'],
  ['kubelet', 'Kubelet'],
  ['controller-manager', 'ControllerManager'],
  ['deployment-controller', 'DeploymentController'],
  ['replicaset-controller', 'ReplicaSetController'],
  ['garbage-collector', 'GarbageCollector'],
]);

/** The names of the two participants on either side of the store. */
export const API_SERVER = 'ApiServer';
export const STORE = 'Etcd';
/** Whoever is no component of the control plane: people, kubectl, a test driver. */
export const USER = 'User';

/** The participant that sends with this user agent: `kubelet/node1` is Kubelet; whoever is unknown is User. */
export function participantOf(userAgent: string | undefined): string {
  const product = /^[^\s/]+/.exec(userAgent ?? '')?.[0] ?? '';
  return PARTICIPANTS.get(product) ?? USER;
}
