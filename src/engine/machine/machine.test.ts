import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { writeFiles } from '../../../test/fixtures/commits.ts';
import { folder, useFolder } from '../../../test/fixtures/folder.ts';
import { MACHINE_SCRIPT, parseMachine } from './machine.ts';

useFolder();

const TOPOLOGY = 'cpu 1 1\ncpu 0 0\ncpu 10 10\n';

test.each([
  ['all, where nobody says which are usable', '', [0, 1, 10]],
  ['all, where there are no control groups', 'usable \n', [0, 1, 10]],
  ['those of an engine that has not all', 'usable 1-9,10\n', [1, 10]],
  ['none of the lines of /proc/stat', 'cpu4 4705 150 1120 16250 520 0 30 0 0 0\n', [0, 1, 10]],
])('the CPUs are %s', (_, usable, expected) => {
  const { cpus } = parseMachine(`${TOPOLOGY}${usable}governor performance\nvirtual yes\n`);
  expect(cpus.map(({ cpu }) => cpu)).toEqual(expected);
});

/** A CPU as sysfs has it: the core and the package by their numbers, and the threads of the core. */
type Topology = readonly [core: number, packageId: number, threads: string];

test.each<[string, Topology[], number[]]>([
  // RK3588: numbers of cores begin anew in each cluster.
  [
    'clusters of ARM',
    [0, 1, 2, 3, 0, 1, 0, 1].map((core, cpu) => [core, 0, `${cpu}`]),
    [0, 1, 2, 3, 4, 5, 6, 7],
  ],
  ['threads of cores', [0, 1, 0, 1].map((core) => [core, 0, `${core},${core + 2}`]), [0, 1, 0, 1]],
  [
    'threads side by side',
    [0, 0, 1, 1].map((core) => [core, 0, `${core * 2}-${core * 2 + 1}`]),
    [0, 0, 2, 2],
  ],
  ['packages', [0, 1, 0, 1].map((core, cpu) => [core, cpu >> 1, `${cpu}`]), [0, 1, 2, 3]],
])('%s have cores of their own numbers', (_, topology, cores) => {
  const files = topology.map(([core, packageId, threads], cpu) => {
    const at = (name: string) => `cpus/cpu${cpu}/topology/${name}`;
    const ids = { [at('core_id')]: `${core}\n`, [at('physical_package_id')]: `${packageId}\n` };
    return { ...ids, [at('thread_siblings_list')]: `${threads}\n` };
  });
  writeFiles(folder, Object.assign({}, ...files));
  const env = { ...process.env, CPUS_ROOT: `${folder}/cpus`, CGROUP_ROOT: `${folder}/cgroup` };
  const { cpus } = parseMachine(execFileSync('sh', ['-c', MACHINE_SCRIPT], { encoding: 'utf8', env }));
  expect(cpus).toEqual(cores.map((core, cpu) => ({ cpu, core })));
});

test.each<[string, Record<string, string>, number | undefined]>([
  ['its capacity', { cpu_capacity: '530', 'cpufreq/cpuinfo_max_freq': '1800000' }, 530],
  ['its highest frequency', { 'cpufreq/cpuinfo_max_freq': '3300000' }, 3_300_000],
  ['not known', {}, undefined],
])('the speed of a CPU is %s', (_, files, expected) => {
  const named = Object.entries(files).map(([name, text]) => [`cpus/cpu0/${name}`, `${text}\n`]);
  writeFiles(folder, { 'cpus/cpu0/topology/core_id': '0\n', ...Object.fromEntries(named) });
  const env = { ...process.env, CPUS_ROOT: `${folder}/cpus`, CGROUP_ROOT: `${folder}/cgroup` };
  const { cpus } = parseMachine(execFileSync('sh', ['-c', MACHINE_SCRIPT], { encoding: 'utf8', env }));
  expect(cpus).toEqual([{ cpu: 0, core: 0, ...(expected !== undefined && { speed: expected }) }]);
});

test.skipIf(process.platform !== 'linux')(
  'of this machine, those that a process may use are among them',
  () => {
    const { cpus } = parseMachine(execFileSync('sh', ['-c', MACHINE_SCRIPT], { encoding: 'utf8' }));
    const nproc = Number(execFileSync('nproc', { encoding: 'utf8' }));
    expect(cpus.length).toBeGreaterThanOrEqual(nproc);
  },
);

test.each([
  ['an x86 one by its flag', 'flags : fpu hypervisor sse', {}, true],
  ['an x86 machine without', 'flags : fpu sse', { sys_vendor: 'Dell Inc.' }, false],
  ['an ARM one by its maker', 'Features : fp asimd', { sys_vendor: 'QEMU' }, true],
  ['one of Amazon', 'Features : fp', { sys_vendor: 'Amazon EC2', product_name: 'm7g.large' }, true],
  [
    'a machine of Amazon without',
    'Features : fp',
    { sys_vendor: 'Amazon EC2', product_name: 'm7g.metal' },
    false,
  ],
  ['neither, where nothing shows it', 'Features : fp asimd', {}, null],
])('virtual machines: %s', (_, info, dmi, expected) => {
  const files = Object.entries(dmi).map(([name, text]) => [`dmi/${name}`, `${text}\n`]);
  writeFiles(folder, { cpuinfo: `${info}\n`, ...Object.fromEntries(files) });
  const env = { ...process.env, CPUINFO: `${folder}/cpuinfo`, DMI_ROOT: `${folder}/dmi` };
  const { virtual } = parseMachine(execFileSync('sh', ['-c', MACHINE_SCRIPT], { encoding: 'utf8', env }));
  expect(virtual).toBe(expected);
});
