import { expect, test } from 'vitest';
import { runParts } from '../fixtures/bootstrap.ts';
import { folder, useFolder } from '../fixtures/folder.ts';

useFolder();

/** Root with apt and none of the programs, where packages without a candidate cannot be installed. */
const machine = (candidate: string) => `
has() { [[ $1 == apt-get ]]; }
is_root() { true; }
apt-get() { case $* in *' install '*) [[ '${candidate}' != '(none)' ]] ;; esac; }
apt-cache() { printf '%s:\\n  Installed: (none)\\n  Candidate: %s\\n' "$2" '${candidate}'; }
sleep() { :; }
`;

const PARTS = [
  ['chromium', 'no Chromium here: the tests that open report.html will be skipped'],
  ['hyperfine', 'no hyperfine here: --cold-start will not work until it is installed'],
  ['registry', 'no docker-registry here: the tests of a registry will be skipped'],
];

test.each(PARTS)('%s is left out if apt knows its name, but has no package', (part, message) => {
  const { status, stdout, stderr } = runParts(folder, `${machine('(none)')}ensure_${part}`);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `bootstrap: ${message}\n`, stderr: '' });
});

test.each(PARTS.slice(0, 2))('%s is installed if apt has it', (part) => {
  const { status, stdout } = runParts(folder, `${machine('1.18.0-1')}ensure_${part}`);
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^bootstrap: installing ${part}: `));
});
