import { expect, test } from 'vitest';
import { ramp } from '../../../test/fixtures/results/profile.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { ScenarioSummary } from '../../analyse/summary.ts';
import { holdsLegend, intervalLegend } from './legends.ts';

test.each([
  ['sustained the whole ramp', true, /; ≥ it sustained the whole ramp$/],
  [
    'or k6 was the limit',
    false,
    /; ≥ a lower bound: .* or k6 was the limit or had too few clients \(max-vus\)$/,
  ],
])('≥ means that it %s', (_, isWhole, legend) => {
  const [ramped] = analyse(ramp()).scenarios as [ScenarioSummary];
  const kinds = ramped.rows.map(({ holds }) => holds?.kind);
  expect(kinds.toSorted()).toEqual(['beyond', 'found', 'found']);
  // Those that were found did not sustain the whole ramp, and have no ≥.
  const rows = ramped.rows.map((row) => {
    return row.holds?.kind === 'beyond' ? { ...row, holds: { ...row.holds, isWhole } } : row;
  });
  expect(holdsLegend({ ...ramped, rows })).toMatch(legend);
});

test.each([
  ['instances', '± is the 95 % interval over fresh starts, and at least the steps'],
  ['slices', '± is the 95 % interval over the ramps of one start, and at least the steps'],
  ['nothing', '± are the steps between which it lies'],
] as const)('± of a saturation point over %s', (over, legend) => {
  const [ramped] = analyse(ramp()).scenarios as [ScenarioSummary];
  const n = over === 'nothing' ? 1 : 3;
  const rows = ramped.rows.map((row) => ({ ...row, holds: row.holds && { ...row.holds, over, n } }));
  expect(holdsLegend({ ...ramped, rows })).toContain(legend);
});

test.each([
  ['instances', '± of CPU per request is the 95 % interval over fresh starts'],
  ['slices', '± of CPU per request is the 95 % interval over the slices of one start: '],
  ['nothing', 'CPU per request without ± was measured once, '],
] as const)('± of CPU per request in a ramp, over %s', (over, legend) => {
  const [ramped] = analyse(ramp()).scenarios as [ScenarioSummary];
  expect(ramped.metric).toBe('holds');
  const rows = ramped.rows.map((row) => ({
    ...row,
    cpuMsPerRequest: row.cpuMsPerRequest && { ...row.cpuMsPerRequest, over },
  }));
  expect(intervalLegend({ ...ramped, rows })).toMatch(new RegExp(`^${legend}`));
});
