import { expect, test } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import { describeEffort, planPasses } from './effort.ts';
import { plan } from './plan.ts';

const packageRoot = new URL('../..', import.meta.url).pathname;
const cpus = [0, 1].map((cpu) => ({ cpu, core: cpu }));

function planned(...flags: string[]) {
  const app = ['--app', 'plain', '--runtimes', 'apache,nginx-fpm', '--paths', '/', '--load', 'vus(8, 1s)'];
  return plan(parseConfig({ flags: [...app, ...flags], cwd: packageRoot, packageRoot }), cpus);
}

const PASSES = ['--cold-start', '--profile', 'true', '--count', 'php,instructions'];

test('each pass that follows has a line with its time, and their sum is printed', () => {
  const found = planned(...PASSES);
  const lines = describeEffort(found);
  expect(lines.slice(1, 5)).toEqual([
    'cold start: 22 starts, once all is measured: about 22 s more, if a start takes 1 s',
    expect.stringMatching(/^profile: 2 variants × 4 starts, once all is measured: about 1 min \d+ s more$/),
    expect.stringMatching(/^count of php: 2 variants × 1 start, once all is measured: about \d+ s more$/),
    expect.stringMatching(
      /^count of instructions: 1 version × 1 page, once all is measured: about \d+ s more, if a request takes 10 ms$/,
    ),
  ]);
  const seconds = (text: string | undefined) => {
    const [, minutes = '0', left] = /about (?:(\d+) min )?(\d+) s/.exec(text ?? '') ?? [];
    return 60 * Number(minutes) + Number(left);
  };
  expect(lines[5]).toMatch(/^in all about \d+ min \d+ s without building$/);
  expect(seconds(lines[5])).toBe(
    lines
      .slice(0, 5)
      .map(seconds)
      .reduce((a, b) => a + b, 0),
  );
  expect(planPasses(found).map(({ seconds }) => seconds)).toEqual(lines.slice(1, 5).map(seconds));
});

test('without a pass, the time of the measuring is all', () => {
  expect(describeEffort(planned()).join('\n')).not.toMatch(/once all is measured|in all/);
});
