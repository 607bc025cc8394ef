import { describe, expect, test } from 'vitest';
import { parseConfig } from '../config/parse.ts';
import { parseLoad } from '../config/parts/load.ts';
import type { Scenario } from '../config/types.ts';
import { describeEffort, planPasses } from './effort.ts';
import { type Plan, plan } from './plan.ts';
import { timesColdStarts } from './timeline/pass-seconds.ts';

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

test('a load without a known end is named, as its time is in no estimate', () => {
  const counted = { name: 'ab', load: parseLoad('vus(8, 1s) requests(100000, 8)') };
  const found = planned();
  const line = 'not included: the load of ab, which ends after its requests at an unknown time';
  expect(
    describeEffort({ ...found, scenarios: [{ ...found.scenarios[0], ...counted } as Scenario] }),
  ).toContain(line);
  const own = (script: Partial<Scenario['script']>) =>
    describeEffort({ ...found, scenarios: [{ ...found.scenarios[0], load: null, script } as Scenario] });
  const untimed = (lines: string[]) => lines.filter((line) => line.startsWith('not included')).length;
  expect([describeEffort(found), own({ loadMs: 1000 }), own({ loadMs: null })].map(untimed)).toEqual([
    0, 0, 1,
  ]);
});

describe('cold starts of an app that set-up installs', () => {
  const flags = ['--cold-start', '--set-up', 'php install.php'];
  const warned = (found: Plan) => found.warnings.filter(({ code }) => code === 'cold-start');

  test('are neither planned nor in its time, and a warning shows it', () => {
    const found = planned(...flags);
    expect(found.coldStarts).toBe(0);
    expect(describeEffort(found).join('\n')).not.toContain('cold start');
    expect(warned(found)).toMatchObject([{ message: 'no cold starts: `set-up` does not run in them' }]);
  });

  test('but those of others are', () => {
    const others = planned('--cold-start');
    expect([others.coldStarts, warned(others)]).toEqual([22, []]);
    expect(warned(planned('--set-up', 'php install.php'))).toEqual([]);
  });

  test('nor where it fills a service, as it may make files as well', () => {
    const filled = { coldStart: true, services: { file: '/compose.yaml', reset: {} } };
    expect(timesColdStarts(filled)).toBe(true);
    expect(timesColdStarts({ ...filled, setUp: 'php install.php' })).toBe(false);
  });
});
