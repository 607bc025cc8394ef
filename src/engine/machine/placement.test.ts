import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, useFolder } from '../../../test/fixtures/folder.ts';
import { judgePlacement, PLACEMENT_SCRIPT, type Placement, parsePlacement } from './placement.ts';

useFolder();

/** Runs the script over files as a machine has them. */
function look(files: Readonly<Record<string, string>>): Placement {
  const machine = mkdtempSync(join(folder, 'machine-'));
  for (const name of ['proc', 'cgroup', 'cpu']) mkdirSync(join(machine, name));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(machine, name)), { recursive: true });
    writeFileSync(join(machine, name), `${text}\n`);
  }
  const env = {
    ...process.env,
    ...{
      PROC_ROOT: join(machine, 'proc'),
      CGROUP_ROOT: join(machine, 'cgroup'),
      CPUS_ROOT: join(machine, 'cpu'),
    },
  };
  const found = parsePlacement(execFileSync('sh', ['-c', PLACEMENT_SCRIPT], { encoding: 'utf8', env }));
  if (!found) throw new Error('the script found nothing');
  return found;
}

const status = (cpus: string) => ({
  'proc/self/status': `Name:\tsh\nCpus_allowed_list:\t${cpus}`,
  'cpu/online': '0-63',
});
const V2 = { 'cgroup/cgroup.controllers': 'cpu memory' };
const notes = (own: Placement, container: Placement | null) =>
  judgePlacement(own, container).flatMap(({ ok, what }) => (ok ? [] : [what.split(/[:,(]|\. /)[0]]));

describe('a pod of a cluster', () => {
  it('with a limit, by cgroup v2: the limit of a group above counts', () => {
    const found = look({
      ...status('0-63'),
      ...V2,
      'proc/self/cgroup': '0::/kubepods/pod1/runner',
      'cgroup/kubepods/cpu.max': 'max 100000',
      'cgroup/kubepods/pod1/cpu.max': '200000 100000',
      'cgroup/kubepods/pod1/runner/cpu.max': '400000 100000',
      'cgroup/kubepods/pod1/runner/cpu.weight': '157',
    });
    expect(found).toMatchObject({ quota: 2, hasShare: true });
    expect(found.cpus).toHaveLength(64);
    expect(notes(found, null)).toEqual(['this process may use 2 CPUs of time on 64 CPUs']);
  });

  it('with a limit, by cgroup v1', () => {
    const found = look({
      ...status('0-7'),
      'proc/self/cgroup': '4:cpu,cpuacct:/kubepods/pod1\n3:memory:/x',
      'cgroup/cpu,cpuacct/cpu.cfs_quota_us': '-1',
      'cgroup/cpu,cpuacct/cpu.cfs_period_us': '100000',
      'cgroup/cpu,cpuacct/kubepods/pod1/cpu.cfs_quota_us': '150000',
      'cgroup/cpu,cpuacct/kubepods/pod1/cpu.cfs_period_us': '100000',
    });
    expect(found).toMatchObject({ quota: 1.5, hasShare: false });
  });

  it('with CPUs of its own is as good as a machine', () => {
    const found = look({
      ...status('4-7'),
      ...V2,
      'proc/self/cgroup': '0::/',
      'cgroup/cpu.max': '400000 100000',
    });
    expect(notes(found, found)).toEqual([]);
  });

  it('whose engine has its containers elsewhere', () => {
    const runner = look({
      ...status('0-63'),
      ...V2,
      'proc/self/cgroup': '0::/',
      'cgroup/cpu.max': '200000 100000',
    });
    const container = look({
      ...status('0-63'),
      ...V2,
      'proc/self/cgroup': '0::/docker/abc',
      'cgroup/docker/abc/cpu.max': 'max 100000',
    });
    expect(judgePlacement(runner, container)).toMatchObject([
      {
        ok: false,
        what: expect.stringMatching(/^containers escape .* may use 2 CPUs, they may use 64 CPUs/),
      },
    ]);
    // An engine with limits of its own, and CPUs of its own, is none of those.
    const pinned = { ...container, cpus: [8, 9, 10, 11, 12, 13] };
    expect(notes(runner, pinned)).toEqual([]);
    // The same the other way round: an engine that is limited limits its containers.
    expect(notes(container, runner)).toEqual(['containers may use 2 CPUs of time on 64 CPUs']);
  });

  it('with a request alone has a share, which is not a limit', () => {
    const found = look({
      ...status('0-3'),
      ...V2,
      'proc/self/cgroup': '0::/',
      'cgroup/cpu.max': 'max 100000',
      'cgroup/cpu.weight': '20',
    });
    expect(notes(found, null)).toEqual(['this process may use any of 4 CPUs']);
  });

  it('of one CPU, without a limit', () => {
    const found = look({
      ...status('0'),
      ...V2,
      'proc/self/cgroup': '0::/',
      'cgroup/cpu.max': 'max 100000',
      'cgroup/cpu.weight': '20',
    });
    expect(notes(found, null)).toEqual(['this process may use any of 1 CPU']);
  });

  it('seen from a namespace in which its path does not exist', () => {
    const found = look({
      ...status('0-3'),
      ...V2,
      'proc/self/cgroup': '0::/../../pod9',
      'cgroup/cpu.max': '100000 100000',
    });
    expect(found.quota).toBe(1);
  });
});

describe('a machine', () => {
  const bare = { ...status('0-3'), 'proc/self/cgroup': '0::/', ...V2 };

  it('of nobody else says nothing', () => {
    const found = look(bare);
    expect([found.quota, found.turbo, found.isolated, notes(found, null)]).toEqual([null, null, [], []]);
  });

  it('with other runners', () => {
    const found = look({
      ...bare,
      'proc/10/comm': 'Runner.Listener',
      'proc/11/comm': 'Runner.Listener',
      'proc/12/comm': 'Runner.Worker',
      'proc/13/comm': 'bash',
    });
    expect(notes(found, null)).toEqual(['2 CI runners are on this machine ']);
    expect(JSON.stringify(judgePlacement(found, null))).toContain(', 1 job of GitHub runs now: ');
  });

  it('with one runner, which is ours', () => {
    const found = look({ ...bare, 'proc/10/comm': 'Runner.Listener', 'proc/12/comm': 'Runner.Worker' });
    expect(notes(found, null)).toEqual([]);
  });

  it('with isolated CPUs and turbo', () => {
    const found = look({ ...bare, 'cpu/isolated': '2-3', 'cpu/intel_pstate/no_turbo': '0' });
    expect(notes(found, null)).toEqual(['CPUs 2', 'turbo is on']);
    expect(look({ ...bare, 'cpu/intel_pstate/no_turbo': '1' }).turbo).toBe(false);
    expect(look({ ...bare, 'cpu/cpufreq/boost': '1' }).turbo).toBe(true);
  });
});

it('this very machine can be looked at', () => {
  const text = execFileSync('sh', ['-c', PLACEMENT_SCRIPT], { encoding: 'utf8' });
  expect(parsePlacement(text)?.cpus.length).toBeGreaterThan(0);
});
