export { ApiClient } from './api-client.ts';
export type { ApiClientOptions, PatchType, Query, WatchOptions } from './api-client.ts';
export { ApiError, isRefused } from './api-error.ts';
export { backoffMs, pause, systemClock, timestamp } from './clock.ts';
export type { Clock, Timer } from './clock.ts';
export { manualClock } from './manual-clock.ts';
export type { ManualClock } from './manual-clock.ts';
export type { Component, Environment } from './environment.ts';
export { Informer } from './informer.ts';
export type { Change, InformerOptions } from './informer.ts';
export {
  controllerOf,
  controllerReference,
  DEPLOYMENTS,
  keyOf,
  locationOf,
  NODES,
  PODS,
  REPLICA_SETS,
} from './resources.ts';
export type { Location, ResourceOf } from './resources.ts';
export { QueuedComponent } from './queued-component.ts';
export type { QueuedParts } from './queued-component.ts';
export { WorkQueue } from './work-queue.ts';
export type { Cause, WorkQueueOptions } from './work-queue.ts';
