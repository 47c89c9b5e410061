/**
 * A trace of the seed 001 (complicate) drawing: `instances` replica sets with a pod each, interleaved, `events` events of about
 * 200 bytes. Every instance conforms. Deterministic.
 */
export function* podTrace(events: number, instances: number): Generator<string> {
  yield '{"kind":"begin","seq":0}';
  const lives = Array.from({ length: instances }, (_, index) => life(index));
  const turn = { seq: 0, revision: 0 };
  for (let at = 0; turn.seq < events; at = (at + 1) % instances) yield* lives[at]?.next(turn).value ?? [];
  yield `{"kind":"end","seq":${turn.seq + 1}}`;
}

interface Turn {
  seq: number;
  revision: number;
}

/** One instance: each step is what happens in one turn, a call with its reply or a notification with its witness. */
function* life(index: number): Generator<readonly string[], never, Turn> {
  const set = `set-${index}`;
  const pod = `${set}-pod`;
  let turn: Turn = yield [];
  let number = 0;
  const event = (from: string, to: string, kind: string, label: string, more: string, keyed: boolean): string =>
    `{"seq":${++turn.seq},"from":"${from}","to":"${to}","kind":"${kind}","label":"${label}"${more},"attributes":{"k8s.replicaset.name":"${set}"${keyed ? `,"k8s.pod.name":"${pod}"` : ''}`;
  const call = (
    from: string,
    to: string,
    label: string,
    keyed: boolean,
    parent = '',
    extra = '',
  ): readonly [string, string] => {
    const id = `${index}.${++number}`;
    return [
      `${event(from, to, 'call', label, `,"id":"${id}"${parent === '' ? '' : `,"parent":"${parent}"`}`, keyed)}${extra}}}`,
      id,
    ];
  };
  const reply = (from: string, to: string, status: number, id: string, keyed: boolean): string =>
    `${event(from, to, 'reply', String(status), `,"replyTo":"${id}","status":${status}`, keyed)}}}`;
  const notify = (to: string, resource: string, keyed: boolean): string[] => {
    const extra = `,"etcd.revision":${++turn.revision},"k8s.resource":"${resource}","k8s.watch.type":"ADDED"}}`;
    return [
      `${event('Etcd', 'ApiServer', 'async', 'watch PUT', '', keyed)}${extra}`,
      `${event('ApiServer', to, 'async', 'watch ADDED', `,"id":"${index}.${++number}"`, keyed)}${extra}`,
    ];
  };
  const write = (from: string, request: string, key: string, status: number, keyed: boolean, extra = ''): string[] => {
    const [asked, id] = call(from, 'ApiServer', request, keyed, '', extra);
    const [put, putId] = call('ApiServer', 'Etcd', `PUT ${key}`, keyed, id);
    return [asked, put, reply('Etcd', 'ApiServer', 200, putId, keyed), reply('ApiServer', from, status, id, keyed)];
  };
  const pods = '/api/v1/namespaces/default/pods';

  turn = yield write(
    'User',
    'POST /apis/apps/v1/namespaces/default/replicasets',
    `/registry/replicasets/default/${set}`,
    201,
    false,
  );
  turn = yield notify('ControllerManager', 'replicasets', false);
  const delegate = `${index}.${++number}`;
  turn = yield [
    `${event('ControllerManager', 'ReplicaSetController', 'async', 'handle', `,"id":"${delegate}"`, false)},"k8s.resource":"replicasets"}}`,
  ];
  const [list, listId] = call('ReplicaSetController', 'ApiServer', `GET ${pods}?labelSelector=app`, false, delegate);
  turn = yield [list, reply('ApiServer', 'ReplicaSetController', 200, listId, false)];
  turn = yield write('ReplicaSetController', `POST ${pods}`, `/registry/pods/default/${pod}`, 201, true);
  for (;;) {
    turn = yield notify('Scheduler', 'pods', true);
    const [get, getId] = call('Scheduler', 'ApiServer', `GET ${pods}/${pod}`, true);
    turn = yield [get, reply('ApiServer', 'Scheduler', 200, getId, true)];
    turn = yield write('Scheduler', `POST ${pods}/${pod}/binding`, `/registry/pods/default/${pod}`, 201, true);
    turn = yield notify('Kubelet', 'pods', true);
    const [read, readId] = call('Kubelet', 'ApiServer', `GET ${pods}/${pod}`, true);
    turn = yield [read, reply('ApiServer', 'Kubelet', 200, readId, true)];
    for (const label of ['CreateContainer', 'StartContainer']) {
      const [asked, id] = call('Kubelet', 'Docker', label, true);
      turn = yield [asked, reply('Docker', 'Kubelet', 200, id, true)];
    }
    turn = yield write(
      'Kubelet',
      `PATCH ${pods}/${pod}/status`,
      `/registry/pods/default/${pod}`,
      200,
      true,
      ',"k8s.pod.phase":"Running"',
    );
  }
}
