import { compileContract, readBinding, readDocument, type Contract } from '../../harness/index.ts';

/**
 * A pod's way as a wire shows it: seed 000 with the notifications of the store, the two containers behind "docker run", and
 * the kubelet's first status. Labels are the names under which the recordings' own script counts (orderings.txt). What it
 * counts that never or rarely comes in the place where people draw it stands here where they draw it.
 */
const DRAWING = `sequenceDiagram
  participant Dev
  participant ApiServer
  participant Etcd
  participant Scheduler
  participant Kubelet
  participant Docker
  Dev->>ApiServer: createReq
  ApiServer->>Etcd: createTxn
  Etcd-->>ApiServer: createAck
  ApiServer-->>Dev: createReply
  Etcd-)ApiServer: etcdWatchNew
  ApiServer-)Scheduler: watchSched
  Scheduler->>ApiServer: schedulerGet
  Scheduler->>ApiServer: bindReq
  ApiServer->>Etcd: bindTxn
  Etcd-->>ApiServer: bindAck
  ApiServer-->>Scheduler: bindReply
  Etcd-)ApiServer: etcdWatchBound
  ApiServer-)Kubelet: watchKubelet
  Kubelet->>ApiServer: kubeletGet
  Kubelet->>Docker: sandboxCreate
  Docker-->>Kubelet: sandboxCreated
  Kubelet->>Docker: sandboxStart
  Docker-->>Kubelet: sandboxStarted
  Kubelet->>ApiServer: firstStatus
  Kubelet->>Docker: appCreate
  Docker-->>Kubelet: appCreated
  Kubelet->>Docker: appStart
  Docker-->>Kubelet: appStarted
  Kubelet->>ApiServer: statusReq
  ApiServer->>Etcd: statusTxn
  Etcd-->>ApiServer: statusAck
  ApiServer-->>Kubelet: statusReply
`;

const BINDING = `
order: strict
instance: pod
parameters:
  pod: k8s.pod.name
participants:
  Dev: [User, { is: ControllerManager, when: user_agent.original.endsWith("replicaset-controller") }]
messages:
  createReq: POST /api/v1/namespaces/*/pods
  createTxn: PUT /registry/pods/*/{pod}
  etcdWatchNew: label == "watch PUT " + etcd.key && k8s.resource == "pods" && !has(k8s.node.name)
  watchSched: k8s.resource == "pods" && k8s.watch.type == "ADDED"
  schedulerGet: GET /api/v1/namespaces/*/pods/{pod}
  bindReq: POST /api/v1/namespaces/*/pods/{pod}/binding
  bindTxn: PUT /registry/pods/*/{pod}
  etcdWatchBound: label == "watch PUT " + etcd.key && k8s.resource == "pods" && has(k8s.node.name)
  watchKubelet: k8s.resource == "pods" && k8s.watch.type == "ADDED"
  kubeletGet: GET /api/v1/namespaces/*/pods/{pod}
  sandboxCreate: { match: POST /containers/create, when: container.name == "POD" }
  sandboxStart: { match: POST /containers/*/start, when: container.name == "POD" }
  firstStatus:
    match: PATCH /api/v1/namespaces/*/pods/{pod}/status
    when: "!has(k8s.pod.phase)"
  appCreate: { match: POST /containers/create, when: container.name != "POD" }
  appStart: { match: POST /containers/*/start, when: container.name != "POD" }
  statusReq:
    match: PATCH /api/v1/namespaces/*/pods/{pod}/status
    when: k8s.pod.phase == "Running"
  statusTxn: PUT /registry/pods/*/{pod}
`;

/** The whole drawing as a contract, every order in it demanded. */
export function podOnTheWire(): Contract {
  const file = 'pod-on-the-wire.mmd';
  const document = readDocument(DRAWING, file);
  const bindings = readBinding(BINDING, `${file}.bindings.yaml`);
  const [diagram] = document.value;
  if (diagram === undefined) throw new Error(`${file} holds one diagram`);
  const compiled = compileContract(diagram, bindings.value);
  const found = [document, bindings, compiled].flatMap(({ diagnostics }) => diagnostics);
  const errors = found.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new Error(errors.map(({ code, message }) => `${code} ${message}`).join('\n'));
  return compiled.value;
}

/** Of all that the drawing demands, one order: the message called `earlier` comes before the one called `later`. */
export function demandOnly(contract: Contract, earlier: string, later: string): Contract {
  const [first, second] = [messageCalled(contract, earlier), messageCalled(contract, later)];
  const indexes = contract.messages.map(({ index }) => index);
  const unordered = indexes.flatMap((a) =>
    indexes.filter((b) => a !== first || b !== second).map((b) => [a, b] as const),
  );
  return { ...contract, unordered };
}

/** Index of the contract message drawn with this text. */
export function messageCalled({ messages, drawn }: Contract, text: string): number {
  const found = messages.find((message) => drawn[message.drawn]?.text === text);
  if (found === undefined) throw new Error(`no message is called ${text}`);
  return found.index;
}
