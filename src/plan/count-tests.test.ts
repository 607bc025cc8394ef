import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import { countTests } from './count-tests.ts';
import { plan } from './plan.ts';
import { planVariants } from './variants.ts';

const packageRoot = new URL('../..', import.meta.url).pathname;
const cpus = [0, 1].map((cpu) => ({ cpu, core: cpu }));

function configOf(isCompared: boolean, ...flags: string[]) {
  const app = ['--app', 'plain', '--runtimes', 'apache,nginx-fpm', '--paths', '/'];
  const config = parseConfig({ flags: [...app, ...flags], cwd: packageRoot, packageRoot });
  return isCompared
    ? { ...config, other: { kind: 'itself', given: 'again', ref: 'again' } as const }
    : config;
}

const count = (isCompared: boolean, ...flags: string[]) => {
  const config = configOf(isCompared, ...flags);
  return countTests(planVariants(config).variants, config);
};

const CLOSED = ['--load', 'vus(8, 1s)'];
const OPEN = ['--load', 'const(50, 1s)'];

test.each<[number, boolean, string[]]>([
  // With a reference, the metric of the ranking.
  [1, false, CLOSED],
  [1, false, OPEN],
  // In duets, CPU per request and how fast answers come.
  [4, true, CLOSED],
  [4, true, OPEN],
  // One test of each version where a load allows no duets.
  [2, true, ['--load', 'vus(8, 20s)']],
  [2, true, ['--load', 'line(1, 50, 20s)']],
  // A rule on a metric that fits adds nothing, one on another a test.
  [4, true, [...CLOSED, '--fail-on', 'slower > 3%, cpu slower > 5%']],
  [
    7,
    true,
    [...CLOSED, '--fail-on', 'p99 slower > 5%, memory slower > 9% on apache, p99 slower > 9% on apache'],
  ],
  [2, false, [...CLOSED, '--fail-on', 'p99 slower > 5%']],
  // With few samples the ranking is by p95, which the rule does not name.
  [2, false, [...OPEN, '--fail-on', 'p99 slower > 5%']],
  [2, false, [...OPEN, '--fail-on', 'p95 slower > 5%, p99 slower > 5%']],
  // With full CPUs the verdict goes by CPU per request, and the rule by RPS.
  [4, true, ['--load', 'vus(8, 20s)', '--fail-on', 'rps slower > 5%']],
  [2, false, [...CLOSED, '--fail-on', 'p99 slower > 5% on nginx-fpm, memory slower > 9% on apache']],
])('%i tests are corrected together, compare-to %s, %s', (tests, isCompared, flags) => {
  expect(count(isCompared, ...flags)).toBe(tests);
});

test('a plan with more rules promises less', () => {
  const detectable = (...flags: string[]) =>
    plan(configOf(true, ...CLOSED, '--instances', '6', ...flags), cpus).detectable as number;
  expect(detectable('--fail-on', 'p99 slower > 5%, memory slower > 9%')).toBeGreaterThan(detectable());
});
