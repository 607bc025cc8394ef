import { expect, test } from 'vitest';
import { originOf } from '../../results/elsewhere.ts';
import { planOrigin, warnOfOrigin } from './planned-origin.ts';

test('a run says where its load comes from before it has met the servers, without users', () => {
  const origin = planOrigin({ engines: ['ssh://me@10.0.0.6', 'box'], address: '10.0.0.5' });
  expect(origin.generators.map(({ name, share, roundTripMs }) => [name, share, roundTripMs])).toEqual([
    ['ssh://10.0.0.6', '0:1/2', null],
    ['box', '1/2:1', null],
  ]);
  expect(originOf({ elsewhere: origin })).toBe('box, ssh://10.0.0.6 to 10.0.0.5');
  expect(warnOfOrigin(origin)).toMatchObject({
    code: 'load-elsewhere',
    message: expect.stringMatching(/^ssh:\/\/10\.0\.0\.6, box loaded the servers at 10\.0\.0\.5/),
  });
});
