import type { Trace, TraceEvent } from '../../harness/index.ts';

/** Messages of one pod, by the names of `pod-on-the-wire.ts`. */
export type Point =
  | 'createReq'
  | 'createTxn'
  | 'createAck'
  | 'createReply'
  | 'watchSched'
  | 'bindReq'
  | 'bindTxn'
  | 'bindAck'
  | 'bindReply'
  | 'etcdWatchBound'
  | 'watchKubelet'
  | 'appCreate'
  | 'appCreated'
  | 'appStart'
  | 'appStarted'
  | 'statusReq'
  | 'statusTxn'
  | 'statusAck'
  | 'statusReply';

/**
 * One pod's messages in a trace, each found by what it is, so that a mutant can lose, double and move them. The recordings
 * begin before the pod does: a mutant's trace declares its beginning, or a pod without a beginning would prove nothing.
 */
export class PodTrace {
  readonly #trace: Trace;
  readonly #events: readonly TraceEvent[];
  readonly #ids: ReadonlyMap<Point, string>;

  constructor(trace: Trace, pod: string) {
    this.#trace = trace;
    this.#events = trace.events.map(({ event }) => event);
    this.#ids = findPoints(this.#events, pod);
  }

  get original(): Trace {
    return this.#traceOf(this.#events);
  }

  /** The first message is moved right before the second. */
  moveBefore(moved: Point | readonly Point[], before: Point): Trace {
    const points = typeof moved === 'string' ? [moved] : moved;
    const block = points.map((point) => this.#find(point));
    const rest = this.#events.filter((event) => !block.includes(event));
    const at = rest.indexOf(this.#find(before));
    if (points.every((point) => this.#position(point) < this.#position(before)))
      throw new Error(`${points.join(', ')} came before ${before} already: this mutant changes nothing`);
    return this.#traceOf([...rest.slice(0, at), ...block, ...rest.slice(at)]);
  }

  swap(one: Point, other: Point): Trace {
    const [a, b] = [this.#find(one), this.#find(other)];
    return this.#traceOf(this.#events.map((event) => (event === a ? b : event === b ? a : event)));
  }

  lose(...points: readonly Point[]): Trace {
    const lost = points.map((point) => this.#find(point));
    return this.#traceOf(this.#events.filter((event) => !lost.includes(event)));
  }

  /** The messages come a second time, right after the last of them. */
  double(...points: readonly Point[]): Trace {
    const again = points.map((point) => this.#find(point));
    const at = Math.max(...again.map((event) => this.#events.indexOf(event))) + 1;
    const copies = again.map(({ id, replyTo, ...event }) => ({
      ...event,
      ...(id === undefined ? {} : { id: `${id}-again` }),
      ...(replyTo === undefined ? {} : { replyTo: `${replyTo}-again` }),
    }));
    return this.#traceOf([...this.#events.slice(0, at), ...copies, ...this.#events.slice(at)]);
  }

  #position(point: Point): number {
    return this.#events.indexOf(this.#find(point));
  }

  #find(point: Point): TraceEvent {
    const id = this.#ids.get(point);
    const event = this.#events.find((other) => other.id === id);
    if (id === undefined || event === undefined) throw new Error(`the trace does not show ${point}`);
    return event;
  }

  #traceOf(events: readonly TraceEvent[]): Trace {
    const sourced = events.map((event, index) => ({
      event: { ...event, seq: index + 1 },
      source: 'mutant',
      line: index + 2,
    }));
    return { events: sourced, begun: true, ended: this.#trace.ended };
  }
}

function findPoints(events: readonly TraceEvent[], pod: string): ReadonlyMap<Point, string> {
  const found = new Map<Point, string>();
  const ofPod = events.filter(({ attributes }) => attributes?.['k8s.pod.name'] === pod);
  const learn = (point: Point, event: TraceEvent | undefined): TraceEvent | undefined => {
    if (event?.id !== undefined) found.set(point, event.id);
    return event;
  };
  const exchange = (call: Point, reply: Point, event: TraceEvent | undefined): TraceEvent | undefined => {
    learn(
      reply,
      events.find(({ replyTo }) => replyTo !== undefined && replyTo === event?.id),
    );
    return learn(call, event);
  };
  const write = (call: Point, reply: Point, during: TraceEvent | undefined): TraceEvent | undefined =>
    exchange(
      call,
      reply,
      events.find(({ parent }) => parent !== undefined && parent === during?.id),
    );
  const call = (label: RegExp, has: Readonly<Record<string, string>> = {}): TraceEvent | undefined =>
    ofPod.find(
      (event) =>
        event.kind === 'call' &&
        label.test(event.label) &&
        Object.entries(has).every(([key, value]) => event.attributes?.[key] === value),
    );
  const told = (whom: string): TraceEvent | undefined =>
    ofPod.find((event) => event.to === whom && event.attributes?.['k8s.watch.type'] === 'ADDED');

  // The request to create it has no name; its reply has.
  const created = ofPod.find(
    ({ kind, label, attributes }) =>
      kind === 'reply' && label === '201' && /\/pods$/.test(String(attributes?.['url.path'])),
  );
  const create = events.find(({ id }) => id === created?.replyTo);
  exchange('createReq', 'createReply', create);
  write('createTxn', 'createAck', create);
  learn('watchSched', told('Scheduler'));
  const bind = exchange('bindReq', 'bindReply', call(/^POST .*\/binding$/));
  const bound = write('bindTxn', 'bindAck', bind);
  const key = bound?.attributes?.['etcd.key'];
  const revision = events.find(({ replyTo }) => replyTo === bound?.id)?.attributes?.['etcd.revision'];
  learn(
    'etcdWatchBound',
    ofPod.find(
      ({ from, kind, attributes }) =>
        from === 'Etcd' &&
        kind === 'async' &&
        attributes?.['etcd.key'] === key &&
        attributes?.['etcd.revision'] === revision,
    ),
  );
  learn('watchKubelet', told('Kubelet'));
  exchange('appCreate', 'appCreated', call(/^POST \/containers\/create$/, { 'container.name': 'app' }));
  exchange('appStart', 'appStarted', call(/^POST \/containers\/.*\/start$/, { 'container.name': 'app' }));
  const status = exchange('statusReq', 'statusReply', call(/^PATCH .*\/status$/, { 'k8s.pod.phase': 'Running' }));
  write('statusTxn', 'statusAck', status);
  return found;
}

/** What could be wrong in a control plane, as its trace would show it. The name of each is what it is. */
export const MUTANTS = {
  creatorAnsweredBeforeStoreAnswered: (pod) => pod.moveBefore('createReply', 'createAck'),
  creatorAnsweredBeforeAnythingWasWritten: (pod) => pod.moveBefore('createReply', 'createTxn'),
  schedulerToldBeforePodWasWritten: (pod) => pod.moveBefore('watchSched', 'createTxn'),
  podBoundBeforeSchedulerWasTold: (pod) => pod.moveBefore('bindReq', 'watchSched'),
  schedulerAnsweredBeforeStoreAnswered: (pod) => pod.moveBefore('bindReply', 'bindAck'),
  kubeletToldBeforeBindingWasWritten: (pod) => pod.moveBefore(['etcdWatchBound', 'watchKubelet'], 'bindTxn'),
  containerCreatedBeforeKubeletWasTold: (pod) => pod.moveBefore('appCreate', 'watchKubelet'),
  containerStartedBeforeItWasCreated: (pod) => pod.moveBefore('appStart', 'appCreate'),
  runningReportedBeforeContainerStarted: (pod) => pod.moveBefore('statusReq', 'appStarted'),
  kubeletAnsweredBeforeStoreAnswered: (pod) => pod.moveBefore('statusReply', 'statusAck'),
  bindingNeverWritten: (pod) => pod.lose('bindTxn', 'bindAck'),
  kubeletNeverTold: (pod) => pod.lose('watchKubelet'),
  runningNeverReported: (pod) => pod.lose('statusReq', 'statusTxn', 'statusAck', 'statusReply'),
  podBoundTwice: (pod) => pod.double('bindReq', 'bindTxn', 'bindAck', 'bindReply'),
  containerStartedTwice: (pod) => pod.double('appStart', 'appStarted'),
  kubeletToldBeforeScheduler: (pod) => pod.swap('watchSched', 'watchKubelet'),
  statusWrittenBeforeItWasReported: (pod) => pod.swap('statusReq', 'statusTxn'),
} as const satisfies Record<string, (pod: PodTrace) => Trace>;

export type MutantName = keyof typeof MUTANTS;
