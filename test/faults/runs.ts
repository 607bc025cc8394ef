/** Faults in a run: against the real engine, by the CLI as users run it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realHost } from '../../src/host.ts';
import type { Results } from '../../src/results.ts';
import {
  ARENA,
  docker,
  during,
  ourContainers,
  type Project,
  type Run,
  readMeasurements,
  slicesOf,
  told,
  variantOf,
} from '../integration/bench.ts';
import type { Fault, Seen } from './fault.ts';

export interface RunWorld {
  project: Project;
  /** Name of the output folder: another one for each fault. */
  out: string;
  /** Starts a run with little load, and these flags. */
  bench(...flags: string[]): Run;
}

/** Load that is not over before the test has done to it what it wants to. */
const LONGER = ['--load', 'vus(2, 2s)'];
const TWO = ['--runtimes', 'apache,faulty', '--instances', '2', ...LONGER];
const ONE = ['--runtimes', 'apache', '--instances', '3', ...LONGER];

async function end(run: Run): Promise<Seen> {
  const { code, stdout, stderr } = await run.done;
  return { code, printed: stderr + stdout };
}

/** Fresh starts of a variant that were measured well. */
const measuredIn = (results: Results, id: string) =>
  slicesOf(results, id).flatMap(({ outcome, instance }) => (outcome === 'ok' ? [instance] : []));

/** Waits until k6 loads: the sampler has begun and a process of it runs. */
async function loading(run: Run, instance: string) {
  await told(run, `instance ${instance}: paths`);
  const isLoaded = async () =>
    (await docker('container', 'top', ARENA, '-eo', 'pid,args')).includes('lib/main.js');
  await during(run, isLoaded);
  await realHost.sleep(500);
}

async function kill(...parts: string[]) {
  const names = (await ourContainers()).filter((name) => parts.some((part) => name.endsWith(part)));
  expect(names.length).toBeGreaterThan(0);
  await docker('container', 'kill', ...names);
}

export const runFaults: readonly Fault<RunWorld>[] = [
  {
    what: 'a server is killed in a slice',
    message: 'failed (run): its container ended with exit code 137',
    exitCode: 3,
    kept: 'all of the other variants, and the slices of this one before',
    async inject({ project, out, bench }) {
      const run = bench(...TWO);
      await loading(run, '2/2');
      await kill('-1-18080');
      const seen = await end(run);
      const results = project.results(out);
      const ids = ['apache@8.4', 'faulty@8.4'];
      const failed = ids.filter((id) => variantOf(results, id).failure);
      expect(failed).toHaveLength(1);
      for (const id of ids) expect(measuredIn(results, id)).toEqual(failed.includes(id) ? [0] : [0, 1]);
      return seen;
    },
  },
  {
    what: 'the arena, in which k6 runs, is killed',
    message: 'the Docker engine failed…what was measured is kept',
    exitCode: 4,
    kept: 'all slices before',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await loading(run, '2/3');
      await docker('container', 'kill', ARENA);
      const seen = await end(run);
      expect(measuredIn(project.results(out), 'apache@8.4')).toEqual([0]);
      return seen;
    },
  },
  {
    what: 'the sampler is killed',
    message: 'CPU and memory are not measured any more',
    exitCode: 0,
    kept: 'throughput and latency of all slices, CPU and memory of those before',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await loading(run, '2/3');
      await kill('-sampler');
      const seen = await end(run);
      const slices = slicesOf(project.results(out), 'apache@8.4');
      expect(slices.map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
      expect(slices.map(({ cpu }) => cpu !== null)).toEqual([true, false, false]);
      return seen;
    },
  },
  {
    what: 'SIGINT twice in the load',
    message: 'stopped by SIGINT; what was measured is kept',
    exitCode: 130,
    kept: 'all slices before',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await loading(run, '2/3');
      run.kill('SIGINT');
      await told(run, 'stopped by SIGINT');
      run.kill('SIGINT');
      const seen = await end(run);
      expect(measuredIn(project.results(out), 'apache@8.4')).toEqual([0]);
      return seen;
    },
  },
  {
    what: 'SIGHUP, as from a terminal that was closed',
    message: 'stopped by SIGTERM; what was measured is kept',
    exitCode: 143,
    kept: 'all slices before',
    async inject({ project, out, bench }) {
      const run = bench(...ONE);
      await loading(run, '2/3');
      run.kill('SIGHUP');
      const seen = await end(run);
      expect(measuredIn(project.results(out), 'apache@8.4')).toEqual([0]);
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
      expect(measuredIn(project.results(out), 'apache@8.4')).toEqual([0, 1, 2]);
      return seen;
    },
  },
  {
    what: 'the disk of `--out` is full',
    message: 'the disk is full…what was measured is kept',
    exitCode: 4,
    kept: 'what was written before, and the table on the terminal',
    async inject({ project, out, bench }) {
      const folder = join(project.folder, out);
      mkdirSync(folder);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
      try {
        const run = bench(...ONE);
        await loading(run, '2/3');
        // All that is left, in one file of somebody else's.
        await realHost.exec('dd', ['if=/dev/zero', `of=${folder}/raw/somebody`, 'bs=4096']);
        const seen = await end(run);
        expect(readMeasurements(folder).map(({ instance }) => instance)).toContain(0);
        expect(seen.printed).toMatch(/apache@8\.4/);
        expect(existsSync(join(folder, 'results.json.new'))).toBe(false);
        expect(JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')).schema).toBe(1);
        return seen;
      } finally {
        execFileSync('umount', [folder]);
      }
    },
  },
];
