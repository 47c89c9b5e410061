import type { Deployment, Pod, ReplicaSet } from '../api/index.ts';
import { type ApiClient, DEPLOYMENTS, type Environment, Informer, PODS, REPLICA_SETS } from '../client/index.ts';

/** One watch for each resource, whatever the number of controllers in the process. */
export interface SharedInformers {
  readonly deployments: Informer<Deployment>;
  readonly replicaSets: Informer<ReplicaSet>;
  readonly pods: Informer<Pod>;
}

/** Informers that watch through this client; they are not started. */
export function sharedInformers(environment: Environment, client: ApiClient): SharedInformers {
  return {
    deployments: new Informer({ environment, client, of: DEPLOYMENTS }),
    replicaSets: new Informer({ environment, client, of: REPLICA_SETS }),
    pods: new Informer({ environment, client, of: PODS }),
  };
}
