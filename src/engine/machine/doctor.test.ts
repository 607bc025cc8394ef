import { expect, test } from 'vitest';
import type { Finished, Host } from '../../host.ts';
import type { EngineFacts } from '../docker.ts';
import { diagnose } from './doctor.ts';

const ENGINE = { version: '29', pinsCpus: true, limitsMemory: true } as EngineFacts;

/** What is found on a machine of so many CPUs, with so many containers that run, and as many of a run. */
async function find(cpus: number, containers: number, engine = ENGINE): Promise<string[]> {
  const exec = async (_: string, args: readonly string[]): Promise<Finished> => {
    const names = Array.from({ length: containers }, (_, i) => `c${i}\t\trunning\n`).join('');
    return { code: 0, stdout: args[0] === 'container' ? names : '', stderr: '' };
  };
  const list = Array.from({ length: cpus }, (_, cpu) => ({ cpu, core: cpu }));
  const machine = { cpus: list, cpuModel: 'Xeon', governor: null, virtual: false };
  const site = { machine, now: '', own: null, container: null, isElsewhere: true };
  const findings = await diagnose({ exec } as unknown as Host, site, engine);
  return findings.map(({ what }) => what);
}

test.each([
  [1, 1, ['1 CPU (Xeon)', '1 other container is running', '1 container of a run is there']],
  [8, 2, ['8 CPUs (Xeon)', '2 other containers are running', '2 containers of a run are there']],
  [8, 0, ['0 other containers are running', 'nothing left over from an earlier run']],
])('on %d CPUs, beside %d containers', async (cpus, containers, said) => {
  expect(await find(cpus, containers)).toEqual(expect.arrayContaining(said));
});

test.each([[0], [1], [8]])(
  'on %d CPUs, limits that the engine does not enforce are found once',
  async (cpus) => {
    const found = await find(cpus, 0, { ...ENGINE, pinsCpus: false, limitsMemory: false });
    const remedy = expect.stringMatching(/Delegate=cpu cpuset io memory pids/);
    expect(found.filter((what) => /\b(share|limit)\b/.test(what))).toEqual([remedy, remedy]);
  },
);
