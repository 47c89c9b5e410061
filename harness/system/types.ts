/**
 * The port to a system under test. A module named by `--system MODULE` has a named export `system: SystemUnderTest`.
 * The harness drives a running system over HTTP as the participant User, and reads what happened from its trace endpoint.
 */
export interface SystemUnderTest {
  readonly name: string;
  start(options: StartOptions): Promise<RunningSystem>;
}

/** Everything here is data, so a run can be written down and repeated. */
export interface StartOptions {
  /** Worker nodes, 1 or more. */
  readonly nodes: number;
  /**
   * When a watcher learns of a change: `respond-first`: after the writer's reply was flushed; `free`: as soon as the store
   * tells, so that the notification may overtake the reply (how real API servers behave).
   */
  readonly dispatch: 'respond-first' | 'free';
  /** Delays in milliseconds, used in turn, before a reply (a watch notification) is put on the wire. Empty: none. */
  readonly replyDelaysMs: readonly number[];
  readonly watchDelaysMs: readonly number[];
  /** Names of switchable bugs to switch on. An unknown name is refused. */
  readonly mutants: readonly string[];
}

export interface RunningSystem {
  /** Base URL of the Kubernetes-like API that the driver speaks to as User, e.g. `http://127.0.0.1:8001`. */
  readonly apiUrl: string;
  /** Base URL whose `GET /trace` serves the events as NDJSON. */
  readonly traceUrl: string;
  /** Stops a component ("scheduler", "kubelet", …) from acting; it keeps its connections. */
  pause(component: string): Promise<void>;
  resume(component: string): Promise<void>;
  /** Waits until nothing is in flight, stops the components and closes the trace with its end marker; the trace stays readable. */
  finish(): Promise<void>;
  /** Frees everything: processes, sockets, files. Idempotent. */
  stop(): Promise<void>;
}
