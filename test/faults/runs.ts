import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import { realHost } from '../../src/host.ts';
import type { Results } from '../../src/results/results.ts';
import {
  ARENA,
  docker,
  during,
  type Found,
  findContainers,
  type Project,
  type Run,
  readMeasurements,
  signalContainers,
  slicesOf,
  told,
  variantOf,
} from '../integration/bench.ts';
import { NAMESPACE } from '../integration/namespace.ts';
import { writeClock } from '../integration/stepped-clock.ts';
import type { Fault, Seen } from './fault.ts';

export interface RunWorld {
  project: Project;
  /** Name of the output folder: another one for each fault. */
  out: string;
  /** Starts a run with little load, and these flags. */
  bench(...flags: string[]): Run;
  /** The same by a shell script that runs it as "$@". */
  inShell(shell: string, ...flags: string[]): Run;
}

/** Load that is not over before the test has done to it what it wants to, on a busy engine, too. */
const LONGER = ['--load', 'const(20, 6s)'];
const IDS = ['faulty@8.4', 'faulty@8.4[from=load]'];
const TWO = ['--runtimes', 'faulty,faulty[from=load]', '--instances', '2', ...LONGER];
const THRICE = ['--runtimes', 'faulty', '--instances', '3'];
export const ONE = [...THRICE, ...LONGER];

export async function end(run: Run): Promise<Seen> {
  const { code, stdout, stderr } = await run.done;
  return { code, printed: stderr + stdout };
}

/** Fresh starts of a variant that were measured well. */
const measuredIn = (results: Results, id: string) =>
  slicesOf(results, id).flatMap(({ outcome, instance }) => (outcome === 'ok' ? [instance] : []));

/**
 * Waits until k6 loads: the sampler has begun and a process of it runs.
 *
 * @returns containers with such names, asked for before the load: a busy engine takes its time for a list
 */
export async function loading(run: Run, instance: string, name = /arena$/): Promise<Found[]> {
  await told(run, `instance ${instance}: starting`);
  const found = await findContainers(run, name);
  await told(run, `instance ${instance}: paths`);
  const isLoaded = async () =>
    (await docker('container', 'top', ARENA, '-eo', 'pid,args')).includes('lib/main.js');
  await during(run, isLoaded);
  await realHost.sleep(500);
  return found;
}

/** By the measurements that were appended: nothing else may have been written. */
export function expectKept(project: Project, out: string) {
  const kept = readMeasurements(join(project.folder, out));
  expect(kept.map(({ instance, outcome }) => [instance, outcome])).toEqual([[0, 'ok']]);
}

const scenario = (load: string) => `
title: Some of it
paths: ['/json?n=5']
load: ${load}
`;
/** Runs "$@" in a terminal whose shell passes SIGHUP on, as bash does. A file shows its end, as nothing else does. */
const IN_TERMINAL = `
  command=
  for word in "$@"; do command="$command '$word'"; done
  exec script --quiet --flush --command "$command & pid=\\$!
    trap 'kill -HUP \\$pid' HUP
    wait \\$pid; wait \\$pid
    touch ended" /dev/null`;
/** An hour earlier from when there is a file. */
const CLOCK = `
import { existsSync } from 'node:fs';
let backMs = 0;
setInterval(() => { backMs = existsSync('SIGN') ? 3_600_000 : 0; }, 100).unref();
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...parts) { parts.length > 0 ? super(...parts) : super(Real.now() - backMs); }
  static now() { return Real.now() - backMs; }
};
`;
/** The image of k6 with a clock that is an hour earlier from when there is a file, until the sampler has noticed. */
async function makeLateK6(folder: string): Promise<string> {
  const [context, image] = [join(folder, 'late-k6'), `${NAMESPACE}-late-k6`];
  mkdirSync(context);
  writeFileSync(join(context, 'Dockerfile'), writeClock(context, '/tmp/set-back', -3_600_000, true));
  await docker('build', '--quiet', '--tag', image, context);
  return image;
}

export const runFaults: readonly Fault<RunWorld>[] = [
  {
    what: 'no engine answers',
    message: 'no Docker engine answers',
    exitCode: 4,
    kept: 'there was nothing yet',
    async inject({ project, out }) {
      const env = { DOCKER_HOST: 'unix:///nowhere/docker.sock' };
      const { code, stdout, stderr } = await project.cli(['run', '--out', out], { env });
      expect(existsSync(join(project.folder, out))).toBe(false);
      return { code, printed: stderr + stdout };
    },
  },
  {
    what: 'a server is killed in a slice',
    message: 'failed (run): its container ended with exit code 137',
    exitCode: 3,
    kept: 'all of the other variants, and the slices of this one before',
    async inject({ project, out, bench }) {
      const run = bench(...TWO);
      await signalContainers(await loading(run, '2/2', /-1-18080$/), 'SIGKILL');
      const seen = await end(run);
      const results = project.results(out);
      const failed = IDS.filter((id) => variantOf(results, id).failure);
      expect(failed).toHaveLength(1);
      for (const id of IDS) expect(measuredIn(results, id)).toEqual(failed.includes(id) ? [0] : [0, 1]);
      return seen;
    },
  },
  {
    what: 'a server is killed between two slices',
    message: 'failed (run): its container ended with exit code 137',
    exitCode: 3,
    kept: 'all of the other variants, and the slices of this one before',
    async inject({ project, out }) {
      const folder = join(project.folder, '.bench/scenarios');
      mkdirSync(folder, { recursive: true });
      const loads = Object.entries({ one: 'vus(2, 1s)', two: 'vus(2, 4s)' });
      for (const [name, load] of loads) writeFileSync(join(folder, `${name}.yaml`), scenario(load));
      const flags = ['--runtimes', 'faulty,faulty[from=load]', '--scenarios', 'one,two', '--warmup', '0s'];
      const run = project.run(out, ...flags, '--instances', '1', '--blocks', '1');
      // A slice is appended when a k6 process ends; the next one takes a while to begin.
      const servers = await findContainers(run, /-18080$/);
      await during(run, () => readMeasurements(join(project.folder, out)).length > 0);
      await signalContainers(servers, 'SIGKILL');
      const seen = await end(run);
      const results = project.results(out);
      const outcomes = IDS.map((id) => slicesOf(results, id).map(({ outcome }) => outcome));
      expect(outcomes.toSorted()).toEqual([
        ['ok', 'failed'],
        ['ok', 'ok'],
      ]);
      return seen;
    },
  },
  {
    what: 'the arena, in which k6 runs, is killed',
    message: 'the container that k6 runs in failed…results so far are kept',
    exitCode: 4,
    kept: 'all slices before',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await signalContainers(await loading(run, '2/3'), 'SIGKILL');
      const seen = await end(run);
      expect(measuredIn(project.results(out), 'faulty@8.4')).toEqual([0]);
      return seen;
    },
  },
  {
    what: 'the sampler is killed',
    message: 'CPU and memory are no longer measured',
    exitCode: 0,
    kept: 'throughput and latency of all slices, CPU and memory of those before',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await signalContainers(await loading(run, '2/3', /-sampler$/), 'SIGKILL');
      const seen = await end(run);
      const slices = slicesOf(project.results(out), 'faulty@8.4');
      expect(slices.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
      expect(slices.map(({ cpu }) => cpu !== null)).toEqual([true, false, false]);
      return seen;
    },
  },
  {
    what: 'SIGINT twice in the load',
    message: 'stopped by SIGINT; results so far are kept',
    exitCode: 130,
    kept: 'all slices before',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await loading(run, '2/3');
      run.kill('SIGINT');
      await told(run, 'stopped by SIGINT');
      run.kill('SIGINT');
      const seen = await end(run);
      expect(measuredIn(project.results(out), 'faulty@8.4')).toEqual([0]);
      return seen;
    },
  },
  {
    what: 'SIGHUP to a run without a terminal, as after `nohup`',
    message: 'written to',
    exitCode: 0,
    kept: 'everything',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await loading(run, '2/3');
      run.kill('SIGHUP');
      const seen = await end(run);
      expect(measuredIn(project.results(out), 'faulty@8.4')).toEqual([0, 1, 2]);
      return seen;
    },
  },
  {
    what: 'the terminal is closed',
    message: '',
    exitCode: null,
    ends: 'nobody sees it',
    kept: 'all slices before',
    async inject({ project, out, inShell }) {
      const run = inShell(IN_TERMINAL, ...ONE);
      // The terminal shows a single line that changes.
      await during(run, () => readMeasurements(join(project.folder, out)).length > 0);
      // The program that shows the terminal; ours is in a session of its own.
      run.kill('SIGKILL');
      await run.done;
      await expect.poll(() => existsSync(join(project.folder, 'ended'))).toBe(true);
      expect(project.results(out).run.stopped).toBe('SIGTERM');
      expect(measuredIn(project.results(out), 'faulty@8.4')).toEqual([0]);
      return { code: null, printed: '' };
    },
  },
  {
    what: 'the clock is set back by an hour (that of the CLI, by a fake `Date`)',
    message: 'written to',
    exitCode: 0,
    kept: 'everything',
    async inject({ project, out, inShell }) {
      const [fake, sign] = ['clock.mjs', 'set-back'].map((name) => join(project.folder, name));
      writeFileSync(fake as string, CLOCK.replace('SIGN', sign as string));
      const run = inShell(`NODE_OPTIONS=--import=${fake} exec "$@"`, ...ONE);
      await loading(run, '2/3');
      writeFileSync(sign as string, '');
      const seen = await end(run);
      const results = project.results(out);
      expect(measuredIn(results, 'faulty@8.4')).toEqual([0, 1, 2]);
      expect(results.run.wallSeconds).toBeGreaterThan(6);
      return seen;
    },
  },
  {
    what: "the clock of the engine's machine is set back by an hour in the load, and forward again (that of the sampler, by a fake `date`)",
    message: "the clock of the engine's machine was set back by 3600",
    exitCode: 0,
    kept: 'the slices of all other k6 processes; those of this one are void',
    async inject({ project, out, bench }) {
      const image = await makeLateK6(project.folder);
      // The sampler takes some seconds to notice each step.
      const run = bench(...THRICE, '--load', 'const(20, 12s)', '--image', `${K6_IMAGE}=${image}`);
      const [sampler] = await loading(run, '2/3', /-sampler$/);
      // k6 keeps its clock here, and CPU is read by it: before the next slice the sampler has the same one again.
      await docker('exec', sampler?.id ?? '', 'touch', '/tmp/set-back');
      const seen = await end(run);
      await docker('image', 'rm', image);
      const slices = slicesOf(project.results(out), 'faulty@8.4');
      expect(slices.map(({ outcome, code }) => [outcome, code])).toEqual([
        ['ok', undefined],
        ['void', 'clock-step'],
        ['ok', undefined],
      ]);
      expect(slices.map(({ cpu }) => cpu !== null)).toEqual([true, false, true]);
      return seen;
    },
  },
  {
    what: '`--out` is removed while the run goes on',
    message: 'written to',
    exitCode: 0,
    kept: 'everything that was measured, in results.json and the reports',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await loading(run, '2/3');
      rmSync(join(project.folder, out), { recursive: true });
      const seen = await end(run);
      expect(measuredIn(project.results(out), 'faulty@8.4')).toEqual([0, 1, 2]);
      return seen;
    },
  },
];
