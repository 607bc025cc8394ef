import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { parseConfig } from '../config/parse.ts';
import { findEngine } from '../engine/connection.ts';
import { type Host, realHost } from '../host.ts';
import type { Results } from '../results/results.ts';
import { againstItself } from './doctor-aa.ts';
import { runOnEngines } from './run-engines.ts';

const root = join(import.meta.dirname, '../..');
const NOW = Date.parse('2026-11-22T12:00:00Z');
useFolder(() => {
  mkdirSync(join(folder, 'public'));
  writeFileSync(join(folder, 'public/index.php'), '');
});
afterEach(() => vi.restoreAllMocks());

const configOf = (...flags: string[]) =>
  parseConfig({
    flags: ['--runtimes', 'apache,nginx-fpm,frankenphp', ...flags],
    cwd: folder,
    packageRoot: root,
  });

function store(share: number, started: string): void {
  const results: Results = makeResults({ servers: [{ id: 'apache@8.4', rps: 100 }], instances: 1 });
  const path = join(folder, `out/engine-${share}`);
  mkdirSync(path, { recursive: true });
  writeFileSync(
    join(path, 'results.json'),
    JSON.stringify({ ...results, run: { ...results.run, started, id: `of-${started}` } }),
  );
}

/** Both shares end with this code, or each with its own, after they have written what they did. */
async function run(
  code: number | readonly number[],
  onStart: (share: number) => void = () => {},
  flags: string[] = [],
) {
  let share = 0;
  const programs: (readonly string[])[] = [];
  const host: Host = {
    ...realHost,
    now: () => NOW,
    onSignal: () => () => {},
    start: (_, program) => {
      programs.push(program);
      onStart(++share);
      return {
        ...{ write: () => {}, end: () => {}, kill: () => {} },
        done: Promise.resolve({ code: [code].flat()[share - 1] ?? Number(code), stdout: '', stderr: '' }),
      };
    },
  };
  const said: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const config = configOf('--engines', 'ssh://a,ssh://b', '--out', 'out');
  const ended = await runOnEngines(
    config,
    config.engines ?? [],
    { command: 'run', flags, format: 'table' },
    { host, argv: [], packageRoot: root, cwd: folder, print: () => {} },
    { width: 80, color: false } as never,
  );
  return { ended, said: said.join(''), programs };
}

test('earlier results, which a share that measured nothing has put back, are not reported as this run', async () => {
  store(1, '2026-11-21T12:00:00.000Z');
  const { ended, said } = await run(4);
  expect(ended).toBe(4);
  expect(said).toContain('ssh://a: exit code 4, no results.');
  expect(readdirSync(join(folder, 'out'))).toEqual(['engine-1']);
});

test('those of this run are, without the earlier ones beside them', async () => {
  store(1, '2026-11-21T12:00:00.000Z');
  store(2, '2026-11-21T12:00:00.000Z');
  writeFileSync(join(folder, 'out/report.md'), 'earlier');
  writeFileSync(join(folder, 'out/.gitignore'), '*');
  const { said } = await run(0, (share) => share === 2 && store(2, new Date(NOW).toISOString()));
  expect(said).toContain('ssh://a: exit code 0, no results.');
  expect(said).toContain('ssh://b: exit code 0, results in');
  expect(readFileSync(join(folder, 'out/report.md'), 'utf8')).not.toBe('earlier');
});

test.each([
  ['a file of somebody', 'notes.txt', true],
  ['a report that no engine lies beside', 'report.html', false],
])('%s in the folder is refused before anything starts', async (_, name, beside) => {
  mkdirSync(join(folder, 'out'));
  if (beside) store(1, '2026-11-21T12:00:00.000Z');
  writeFileSync(join(folder, 'out', name), 'mine');
  let starts = 0;
  await expect(run(0, () => starts++)).rejects.toMatchObject({
    message: 'the output folder contains other files, which a run would overwrite',
  });
  expect(starts).toBe(0);
  expect(readFileSync(join(folder, 'out', name), 'utf8')).toBe('mine');
  expect(existsSync(join(folder, 'out/report.md'))).toBe(false);
});

test.each([
  [[1, 3], 3],
  [[3, 137], 137],
  [[134, 1], 134],
  [[0, 4], 4],
  [[0, 0], 0],
])('shares that end with %j: the worst code is that of the run', async (codes, worst) => {
  expect((await run(codes)).ended).toBe(worst);
});

test('each share gets the switches as they were meant, however they were written', async () => {
  const flags = ['--reuse=yes', '--cold-start=ON', '--capacity', '--wait=off', '--app=.'];
  const { programs } = await run(0, () => {}, flags);
  expect(programs).toHaveLength(2);
  for (const program of programs) {
    const given = program
      .slice(program.indexOf('run') + 1)
      .filter((flag) => !/^--(engine|shard|out|seed)=/.test(flag));
    expect(given).toEqual(['--reuse', '--cold-start', '--capacity', '--no-wait', '--app=.']);
  }
});

test('an unknown engine is refused with the key that named it', async () => {
  const host: Host = { ...realHost, exec: async () => ({ code: 1, stdout: 'default\n', stderr: '' }) };
  await expect(findEngine(host, 'nosuch', { key: 'engines' })).rejects.toMatchObject({
    detail: { where: { name: 'engines' } },
  });
  await expect(findEngine(host, 'nosuch')).rejects.toMatchObject({ detail: { where: { name: 'engine' } } });
});

test.each([
  ['contexts are looked up', ['--engines', 'a,b']],
  ['an engine is asked', ['--engines', 'tcp://a:2375,tcp://b:2375', '--registry', 'registry.test/bench']],
])('Ctrl-C while %s ends the run at once', async (_, flags) => {
  let send: (signal: 'SIGINT') => void = () => {};
  const host: Host = {
    ...realHost,
    exec: (_, __, options) => {
      setImmediate(() => send('SIGINT'));
      return realHost.exec('sleep', ['60'], options);
    },
    onSignal: (handler) => {
      send = handler;
      return () => {};
    },
  };
  const config = configOf(...flags);
  const shell = { host, argv: [], packageRoot: root, cwd: folder, print: () => {} };
  const command = { command: 'run', flags: [], format: 'table' } as const;
  await expect(
    runOnEngines(config, config.engines ?? [], command, shell, { width: 80, color: false } as never),
  ).rejects.toThrow('stopped by SIGINT');
});

test('a registry is a flag beside several engines alone', () => {
  const registry = ['--registry', 'registry.test/bench'];
  expect(configOf('--engines', 'ssh://a,ssh://b', ...registry)).toMatchObject({
    registry: 'registry.test/bench',
  });
  expect(() => configOf('--engine', 'ssh://a', ...registry)).toThrow('`registry` needs several `engines`');
  writeFileSync(join(folder, '.bench.yml'), 'registry: registry.test/bench\n');
  expect(() => configOf()).toThrow("unknown key 'registry'");
});

test('a run against itself leaves out all that costs time beside the comparison', () => {
  const flags = [
    '--profile',
    '--count',
    'instructions',
    '--cold-start',
    '--capacity',
    '--reference',
    'apache',
  ];
  const asked = configOf(...flags);
  const config = againstItself(asked, '/out');
  for (const key of ['profile', 'count', 'coldStart', 'capacity', 'reference']) {
    expect(asked).toHaveProperty(key);
    expect(config).not.toHaveProperty(key);
  }
  expect(config).toMatchObject({ failOn: [], out: '/out', other: { kind: 'itself' } });
});
