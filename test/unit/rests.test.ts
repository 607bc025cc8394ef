import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

interface Rests {
  watchRests(http: object): void;
  countRests(iteration: (data: unknown) => unknown): (data: unknown) => unknown;
  watch: { endMs: number };
}

beforeEach(() => void vi.useFakeTimers({ now: 0, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const wait = (ms: number) => void vi.setSystemTime(Date.now() + ms);

/** Client of a script in a slice that ends after 10 s: how many rests it has counted at each request and after it. */
function startClient() {
  const lib = join(import.meta.dirname, '../../scenarios/lib');
  const { outputFiles } = buildSync({
    stdin: { contents: "export * from './rests.js'; export { watch } from './watch.js';", resolveDir: lib },
    ...{ bundle: true, write: false, format: 'cjs', external: ['k6', 'k6/*'] },
  });
  let resting = 0;
  class Counter {
    add(value: number) {
      resting += value;
    }
  }
  const module = { exports: {} as Rests };
  const load = new Function('module', 'require', outputFiles[0]?.text ?? '');
  load(module, () => ({ Counter }));
  const { watch, watchRests, countRests } = module.exports;
  watch.endMs = 10_000;
  const during: number[] = [];
  const call = (tookMs: number) => {
    during.push(resting);
    wait(tookMs);
  };
  const names = ['request', 'head', 'options', 'put', 'patch', 'del', 'batch'];
  const http = {
    ...Object.fromEntries(names.map((name) => [name, call])),
    get: call,
    post: (_: number) => {
      throw new Error('refused');
    },
    asyncRequest: (answer: Promise<unknown>) => answer,
  };
  watchRests(http);
  return { http, during, countRests, resting: () => resting };
}

describe('a script’s client', () => {
  test('rests where it sleeps, and waits where it was asked within the slice', () => {
    const { http, during, countRests, resting } = startClient();
    const seen: number[] = [];
    const iterate = countRests(() => {
      seen.push(resting());
      http.get(50);
      seen.push(resting());
      wait(9950);
      http.get(50);
    });
    iterate(null);
    expect(seen).toEqual([1, 1]);
    // The second request began behind the end: it has less time than the timeout.
    expect(during).toEqual([0, 1]);
    expect(resting()).toBe(0);
  });

  test('rests in each slice in which it sleeps, though k6 cut off the iteration before', () => {
    const { countRests, resting } = startClient();
    const iterate = countRests(() => new Promise(() => {}));
    iterate(null);
    expect(resting()).toBe(1);
    iterate(null);
    expect(resting()).toBe(2);
  });

  test('counts nothing while its iterations are short', () => {
    const { http, countRests, resting } = startClient();
    const seen: number[] = [];
    const iterate = countRests(() => {
      http.get(50);
      seen.push(resting());
    });
    iterate(null);
    iterate(null);
    expect(seen).toEqual([1, 0]);
  });

  test('rests behind a request that threw, and no longer than its iteration, which throws, too', () => {
    const { http, countRests, resting } = startClient();
    const seen: number[] = [];
    const iterate = countRests(() => {
      try {
        http.post(1);
      } catch {}
      seen.push(resting());
      throw new Error('undefined');
    });
    expect(() => iterate(null)).toThrow('undefined');
    expect([...seen, resting()]).toEqual([1, 0]);
  });

  test('waits while one of several answers is missing', async () => {
    const { http, countRests, resting } = startClient();
    const [first, second] = [Promise.withResolvers(), Promise.withResolvers()];
    const seen: number[] = [];
    const iteration = countRests(async () => {
      const both = [http.asyncRequest(first.promise), http.asyncRequest(second.promise)];
      await both[0];
      seen.push(resting());
      await both[1];
      seen.push(resting());
    })(null);
    first.resolve(null);
    await first.promise;
    await null;
    await null;
    second.resolve(null);
    await iteration;
    expect([...seen, resting()]).toEqual([0, 1, 0]);
  });

  test('is not counted in a setup', () => {
    const { http, resting } = startClient();
    http.get(500);
    expect(resting()).toBe(0);
  });
});
