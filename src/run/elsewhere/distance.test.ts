import { describe, expect, test } from 'vitest';
import type { Docker } from '../../engine/docker.ts';
import { MachineError, UserError } from '../../errors.ts';
import { type AskedEngine, expectWay, measureDistance, skewOf } from './distance.ts';

const START = 1_800_000_000_000;
const QUESTION = { url: null, host: 'app', hosts: {}, blockedIps: [] };

/** An engine whose clock is ahead, at the end of a way that takes so long in one direction. */
function engineAt({ aheadMs, wayMs }: { aheadMs: number; wayMs: number }): AskedEngine {
  let elapsedMs = 0;
  const now = () => START + elapsedMs;
  return {
    arena: 'arena',
    docker: {
      async try(_args: string[], { onLine }: { onLine: (line: string) => void }) {
        for (const extraMs of [3, 0, 1]) {
          const clock = now() + aheadMs;
          elapsedMs += wayMs + extraMs;
          onLine(`bench-clock ${clock}`);
        }
        return { code: 0, stdout: 'bench-way {"roundTripsMs":[],"failed":[]}\n', stderr: '' };
      },
    } as unknown as Docker,
    host: {
      elapsed: () => elapsedMs,
      sleep: (_ms, signal) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve())),
      start(_program, _args, options) {
        let finish: (value: never) => void = () => {};
        return {
          done: new Promise((resolve) => {
            finish = resolve;
          }),
          write(text) {
            elapsedMs += 2 * wayMs;
            queueMicrotask(() => options?.onLine?.(text.trim(), 'stdout'));
          },
          end: () => finish(undefined as never),
          kill: () => {},
        };
      },
    },
  };
}

describe('the clock of a load engine', () => {
  test.each([
    ['both are here', 0, 0, 0],
    ['a long way to the load engine', 0, 40, 0],
    ['its clock is ahead, at the end of a long way', 250, 40, 250],
    ['its clock is behind', -30, 5, -30],
  ])('is compared without the time of the way: %s', async (_, aheadMs, wayMs, expected) => {
    const servers = await measureDistance(engineAt({ aheadMs: 0, wayMs: 1 }), QUESTION);
    const load = await measureDistance(engineAt({ aheadMs, wayMs }), QUESTION);
    expect(skewOf('b', load, servers)).toBeCloseTo(expected, 6);
    expect(load.withinMs).toBe(wayMs);
  });

  test('far off, it is refused', async () => {
    const servers = await measureDistance(engineAt({ aheadMs: 0, wayMs: 0 }), QUESTION);
    const load = await measureDistance(engineAt({ aheadMs: 1500, wayMs: 0 }), QUESTION);
    expect(() => skewOf('b', load, servers)).toThrow(UserError);
    expect(() => skewOf('b', load, servers)).not.toThrow(MachineError);
    expect(() => skewOf('b', load, servers, MachineError)).toThrow(MachineError);
  });
});

test('an engine that does not reach the servers is named with the address and the reason', () => {
  const way = { behindMs: 0, withinMs: 0, failed: ['dial: i/o timeout'] };
  const about = { target: '10.0.0.5', ports: '18080 to 18083' };
  expect(() => expectWay('b', about, { ...way, roundTripsMs: [1] })).not.toThrow();
  const thrown = (() => {
    try {
      expectWay('b', about, { ...way, roundTripsMs: [] });
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(UserError);
  expect((thrown as UserError).format()).toMatch(
    /^load-address: .*\n.*b: 10\.0\.0\.5: dial: i\/o timeout\n(.|\n)*ports 18080 to 18083/,
  );
});
