import { expect, test } from 'vitest';
import { fixtures } from '../../../test/fixtures/results/make.ts';
import type { Results } from '../../results/results.ts';
import { analyse } from '../analyse.ts';

test('warnings come by their effect on the numbers, those of one effect as they were found', () => {
  const results = fixtures.quick?.() as Results;
  results.warnings = ['no-system-core', 'shortened', 'redirect', 'left-out', 'looks-unfinished'].map(
    (code) => ({ code, message: '', remedy: '', variant: null }),
  );
  results.plan.cpus.load.push(0);
  Object.assign(results.run, { stopped: 'SIGINT' });
  expect(analyse(results).warnings.map(({ code }) => code)).toEqual([
    ...['redirect', 'looks-unfinished'],
    ...['no-system-core', 'shared-cores'],
    ...['shortened', 'left-out', 'stopped'],
  ]);
});
