// A machine that stands still, for real: processes that nobody can interrupt take all CPUs for a while.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import type { Measurement } from '../../src/results/results.ts';
import { makeProject, type Project, slicesOf } from './bench.ts';
import { NAMESPACE } from './namespace.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

const LOAD = ['--runtimes', 'apache', '--load', 'vus(2, 2s)', '--blocks', '2', '--instances', '1'];

function guardsOf(out: string): Measurement['guards'][] {
  return slicesOf(project.results(out), 'apache@8.4').map(({ guards }) => guards);
}

// 150 ms on each CPU at once, at a priority that preempts everything, twice a second. With cgroup v1 only the root group
// is sure to have time for that.
const STALLS = `
  if [ -e /sys/fs/cgroup/cpu/tasks ]; then echo $$ >/sys/fs/cgroup/cpu/tasks; fi
  for round in $(seq 1000); do
    for cpu in $(seq 0 $(($(nproc --all) - 1))); do
      taskset -c $cpu chrt --fifo 99 php -n -r '$end = hrtime(true) + 150e6; while (hrtime(true) < $end);' || exit &
    done
    wait
    echo stalled
    sleep 0.35
  done`;

test('a stall of all CPUs shows in each slice that it falls into, though no time is stolen', async () => {
  const quiet = project.bench('quiet', ...LOAD);
  expect((await quiet.done).code).toBe(0);
  // A busy engine starts it within seconds, in which the load may be over: it stalls the run from its beginning to its end.
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const flags = [
    ...['container', 'run', '--rm', '--privileged', '--user', '0', '--pid=host', '--cgroupns=host'],
    ...['--name', 'php-runtime-bench-stalls', '--volume', '/sys/fs/cgroup:/sys/fs/cgroup'],
    ...['--entrypoint', 'sh', `${NAMESPACE}/apache-8-4-plain:latest`, '-c', STALLS],
  ];
  const end = () => realHost.exec('docker', ['container', 'rm', '--force', 'php-runtime-bench-stalls']);
  onTestFinished(async () => void (await end()));
  const noise = realHost.start('docker', flags, { onLine: () => begin() });
  await Promise.race([begun, noise.done]);
  expect((await project.bench('stalled', ...LOAD).done).code).toBe(0);
  await end();
  const { stderr } = await noise.done;
  expect(stderr).toBe('');

  const [before, stalled] = [guardsOf('quiet'), guardsOf('stalled')];
  expect(stalled).toHaveLength(2);
  // The machine may have had a bad moment of its own while nobody stalled it, but hardly in both slices. Stalls
  // are not compared: a busy machine has one of 50 to 100 ms in each slice by itself.
  const quietest = Math.min(...before.map((guards) => guards.foreignCpuRatio ?? Infinity));
  for (const { stallMs, foreignCpuRatio } of stalled) {
    // Away for 150 ms, of which the sampler would have slept up to 100 ms.
    expect(stallMs).toBeGreaterThanOrEqual(50);
    // 150 of 500 ms, less what PHP needs to start, and the load that fits into the gaps.
    expect(foreignCpuRatio).toBeGreaterThan(0.1);
    if (quietest < 0.25) expect(foreignCpuRatio).toBeGreaterThan(quietest);
  }
});

test('a pool that shrinks while others are loaded has a warm-up before each slice, which does not count', async () => {
  const elastic = 'nginx-fpm@8.4[pm=dynamic,workers=4]';
  const flags = ['--runtimes', 'nginx-fpm[workers=4],nginx-fpm[workers=4,pm=dynamic]', '--warmup', '1s'];
  const more = ['--blocks', '2', '--seed', '5', '--paths', '/json?n=5', '--load', 'vus(2, 1s)'];
  const plan = JSON.parse(
    (await project.cli(['plan', '--json', ...flags, ...more, '--instances', '1'])).stdout,
  );
  expect((await project.bench('elastic', ...flags, ...more).done).code).toBe(0);
  const leadIns = plan.instances[0].slices.filter(
    (
      slice: { warmup: boolean; variant: string; durationMs: number },
      i: number,
      all: { variant: string }[],
    ) => slice.warmup && i > 1 && slice.variant === elastic && all[i + 1]?.variant === elastic,
  );
  expect(leadIns).toHaveLength(2);
  const measured = slicesOf(project.results('elastic'), elastic);
  const folder = join(project.folder, 'elastic/raw/paths/0');
  const metrics = Object.assign(
    {},
    ...readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).metrics),
  );
  for (const [i, { number }] of leadIns.entries()) {
    expect(metrics[`http_reqs{slice:s${number}}`].count).toBeGreaterThan(0);
    expect(measured[i]?.slice).toBe(number + 1);
    expect(measured[i]?.requests).toBe(metrics[`http_reqs{slice:s${number + 1}}`].count);
  }
});
