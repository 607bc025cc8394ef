import { expect, test } from 'vitest';
import { MachineError, readMachineError } from '../errors.ts';
import { GitError } from './git.ts';

test.each([
  ['error: copy-fd: write returned: No space left on device\nfatal: cannot copy', 'the disk is full'],
  ['fatal: unable to write file a: Disk quota exceeded', 'the disk quota is used up'],
  ['fatal: not a git repository', null],
  ['remote: fatal: No space left on device\nerror: failed to push some refs', null],
])('a failure of the machine in the words of git: %s', (stderr, message) => {
  const error = readMachineError(new GitError(['read-tree'], { code: 128, stdout: '', stderr }));
  if (message === null) return expect(error).toBeNull();
  expect(error).toBeInstanceOf(MachineError);
  expect(error).toMatchObject({ message, exitCode: 4 });
});
