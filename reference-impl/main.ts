import { parseArgs } from 'node:util';
import { type Cluster, startCluster } from './cluster.ts';

const USAGE = `npm run cluster -- [--nodes N] [--port P] [--trace-port P] [--free] [--mutant NAME]...

  --nodes N        worker nodes (default 2)
  --port P         port of the Kubernetes API (default 8001)
  --trace-port P   port of the trace (default: any that is free)
  --free           let a watcher hear of a change before its writer is answered
  --mutant NAME    switch a bug on`;

async function main(): Promise<number> {
  const arguments_ = readArguments();
  if (typeof arguments_ === 'string') {
    process.stderr.write(`${arguments_}\n\n${USAGE}\n`);
    return 2;
  }
  if (arguments_.isHelp) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const stopped = signalled();
  let cluster: Cluster;
  try {
    cluster = await startCluster({ ...arguments_, replyDelaysMs: [], watchDelaysMs: [], report: complain });
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  process.stdout.write(greeting(cluster));
  await stopped;
  await cluster.stop();
  return 0;
}

interface Arguments {
  readonly isHelp: boolean;
  readonly nodes: number;
  readonly port: number;
  readonly tracePort: number;
  readonly dispatch: 'free' | 'respond-first';
  readonly mutants: readonly string[];
}

/** The arguments, or what is wrong with them. */
function readArguments(): Arguments | string {
  try {
    const { values } = parseArgs({
      options: {
        help: { type: 'boolean', short: 'h', default: false },
        nodes: { type: 'string', default: '2' },
        port: { type: 'string', default: '8001' },
        'trace-port': { type: 'string', default: '0' },
        free: { type: 'boolean', default: false },
        mutant: { type: 'string', multiple: true, default: [] },
      },
    });
    const [nodes, port, tracePort] = [values.nodes, values.port, values['trace-port']].map(Number);
    if (!isPort(port) || !isPort(tracePort)) return '--port and --trace-port want a number from 0 to 65535';
    return {
      isHelp: values.help,
      nodes: nodes ?? NaN,
      port,
      tracePort,
      dispatch: values.free ? 'free' : 'respond-first',
      mutants: values.mutant,
    };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function isPort(value: number | undefined): value is number {
  return value !== undefined && Number.isInteger(value) && value >= 0 && value <= 65_535;
}

/** Resolves at the first request to end. A second one ends the process at once; the containers go with it. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        resolve();
        process.once(signal, () => process.exit(130));
      });
    }
  });
}

function complain(component: string, problem: string): void {
  process.stderr.write(`${component}: ${problem}\n`);
}

function greeting({ apiUrl, traceUrl }: Cluster): string {
  const pod = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web' },
    spec: { containers: [{ name: 'main', image: 'pause' }] },
  });
  return [
    `API    ${apiUrl}`,
    `trace  ${traceUrl}/trace`,
    '',
    'Try:',
    `  curl -s ${apiUrl}/api/v1/namespaces/default/pods -H 'content-type: application/json' -d '${pod}'`,
    `  curl -s ${apiUrl}/api/v1/namespaces/default/pods`,
    `  curl -s ${traceUrl}/trace`,
    '',
  ].join('\n');
}

// The cluster runs on when nobody reads what it prints (`| head`), or there is no room for it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
process.exitCode = await main();
