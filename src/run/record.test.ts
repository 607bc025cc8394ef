import { expect, test } from 'vitest';
import { assembleResults, type RunRecord } from './record.ts';

test('a run is as long as it took, whatever becomes of the clock', () => {
  const plan = { seed: 1, variants: [], instances: [], scenarios: [], warnings: [], cpus: {} };
  const record = {
    beginning: {
      ...{ tool: {}, runId: 'r', command: [], config: { failOn: [] }, found: null, head: null, host: {} },
      ...{ startedMs: Date.UTC(2026, 0, 31, 9), beganMs: 5000, waitedMs: 10_000 },
    },
    ...{ plan, built: new Map(), outcomes: new Map(), checked: [], stopped: null },
    measured: { measurements: [], duets: [], searches: [], profiles: [], counts: [] },
  } as unknown as RunRecord;
  expect(assembleResults(record, 95_000).run).toMatchObject({
    ...{ started: '2026-01-31T09:00:00.000Z', finished: '2026-01-31T09:01:30.000Z', wallSeconds: 80 },
  });
});
