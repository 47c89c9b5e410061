import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Figure } from './run.ts';

/** What one child process measured, by name. */
export type Measured = Readonly<Record<string, number>>;

/** Memory is measured in a process of its own, which does nothing else. */
function inOwnProcess(what: string): Measured {
  const script = join(import.meta.dirname, 'memory-child.ts');
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', '--import', 'tsx', script, what], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${what}: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

export function bench(): readonly Figure[] {
  const live = inOwnProcess('live');
  const ending = inOwnProcess('ending');
  const megabytes = (name: string): number => ending[name] ?? NaN;
  return [
    { name: 'bytes for each of a million live instances', value: live['bytes'] ?? NaN, unit: 'B', aim: '≤ 300' },
    { name: 'resident after 25 % of 4,000,000 events of ending instances', value: megabytes('quarter'), unit: 'MB' },
    { name: 'resident after 50 %', value: megabytes('half'), unit: 'MB', aim: 'flat' },
    { name: 'resident after 100 %', value: megabytes('whole'), unit: 'MB', aim: 'flat' },
    { name: 'of these in use after 25 %', value: megabytes('quarterUsed'), unit: 'MB' },
    { name: 'of these in use after 100 %', value: megabytes('wholeUsed'), unit: 'MB', aim: 'flat' },
    {
      name: 'time of the last quarter / of the first',
      value: (ending['lastMs'] ?? NaN) / (ending['firstMs'] ?? NaN),
      unit: '×',
      aim: 'near 1',
    },
  ];
}
