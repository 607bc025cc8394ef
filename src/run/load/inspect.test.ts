import { mkdirSync, mkdtempSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { folder, useFolder } from '../../../test/fixtures/folder.ts';
import { parseLoad } from '../../config/parts/load.ts';
import type { Scenario } from '../../config/types.ts';
import { type Docker, DockerError, earlyFlags } from '../../engine/docker.ts';
import { inspectScripts } from './inspect.ts';

const RUN = '20261126-100000-abcd';
useFolder(() => {
  mkdirSync(join(folder, 'scenarios/lib'), { recursive: true });
  mkdirSync(join(folder, 'project/.git'), { recursive: true });
  writeFileSync(join(folder, 'project/load.js'), 'export default () => {};');
});
afterEach(() => vi.unstubAllEnvs());

/** Access of the folders that were copied to the container last. */
let modes: number[] = [];

/** An answer of k6: options, or a line of its log. */
type Given = { options: object } | { log: string };

/** Inspects `project/load.js`. */
async function inspect(given: Given | ((files: string[]) => Given), load: string | null = null) {
  // Each inspection makes a folder there, by the name of the run.
  vi.stubEnv('TMPDIR', mkdtempSync(join(folder, 'temporary-')));
  const created: string[] = [];
  let files: string[] = [];
  let starts = 0;
  const docker: Docker = {
    run: async (args) => {
      if (args[1] === 'create') created.push(...args);
      if (args[1] === 'cp') {
        const bench = args[2] as string;
        const entries = readdirSync(bench, { recursive: true, withFileTypes: true });
        const folders = entries.filter((entry) => entry.isDirectory());
        const all = [bench, ...folders.map(({ parentPath, name }) => join(parentPath, name))];
        modes = all.map((path) => statSync(path).mode & 0o777);
        files = readdirSync(join(bench, 'user/0/project'), { encoding: 'utf8', recursive: true });
      }
      return '';
    },
    async try(args) {
      if (args[1] !== 'start') return { code: 0, stdout: '', stderr: '' };
      starts++;
      const answer = typeof given === 'function' ? given(files) : given;
      return 'log' in answer
        ? { code: 107, stdout: '', stderr: answer.log }
        : { code: 0, stdout: JSON.stringify(answer.options), stderr: '' };
    },
  };
  const scenario: Scenario = {
    ...{
      name: 'test',
      title: '',
      journey: { kind: 'script', name: 'load', file: join(folder, 'project/load.js') },
    },
    ...{
      load: load === null ? null : parseLoad(load),
      timeoutMs: 2000,
      warmupMs: 0,
      blocks: 1,
      reuse: true,
      slo: {},
    },
  };
  const world = {
    ...{ docker, run: RUN, k6Image: 'k6', scenariosFolder: join(folder, 'scenarios') },
    ...{ cwd: join(folder, 'project'), baseUrl: 'http://shop.test' },
  };
  const [inspected] = await inspectScripts(world, [scenario]);
  return { script: inspected?.script, created, files, starts };
}

const DEFAULTS = { iterations: null, duration: null, stages: null, thresholds: null };

test('a script is read with the environment that its load gets', async () => {
  const { created } = await inspect({ options: DEFAULTS }, 'vus(1, 1s)');
  // Another run that sweeps now leaves the container alone.
  expect(created).toEqual(expect.arrayContaining(earlyFlags(RUN)));
  const given = created.slice(created.indexOf('inspect'));
  const pairs = given.filter((_, i) => given[i - 1] === '--env');
  expect(pairs).toEqual(['BASE_URL=http://shop.test', 'TIMEOUT=2000ms', 'SLICE=s0']);
});

test('folders are open to k6, which is another user, whatever the umask', async () => {
  const before = process.umask(0o077);
  try {
    await inspect({ options: DEFAULTS }, 'vus(1, 1s)');
  } finally {
    process.umask(before);
  }
  expect(modes.length).toBeGreaterThan(2);
  expect(new Set(modes)).toEqual(new Set([0o755]));
});

test.each([
  ['20s', 20_000],
  ['1h0m30s', 3_630_000],
  ['2h2m0.5s', 7_320_500],
])('its own load takes at most what k6 calculates: %s', async (totalDuration, ms) => {
  const admin = { executor: 'per-vu-iterations', iterations: 1, maxDuration: null };
  const options = { ...DEFAULTS, totalDuration, maxVUs: 3, scenarios: { admin } };
  const { script } = await inspect({ options });
  expect(script).toMatchObject({ loadMs: null, mostMs: ms, mostVus: 3 });
});

test.each([
  ['all', ['constant-arrival-rate', 'ramping-arrival-rate']],
  ['some', ['constant-arrival-rate', 'constant-vus']],
  ['none', ['ramping-vus', 'externally-controlled']],
])('executors of its own load with a rate: %s', async (rates, executors) => {
  const scenarios = Object.fromEntries(executors.map((executor) => [executor, { executor, duration: '1s' }]));
  expect((await inspect({ options: { ...DEFAULTS, scenarios } })).script?.rates).toBe(rates);
});

const BROWSING = {
  options: {
    ...DEFAULTS,
    scenarios: { messages: { executor: 'constant-vus', options: { browser: { type: 'chromium' } } } },
  },
};

test('a script that loads with a browser is refused', async () => {
  await expect(inspect(BROWSING)).rejects.toMatchObject({
    message: 'the script loads with a browser',
    detail: { found: expect.stringContaining('options.scenarios.messages.options.browser') },
  });
});

test('a load of the scenario replaces the browser of a script', async () => {
  expect((await inspect(BROWSING, 'vus(1, 1s)')).script?.loadMs).toBeNull();
});

test('a load of the scenario replaces the rates of a script', async () => {
  const scenarios = { all: { executor: 'constant-arrival-rate', duration: '1s' } };
  const { script } = await inspect({ options: { ...DEFAULTS, scenarios } }, 'vus(1, 1s)');
  expect(script?.rates).toBe('none');
});

test('a file that k6 would look for beside its own entry is refused, with what to write', async () => {
  const log =
    'time="2026-11-26T14:09:12Z" level=error msg="NotFoundError: no such file or directory \\"/tmp/bench/lib/users.csv\\"\\n" hint="script exception" source=stacktrace';
  await expect(inspect({ log })).rejects.toMatchObject({
    message: "k6 cannot open 'users.csv'",
    detail: { hint: "with `k6/experimental/fs`, write `open(import.meta.resolve('./users.csv'))`" },
  });
});

test.each([null, 'vus(1, 1s)'])('k6 reads a script from where it loads, with load %s', async (load) => {
  const { created } = await inspect({ options: { ...DEFAULTS, duration: '1s' } }, load);
  expect(created.at(-1)).toBe('/tmp/bench/lib/inspect.js');
});

test('a faulty configuration is refused with its fault', async () => {
  const log =
    'time="2026-11-26T14:10:43Z" level=error msg="There were problems with the specified script configuration:\\n\\t- executor all: function \'default\' not found in exports"';
  await expect(inspect({ log })).rejects.toThrow(/configuration: executor all: function 'default' not found/);
});

test('a failure of the engine is no fault of the script', async () => {
  const reading = inspect({ log: 'Error response from daemon: mkdir /run/x: no space left on device' });
  await expect(reading).rejects.toThrow(DockerError);
  await expect(reading).rejects.toThrow('no space left on device');
});

/** Like k6 where the script opens these files of its project by computed names: it stops at the first that is missing. */
const opens =
  (names: readonly string[]) =>
  (files: string[]): Given => {
    const missing = names.find((name) => !files.includes(name));
    const where = `/tmp/bench/user/0/project/${missing}`;
    const log = `time="2026-11-28T14:10:43Z" level=error msg="open ${where}: no such file or directory"`;
    return missing === undefined ? { options: DEFAULTS } : { log };
  };

function putAll(names: readonly string[]): void {
  mkdirSync(join(folder, 'project/data'));
  for (const name of names) writeFileSync(join(folder, 'project', name), '{}');
}

test('any number of files whose computed names differ in digits is taken, in few starts of k6', async () => {
  const names = Array.from({ length: 30 }, (_, i) => `data/${i}.json`);
  putAll([...names, 'data/secret.json', 'data/users.csv']);
  const { files, starts } = await inspect(opens(names), 'vus(1, 1s)');
  expect(files.filter((name) => name.startsWith('data/')).sort()).toEqual(names.sort());
  expect(starts).toBe(3);
});

test('one file with a number in its computed name does not bring its neighbours', async () => {
  putAll(['data/users-10.csv', 'data/users-1000000.csv']);
  const { files } = await inspect(opens(['data/users-10.csv']), 'vus(1, 1s)');
  expect(files).not.toContain('data/users-1000000.csv');
});

test('too many computed names that are unlike each other are refused for that, not as missing', async () => {
  const names = Array.from({ length: 25 }, (_, i) => `data/${String.fromCharCode(97 + i)}.json`);
  putAll(names);
  expect((await inspect(opens(names.slice(0, 20)), 'vus(1, 1s)')).starts).toBe(21);
  await expect(inspect(opens(names), 'vus(1, 1s)')).rejects.toMatchObject({
    message: 'the script needs more than 20 files whose names it puts together',
    detail: { where: { name: 'load.js' }, found: 'data/u.json', hint: expect.stringContaining('one file') },
  });
});

/** Inspects a script with this text. */
async function inspectText(text: string, load: string | null) {
  writeFileSync(join(folder, 'project/load.js'), text);
  return await inspect({ options: { ...DEFAULTS, duration: '1s' } }, load);
}

test.each(['k6/net/grpc', 'k6/ws', 'k6/websockets', 'k6/experimental/websockets'])(
  'a script that makes requests by %s alone is refused',
  async (module) => {
    for (const load of [null, 'vus(1, 1s)']) {
      await expect(
        inspectText(`import x from 'k6';\nimport a from '${module}';`, load),
      ).rejects.toMatchObject({
        message: 'the script makes no HTTP requests',
        detail: { where: { name: 'load.js', line: 2 }, found: `'${module}', and no 'k6/http'` },
      });
    }
  },
);

test.each([
  `import http from 'k6/http';`,
  `import { request } from './lib/bench.js';`,
  `import { Httpx } from 'https://jslib.k6.io/httpx/0.1.0/index.js';`,
  `import own from 'k6/x/own';`,
  `import './session.js';`,
])('a script that makes other requests beside HTTP is read: %s', async (line) => {
  writeFileSync(join(folder, 'project/session.js'), `import http from 'k6/http';`);
  for (const module of ['k6/websockets', 'k6/browser']) {
    const { script } = await inspectText(`import a from '${module}';\n${line}`, 'vus(1, 1s)');
    expect(script?.loadMs).toBeNull();
  }
});

test('a script that imports a browser, and no HTTP, is refused whatever the load', async () => {
  for (const load of [null, 'vus(1, 1s)']) {
    await expect(inspectText(`import { browser } from 'k6/browser';`, load)).rejects.toMatchObject({
      message: 'the script loads with a browser',
      detail: {
        where: { name: 'load.js', line: 1 },
        found: expect.stringMatching(/^'k6\/browser': the load/),
      },
    });
  }
});
