import { expect, test } from 'vitest';
import type { Config, Scenario } from '../../config/types.ts';
import { planCount } from './count-plan.ts';

const config = (...paths: string[]) =>
  ({
    count: ['services'],
    services: {},
    scenarios: [{ journey: { kind: 'paths', paths } }],
  }) as unknown as Config;
const seconds = (of: Config, variants: number) => planCount(of, variants)?.seconds ?? 0;

test('both versions of one path take about half a minute, as docs/counts.md states', () => {
  expect(planCount(config('/'), 2)).toEqual({ variants: 2, starts: 2, seconds: 34 });
});

test('each path up to eight is counted by itself, more at once', () => {
  const nine = Array.from({ length: 9 }, (_, i) => `/${i}`);
  expect(seconds(config(...nine.slice(0, 8)), 2)).toBeGreaterThan(3 * seconds(config('/'), 2));
  expect(seconds(config(...nine), 2)).toBe(seconds(config('/'), 2));
});

test('a script with a load of its own is not counted: it would be gone through in each repeat', () => {
  const own = { ...config('/').scenarios[0], load: null } as Scenario;
  const both = { ...config('/'), scenarios: [...config('/').scenarios, own] } as Config;
  expect(seconds(both, 2)).toBe(seconds(config('/'), 2));
  expect(planCount({ ...both, scenarios: [own] }, 2)).toBeNull();
});

test('nothing is planned where services do not count', () => {
  expect(planCount({ ...config('/'), count: ['php'] }, 2)).toBeNull();
  const { services: _, ...without } = config('/');
  expect(planCount(without as Config, 2)).toBeNull();
});
