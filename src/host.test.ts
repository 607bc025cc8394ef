import { expect, test } from 'vitest';
import { realHost } from './host.ts';

test.each([
  ['while it runs', () => AbortSignal.timeout(50)],
  ['before it began', () => AbortSignal.abort()],
])('an abort %s ends the program', async (_, signal) => {
  expect(await realHost.exec('sleep', ['60'], { signal: signal() })).toMatchObject({ code: 143 });
});
