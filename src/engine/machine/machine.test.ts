import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { MACHINE_SCRIPT, parseMachine } from './machine.ts';

const TOPOLOGY = 'cpu 1 1 0\ncpu 0 0 0\ncpu 10 2 0\n';

test.each([
  ['all, where nobody says which are usable', '', [0, 1, 10]],
  ['all, where there are no control groups', 'usable \n', [0, 1, 10]],
  ['those of an engine that has not all', 'usable 1-9,10\n', [1, 10]],
  ['none of the lines of /proc/stat', 'cpu  4705 150 1120 16250 520 0 30 0 0 0\n', [0, 1, 10]],
])('the CPUs are %s', (_, usable, expected) => {
  const { cpus } = parseMachine(`${TOPOLOGY}${usable}governor performance\nvirtual yes\n`);
  expect(cpus.map(({ cpu }) => cpu)).toEqual(expected);
});

test.skipIf(process.platform !== 'linux')(
  'of this machine, those that a process may use are among them',
  () => {
    const { cpus } = parseMachine(execFileSync('sh', ['-c', MACHINE_SCRIPT], { encoding: 'utf8' }));
    const nproc = Number(execFileSync('nproc', { encoding: 'utf8' }));
    expect(cpus.length).toBeGreaterThanOrEqual(nproc);
  },
);
