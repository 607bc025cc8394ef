import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';

const bench = join(import.meta.dirname, '../../scenarios/lib/bench.js');

interface Params {
  responseCallback?: unknown;
}

interface Bench {
  nameEndpoints(names: readonly string[]): void;
  endpoints: string[];
  request(endpoint: string, path: string, options?: object): { status: number };
  wrongAnswer(endpoint: string, response: object): void;
}

/** bench.js outside of k6, where all answers have the status 404, and the parameters of its requests. */
function loadBench(): { bench: Bench; sent: Params[] } {
  const { outputFiles } = buildSync({
    ...{ entryPoints: [bench], bundle: true, write: false, format: 'cjs' },
    external: ['k6', 'k6/*'],
  });
  const sent: Params[] = [];
  const http = {
    request: (_method: string, _url: string, _body: unknown, params: Params) => {
      sent.push(params);
      return { status: 404, timings: { blocked: 0 }, headers: {} };
    },
    expectedStatuses: (...statuses: unknown[]) => statuses,
  };
  class Counter {
    add() {}
  }
  const modules: Record<string, unknown> = {
    k6: { sleep: () => {} },
    'k6/execution': { instance: { currentTestRunDuration: 0 } },
    'k6/http': http,
    'k6/metrics': { Counter },
  };
  const module = { exports: {} as Bench };
  new Function('module', 'require', '__ENV', outputFiles[0]?.text ?? '')(
    module,
    (name: string) => modules[name],
    { BASE_URL: 'http://app.test' },
  );
  return { bench: module.exports, sent };
}

function paramsOf(options: object): Params {
  const { bench, sent } = loadBench();
  bench.nameEndpoints(['missing']);
  bench.request('missing', '/missing', options);
  return sent[0] as Params;
}

test('k6 counts no answer as failed that a journey expects', () => {
  expect(paramsOf({ expect: [404, 410] }).responseCallback).toEqual([{ min: 200, max: 399 }, 404, 410]);
  expect(paramsOf({ expect: [200, 302] }).responseCallback).toBeUndefined();
  expect(paramsOf({}).responseCallback).toBeUndefined();
});

test.each([
  [
    'no names',
    [],
    "nameEndpoints has no 'crat'. It has none: call nameEndpoints(['crat']) outside of functions",
  ],
  [
    'another name',
    ['home', 'cart'],
    "nameEndpoints has no 'crat'. It has 'home', 'cart': correct the name, or add it there",
  ],
])('an endpoint that the report could not show is refused: %s', (_, names, message) => {
  const { bench, sent } = loadBench();
  bench.nameEndpoints(names);
  expect(() => bench.request('crat', '/cart', { expect: [200] })).toThrow(message);
  expect(() => bench.request('crat', '/cart')).toThrow(message);
  expect(() => bench.wrongAnswer('crat', { status: 200 })).toThrow(message);
  expect(() => bench.request('constructor', '/')).toThrow("no 'constructor'");
  expect(sent).toEqual([]);
});

test('names that come after k6 has read the script are refused, as it keeps no statistics of them', () => {
  const { bench } = loadBench();
  Object.freeze(bench.endpoints);
  expect(() => bench.nameEndpoints(['late'])).toThrow('nameEndpoints must be called outside of functions');
});
