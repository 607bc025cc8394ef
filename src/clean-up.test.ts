import { expect, test } from 'vitest';
import { expectRow } from '../test/faults/elsewhere.ts';
import { makeCleanUp } from './clean-up.ts';

test('does each step whatever the others did, the last one first, and only once', async () => {
  const done: string[] = [];
  const cleanUp = makeCleanUp((line) => done.push(line));
  cleanUp.later('remove the containers', () => done.push('containers'));
  cleanUp.later('close the arena', async () => {
    throw new Error('no answer within 60 s');
  });
  cleanUp.later('write a log', () => {
    throw new Error('ENOSPC');
  });
  cleanUp.later('stop listening', async () => done.push('listening'));
  await cleanUp.run();
  await cleanUp.run();
  expectRow('clean-up', { code: null, printed: done.join('\n') });
  expect(done).toEqual([
    'listening',
    'could not write a log: ENOSPC',
    'could not close the arena: no answer within 60 s',
    'containers',
  ]);
});
