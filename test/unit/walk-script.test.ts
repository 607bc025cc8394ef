import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../src/run/verify/verify.ts';

interface Reply {
  status: number;
  location?: string;
  body?: string;
}
interface Step {
  endpoint: string;
  expects: boolean;
  answer: Answer;
}
type App = (method: string, path: string) => Reply;

/** Runs walk.js outside of k6 with a bundled journey: its way through this app. `timeouts` gets that of the walk, then those of its requests. */
function walk(journey: string, app: App, timeoutMs = 2000, timeouts: string[] = []): Step[] {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `export { options, setup } from './walk.js'; export { default as journey } from '../journeys/${journey}.js';`,
      resolveDir: join(import.meta.dirname, '../../scenarios/lib'),
    },
    ...{ bundle: true, write: false, format: 'cjs' },
    external: ['k6', 'k6/*', '../walked.js'],
  });
  const module = {
    exports: {} as { options: { setupTimeout: string }; setup(): Record<string, Step[]>; journey(): void },
  };
  const request = (method: string, url: string, _: unknown, { timeout }: { timeout: string }) => {
    timeouts.push(timeout);
    const { status, location, body = '' } = app(method, new URL(url).pathname);
    return { status, body, headers: location ? { Location: location } : {}, timings: { blocked: 0 } };
  };
  class Counter {
    add() {}
  }
  const modules: Record<string, unknown> = {
    k6: { sleep: () => {} },
    'k6/execution': { vu: { idInTest: 1 } },
    'k6/http': { request, expectedStatuses: () => {}, CookieJar: class {} },
    'k6/metrics': { Counter },
    '../walked.js': () => module.exports.journey(),
  };
  const servers = [{ id: 'a', url: 'http://app.test:1' }];
  const input = {
    servers,
    host: 'app.test',
    headers: {},
    hosts: {},
    timeoutMs,
    limitMs: 1_800_000,
    maxBody: 999,
  };
  const { random } = Math;
  try {
    new Function('module', 'require', 'open', '__ENV', outputFiles[0]?.text ?? '')(
      module,
      (asked: string) => modules[asked],
      () => JSON.stringify(input),
      {},
    );
    timeouts.push(module.exports.options.setupTimeout);
    return module.exports.setup().a ?? [];
  } finally {
    Math.random = random;
  }
}

const FORM = '<input name="_token" value="t">';
const shop: App = (method) =>
  method === 'POST' ? { status: 302, location: '/cart' } : { status: 200, body: FORM };
const blamed = (steps: readonly Step[]) =>
  steps.flatMap(({ endpoint, answer: { fault, unreached } }) =>
    fault ? [{ endpoint, fault, unreached }] : [],
  );

describe('a walk', () => {
  test('requests each endpoint, of which the cart alone expects a redirect', () => {
    const steps = walk('shop', shop);
    expect(blamed(steps)).toEqual([]);
    const expecting = new Map(steps.map(({ endpoint, expects }) => [endpoint, expects]));
    expect(Object.fromEntries(expecting)).toEqual({
      ...{ category: false, product: false, home: false, cart: true },
    });
  });

  test('waits for an answer as long as the load does, and at least 10 s', () => {
    for (const [timeoutMs, timeout] of [
      [2000, '10000ms'],
      [30_000, '30000ms'],
    ] as const) {
      const timeouts: string[] = [];
      walk('shop', shop, timeoutMs, timeouts);
      expect(new Set(timeouts.slice(1))).toEqual(new Set([timeout]));
    }
  });

  test('is ended by the tool, not before by k6', () => {
    const timeouts: string[] = [];
    walk('shop', shop, 2000, timeouts);
    expect(Number.parseInt(timeouts[0] ?? '', 10)).toBeGreaterThan(1_800_000);
  });

  test('blames the answer at which the journey stops', () => {
    const steps = walk('auth', (method) =>
      method === 'POST' ? { status: 302, location: '/home' } : { status: 200 },
    );
    expect(blamed(steps)).toEqual([
      { endpoint: 'POST /register', fault: 'wrong answer', unreached: ['POST /login', 'GET /user'] },
    ]);
  });

  test('blames a page that is a redirect, and so without the form for the cart', () => {
    const steps = walk('shop', (_, path) => ({ status: 301, location: `https://app.test${path}` }));
    expect(blamed(steps)).toEqual([
      { endpoint: expect.anything(), fault: 'wrong answer', unreached: ['cart'] },
    ]);
  });

  test('adds nothing to an answer that the journey itself blames', () => {
    const steps = walk('shop', () => ({ status: 500 }));
    expect(blamed(steps)).toEqual([{ endpoint: 'product', fault: 'http 500', unreached: undefined }]);
  });
});
