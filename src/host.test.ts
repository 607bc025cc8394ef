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

test('of a program that says more than is kept, the end is kept, at no cost for each piece', async () => {
  // A piece more than twice of what is kept: cut at each, it would take minutes.
  const { stdout } = await realHost.exec('sh', [
    '-c',
    'yes 12345678901234 | head -c 150000000; echo; echo end',
  ]);
  expect(stdout.length).toBe(64 * 1024 * 1024);
  expect(stdout.endsWith('\nend\n')).toBe(true);
});
