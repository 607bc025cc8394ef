import { expect, test } from 'vitest';
import type { Config, Scenario } from '../../config/types.ts';
import type { PlannedVariant } from '../variants.ts';
import { countWarmUp, planCounts } from './count-plan.ts';

const config = (...paths: string[]) =>
  ({
    count: ['services'],
    services: { reset: {} },
    scenarios: [{ journey: { kind: 'paths', paths } }],
  }) as unknown as Config;
const variant = (name: string, ref: string | null = null) =>
  ({
    ...{ id: `${name}${ref ?? ''}`, app: { name: 'shop' }, php: '8.4', ref, counter: `instructions${ref}` },
    runtime: {},
  }) as unknown as PlannedVariant;
const both = [variant('apache'), variant('apache', 'base')];
const seconds = (of: Config, variants = both) => planCounts(of, variants)[0]?.seconds ?? 0;

test('both versions of one path take about half a minute, as docs/counts.md states', () => {
  expect(planCounts(config('/'), both)).toEqual([{ by: 'services', variants: 2, each: 2, seconds: 34 }]);
});

test('each path up to eight is counted by itself, more at once', () => {
  const nine = Array.from({ length: 9 }, (_, i) => `/${i}`);
  expect(seconds(config(...nine.slice(0, 8)))).toBeGreaterThan(3 * seconds(config('/')));
  expect(seconds(config(...nine))).toBe(seconds(config('/')));
});

test.each(['services', 'php'] as const)('%s: a script with a load of its own is not counted', (by) => {
  const own = { ...config('/').scenarios[0], load: null } as Scenario;
  const one: Config = { ...config('/'), count: [by] };
  expect(seconds({ ...one, scenarios: [...one.scenarios, own] })).toBe(seconds(one));
  expect(planCounts({ ...one, scenarios: [own] }, both)).toEqual([]);
});

test('PHP counts on one start of each scenario', () => {
  const php: Config = { ...config('/', '/a'), count: ['php'] };
  expect(planCounts(php, both)).toEqual([{ by: 'php', variants: 2, each: 1, seconds: 17 }]);
  expect(seconds({ ...php, scenarios: [...php.scenarios, ...php.scenarios] })).toBe(34);
  expect(seconds({ ...php, setUp: 'php set-up.php' })).toBe(17 + 2 * 3);
});

test('the warm-up has as many requests for each version, and more for several paths', () => {
  const segmentOf = (of: Config) => countWarmUp(of.scenarios[0] as Scenario).load?.segments[0];
  expect(segmentOf(config('/'))).toEqual({ kind: 'requests', requests: 64, vus: 8 });
  expect(segmentOf(config('/', '/a'))).toMatchObject({ requests: 128 });
  const twenty = Array.from({ length: 20 }, (_, i) => `/${i}`);
  expect(segmentOf(config(...twenty))).toMatchObject({ requests: 512 });
});

test('the warm-up waits for all answers, and longer where the scenario does', () => {
  const { timeoutMs: _, ...one } = config('/').scenarios[0] as Scenario;
  const patience = (timeoutMs: number) => countWarmUp({ ...one, timeoutMs }).timeoutMs;
  expect([2000, 60_000].map(patience)).toEqual([30_000, 60_000]);
});

test.each(['services', 'php'] as const)('%s: what a script does around its load takes time, too', (by) => {
  const of = (kind: string) => {
    const journey = { kind, paths: ['/'] };
    return seconds({ ...config('/'), count: [by], scenarios: [{ journey } as unknown as Scenario] });
  };
  const starts = by === 'services' ? 2 : 1;
  expect(of('script') - of('paths')).toBe(starts * both.length * 1.5);
});

test('PHP counts nothing where a server loads the app by itself', () => {
  const laravel = { app: { kind: 'laravel' }, runtime: { unprofiled: ['laravel'] } };
  const octane = { ...variant('octane'), ...laravel } as unknown as PlannedVariant;
  const php: Config = { ...config('/'), count: ['php'] };
  expect(planCounts(php, [variant('apache'), octane])).toMatchObject([{ by: 'php', variants: 1 }]);
  expect(planCounts(php, [octane])).toEqual([]);
});

test('instructions are counted once for each version and page, whichever servers there are', () => {
  const counted: Config = { ...config('/', '/a', '/'), count: ['instructions'] };
  const [one] = planCounts(counted, both);
  expect(one).toMatchObject({ by: 'instructions', variants: 2, each: 2 });
  expect(planCounts(counted, [...both, variant('nginx'), variant('nginx', 'base')])).toEqual([one]);
  const more = planCounts({ ...counted, scenarios: config('/').scenarios }, both);
  expect(more[0]?.seconds).toBeLessThan(one?.seconds as number);
  const { counter: _, ...given } = variant('apache', 'base');
  expect(planCounts(counted, [variant('apache'), given])[0]).toMatchObject({ variants: 1 });
  const script = { journey: { kind: 'script' } } as Scenario;
  expect(planCounts({ ...counted, scenarios: [script] }, both)).toEqual([]);
});

test('nothing is planned where nobody counts', () => {
  expect(planCounts({ ...config('/'), count: [] }, both)).toEqual([]);
  const { services: _, ...without } = config('/');
  expect(planCounts(without as Config, both)).toEqual([]);
  const all: Config = { ...config('/'), count: ['instructions', 'php', 'services'] };
  expect(planCounts(all, both).map(({ by }) => by)).toEqual(['services', 'php', 'instructions']);
});
