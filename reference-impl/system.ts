import type { SystemUnderTest } from '../harness/system/types.ts';
import { startCluster } from './cluster.ts';

/** The reference control plane, for the harness to start, drive and judge. */
export const system: SystemUnderTest = {
  name: 'reference control plane',
  start: startCluster,
};
