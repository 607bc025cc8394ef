import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { expect, test } from 'vitest';

const bench = join(import.meta.dirname, '../../scenarios/lib/bench.js');

interface Params {
  responseCallback?: unknown;
}

/** The parameters with which bench.js makes a request outside of k6. */
function paramsOf(options: object): Params {
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
  const module = { exports: {} as { request(endpoint: string, path: string, options: object): void } };
  new Function('module', 'require', '__ENV', outputFiles[0]?.text ?? '')(
    module,
    (name: string) => modules[name],
    { BASE_URL: 'http://app.test' },
  );
  module.exports.request('missing', '/missing', options);
  return sent[0] as Params;
}

test('k6 counts no answer as failed that a journey expects', () => {
  expect(paramsOf({ expect: [404, 410] }).responseCallback).toEqual([{ min: 200, max: 399 }, 404, 410]);
  expect(paramsOf({ expect: [200, 302] }).responseCallback).toBeUndefined();
  expect(paramsOf({}).responseCallback).toBeUndefined();
});
