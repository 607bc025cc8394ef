/** A run whose load comes from two other machines: three engines in network namespaces of their own, joined by a bridge. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { K6Summary } from '../../src/run/load/k6.ts';
import { makeEngine, type OwnEngine, whyNoEngine } from '../faults/engine.ts';
import { type Lan, makeLan } from '../faults/lan.ts';
import { makeProject, type Project, told } from './bench.ts';
import { makeStep, STEP_MS } from './stepped-clock.ts';

const why = whyNoEngine();
const K6 = 'grafana/k6:2.2.0';
const ADDRESS = '10.77.0.1';
const BUSY = 'the machine is too busy for engines to begin together';

describe.skipIf(why !== null)(`load from two engines${why ? `: ${why}` : ''}`, () => {
  const engines: OwnEngine[] = [];
  let project: Project;
  let lan: Lan;
  beforeAll(async () => {
    lan = makeLan();
    // Those that load have no image: k6 comes from the engine of the servers.
    for (const images of [[K6, 'php:8.4-cli'], [], []]) {
      const engine = await makeEngine(images);
      engines.push(engine);
      lan.join(engine);
    }
    project = await makeProject();
  });
  afterAll(async () => {
    project?.remove();
    for (const engine of engines) await engine.remove();
    await lan?.remove();
  });

  const flags = (...loaders: number[]) => [
    ...['--engine', engines[0]?.host ?? '', '--load-address', ADDRESS],
    ...['--load-engines', loaders.map((i) => engines[i]?.host).join(',')],
    ...['--app', 'plain', '--runtimes', 'faulty', '--php', '8.4', '--paths', '/'],
    ...['--timeout', '3s', '--instances', '1', '--blocks', '2', '--warmup', '1s'],
  ];

  test('each makes its share, none twice, and what lies between is reported', async (test) => {
    // Its PHP reads BENCH_INI, so it is counted.
    const own = flags(1, 2).map((flag) => (flag === 'faulty' ? 'resident' : flag));
    const run = project.run('both', ...own, '--load', 'requests(401, 4)', '--count', 'php');
    const { code, stderr } = await run.done;
    expect(stderr.split('copying ')).toHaveLength(3);
    expect(stderr).toContain('round trip');
    const results = project.results('both');
    const measured = results.measurements.filter(({ outcome }) => outcome !== 'void');
    // On a machine that is busy with other things they may begin too far apart, which makes a slice void.
    for (const { outcome, reason } of results.measurements)
      if (outcome === 'void') expect(reason).toContain('apart');
    if (measured.length === 0) test.skip(BUSY);
    expect(code, stderr).toBe(0);
    expect(stderr.match(/copying .* from the engine of the servers/g)).toHaveLength(2);
    for (const m of measured) {
      expect(m).toMatchObject({ outcome: 'ok', requests: 401, okCount: 401 });
      const shares = m.generator.machines?.map(({ requests }) => requests) ?? [];
      expect(shares).toHaveLength(2);
      expect(Math.min(...shares)).toBeGreaterThan(0);
      expect(shares.reduce((sum, n) => sum + n, 0)).toBe(401);
    }
    // The count has one client, its warm-up more.
    expect(stderr).toContain(`too few clients for all load engines: it comes from ${engines[1]?.host} alone`);
    const raw = join(project.folder, 'both/raw/paths/1');
    const sent = readdirSync(raw).flatMap((name) => {
      const slice = /^k6-(s\d+)\.json$/.exec(name)?.[1];
      if (slice === undefined) return [];
      const shares = readFileSync(join(raw, name), 'utf8').trim().split(/\n+/);
      return shares.map((share) => JSON.parse(share).metrics[`http_reqs{slice:${slice}}`].count > 0);
    });
    expect(new Set(sent)).toEqual(new Set([true]));
    expect(results.plan.elsewhere).toMatchObject({ kind: 'engines', target: ADDRESS });
    expect(results.plan.elsewhere?.generators).toEqual(
      ['0:1/2', '1/2:1'].map((share, i) => ({
        ...{ name: engines[i + 1]?.host, share, hops: 1, mtu: 1400 },
        ...{ roundTripMs: expect.any(Number), skewMs: expect.any(Number) },
      })),
    );
    expect(results.warnings.map(({ code }) => code)).toContain('load-elsewhere');
    const report = readFileSync(join(project.folder, 'both/report.md'), 'utf8');
    for (const share of ['0:1/2', '1/2:1'])
      expect(report).toMatch(new RegExp(`Load from \\| .*, share ${share}, round trip .* 1 hop, MTU 1400`));
    for (const engine of engines) {
      // Nothing of the load has a way out.
      const route = ['-n', engine.namespace, 'route', 'show', 'default'];
      expect(execFileSync('ip', route, { encoding: 'utf8' })).toBe('');
      expect(engine.docker('container', 'ls', '--all', '--quiet')).toBe('');
    }
  });

  test('two commits are loaded in turns by both engines, and at once by one client each', async (test) => {
    const index = 'app/public/index.php';
    project.commit({ '.gitignore': '/out*\n/both\n/commits\n', [index]: '<?php echo "page";' });
    project.write({ [index]: '<?php echo "pa", "ge";' });
    // Two starts: if the first is late on a busy machine, loads of the second have twice the time to begin.
    const changed = (flag: string, before = '') =>
      before === '--instances' ? '2' : before === '--blocks' ? '1' : flag === 'plain' ? 'app' : flag;
    const own = flags(1, 2).map((flag, i, all) => changed(flag, all[i - 1]));
    const run = project.run('commits', ...own, '--load', 'vus(2, 2s)', '--compare-to', 'HEAD');
    const { code, stdout, stderr } = await run.done;
    // 3: a busy machine spoils slices.
    expect([0, 3], `${stdout}\n${stderr}`).toContain(code);
    const { measurements, duets, plan } = project.results('commits');
    const good = measurements.filter(({ outcome }) => outcome === 'ok');
    const whole = duets.filter(({ outcome }) => outcome === 'ok');
    for (const { outcome, reason } of [...measurements, ...duets])
      if (outcome === 'void') expect(reason).toContain('apart');
    if (new Set(good.map(({ variant }) => variant)).size < 2 || whole.length === 0) test.skip(BUSY);
    // By the servers' control groups, though nothing of the load was there.
    expect(good.some(({ cpu }) => (cpu?.usedUs ?? 0) > 0)).toBe(true);
    for (const { generator, requests } of good) {
      const shares = generator.machines?.map((machine) => machine.requests) ?? [];
      expect(shares).toHaveLength(2);
      expect(Math.min(...shares)).toBeGreaterThan(0);
      expect(shares.reduce((sum, n) => sum + n, 0)).toBe(requests);
    }
    for (const { sides } of whole)
      for (const { requests } of [sides.variant, sides.base]) expect(requests).toBeGreaterThan(0);
    expect(plan.elsewhere?.generators).toHaveLength(2);
  });

  test('what cannot be is refused before any load', async () => {
    const [, one] = engines;
    const own = flags(1);
    const twice = own.map((flag) => (flag === one?.host ? `${flag},${flag}` : flag));
    const refused = async (argv: string[], load = 'vus(4, 1s)') => {
      const { code, stderr } = await project.run('refused', ...argv, '--load', load).done;
      return { code, stderr };
    };
    expect(await refused(twice)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('engine given twice'),
    });
    expect(await refused(flags(1, 2), 'vus(1, 1s)')).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('more load engines than clients') },
    });
    const alone = own.filter((flag, i) => ![flag, own[i - 1]].includes('--load-address'));
    expect(await refused(alone)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('`load-address`'),
    });
    const absent = own.map((flag) => (flag === ADDRESS ? '10.99.0.1' : flag));
    expect(await refused(absent)).toMatchObject({
      ...{
        code: 2,
        stderr: expect.stringMatching(/load-address(.|\n)*10\.99\.0\.1(.|\n)*ports 18080 to 18080/),
      },
    });
    // The servers' machine has this address, but no way leads there from the other.
    execFileSync('ip', ['-n', engines[0]?.namespace ?? '', 'address', 'add', '10.78.0.1/32', 'dev', 'lo']);
    const apart = own.map((flag) => (flag === ADDRESS ? '10.78.0.1' : flag));
    expect(await refused(apart)).toMatchObject({
      ...{
        code: 2,
        stderr: expect.stringMatching(/load-address(.|\n)*10\.78\.0\.1:18080: .*unreachable(.|\n)*firewall/),
      },
    });
    expect(await refused(own.map((flag) => (flag === one?.host ? 'nowhere' : flag)))).toMatchObject({
      ...{ code: 2, stderr: expect.stringMatching(/^load-engines: no such Docker context/m) },
    });
    const several = own.map((flag) => (flag === '--engine' ? '--engines' : flag));
    expect(await refused(several)).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('`engines` and `load-engines` cannot be combined') },
    });
    // It would take the servers' arena for its own.
    expect(await refused([...flags(0), '--wait'])).toMatchObject({
      ...{ code: 2, stderr: expect.stringContaining('two of the engines are one and the same') },
    });
    const deaf = own.map((flag) => (flag === one?.host ? `${flag}-deaf` : flag));
    const silent = await refused(deaf);
    expect(silent.code, silent.stderr).not.toBe(0);
    expect(silent.stderr).toMatch(/load-engines: no Docker engine answers\n.*-deaf/);
    for (const engine of engines) expect(engine.docker('container', 'ls', '--all', '--quiet')).toBe('');
  });

  test('after somebody has set the clock of one of them, they meet again', async (test) => {
    const [, , stepped] = engines as [OwnEngine, OwnEngine, OwnEngine];
    const step = makeStep(stepped, project.folder);
    const own = flags(1, 2).map((flag, i, all) => (all[i - 1] === '--instances' ? '3' : flag));
    const run = project.run('stepped', ...own, '--load', 'vus(2, 2s)');
    await told(run, 'instance 2/3: starting');
    step();
    const { code, stderr } = await run.done;
    // 3: a load during which the clock was set is void, and so are others on a busy machine.
    expect([0, 3], stderr).toContain(code);
    const results = project.results('stepped');
    const generators = results.plan.elsewhere?.generators ?? [];
    const skews = generators.map(({ skewMs }) => Math.abs(Math.round((skewMs ?? 0) / STEP_MS)));
    expect(skews, stderr).toEqual([0, 1]);
    // When each began the last load, by the clock that they really share.
    const raw = join(project.folder, 'stepped/raw/paths/2');
    const texts = readdirSync(raw).map((name) => readFileSync(join(raw, name), 'utf8'));
    const summaries = texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith('{"')));
    const starts = summaries.map((line, i) => {
      const { metrics } = JSON.parse(line) as K6Summary;
      const slices = Object.entries(metrics).filter(([name]) => name.startsWith('bench_slice_start{'));
      // One that has not begun has zeros.
      return Math.min(...slices.map(([, { min }]) => min || Infinity)) - i * STEP_MS;
    });
    expect(starts, stderr).toHaveLength(2);
    if (/ \d{3,} ms (late|apart)/.test(stderr))
      test.skip('the machine is too busy for engines to begin together');
    expect(Math.abs((starts[0] ?? 0) - (starts[1] ?? 0))).toBeLessThan(STEP_MS / 2);
  });
});
