import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder as cwd, useFolder } from '../../../test/fixtures/folder.ts';
import { analyse } from '../../analyse/analyse.ts';
import { mergeResults } from '../../analyse/merge.ts';
import { parseCommand } from '../../config/command.ts';
import { realHost } from '../../host.ts';
import { ejectLoad } from './eject-load-command.ts';
import { EJECTED_FILE, readEjectedResults } from './ejected-load.ts';

const BEGAN = 1_800_000_000_000;
let folder: string;
useFolder(() => {
  folder = join(cwd, 'o');
  mkdirSync(join(cwd, 'public'));
  writeFileSync(join(cwd, 'public/index.php'), '');
});

const eject = (...flags: string[]) => {
  const command = parseCommand(['eject-load', 'quick', '--base-url', 'http://site.test', ...flags]);
  if (command.command !== 'eject-load') throw new Error('another command');
  const shell = { argv: [], host: realHost, packageRoot: resolve(import.meta.dirname, '../../..'), cwd };
  return ejectLoad(command, { ...shell, print: () => {} });
};

/** Two pods of `quick` whose warm-up is s0. In each later slice, 100 requests. */
const ejectForTwo = () => eject('--segments', '2', '--out', 'o');

/** Makes the load that of a script; null: with the load that it declares itself. */
function makeScript(load: unknown): void {
  const file = join(folder, EJECTED_FILE);
  const found = JSON.parse(readFileSync(file, 'utf8'));
  found.batch.scenario = {
    ...found.batch.scenario,
    ...{ load, journey: { kind: 'script', name: 'own', file: '' } },
    script: { folder: '', root: '', entry: 'own.js', loadMs: null, thresholds: [], labels: [] },
  };
  if (load === null) {
    found.batch.slices = [{ ...found.batch.slices[0], warmup: false, durationMs: null, steps: [] }];
  }
  writeFileSync(file, JSON.stringify(found));
}

function summaryOf(segment: string, startsLateMs = 0) {
  const starts = [0, 1250, 2500, 3750, 5000].map((ms) => BEGAN + startsLateMs + ms);
  const metrics = starts.flatMap((min, i) => [
    [`bench_slice_start{slice:s${i}}`, { value: min, min, max: min }],
    [`http_reqs{slice:s${i}}`, { count: 100, rate: 20 }],
    [`iterations{slice:s${i}}`, { count: 100, rate: 20 }],
    [`bench_started{slice:s${i}}`, { count: 100, rate: 20 }],
  ]);
  return {
    ...{ durationMs: 6000, endedMs: BEGAN + startsLateMs + 6000, endpoints: [], segment },
    metrics: Object.fromEntries(metrics),
    script: null,
  };
}

/** What two pods have printed, beside their summaries. */
function writeLogs(summaries: readonly object[], logs: readonly string[][] = []): void {
  mkdirSync(join(folder, 'pods'), { recursive: true });
  summaries.forEach((summary, i) => {
    const log = [...(logs[i] ?? []), JSON.stringify(summary), ''].join('\n');
    writeFileSync(join(folder, `pods/${'ab'[i]}.log`), log);
  });
}

async function readResults() {
  const results = await readEjectedResults(folder);
  if (!results) throw new Error('no ejected load');
  return results;
}

const line = (message: string, source = '') =>
  `time="2026-11-22T10:49:53Z" level=error msg="${message}"${source}`;
const thrownIn = (slice: string) =>
  line('TypeError: x is undefined', ` executor=constant-vus scenario=${slice}_0 source=stacktrace`);
const both = [summaryOf('0:1/2'), summaryOf('1/2:1')];

test('exceptions in the script of a pod are in the results, each in its slice', async () => {
  await ejectForTwo();
  makeScript([]);
  const ofFirst = [...Array(300).fill(thrownIn('s0')), ...Array(30).fill(thrownIn('s1'))];
  writeLogs(both, [ofFirst, [...Array(60).fill(thrownIn('s1')), line('hm', ' source=console')]]);
  const results = await readResults();
  const first = 'TypeError: x is undefined';
  expect(results.measurements.map(({ script }) => script?.thrown)).toEqual([
    { count: 90, first },
    ...Array(3).fill({ count: 0, first: null }),
  ]);
  expect(results.measurements.map(({ script }) => script?.printed.count)).toEqual([0, 0, 0, 1]);
  expect(results.measurements[0]).toMatchObject({ outcome: 'ok', requests: 200, script: { aborted: null } });
  expect(analyse(results).warnings.map(({ code }) => code)).toContain('script-threw');
});

test('exceptions of async functions count in their slice, too', async () => {
  await ejectForTwo();
  makeScript([]);
  const thrown = (slice: string) =>
    line('Uncaught (in promise) Error: boom', ` executor=constant-vus scenario=${slice}_0`);
  writeLogs(both, [[thrown('s0'), thrown('s1'), thrown('s3')], [thrown('s3')]]);
  const counts = (await readResults()).measurements.map(({ script }) => script?.thrown.count);
  expect(counts).toEqual([1, 0, 2, 0]);
});

test.each([
  ['throws', line('GoError: login failed', ' hint="script exception" source=stacktrace')],
  ['rejects', line('Uncaught (in promise) Error: login failed')],
  ['takes too long', line('setup() execution timed out after 60 seconds', ' hint="…"')],
])('a load has failed where the setup of one pod %s', async (_, logged) => {
  await ejectForTwo();
  makeScript([]);
  const unset = { ...both[1], metrics: {} };
  writeLogs([both[0] as object, unset], [[], [logged]]);
  const { measurements } = await readResults();
  expect(measurements).toHaveLength(4);
  for (const { outcome, reason } of measurements) {
    expect(outcome).toBe('failed');
    expect(reason).toMatch(/^setup failed: (Error: )?(login failed|setup\(\) execution timed out)/);
  }
});

test('exceptions in the scenarios of a script are those of its only slice', async () => {
  await ejectForTwo();
  makeScript(null);
  writeLogs(both, [[thrownIn('s1')], [line('in setup', ' source=stacktrace')]]);
  const [first] = (await readResults()).measurements;
  expect(first?.script?.thrown.count).toBe(2);
});

test('a load that a script aborted in one pod has failed', async () => {
  await ejectForTwo();
  makeScript([]);
  writeLogs(both, [[], [line('test aborted: login failed')]]);
  const { measurements } = await readResults();
  expect(measurements.map(({ outcome, reason }) => [outcome, reason])).toEqual(
    Array(4).fill(['failed', 'the script stopped the test: login failed']),
  );
});

test.each([
  ['behind its summary, on the same line', (summary: string) => `${summary}${line('test aborted: no')}\n`],
  [
    'in the middle of its summary',
    (summary: string) => `${summary.slice(0, 300)}${line('test aborted: no')}\n${summary.slice(300)}\n`,
  ],
])('an error of k6 %s is no part of it', async (_, write) => {
  await ejectForTwo();
  writeLogs(both);
  writeFileSync(join(folder, 'pods/b.log'), write(JSON.stringify(both[1])));
  expect((await readResults()).measurements[0]).toMatchObject({ outcome: 'ok', requests: 200 });
});

const apartIn = async (lateMs: number) => {
  writeLogs([summaryOf('0:1/2'), summaryOf('1/2:1', lateMs)]);
  const { measurements, warnings } = await readResults();
  return {
    outcomes: [...new Set(measurements.map(({ outcome, reason }) => reason ?? outcome))],
    warnings: warnings.filter(({ code }) => code === 'generators-apart').map(({ message }) => message),
  };
};

test.each([
  [9, 'ok', []],
  [60, 'ok', ['pods began 60 ms apart, 6.0 % of a slice: RPS may be too high by as much']],
  [
    900,
    'pods began 900 ms apart, 90 % of a slice',
    ['pods began 900 ms apart, 90 % of a slice: RPS may be too high by as much, so those slices are void'],
  ],
])('pods that began %i ms apart in slices of 1 s: %s', async (lateMs, outcome, warnings) => {
  await ejectForTwo();
  expect(await apartIn(lateMs)).toEqual({ outcomes: [outcome], warnings });
});

test.each([
  ['of requests', () => eject('--segments', '2', '--out', 'o', '--load', 'requests(200, 4)')],
  ['that a script declares', () => ejectForTwo().then(() => makeScript(null))],
])('a load %s lasts until its last pod has ended: it is never too high, nor void', async (_, make) => {
  await make();
  expect(await apartIn(900)).toEqual({
    outcomes: ['ok'],
    warnings: ['pods began 900 ms apart, 13 % of a slice: RPS may be too low by as much'],
  });
});

test.each([
  [null, 'http://site.test'],
  ['http://site.test', 'http://site.test'],
  ['https://name:word@other.test:8443/shop/', 'https://other.test:8443/shop'],
  ['<b>', '<b>'],
])('pods with the BASE_URL %j loaded %s', async (baseUrl, site) => {
  await ejectForTwo();
  writeLogs(both.map((summary) => ({ ...summary, ...(baseUrl && { baseUrl }) })));
  const { plan, variants, warnings } = await readResults();
  expect(variants[0]).toMatchObject({ label: site, title: site });
  expect(plan.elsewhere?.target).toBe(site);
  expect(warnings[0]?.message).toContain(`loaded ${site}:`);
});

test('runs of two sites are two tables, and pods of two sites no results', async () => {
  await ejectForTwo();
  const at = (baseUrl: string) => both.map((summary) => ({ ...summary, baseUrl }));
  writeLogs(at('http://site.test'));
  const one = await readResults();
  const [first, second] = at('http://other.test');
  writeLogs(at('http://other.test'));
  const other = await readResults();
  expect(mergeResults([one, { ...other, run: { ...other.run, id: 'other' } }])).toHaveLength(2);
  writeLogs([first as object, { ...second, baseUrl: 'http://site.test' }]);
  await expect(readResults()).rejects.toMatchObject({
    message: 'the pods loaded different sites',
    detail: { found: 'a.log: http://other.test, b.log: http://site.test' },
  });
});

test('the README applies objects that are too large for an annotation', async () => {
  await ejectForTwo();
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toContain(
    '    kubectl apply --server-side -f testrun.yaml\n',
  );
});

test('the README names where k6-operator shows why a load does not start', async () => {
  await ejectForTwo();
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const [, name] = /testrun\/(\S+)\n/.exec(readme) ?? [];
  expect(readme).toContain(`\`kubectl get testrun/${name} -o jsonpath='{.status.stage}'\``);
  expect(readme).toContain(`\`kubectl logs job/${name}-initializer\``);
});

test.each([
  ['other values', { durationMs: 'x', metrics: {}, endedMs: 5 }],
  ['no metrics', { ...summaryOf('1/2:1'), metrics: null }],
  ['a moment that is none', { ...summaryOf('1/2:1'), endedMs: 1e300 }],
])('a summary with %s is none', async (_, summary) => {
  await ejectForTwo();
  writeLogs([both[0] as object, summary]);
  await expect(readResults()).rejects.toMatchObject({
    message: 'the log of a pod has no summary',
    detail: { where: { name: 'b.log' } },
  });
});

test('a log that cannot be read is named', async () => {
  await ejectForTwo();
  writeLogs(both);
  mkdirSync(join(folder, 'pods/c.log'));
  await expect(readResults()).rejects.toMatchObject({
    message: 'the log of a pod cannot be read',
    detail: { where: { name: join(folder, 'pods/c.log') }, found: expect.stringContaining('EISDIR') },
  });
});

test('a folder that cannot be made, or is not empty, is refused', async () => {
  writeFileSync(join(cwd, 'file'), '');
  await expect(eject('--out', 'file/x')).rejects.toMatchObject({
    message: 'cannot write to the folder',
    detail: { where: { name: '--out' }, found: expect.stringContaining('ENOTDIR') },
  });
  for (const out of ['file', 'public']) {
    await expect(eject('--out', out)).rejects.toMatchObject({ message: 'the folder is not empty' });
  }
});
