// Real faults from the field: each is reported, costs its own variant alone and leaves nothing behind.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import type { Results } from '../../src/results/results.ts';
import { expectRow } from '../faults/elsewhere.ts';
import { fixtures } from '../fixtures/results/make.ts';
import {
  ARENA,
  docker,
  during,
  killLoad,
  LABEL,
  leftovers,
  makeProject,
  ourContainers,
  type Project,
  readMeasurements,
  slicesOf,
  told,
  variantOf,
} from './bench.ts';
import { benchBehind, PAUSE, whilePaused } from './client.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

/** These checks follow every run, however it ended. */
afterEach(async () => {
  expect(await leftovers()).toEqual([]);
  expect(project.temporaryFiles()).toEqual([]);
});

const report = (out: string) => readFileSync(join(project.folder, out, 'report.md'), 'utf8');

/** The variant was measured as if the others had not failed. */
function expectMeasured(results: Results, id: string, slices = 1) {
  expect(variantOf(results, id)).toMatchObject({ failure: null, facts: { opcache: true } });
  const measured = slicesOf(results, id).filter(({ outcome }) => outcome === 'ok');
  expect(measured).toHaveLength(slices);
  for (const { requests, okCount, errors, cpu } of measured) {
    // A machine that stands still for QUICK's 500 ms makes requests late, and nothing else wrong.
    const late = errors.reduce((sum, { kind, count }) => sum + (kind === 'timeout' ? count : 0), 0);
    expect(requests - okCount).toBe(late);
    expect(okCount).toBeGreaterThan(requests / 2);
    expect(cpu?.usedUs).toBeGreaterThan(0);
  }
}

describe('variants that fail beside one that does not', () => {
  // Work enough for failing to be faster.
  const PATH = '/cpu?ms=3';
  const faults = {
    unbuildable: { stage: 'build', reason: /exit code: 7/, log: /there is no such package/ },
    'faulty[fault=exits]': {
      stage: 'start',
      reason: 'its container ended with exit code 3: faulty: there is nothing to serve',
      log: 'faulty: there is nothing to serve\n',
    },
    'faulty[fault=dies]': {
      stage: 'run',
      reason: 'its container ended with exit code 137: Killed',
      log: /faulty: this is the end/,
    },
    'faulty[fault=differs]': {
      stage: 'verify',
      reason:
        /^GET \/cpu\?ms=3 answers differently from \S+: HTTP 200, text\/html.* instead of HTTP 200, application\/json/,
      log: '',
    },
    'faulty[fault=refuses]': {
      stage: 'verify',
      reason: 'GET /cpu?ms=3 answers HTTP 500; its text: no such luck',
      log: '',
    },
  };
  const ids = Object.keys(faults).map((id) => id.replace(/^\w+/, '$&@8.4'));
  let results: Results;
  let stdout: string;
  let stderr: string;
  let code: number;
  let serving: readonly string[];

  beforeAll(async () => {
    const runtimes = ['apache', ...Object.keys(faults), 'faulty[fault=fails-under-load]'];
    // On a busy machine an answer takes longer than QUICK waits, and a server is to fail as its path says.
    const flags = ['--instances', '2', '--paths', PATH, '--timeout', '5s'];
    // As k6 is started for the first time, all servers are listed.
    const list = `docker container ls --all --filter ${LABEL} --format '{{.Names}}' </dev/null >"$0.list"`;
    const listing = `case "$*" in 'exec --interactive '*lib/main.js*) [ -e "$0.list" ] || ${list} ;; esac`;
    const run = benchBehind(project, listing, 'many', '--runtimes', runtimes.join(','), ...flags);
    ({ code, stdout, stderr } = await run.done);
    serving = readFileSync(`${run.client}.list`, 'utf8').match(/-0-\d+$/gm) ?? [];
    results = project.results('many');
  });

  it('ends with exit code 3, without a word about the inside', () => {
    expect(code).toBe(3);
    expect(stderr).not.toMatch(/Error:|\n +at /);
  });

  it.each(['unbuildable', 'exits', 'dies', 'differs', 'refuses', 'fails-under-load'] as const)(
    'says of %s what the table of faults has',
    (key) => expectRow(key, { code, printed: stderr + stdout }),
  );

  it('has none beside the load that has failed before it', () => expect(serving).toHaveLength(3));

  it('keeps the results of the other variant, of all instances', () =>
    expectMeasured(results, 'apache@8.4', 2));

  it.each(Object.entries(faults))('reports why %s failed', (name, { stage, reason, log }) => {
    const { failure } = variantOf(results, name.replace(/^\w+/, '$&@8.4'));
    expect(failure?.stage).toBe(stage);
    expect(failure?.reason).toMatch(reason);
    expect(failure?.log).toMatch(log);
  });

  it.each(Object.keys(faults).filter((name) => name !== 'unbuildable'))(
    'keeps all that the server of %s logged',
    (name) => {
      const file = name.replace(/^\w+/, '$&@8.4').replace(/[^A-Za-z0-9@.=-]+/g, '_');
      const kept = join(project.folder, 'many/raw/logs/0', `${file}.log`);
      // The one that exits says why; it was never asked. The others' server says what it was asked.
      expect(readFileSync(kept, 'utf8')).toMatch(name.includes('exits') ? /nothing to serve/ : /./);
    },
  );

  it('loads none that failed before the load, and none again that died', () => {
    const loaded = results.measurements.map(({ variant, instance }) => `${variant} ${instance}`);
    expect(loaded.filter((one) => !/apache|fails-under-load/.test(one))).toEqual([
      'faulty@8.4[fault=dies] 0',
    ]);
  });

  it('counts the requests of the server that died as errors, not as fast answers', () => {
    const [slice] = slicesOf(results, 'faulty@8.4[fault=dies]');
    expect(slice).toMatchObject({
      outcome: 'failed',
      reason: 'its container ended with exit code 137: Killed',
    });
    expect(slice?.okCount).toBeLessThanOrEqual(10);
    expect(slice?.errors.map(({ kind }) => kind)).toContain('refused');
  });

  it('fails the slices of a server that answers 500 fast, and keeps what it said', () => {
    // It is asked once more after its last slice, and takes no part in the second start.
    const [slice, ...more] = slicesOf(results, 'faulty@8.4[fault=fails-under-load]');
    expect(more).toEqual([]);
    expect(slice).toMatchObject({ outcome: 'failed', reason: 'every request failed', okCount: 0 });
    expect(slice?.errors).toMatchObject([
      { kind: 'http 500', endpoint: PATH, count: slice?.requests, sample: 'no such luck' },
    ]);
  });

  it.each([...ids, 'faulty@8.4[fault=fails-under-load]'])(
    'puts %s behind the one that was measured',
    (id) => {
      for (const text of [stdout, report('many')]) {
        // The check, which names those that failed, comes first.
        const plain = text.replaceAll('\\', '').replace(/\W*This check fails[\s\S]*?\n\n/, '');
        expect(plain).toContain(id);
        expect(plain.indexOf('apache@8.4')).toBeLessThan(plain.indexOf(id));
      }
    },
  );
});

/** Load that is not over before the test has done to it what it wants to. */
const LONGER = ['--load', 'vus(2, 5s)'];

describe('an app that is not ready to be served', () => {
  const apps: Readonly<Record<string, string>> = {
    // With an error of an hour ago in a log of its own, which has nothing to do with the request.
    'ours/legacy/index.php': `<?php @mkdir(__DIR__ . '/logs'); $old = __DIR__ . '/logs/old.log';
      file_put_contents($old, "[2026-01-01 00:00:00] production.ERROR: of an hour ago\n"); touch($old, time() - 3600);
      mysqli_connect();`,
    'ours/framework/storage/logs/app.log': '[2026-01-01 00:00:00] local.ERROR: of another day\n',
    // As Laravel does it, whose log no server sees.
    'ours/framework/public/index.php': `<?php
      $line = '[2026-01-02 00:00:00] production.ERROR: No key has been specified. {"exception":"x"}';
      file_put_contents(__DIR__ . '/../storage/logs/app.log', "$line\n#0 {main}\n", FILE_APPEND);
      http_response_code(500);`,
    // As Roundcube does it: PHP logs into a file of the app.
    'ours/mail/index.php': `<?php
      mkdir(__DIR__ . '/logs');
      ini_set('error_log', __DIR__ . '/logs/errors.log');
      mysqli_connect();`,
    'ours/moved/index.php': "<?php header('Location: /login');",
  };

  // The tests behind it measure the demo, which is not taken beside apps.
  afterAll(() => rmSync(join(project.folder, 'ours'), { recursive: true }));

  it('is found from its log, with a note that redirects are loaded', async () => {
    for (const [path, text] of Object.entries(apps)) {
      mkdirSync(dirname(join(project.folder, path)), { recursive: true });
      writeFileSync(join(project.folder, path), text);
    }
    const run = project.bench(
      'unready',
      ...['--app', 'ours/legacy,ours/framework,ours/mail,ours/moved', '--runtimes', 'apache,nginx-fpm'],
      ...['--paths', '/', '--wait'],
    );
    const { code, stderr } = await run.done;
    expectRow('fatal-error', { code, printed: stderr });
    expectRow('without-key', { code, printed: stderr });
    const results = project.results('unready');
    const told = {
      legacy:
        /^GET \/ answers HTTP 500; its log: Uncaught Error: .* mysqli_connect\(\) in \/app\/.*index\.php:4; add `mysqli` to `extensions`$/,
      mail: /^GET \/ answers HTTP 500; its log: Uncaught Error: .* mysqli_connect\(\) in \/app\/.*index\.php:4; add `mysqli` to `extensions`$/,
      framework: /^GET \/ answers HTTP 500; its log: No key has been specified\.$/,
    };
    for (const runtime of ['apache@8.4', 'nginx-fpm@8.4']) {
      for (const [app, reason] of Object.entries(told)) {
        expect(variantOf(results, `${app}/${runtime}`).failure).toMatchObject({
          stage: 'verify',
          reason: expect.stringMatching(reason),
        });
      }
      expect(variantOf(results, `moved/${runtime}`).failure).toBeNull();
    }
    expect(variantOf(results, 'framework/apache@8.4').failure?.log).toContain('#0 {main}');
    expect(results.warnings).toContainEqual(
      expect.objectContaining({ code: 'redirect', message: expect.stringContaining('GET / to /login') }),
    );
  });
});

describe('k6', () => {
  it('is killed: its slices are void, those of other processes are kept', async () => {
    const run = project.bench('k6', ...['--runtimes', 'apache,faulty', '--instances', '2', ...LONGER]);
    await told(run, 'instance 1/2: starting');
    await killLoad();
    const { code, stderr } = await run.done;
    expectRow('k6', { code, printed: stderr });
    const results = project.results('k6');
    for (const id of ['apache@8.4', 'faulty@8.4']) {
      expectMeasured(results, id);
      expect(slicesOf(results, id)).toMatchObject([
        { instance: 0, outcome: 'void', reason: 'k6 was killed' },
        { instance: 1, outcome: 'ok', reason: null },
      ]);
    }
    expect(report('k6')).toContain('void');
  });
});

describe('lack of memory', () => {
  it('ends one server and one worker of another; the third stays within its limit', async () => {
    const { code, stdout } = await project.bench(
      'memory',
      ...['--runtimes', 'faulty[fault=hoards],apache[workers=2],apache[keep-alive=0s,workers=1]'],
      // Long enough for several kills: Apache takes up to a second to replace a child, and one alone fits the limit.
      // The kernel ends the largest process. With 64 MB this may be Apache's parent, and so the server, while memory of a
      // request is given back.
      ...['--memory', '128M', '--paths', '/mem?mb=76', '--load', 'vus(2, 8s)'],
      // On a busy machine an answer takes longer than QUICK waits.
      ...['--timeout', '5s'],
    ).done;
    const results = project.results('memory');
    // The engine does not always hear of it; then it is reported as likely.
    const lack = /killed(:|, probably) out of memory/;
    expectRow('memory', { code, printed: stdout });
    expect(variantOf(results, 'faulty@8.4[fault=hoards]').failure).toMatchObject({
      stage: 'run',
      reason: expect.stringMatching(lack),
    });
    expect(slicesOf(results, 'faulty@8.4[fault=hoards]')).toMatchObject([
      { outcome: 'failed', reason: expect.stringMatching(lack) },
    ]);
    expect(variantOf(results, 'apache@8.4[workers=2]').failure).toBeNull();
    const [crowded] = slicesOf(results, 'apache@8.4[workers=2]');
    expect(crowded?.errors).toContainEqual(expect.objectContaining({ kind: 'oom kill', endpoint: 'server' }));
    expect(crowded?.okCount).toBeLessThan(crowded?.requests as number);
    expectMeasured(results, 'apache@8.4[keep-alive=0s,workers=1]');
    expect(stdout).toMatch(lack);
    expect(report('memory')).toContain('oom kill');
  });
});

describe('signals', () => {
  it('SIGINT in the load: results so far are kept and reported', async () => {
    const flags = ['--runtimes', 'apache', '--instances', '5', '--format', 'json', ...LONGER];
    const run = project.bench('interrupted', ...flags);
    await told(run, 'instance 2/5: paths');
    run.kill('SIGINT');
    const { code, stdout, stderr } = await run.done;
    expectRow('SIGINT', { code, printed: stderr });
    expect(stderr).toMatch(/^stopping: removing [\s\S]*^stopped by SIGINT/m);
    expect(stderr).toMatch(/^written to \S*interrupted: .*results\.json/m);
    const results = project.results('interrupted');
    expect(JSON.parse(stdout)).toEqual(results);
    expect(results.run.stopped).toBe('SIGINT');
    expectMeasured(results, 'apache@8.4');
    expect(report('interrupted')).toContain('stopped by SIGINT');
  });

  it.each([
    ['as the build begins', 0],
    ['in the build', 2000],
  ])('SIGTERM %s, and again in the clean-up', async (_, ms) => {
    const run = project.bench('build', '--runtimes', 'apache,unbuildable[seconds=3600]');
    await during(run, () => existsSync(join(project.folder, 'build/results.json')));
    await realHost.sleep(ms);
    run.kill('SIGTERM');
    await told(run, 'stopped by SIGTERM');
    run.kill('SIGTERM');
    run.kill('SIGINT');
    const { code, stderr } = await run.done;
    expectRow('build', { code, printed: stderr });
    expect(project.results('build')).toMatchObject({ run: { stopped: 'SIGTERM' }, measurements: [] });
  });

  it('SIGTERM while a server starts: the results of an earlier run stay', async () => {
    const earlier = JSON.stringify(fixtures.quick?.());
    mkdirSync(join(project.folder, 'start/raw'), { recursive: true });
    writeFileSync(join(project.folder, 'start/results.json'), earlier);
    writeFileSync(join(project.folder, 'start/raw/k6.json'), '{}');
    const run = project.bench('start', '--runtimes', 'faulty[fault=silent]');
    await during(run, async () => (await ourContainers()).some((name) => /-0-18080$/.test(name)));
    run.kill('SIGTERM');
    const { code, stderr } = await run.done;
    expectRow('start', { code, printed: stderr });
    expect(stderr).toMatch(/nothing was measured: \S*start keeps the results of the earlier run/);
    expect(readFileSync(join(project.folder, 'start/results.json'), 'utf8')).toBe(earlier);
    expect(readdirSync(join(project.folder, 'start'))).toEqual(['raw', 'results.json']);
  });

  it('SIGTERM at once, before there is anything', async () => {
    const run = project.bench('early', '--runtimes', 'apache');
    await during(run, async () => (await docker('ps', '--all', '--format', '{{.Names}}')).includes(ARENA));
    run.kill('SIGTERM');
    const { code, stderr } = await run.done;
    expectRow('early', { code, printed: stderr });
  });

  it('SIGKILL: the measurements are there, and the next run sweeps the rest', async () => {
    const run = project.bench('killed', ...['--runtimes', 'apache', '--instances', '5', ...LONGER]);
    await told(run, 'instance 2/5: paths');
    run.kill('SIGKILL');
    expectRow('SIGKILL', { code: (await run.done).code, printed: run.stderr });
    expect(readMeasurements(join(project.folder, 'killed'))).toHaveLength(1);
    expect(await ourContainers()).not.toEqual([]);

    expect(project.results('killed').run.stopped).toBe('an error or SIGKILL');
    const shown = await project.cli(['report', 'killed']);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/apache@8\.4/) });

    const after = project.bench('after', '--runtimes', 'apache', '--format', 'csv');
    const { code, stdout, stderr } = await after.done;
    const line = '.*,apache@8\\.4,';
    expect(stdout).toMatch(new RegExp(`^run,.*\\n${line},.*\\n${line}/json\\?n=5,.*\\n$`));
    expect(stderr).toMatch(/^removed what run \S+ left behind: php-runtime-bench-\S+/m);
    expect(code).toBe(0);
    expectMeasured(project.results('after'), 'apache@8.4');
  });
});

describe('a reader that goes away', () => {
  it('does not stop the run, nor the clean-up', async () => {
    const shell = '{ "$@" 2>&1; echo $? >code; } | head -n 1';
    const { stdout, stderr } = await project.benchInShell(shell, 'unread', '--runtimes', 'apache').done;
    expect(stdout).toMatch(/^1 instance × 1 block, about .*\n$/);
    expect(stderr).toBe('');
    const code = Number(readFileSync(join(project.folder, 'code'), 'utf8'));
    expectRow('unread', { code, printed: stdout });
    expectMeasured(project.results('unread'), 'apache@8.4');
  });
});

describe('a second run meanwhile', () => {
  it('is refused with the name of the other; one that waits comes next', async () => {
    const first = project.bench('first', '--runtimes', 'apache', '--instances', '5', ...LONGER);
    await told(first, 'instance 1/5: starting');
    // Both at once, since the first has other things to do than to wait for them.
    const refused = project.bench('second', '--runtimes', 'apache');
    const third = project.bench('third', '--runtimes', 'apache', '--wait');
    // Runs that a failure leaves behind would fail the next tests.
    onTestFinished(async () => {
      for (const run of [first, third]) run.kill('SIGTERM');
      await Promise.all([first.done, third.done]);
    });
    // What can be refused is refused at once, not behind the other run.
    const flags = ['--runtimes', 'apache', '--load', 'vus(2, 20s)', '--budget', '30s', '--wait'];
    const fourth = await project.run('fourth', '--paths', '/', ...flags).done;
    expect([fourth.code, fourth.stderr]).toEqual([2, expect.stringMatching(/^budget: too small/)]);
    const second = await refused.done;
    expectRow('second', { code: second.code, printed: second.stderr });
    expect(second.stdout).toBe('');
    const { run } = project.results('first');
    expect(second.stderr).toMatch(
      new RegExp(
        `^another benchmark is running on this Docker engine.*\n  found:   run ${run.id}, by \\S+ on \\S+, pid \\d+\n  hint:.*--wait\n$`,
      ),
    );
    expect(existsSync(join(project.folder, 'second'))).toBe(false);

    await told(third, `waiting for run ${run.id}`);
    expect((await first.done).code).toBe(0);
    expectMeasured(project.results('first'), 'apache@8.4', 5);
    expect((await third.done).code).toBe(0);
    const { started, finished } = project.results('first').run;
    expect(Date.parse(started)).toBeLessThan(Date.parse(finished));
    const [slice] = slicesOf(project.results('third'), 'apache@8.4');
    expect(slice?.startedMs).toBeGreaterThan(Date.parse(finished));
    // Waiting is no overhead of the run that waits.
    const waited = project.results('third').run;
    const spentMs = Date.parse(waited.finished) - Date.parse(waited.started);
    expect(waited.wallSeconds * 1000).toBeLessThan(spentMs);
  });
});

describe('what is in the way', () => {
  it('a listener on a port of the run fails the variant that was to have it', async () => {
    const pausing = `case "$*" in 'buildx bake '*) ${PAUSE} ;; esac`;
    const run = benchBehind(project, pausing, 'port', '--runtimes', 'apache,faulty');
    const listener =
      "echo 'export default () => {}' >/tmp/idle.js; exec k6 run --paused --address :18080 /tmp/idle.js";
    const port = `:${(18080).toString(16).toUpperCase()}`;
    await whilePaused(run, async () => {
      await docker('exec', '--detach', ARENA, 'sh', '-c', listener);
      await expect.poll(() => docker('exec', ARENA, 'cat', '/proc/net/tcp6')).toContain(port);
    });
    const { code, stderr } = await run.done;
    expectRow('port', { code, printed: stderr });
    const results = project.results('port');
    const servers = ['apache@8.4', 'faulty@8.4'];
    const failed = servers.filter((id) => variantOf(results, id).failure);
    expect(failed).toHaveLength(1);
    expect(variantOf(results, failed[0] as string).failure).toMatchObject({
      stage: 'start',
      reason: 'another program listens on its port 18080',
    });
    expectMeasured(results, servers.find((id) => !failed.includes(id)) as string);
  });

  it('files of somebody else in the output folder', async () => {
    const folder = join(project.folder, 'precious');
    mkdirSync(folder);
    for (const name of ['thesis.txt', 'results.json']) writeFileSync(join(folder, name), 'mine');
    const { code, stderr } = await project.bench('precious', '--runtimes', 'apache').done;
    expectRow('precious', { code, printed: stderr });
    // Its results.json is not ours, whatever else there is.
    expect(stderr).toMatch(/precious: results\.json\n {2}allowed: a new or empty folder/);
    expect(readdirSync(folder).sort()).toEqual(['results.json', 'thesis.txt']);
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name), 'utf8')).toBe('mine');
  });
});

test('connections that end before the answer are resets, though k6 sends their requests again', async () => {
  const drops = 'faulty@8.4[fault=drops]';
  const load = ['--load', 'vus(4, 3s)', '--paths', '/', '--timeout', '5s'];
  const { code, stdout } = await project.bench('drops', '--runtimes', 'faulty[fault=drops]', ...load).done;
  expect(code === 0 ? '' : stdout).toBe('');
  const results = project.results('drops');
  const [slice] = slicesOf(results, drops);
  const logs = join(project.folder, 'drops/raw/logs/0');
  const log = readFileSync(join(logs, readdirSync(logs)[0] as string), 'utf8');
  const dropped = Number(/dropped (\d+)\n$/.exec(log)?.[1]);
  expect(dropped).toBeGreaterThan(10);
  // Never one too many; those are missed where k6 itself was held up, on a busy machine most.
  const found = slice?.errors.find(({ kind }) => kind === 'reset, sent again')?.count ?? 0;
  expect(found).toBeLessThanOrEqual(dropped);
  expect(found).toBeGreaterThan(0);
  expect(slice?.okCount).toBe((slice?.requests ?? 0) - found);
  expect(report('drops')).toMatch(/connections that ended before the answer: at least faulty\S* \d/);
});
