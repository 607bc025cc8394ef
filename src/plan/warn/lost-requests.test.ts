import { expect, test } from 'vitest';
import { root } from '../../../test/fixtures/docs.ts';
import { realFiles } from '../../config/files.ts';
import { loadRuntimes } from '../../config/parts/runtimes.ts';
import type { PlannedVariant } from '../variants.ts';
import { warnOfLostRequests } from './lost-requests.ts';

const swoole = loadRuntimes(root, root, realFiles).get('swoole');
const variant = (options: object, ref: string | null = null) =>
  ({ id: 'a', label: 'swoole@8.4', ref, runtime: swoole, options }) as unknown as PlannedVariant;

test('names those whose options lose requests', () => {
  const options = { mode: 'base', 'max-requests': 100 };
  expect(warnOfLostRequests([variant(options), variant(options, 'main')])).toEqual([
    {
      code: 'lost-requests',
      message:
        'swoole@8.4: with mode=base, a process that reaches max-requests closes its connections, and their requests are lost',
      remedy: 'choose another mode, or max-requests=0',
      variant: 'a',
    },
  ]);
});

test.each([
  ['never replaces a process', { mode: 'base', 'max-requests': 0 }],
  ['keeps the connections elsewhere', { mode: 'process', 'max-requests': 100 }],
])('says nothing of one that %s', (_, options) => {
  expect(warnOfLostRequests([variant(options)])).toEqual([]);
});
