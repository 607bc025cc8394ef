// The CLI as its users meet it: what it refuses, that a run does what its plan says, what it writes and shows again.
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatCpus } from '../../src/plan/cpus.ts';
import type { Results } from '../../src/results/results.ts';
import { BAD_INPUT, toPattern } from '../fixtures/bad-input.ts';
import { packageRoot } from '../fixtures/memory-files.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import {
  ARENA,
  docker,
  during,
  leftovers,
  makeProject,
  ourContainers,
  type Project,
  readMeasurements,
} from './bench.ts';
import { NAMESPACE } from './namespace.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

describe('bad input', () => {
  let cwd: string;
  beforeEach(() => {
    cwd = makeFolder();
  });
  afterEach(async () => {
    rmSync(cwd, { recursive: true });
    expect(project.temporaryFiles()).toEqual([]);
    expect(await leftovers()).toEqual([]);
  });

  /** Everything below a folder. */
  const list = (folder: string) => readdirSync(folder, { recursive: true }).sort();
  const write = (files: Readonly<Record<string, string>>) => {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(cwd, path)), { recursive: true });
      writeFileSync(join(cwd, path), text);
    }
  };

  it.each(BAD_INPUT)(
    '$name: the whole message, exit code 2, nothing left',
    async ({ files = {}, argv, expect: message }) => {
      write(files);
      const before = list(cwd);
      const { code, stdout, stderr } = await project.cli(argv, { cwd });
      expect(stderr).toMatch(toPattern(message, cwd));
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(list(cwd)).toEqual(before);
    },
  );

  // These errors depend on the machine and the engine.
  it.each([
    [
      'an engine that does not answer',
      ['run'],
      { DOCKER_HOST: 'unix:///nowhere/docker.sock' },
      4,
      /^no Docker engine answers\n {2}found: {3}.*\/nowhere\/docker\.sock.*\n {2}hint: {4}.*\n$/,
    ],
    [
      'no docker at all',
      ['run'],
      { PATH: '/nowhere' },
      2,
      /^there is no docker client on PATH\n {2}hint: {4}.*\n$/,
    ],
    [
      'a load generator that nobody has',
      ['run', '--image', 'grafana/k6:2.2.0=localhost:9/k6:2.2.0'],
      {},
      2,
      /^pulling localhost:9\/k6:2\.2\.0\ncould not pull the k6 image localhost:9\/k6:2\.2\.0\n {2}found: {3}.*\n {2}hint: {4}.*\n$/,
    ],
    [
      'a plan for an engine that is not there',
      ['plan', '--runtimes', 'apache', '--engine', 'nowhere'],
      {},
      2,
      /^engine: no such Docker context\n {2}found: {3}'nowhere'\n {2}allowed: .*\n {2}hint: {4}.*\n$/,
    ],
    [
      'a plan with more load engines than clients',
      [
        ...['plan', '--runtimes', 'apache', '--load', 'vus(1, 1s)'],
        ...['--load-engines', 'b,c', '--load-address', '192.0.2.1'],
      ],
      {},
      2,
      /^load-engines: more load engines than clients\n {2}found: {3}2 engines\n {2}allowed: up to 1, .*\n$/,
    ],
    [
      'results that are not there',
      ['report', 'nothing'],
      {},
      2,
      /^nothing: no results found\n {2}allowed: a folder with results\.json\n$/,
    ],
    [
      'results that are not ours',
      ['report', 'others'],
      {},
      2,
      /^others\/results\.json: cannot read these results\n {2}found: {3}.*\n {2}allowed: results of schema version 1\n$/,
    ],
  ])('%s', async (_, argv, env: Record<string, string>, exitCode, message) => {
    write({ 'others/results.json': '{"schema": 7}' });
    const before = list(cwd);
    const { code, stdout, stderr } = await project.cli(argv, { cwd, env });
    expect(stderr).toMatch(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(list(cwd)).toEqual(before);
  });

  it('a CPU that this machine does not have, known when the arena is open', async () => {
    const { code, stderr } = await project.bench('cpus', '--server-cpus', '4095').done;
    expect(stderr).toMatch(/^server-cpus: .*\n {2}found: {3}.*4095.*\n {2}allowed: .*\n$/);
    expect(code).toBe(2);
    expect(readdirSync(project.folder)).not.toContain('cpus');
  });
});

it('a plan begins with its subject: the app, the version of PHP, the host and the load', async () => {
  const argv = [
    'plan',
    '--runtimes',
    'apache',
    '--paths',
    '/loop',
    '--load',
    'vus(2, 1s)',
    '--host',
    'shop.test',
  ];
  const { code, stdout } = await project.cli(argv);
  const [app, php, host, scenario] = stdout.split('\n');
  expect(app).toMatch(/^app: +\S/);
  expect(php).toMatch(/^PHP: +8\.4$/);
  expect(host).toMatch(/^host: +shop\.test$/);
  expect(scenario).toMatch(/^scenario: +paths: \/loop; vus\(2, 1s\); timeout \d+ ms$/);
  expect(code).toBe(0);
});

describe('a plan and its run', () => {
  const flags = ['--runtimes', 'apache,faulty', '--scenarios', 'a,b', '--instances', '2', '--seed', '7'];
  let plan: {
    estimatedSeconds: number;
    cpus: { server: string; load: string };
    variants: { id: string }[];
    instances: {
      startOrder: string[];
      ports: Record<string, number>;
      slices: { number: number; scenario: string; variant: string; block: number; warmup: boolean }[];
    }[];
  };
  let results: Results;
  let stdout: string;
  /** By container's name: what the engine says of it. */
  const seen = new Map<string, { cpus: string; runtime: string; started: string }>();

  beforeAll(async () => {
    const scenarios = join(project.folder, '.bench/scenarios');
    mkdirSync(scenarios);
    const common = 'load: vus(2, 1s)\ntimeout: 2s\n';
    writeFileSync(
      join(scenarios, 'a.yaml'),
      `title: a\npaths: [/json?n=5]\n${common}warmup: 0s\nblocks: 2\n`,
    );
    writeFileSync(
      join(scenarios, 'b.yaml'),
      `title: b\npaths: [/loop, /json?n=1]\n${common}warmup: 1s\nblocks: 1\n`,
    );

    // With all that a plan may need on PATH, and a docker that reports how it is called, without an engine.
    const bin = join(project.folder, 'bin');
    mkdirSync(bin);
    for (const name of ['cat', 'grep', 'sed', 'sh']) symlinkSync(`/bin/${name}`, join(bin, name));
    const stub = `#!/bin/sh\necho "$1" >>${bin}/called\n[ "$1" = context ] && echo unix:///nowhere/docker.sock\n`;
    writeFileSync(join(bin, 'docker'), stub, { mode: 0o755 });
    const planned = await project.cli(['plan', '--json', ...flags], {
      env: { PATH: bin, DOCKER_HOST: 'unix:///nowhere/docker.sock' },
    });
    expect(planned).toMatchObject({ code: 0, stderr: '' });
    // It only asks which engine a run would use.
    expect(readFileSync(join(bin, 'called'), 'utf8')).toBe('context\ninfo\n');
    plan = JSON.parse(planned.stdout);

    const run = project.run('planned', ...flags);
    await during(run, async () => {
      for (const name of await ourContainers()) {
        const format = `{{.HostConfig.CpusetCpus}}\t{{index .Config.Labels "${NAMESPACE}.image"}}\t{{.State.StartedAt}}`;
        const [cpus = '', runtime = '', started = ''] = (
          await docker('inspect', '--format', format, name).catch(() => '')
        ).split('\t');
        // The start of a container that was only created is in the year 1.
        if (started > '2') seen.set(name, { cpus, runtime, started });
      }
      return [...seen.keys()].filter((name) => /-1-1808[01]$/.test(name)).length === 2;
    });
    const finished = await run.done;
    expect(finished.code).toBe(0);
    stdout = finished.stdout;
    results = project.results('planned');
  });
  afterAll(async () => expect(await leftovers()).toEqual([]));

  it('have the same variants, seed, number of steps and CPUs', () => {
    expect(results.variants.map(({ id }) => id)).toEqual(plan.variants.map(({ id }) => id));
    expect(results.run.seed).toBe(7);
    expect(results.plan.steps).toBe(plan.instances.flatMap(({ slices }) => slices).length);
    expect(results.plan.estimatedSeconds).toBe(plan.estimatedSeconds);
    expect(formatCpus(results.plan.cpus.server)).toBe(plan.cpus.server);
    expect(formatCpus(results.plan.cpus.load)).toBe(plan.cpus.load);
  });

  it('have the same slices in the same order, one block after the other', () => {
    const planned = plan.instances.flatMap(({ slices }, instance) =>
      slices
        .filter(({ warmup }) => !warmup)
        .map(({ number, scenario, variant, block }) => ({
          slice: number,
          instance,
          scenario,
          variant,
          block,
        })),
    );
    const measured = results.measurements.toSorted((a, b) => a.startedMs - b.startedMs);
    expect(
      measured.map(({ slice, instance, scenario, variant, block }) => ({
        slice,
        instance,
        scenario,
        variant,
        block,
      })),
    ).toEqual(planned);
    // The two of a block take turns, so they begin together and take twice as long. On a machine where a request
    // has taken over a quarter of a turn, one follows the other. The first block comes before any time is known.
    expect(measured[0]?.turnMs).toBe(200);
    measured.forEach(({ startedMs, durationMs, turnMs }, i) => {
      const next = measured[i + 1];
      const sinceStart = (next?.startedMs ?? Infinity) - startedMs;
      if (i % 2 === 0) expect(next?.turnMs).toBe(turnMs);
      if (turnMs === null) expect(sinceStart).toBeGreaterThan(durationMs);
      else if (i % 2 === 0) expect(sinceStart).toBe(0);
      else expect(sinceStart).toBeGreaterThan(2 * durationMs);
    });
  });

  it('have the same containers on the same ports and CPUs, started in the same order', () => {
    expect(seen.get(ARENA)?.cpus).toBe(plan.cpus.load);
    const servers = [...seen].filter(([name]) => /-\d+-\d+$/.test(name));
    const started = servers
      .toSorted(([, a], [, b]) => (a.started < b.started ? -1 : 1))
      .map(([name, { cpus, runtime }]) => ({ where: name.replace(/^.*-(\d+-\d+)$/, '$1'), cpus, runtime }));
    expect(started).toEqual(
      plan.instances.flatMap(({ startOrder, ports }, instance) =>
        startOrder.map((id) => ({
          where: `${instance}-${ports[id]}`,
          cpus: plan.cpus.server,
          runtime: id.replace('@8.4', ''),
        })),
      ),
    );
  });

  it('leave all that was measured, in both files', () => {
    expect(readMeasurements(join(project.folder, 'planned'))).toEqual(results.measurements);
    expect(readdirSync(join(project.folder, 'planned')).sort()).toEqual([
      '.gitignore',
      'measurements.ndjson',
      'raw',
      'report.html',
      'report.md',
      'results.json',
    ]);
  });

  it('are reported again as they were', async () => {
    const again = (...more: string[]) => project.cli(['report', 'planned', ...more]);
    const markdown = await again('--format', 'md');
    expect(markdown.code).toBe(0);
    expect(markdown.stdout).toBe(readFileSync(join(project.folder, 'planned/report.md'), 'utf8'));
    const page = await again('--format', 'html');
    expect(page.stdout).toBe(readFileSync(join(project.folder, 'planned/report.html'), 'utf8'));
    expect(JSON.parse((await again('--format', 'json')).stdout)).toEqual(results);
    expect(stdout).toContain((await again()).stdout.trimEnd());
    expect(stdout).toContain('apache@8.4');
  });
});

describe('list', () => {
  it('has the bundled runtimes, scenarios and apps, and the own ones', async () => {
    const { code, stdout } = await project.cli(['list', '--json']);
    expect(code).toBe(0);
    const { runtimes, scenarios, apps } = JSON.parse(stdout);
    // Folders of the tool are no part of a runtime.
    expect(stdout).not.toContain(packageRoot);
    expect(runtimes).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          name: 'apache',
          model: 'per-request',
          php: expect.arrayContaining(['8.4']),
        }),
        expect.objectContaining({ name: 'nginx-fpm' }),
        expect.objectContaining({
          name: 'faulty',
          options: expect.objectContaining({ fault: expect.objectContaining({ default: 'none' }) }),
        }),
      ]),
    );
    expect(scenarios).toEqual(expect.arrayContaining(['quick', 'json', 'a']));
    expect(apps).toContain('plain');
  });

  it('shows why a runtime of the project cannot be used, beside all others', async () => {
    const cwd = join(project.folder, 'half-done');
    mkdirSync(join(cwd, '.bench/runtimes/mine'), { recursive: true });
    writeFileSync(join(cwd, '.bench/runtimes/mine/runtime.yaml'), 'title: x\n');
    const { code, stdout } = await project.cli(['list'], { cwd });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/apache-fpm[\s\S]* {2}mine +cannot be used:\n.* has no Dockerfile\n/),
    });
    expect(JSON.parse((await project.cli(['list', '--json'], { cwd })).stdout).broken).toMatchObject([
      { name: 'mine', error: expect.stringContaining('has no Dockerfile') },
    ]);
    const plan = await project.cli(['plan', '--app', 'plain', '--runtimes', 'apache'], { cwd });
    expect(plan.code, plan.stderr).toBe(0);
  });
});

describe('plan where there is no docker compose', () => {
  let cwd: string;
  beforeEach(() => {
    cwd = makeFolder();
    const docker = `#!/bin/sh\n[ "$1" = compose ] && exit 1\nPATH='${process.env.PATH}' exec docker "$@"\n`;
    writeFileSync(join(cwd, 'docker'), docker, { mode: 0o755 });
    writeFileSync(join(cwd, 'index.php'), '<?php');
    writeFileSync(join(cwd, 'compose.yml'), 'services:\n  db:\n    image: mariadb:11\n');
  });
  afterEach(() => rmSync(cwd, { recursive: true }));

  it.each([
    ['names it with its remedy, as services need it', ['--services', 'compose.yml'], ['not-ready']],
    ['does not name it, as nothing needs it', [], []],
  ])('%s', async (_, flags, codes) => {
    const argv = ['plan', '--runtimes', 'apache', '--paths', '/', ...flags];
    const env = { PATH: `${cwd}:${process.env.PATH}` };
    const { code, stdout, stderr } = await project.cli([...argv, '--json'], { cwd, env });
    expect(code, stderr).toBe(0);
    const warnings: { code: string; message: string }[] = JSON.parse(stdout).warnings;
    const found = warnings.filter((warning) => warning.code === 'not-ready');
    expect(found.map((warning) => warning.code)).toEqual(codes);
    const text = (await project.cli(argv, { cwd, env })).stdout;
    const note =
      /docker compose is missing, and services need it.*Debian 13.*a run would stop before the build/;
    for (const { message } of found) expect(message).toMatch(/^docker compose is missing.*Debian 13/);
    if (codes.length > 0) expect(text).toMatch(note);
    else expect(text).not.toContain('compose');
  });
});
