/** Faults of a machine on which something is used up: descriptors, processes, memory, disk. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realHost } from '../../src/host.ts';
import { readMeasurements } from '../integration/bench.ts';
import { quietly } from './engine.ts';
import { arenaEnded, beginNext, type Fault } from './fault.ts';
import { end, expectKept, loading, ONE, type RunWorld } from './runs.ts';

/** Fills the heap of V8 once there is a file. */
const HUNGER = `
import { existsSync } from 'node:fs';
const kept = [];
setInterval(() => {
  while (existsSync('SIGN')) kept.push(Array.from({ length: 100_000 }, () => ({})));
}, 100).unref();
`;
const NOBODY = ['--reuid', '65534', '--regid', '0', '--clear-groups'];
/**
 * Another user than root, whom the limit on processes binds, but with all that root may do to files. Runs "$@" as that user.
 */
const AS_NOBODY = `
  may=+dac_override,+dac_read_search,+fowner,+kill
  echo $$ >pid
  exec setpriv ${NOBODY.join(' ')} --inh-caps "$may" --ambient-caps "$may" "$@"`;

export const usedUpFaults: readonly Fault<RunWorld>[] = [
  {
    what: 'file descriptors are used up',
    message: 'no file descriptors left…results so far are kept',
    exitCode: 4,
    kept: 'all slices before',
    async inject({ project, out, inShell }) {
      const run = inShell('echo $$ >pid; exec "$@"', ...ONE);
      await loading(run, '2/3');
      const pid = readFileSync(join(project.folder, 'pid'), 'utf8').trim();
      const open = readdirSync(`/proc/${pid}/fd`).length;
      execFileSync('prlimit', ['--pid', pid, `--nofile=${open}:${open}`]);
      const seen = await end(run);
      expectKept(project, out);
      return seen;
    },
  },
  {
    what: 'the machine starts no more processes',
    message: 'the machine starts no more processes…results so far are kept',
    exitCode: 4,
    kept: 'all slices before',
    left: 'nothing; if no process at all can start: containers, until the printed command or the next run removes them',
    async inject({ project, out, inShell }) {
      const run = inShell(AS_NOBODY, ...ONE);
      await loading(run, '2/3');
      const pid = readFileSync(join(project.folder, 'pid'), 'utf8').trim();
      // Running processes go on; no new one can start.
      execFileSync('setpriv', [...NOBODY, 'prlimit', '--pid', pid, '--nproc=1:1']);
      const seen = await end(run);
      expectKept(project, out);
      return seen;
    },
    whyNot: () =>
      process.getuid?.() === 0 && quietly('setpriv', ['--version'])
        ? null
        : 'only root can become a user without processes',
  },
  {
    what: 'no memory is left for the CLI: its heap is full',
    message: 'JavaScript heap out of memory',
    exitCode: 134,
    kept: 'all slices before, in measurements.ndjson; `report` shows them',
    left: 'nothing but containers, which the next run removes',
    async inject({ project, out, inShell }) {
      const [hunger, sign] = ['hunger.mjs', 'is-hungry'].map((name) => join(project.folder, name));
      writeFileSync(hunger as string, HUNGER.replace('SIGN', sign as string));
      const options = `--max-old-space-size=200 --import=${hunger}`;
      const run = inShell(`ulimit -c 0; NODE_OPTIONS='${options}' "$@"; exit $?`, ...ONE);
      await loading(run, '2/3');
      writeFileSync(sign as string, '');
      const seen = await end(run);
      expectKept(project, out);
      const report = await project.cli(['report', out]);
      expect(report.code).toBe(0);
      expect(report.stdout).toMatch(/faulty@8\.4/);
      await arenaEnded();
      await beginNext();
      return seen;
    },
  },
  {
    what: 'the disk of `--out` is full',
    message: 'the disk is full…results so far are kept',
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
        expect(seen.printed).toMatch(/faulty@8\.4/);
        expect(existsSync(join(folder, 'results.json.new'))).toBe(false);
        expect(JSON.parse(readFileSync(join(folder, 'results.json'), 'utf8')).schema).toBe(1);
        return seen;
      } finally {
        execFileSync('umount', [folder]);
      }
    },
  },
];
