// Faults in what is read and where results are shown; no engine is needed.
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectSeen } from './fault.ts';
import { githubFaults, makeDesk, resultFaults } from './reports.ts';

let desk: ReturnType<typeof makeDesk>;
beforeEach(() => {
  desk = makeDesk();
  vi.stubEnv('TMPDIR', desk.temporary);
});
afterEach(() => {
  vi.unstubAllEnvs();
  const left = readdirSync(desk.temporary);
  desk.remove();
  expect(left).toEqual([]);
});

describe.each([
  ['files', resultFaults],
  ['GitHub', githubFaults],
] as const)('%s', (_, faults) => {
  it.each(faults)('$what', async (fault) => expectSeen(fault, await fault.inject(desk)));
});
