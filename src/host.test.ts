import { expect, test } from 'vitest';
import { realHost } from './host.ts';

test.each([
  ['while it runs', () => AbortSignal.timeout(50)],
  ['before it began', () => AbortSignal.abort()],
])('an abort %s ends the program', async (_, signal) => {
  expect(await realHost.exec('sleep', ['60'], { signal: signal() })).toMatchObject({ code: 143 });
});

test('an abort is repeated for a program that loses the first', async () => {
  const script = "trap 'trap - TERM' TERM; echo ready; while :; do sleep 0.1; done";
  const stop = new AbortController();
  const onLine = () => stop.abort();
  expect(await realHost.exec('sh', ['-c', script], { signal: stop.signal, onLine })).toMatchObject({
    code: 143,
  });
});
