/** The configured headers on their way to all that ask an app: the plans that k6 reads, and the requests that scripts make of them. */
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import type { Docker } from '../../src/engine/docker.ts';
import type { Instance } from '../../src/plan/instances.ts';
import type { Batch } from '../../src/plan/timeline/slices.ts';
import { askPage, pageOf } from '../../src/run/instructions/count-page.ts';
import { runLoad } from '../../src/run/load/batch.ts';
import { makeK6Plan } from '../../src/run/load/k6.ts';
import { siteK6Plan } from '../../src/run/load/site-load.ts';
import type { Watch } from '../../src/run/sample/sampler.ts';
import { Samples } from '../../src/run/sample/samples.ts';
import type { Server } from '../../src/run/servers/servers.ts';
import { checkAnswers, type KnownAnswers } from '../../src/run/verify/answers.ts';
import { askOften, type Learned } from '../../src/run/verify/learned.ts';
import type { World } from '../../src/run/world.ts';

const HEADERS = { Accept: 'application/json', 'Accept-Encoding': 'br' };
const lib = join(import.meta.dirname, '../../scenarios/lib');

interface Script {
  setup(): unknown;
  nameEndpoints(names: readonly string[]): void;
  request(endpoint: string, path: string, options?: object): void;
}

/** Runs a script outside of k6 that reads `input`. Gives its exports with bench.js, and the headers of all requests. */
function loadScript(name: string, input: object) {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `export { nameEndpoints, request } from './bench.js'; export * from './${name}.js';`,
      resolveDir: lib,
    },
    ...{ bundle: true, write: false, format: 'cjs' },
    external: ['k6', 'k6/*', '../journey.js', '../walked.js'],
  });
  const sent: Record<string, string>[] = [];
  const answer = { status: 200, timings: { blocked: 0 }, headers: {}, body: '' };
  class Metric {
    add() {}
  }
  const module = { exports: {} as Script };
  const journey = Object.assign(() => module.exports.request('own', '/', { headers: { 'X-Own': '1' } }), {});
  const modules: Record<string, unknown> = {
    k6: { sleep: () => {} },
    'k6/execution': { instance: { currentTestRunDuration: 0 } },
    'k6/http': {
      request: (
        _method: string,
        _url: string,
        _body: unknown,
        params: { headers: Record<string, string> },
      ) => {
        sent.push(params.headers);
        return answer;
      },
      batch: (requests: [string, string, null, { headers: Record<string, string> }][]) =>
        requests.map(([, , , { headers }]) => {
          sent.push(headers);
          return answer;
        }),
      CookieJar: class {},
    },
    'k6/metrics': { Counter: Metric, Gauge: Metric, Rate: Metric, Trend: Metric },
    '../journey.js': journey,
    '../walked.js': journey,
  };
  new Function('module', 'require', 'open', '__ENV', outputFiles[0]?.text ?? '')(
    module,
    (asked: string) => {
      // As a journey does when k6 reads it.
      if (modules[asked] === journey) module.exports.nameEndpoints(['page', 'own']);
      return modules[asked];
    },
    () => JSON.stringify(input),
    { BASE_URL: 'http://app.test' },
  );
  return { script: module.exports, sent };
}

const scenario = { name: 'page', journey: { kind: 'paths', paths: ['/'] }, timeoutMs: 1000, reuse: true };
const bundled = { name: 'auth', journey: { kind: 'bundled', name: 'auth' }, timeoutMs: 1000, reuse: true };
const slice = {
  ...{ number: 0, variant: 'a', warmup: false, block: 0, startMs: 0, durationMs: 1000, duet: null },
  steps: [{ offsetMs: 0, durationMs: 1000, vus: 1, rps: null, requests: null }],
};
const batch = { scenario, slices: [slice], drainMs: 0 } as unknown as Batch;
const planFor = (headers?: Record<string, string>) =>
  makeK6Plan(batch, { a: 1 }, { host: 'app.test', ...(headers && { headers }) });

describe('a script sends them beside the Host', () => {
  test('main.js: those of the plan replace our own, and those of a request replace them', () => {
    const { script, sent } = loadScript('main', planFor(HEADERS));
    script.request('page', '/');
    script.request('page', '/', { headers: { Accept: 'text/html' } });
    expect(sent).toEqual([
      { Accept: 'application/json', 'Accept-Encoding': 'br', Host: 'app.test' },
      { Accept: 'text/html', 'Accept-Encoding': 'br', Host: 'app.test' },
    ]);
  });

  test('main.js: without any they are as they were', () => {
    const { script, sent } = loadScript('main', planFor());
    script.request('page', '/');
    expect(sent).toEqual([{ 'Accept-Encoding': 'gzip', Host: 'app.test' }]);
  });

  test('main.js in a cluster: the Host is the name in the URL', () => {
    const { script, sent } = loadScript(
      'main',
      siteK6Plan({ ...batch, slices: [{ ...slice, variant: 'site' }] } as unknown as Batch, {
        ...{ host: null, headers: HEADERS },
      }),
    );
    script.request('page', '/');
    expect(sent).toEqual([HEADERS]);
  });

  test('walk.js', () => {
    const servers = [{ id: 'a', url: 'http://app.test:1' }];
    const { script, sent } = loadScript('walk', {
      ...{ servers, host: 'app.test', headers: HEADERS, hosts: {}, maxBody: 9 },
    });
    script.setup();
    expect(sent[0]).toEqual({ ...HEADERS, 'X-Own': '1', Host: 'app.test' });
  });

  test('probe.js, for each question its own', () => {
    const requests = [
      { id: 'a', url: 'http://app.test:1/', host: 'app.test', headers: HEADERS },
      { id: 'b', url: 'http://app.test:1/facts', host: 'app.test' },
    ];
    const { script, sent } = loadScript('probe', { requests, hosts: {}, deadlineMs: 0, maxBody: 9 });
    script.setup();
    expect(sent).toEqual([
      { ...HEADERS, Host: 'app.test' },
      { 'Accept-Encoding': 'gzip', Host: 'app.test' },
    ]);
  });
});

/** A run on one server. Gives what k6 reads of each script. */
function makeWorld(scenarios: readonly object[]) {
  const inputs: Record<string, { headers?: object; requests?: { headers?: object }[] }> = {};
  const world = {
    engine: {
      ...{ arena: { name: 'arena' }, signal: new AbortController().signal },
      docker: {
        async try(args: readonly string[], { input = '' }: { input?: string } = {}) {
          const name = args.at(-2) as string;
          if (input) inputs[name] = JSON.parse(input);
          if (name === 'walk') throw new Error('enough');
          // The arena is gone, too.
          return { code: name === 'probe' ? 0 : 1, stdout: '{}', stderr: '' };
        },
      },
    },
    job: { config: { host: 'app.test', headers: HEADERS, scenarios }, outcomes: new Map() },
    sink: { say: () => {}, warn: () => {}, keepChecked: () => {} },
  } as unknown as World;
  const variant = { id: 'a', label: 'a', ref: null, app: { name: 'shop' } };
  return { world, inputs, server: { variant, port: 1 } as unknown as Server };
}

test('the check before the load asks paths and walks journeys with them', async () => {
  const { world, inputs, server } = makeWorld([scenario, bundled]);
  const known: KnownAnswers = { rounds: [], reported: new Set(), learned: new Map() };
  const checking = checkAnswers(world, [server], known, { fail: () => {}, restart: async () => [] });
  await expect(checking).rejects.toThrow('the Docker engine stopped answering');
  expect(inputs.probe?.requests).toMatchObject([{ url: 'http://app.test:1/', headers: HEADERS }]);
  expect(inputs.walk).toMatchObject({ host: 'app.test', headers: HEADERS });
});

test('a load has them in its plan, and no argument of a command has', async () => {
  let plan: unknown;
  let argv: readonly string[] = [];
  const docker = {
    async try(args: readonly string[], { input }: { input: string }) {
      [plan, argv] = [JSON.parse(input), args];
      return { code: 0, stdout: '{"metrics":{}}', stderr: '' };
    },
  };
  const world = {
    engine: { host: { now: () => 0 }, docker, memoryBytes: 1e9, arena: { name: 'arena' } },
    job: { config: { host: 'app.test', headers: HEADERS }, plan: { cpus: { load: [0] } } },
    sink: { say: () => {}, keepRaw: async () => {} },
  } as unknown as World;
  const watch = {
    samples: new Samples(),
    indices: new Map(),
    services: new Map(),
    fronts: new Map(),
  } as unknown as Watch;
  const instance = { index: 0, ports: { a: 1 } } as unknown as Instance;
  await runLoad(world, instance, batch, watch, () => null).catch(() => {});
  expect(plan).toMatchObject({ host: 'app.test', headers: HEADERS });
  expect(argv.join(' ')).not.toContain('application/json');
});

test('instructions are counted of requests with them', async () => {
  const asked: string[] = [];
  const docker = {
    async try(args: readonly string[]) {
      asked.push(args.at(-1) as string);
      return { code: 0, stdout: '{"status":200}', stderr: '' };
    },
  } as unknown as Docker;
  const world = {
    engine: { docker, run: 'r', signal: new AbortController().signal, memoryBytes: 1e9 },
    job: { config: { host: 'app.test', headers: HEADERS } },
  } as unknown as World;
  const where = { docker, container: 'c', signal: world.engine.signal };
  await askPage(where, pageOf(world, '/', 'k6'));
  expect(JSON.parse(asked[0] as string)).toMatchObject({ path: '/', headers: HEADERS, agent: 'k6' });
});

test('a path that is asked often has them, too', async () => {
  const { world, inputs, server } = makeWorld([scenario]);
  const seen = new Map([['/', { least: 1, most: 2, statuses: [200] }]]);
  const learned = new Map([[JSON.stringify(['shop', null]), seen]]) as unknown as Learned;
  await askOften(world, learned, [server], [{ path: '/' }]).catch(() => {});
  expect(inputs.probe?.requests).toHaveLength(18);
  expect(inputs.probe?.requests?.every(({ headers }) => headers !== undefined)).toBe(true);
});
