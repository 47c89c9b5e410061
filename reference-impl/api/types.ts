/**
 * The part of the Kubernetes object model that the control plane speaks, with the field names of the real API.
 * Objects that came over the wire may hold more fields than are named here; they are kept.
 */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. Its keys may come from outside: read own properties only. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  /** At most one owner of an object is its managing controller. */
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  /** Prefix from which the API server makes a name when the object is created without one. */
  readonly generateName?: string;
  /** Absent on cluster-scoped objects (nodes, namespaces). */
  readonly namespace?: string;
  readonly uid: string;
  /** The store's mod revision of the object, as a decimal string; opaque to clients but for equality. */
  readonly resourceVersion: string;
  /** Counts changes of the spec. */
  readonly generation?: number;
  /** RFC 3339, in whole seconds. */
  readonly creationTimestamp: string;
  /** When present, deletion was asked for and the object will be gone soon. */
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
}

/** What a client may say about the metadata of an object that it creates. */
export type NewObjectMeta = Partial<ObjectMeta>;

/** What all stored objects have in common. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

/** An object before the API server has given it a name, uid and revision. */
export type NewObject<T extends KubernetesObject> = Omit<T, 'metadata' | 'status'> & {
  readonly metadata: NewObjectMeta;
};

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

/** All parts must hold; an empty selector matches everything. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

export interface EnvironmentVariable {
  readonly name: string;
  readonly value?: string;
}

export interface ContainerPort {
  readonly name?: string;
  readonly containerPort: number;
  readonly hostPort?: number;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
}

export interface ResourceRequirements {
  /** Quantities: `cpu: 250m`, `memory: 64Mi`. */
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly imagePullPolicy?: 'Always' | 'IfNotPresent' | 'Never';
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly workingDir?: string;
  readonly env?: readonly EnvironmentVariable[];
  readonly ports?: readonly ContainerPort[];
  readonly resources?: ResourceRequirements;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: 'Exists' | 'Equal';
  readonly value?: string;
  readonly effect?: TaintEffect;
  readonly tolerationSeconds?: number;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  /** Set by a binding only. Absent: not scheduled yet. */
  readonly nodeName?: string;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly terminationGracePeriodSeconds?: number;
  readonly schedulerName?: string;
  readonly priority?: number;
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed' | 'Unknown';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly lastUpdateTime?: string;
  readonly lastHeartbeatTime?: string;
}

export interface ContainerStateWaiting {
  readonly reason?: string;
  readonly message?: string;
}

export interface ContainerStateRunning {
  readonly startedAt?: string;
}

export interface ContainerStateTerminated {
  readonly exitCode: number;
  readonly signal?: number;
  readonly reason?: string;
  readonly message?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly containerID?: string;
}

/** At most one of the three is present. */
export interface ContainerState {
  readonly waiting?: ContainerStateWaiting;
  readonly running?: ContainerStateRunning;
  readonly terminated?: ContainerStateTerminated;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  readonly ready: boolean;
  readonly started?: boolean;
  readonly restartCount: number;
  readonly containerID?: string;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface PodStatus {
  readonly phase?: PodPhase;
  readonly conditions?: readonly Condition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly hostIP?: string;
  readonly podIP?: string;
  readonly startTime?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
}

export interface Pod extends KubernetesObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface PodTemplateSpec {
  readonly metadata?: NewObjectMeta;
  readonly spec: PodSpec;
}

export interface ReplicaSetSpec {
  /** Absent means 1; the API server fills it in. */
  readonly replicas?: number;
  readonly minReadySeconds?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
}

export interface ReplicaSetStatus {
  readonly replicas: number;
  readonly fullyLabeledReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
}

export interface ReplicaSet extends KubernetesObject {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'ReplicaSet';
  readonly spec: ReplicaSetSpec;
  readonly status?: ReplicaSetStatus;
}

export interface DeploymentStrategy {
  readonly type?: 'RollingUpdate' | 'Recreate';
  readonly rollingUpdate?: {
    /** A number of pods, or a percentage such as `25%`. */
    readonly maxUnavailable?: number | string;
    readonly maxSurge?: number | string;
  };
}

export interface DeploymentSpec {
  readonly replicas?: number;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly strategy?: DeploymentStrategy;
  readonly minReadySeconds?: number;
  readonly revisionHistoryLimit?: number;
  readonly progressDeadlineSeconds?: number;
  readonly paused?: boolean;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly Condition[];
}

export interface Deployment extends KubernetesObject {
  readonly apiVersion: 'apps/v1';
  readonly kind: 'Deployment';
  readonly spec: DeploymentSpec;
  readonly status?: DeploymentStatus;
}

export type TaintEffect = 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: TaintEffect;
  readonly timeAdded?: string;
}

export interface NodeSpec {
  readonly podCIDR?: string;
  readonly unschedulable?: boolean;
  readonly taints?: readonly Taint[];
}

export interface NodeStatus {
  readonly capacity?: Readonly<Record<string, string>>;
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly conditions?: readonly Condition[];
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly nodeInfo?: Readonly<Record<string, string>>;
}

export interface Node extends KubernetesObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Node';
  readonly spec?: NodeSpec;
  readonly status?: NodeStatus;
}

export interface Namespace extends KubernetesObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Namespace';
  readonly status?: { readonly phase?: 'Active' | 'Terminating' };
}

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** Something worth telling a user about an object (`kubectl describe`); not to be confused with a trace event. */
export interface KubernetesEvent extends KubernetesObject {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
  readonly involvedObject: ObjectReference;
  readonly reason?: string;
  readonly message?: string;
  readonly type?: 'Normal' | 'Warning';
  readonly count?: number;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
}

/** Body of `POST pods/NAME/binding`: the scheduler's decision. */
export interface Binding {
  readonly apiVersion: 'v1';
  readonly kind: 'Binding';
  readonly metadata: NewObjectMeta;
  readonly target: ObjectReference & { readonly name: string };
}

/** The `scale` subresource of deployments and replica sets. */
export interface Scale {
  readonly apiVersion: 'autoscaling/v1';
  readonly kind: 'Scale';
  readonly metadata: NewObjectMeta;
  readonly spec: { readonly replicas?: number };
  readonly status: { readonly replicas: number; readonly selector?: string };
}

/** Body of a DELETE. */
export interface DeleteOptions {
  readonly apiVersion?: string;
  readonly kind?: 'DeleteOptions';
  /** 0 deletes at once; absent: the pod's own grace period. */
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

/** Why a request failed, in a form that clients branch on. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Expired'
  | 'Gone'
  | 'RequestEntityTooLarge'
  | 'UnsupportedMediaType'
  | 'Invalid'
  | 'TooManyRequests'
  | 'InternalError'
  | 'ServiceUnavailable'
  | 'Timeout';

export interface StatusCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** The answer to a request that yields no object: success of a deletion or binding, or an error. */
export interface Status {
  readonly apiVersion: 'v1';
  readonly kind: 'Status';
  readonly metadata: { readonly resourceVersion?: string };
  readonly status: 'Success' | 'Failure';
  readonly message?: string;
  readonly reason?: StatusReason;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  /** The HTTP status code. */
  readonly code: number;
}

export interface List<T> {
  readonly apiVersion: string;
  /** `PodList`, `ReplicaSetList`, … */
  readonly kind: string;
  readonly metadata: {
    /** The store's revision at which the list was read: a watch may go on from here without a gap. */
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly T[];
}

/** One line of a watch stream. `asdrawn` is the trace event's id, for watchers that asked for it. */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T; readonly asdrawn?: string }
  /** Its object holds a resourceVersion and nothing else of interest. */
  | { readonly type: 'BOOKMARK'; readonly object: JsonObject; readonly asdrawn?: string }
  | { readonly type: 'ERROR'; readonly object: Status; readonly asdrawn?: string };
