import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { writeFiles } from '../../test/fixtures/commits.ts';
import { root } from '../../test/fixtures/docs.ts';
import { useFolder, folder as workspace } from '../../test/fixtures/folder.ts';
import { memoryFiles } from '../../test/fixtures/memory-files.ts';
import { parseConfig } from '../config/parse.ts';
import { fail, flagsOf, makeStepCaller, readConfig } from './step.ts';

useFolder();

test('the command that repeats a step has nothing that may be secret', async () => {
  const { command } = await makeStepCaller(root, {
    ...{ php: '8.4', env: 'A=s3cret\nB=s3cret', headers: 'A=s3cret, B=s3cret', ini: 'a.license=s3cret' },
    ...{ prepare: 'token=s3cret npm ci\nphp -r s3cret', 'set-up': 'A=s3cret php a.php\nphp b.php s3cret' },
  });
  expect(command).toEqual([
    ...['php-runtime-bench', 'run', '--php', '8.4', '--env', 'A=…', '--env', 'B=…', '--headers', 'A=…'],
    ...['--ini', 'a.license=…', '--prepare', '…', '--prepare', '…', '--set-up', '…'],
  ]);
});

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

test('a mistake in a file is shown at its place, from the top of the workspace', () => {
  const cwd = join(workspace, 'apps/shop');
  writeFiles(cwd, { '.bench.yml': 'php: 8.4\nruntime: apache\n', 'index.php': '' });
  vi.stubEnv('GITHUB_WORKSPACE', workspace);
  const written: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  try {
    readConfig({ inputs: {}, cwd }, root);
  } catch (error) {
    fail(error);
  } finally {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  }
  expect(written.join('')).toMatch(
    /^::error file=apps\/shop\/\.bench\.yml,line=2::apps\/shop\/\.bench\.yml:2: /,
  );
});
