import { expect, test } from 'vitest';
import { parse } from '../../../test/fixtures/memory-files.ts';

test('what with, and where that starts if it is a path', () => {
  const where = { name: '--compare-to' };
  const app = { 'index.php': '' };
  expect(parse(app, ['--compare-to', 'old/results.json']).compareTo).toEqual({
    ...{ given: 'old/results.json', path: '/project/old/results.json', where },
  });
  const files = { ...app, 'ci/bench.yml': 'compare-to: HEAD~1\nreference: quick\n' };
  expect(parse(files, ['--config', 'ci/bench.yml'])).toMatchObject({
    compareTo: { given: 'HEAD~1', path: '/project/ci/HEAD~1', where: { name: 'ci/bench.yml', line: 1 } },
    reference: { name: 'quick', unchecked: { name: 'ci/bench.yml', line: 2 } },
  });
  expect(parse({})).not.toHaveProperty('compareTo');
});
