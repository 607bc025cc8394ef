import { expect, test } from 'vitest';
import { makeProfile } from '../../../test/fixtures/results/profile.ts';
import { analyse } from '../../analyse/analyse.ts';
import type { Row, ScenarioSummary } from '../../analyse/summary.ts';
import { exceptions } from './unranked.ts';

const servers = [{ id: 'swoole', capacity: 1400, rps: 300 }];
const [ramped] = analyse(makeProfile({ servers, instances: 3 })).scenarios as [ScenarioSummary];
const held = { ramps: 3, upTo: null, n: 3, over: 'instances' as const, isWhole: false };

test.each<[string, Row['holds'], string]>([
  ['of a ramp that k6 cut short', { ...held, kind: 'beyond', value: 900, half: null }, '≥ 900 rps'],
  ['of a saturation point', { ...held, kind: 'found', value: 900, half: 50 }, '≥ 900 rps'],
  ['of a ramp whose lowest rate was too much', { ...held, kind: 'below', value: 5, half: null }, '≥ 500 rps'],
  ['of a steady load', null, '≥ 500 rps'],
])('a variant that k6 limited can do more than the rate %s', (_, holds, text) => {
  const rows = ramped.rows.map(
    (row): Row => ({
      ...{ ...row, holds, state: { kind: 'generator-bound', reason: '' } },
      rps: { value: 500, half: null, n: 3, over: 'instances' },
    }),
  );
  expect(exceptions({ ...ramped, rows }, (label) => label)).toBe(
    `The load generator was the limit for swoole (${text}), which can do more.`,
  );
});
