import { expect, test } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import { memoryFiles } from '../../test/fixtures/memory-files.ts';
import { parseConfig } from '../config/parse.ts';
import { flagsOf } from './step.ts';

test('the command that repeats a step means what its inputs meant', () => {
  const inputs = {
    ...{ capacity: 'true', reuse: 'false', 'cold-start': 'true', paths: '/, /a', php: '8.4', seed: '7' },
    prepare: 'php a.php\nphp b.php --c\n',
    mask: '[0-9]+,\nx',
  };
  const files = memoryFiles('/project', { 'public/index.php': '' });
  const read = (flags: string[], given: Record<string, string>) =>
    parseConfig({ flags, inputs: given, cwd: '/project', packageRoot: root, files });
  const flags = Object.entries(inputs).flatMap(([name, value]) => flagsOf(name, value.trim()));
  expect(read(flags, {})).toEqual(read([], inputs));
});
