import { wholeFile } from '../harness/diagram/index.ts';
import { readMermaid } from '../harness/dialects/mermaid/index.ts';
import { askMermaid } from '../harness/dialects/mermaid/oracle/mermaid.ts';
import type { Figure } from './run.ts';

const NAMES = ['User', 'API Server', 'Etcd', 'Scheduler', 'Kubelet', 'Docker'];

/** A drawing as people write them: calls and replies between six participants, some of them in loops. */
function drawing(messages: number): string {
  const lines = ['sequenceDiagram', ...NAMES.map((name) => `    participant ${name}`)];
  for (let index = 0; index < messages; index += 1) {
    const from = NAMES[index % NAMES.length] ?? '';
    const to = NAMES[(index + 1) % NAMES.length] ?? '';
    if (index % 50 === 10) lines.push('    loop until the pod runs');
    lines.push(`    ${from}${index % 3 === 0 ? '-->>' : '->>'}${to}: GET /api/v1/pods/${index} (200 OK)`);
    if (index % 50 === 20) lines.push('    end');
  }
  if (messages % 50 > 10 && messages % 50 <= 20) lines.push('    end');
  return lines.join('\n');
}

/** The median of several readings, in milliseconds: one garbage collection must not decide. */
function timeOf(text: string, messages: number, runs: number): number {
  const times = Array.from({ length: runs }, () => {
    const start = performance.now();
    const { value, diagnostics } = readMermaid(text, wholeFile('bench.mmd', 'bench'));
    const time = performance.now() - start;
    if (value.messages.length !== messages || diagnostics.length > 0)
      throw new Error('the drawing was not read as written');
    return time;
  });
  return times.sort((a, b) => a - b)[Math.floor(runs / 2)] ?? 0;
}

/** Reading against Mermaid's own parser, and the time a message takes in small and in large drawings, all in one run. */
export function bench(): readonly Figure[] {
  const sizes = [100, 1_000, 2_000, 5_000, 20_000];
  timeOf(drawing(2_000), 2_000, 10);
  const perMessage = new Map(
    sizes.map((size) => [size, timeOf(drawing(size), size, size < 2_000 ? 51 : 11) / size] as const),
  );
  const [, theirs] = askMermaid([drawing(20), drawing(2_000)]);
  if (theirs?.ok !== true || theirs.ms === undefined) throw new Error('Mermaid did not read the drawing');
  const ours = (perMessage.get(2_000) ?? 0) * 2_000;
  const all = [...perMessage.values()];
  return [
    { name: '2000 messages: Mermaid / ours', value: theirs.ms / ours, unit: '×', aim: '≥ 100' },
    { name: '2000 messages: ours', value: ours, unit: 'ms' },
    ...sizes.map((size) => ({ name: `a message of ${size}`, value: (perMessage.get(size) ?? 0) * 1_000, unit: 'µs' })),
    {
      name: 'a message, slowest size / fastest size',
      value: Math.max(...all) / Math.min(...all),
      unit: '×',
      aim: '≤ 2',
    },
  ];
}
