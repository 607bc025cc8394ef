import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notesOf } from '../../script/lib/notes.ts';
import { folder, useFolder } from '../fixtures/folder.ts';

useFolder();

const changelog = `# Changelog

## [Unreleased]

- Later

## [1.2.3] - 2026-11-21

### Added

- This

## [1.2.2] - 2026-10-01

## [1.2.1]

- That

[1.2.3]: https://example.com
`;

test('the section of a version', () => {
  expect(notesOf('1.2.3', changelog)).toBe('### Added\n\n- This');
});

test.each([
  ['1.2', 'is not a version'],
  ['1.2.3; rm -rf', 'is not a version'],
  ['1.2.4', 'no section'],
  ['1.2.2', 'has no notes'],
  ['1.2.1', 'does not date'],
])('%s: %s', (version, why) => {
  expect(() => notesOf(version, changelog)).toThrow(why);
});

const REPOSITORY = 'https://github.com/someone/php-runtime-bench';

/** The output of the release for a version and a repository, in a folder with these two files. */
function release(version: string, repository: string, { heading, packaged = version }: Release) {
  const manifest = { version: packaged, repository: { url: `git+${REPOSITORY}.git` } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(folder, 'CHANGELOG.md'), `# Changelog\n\n## ${heading}\n\n- This\n`);
  return spawnSync(process.execPath, ['script/lib/notes.ts', version, repository, folder], {
    encoding: 'utf8',
  });
}
interface Release {
  heading: string;
  packaged?: string;
}

test('a release of a dated version prints its notes', () => {
  const { status, stdout, stderr } = release('1.2.3', REPOSITORY, { heading: '[1.2.3] - 2026-11-21' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '- This\n', stderr: '' });
});

test.each<[string, string, Release, string]>([
  ['0.9.0', REPOSITORY, { heading: '[1.2.3] - 2026-11-21' }, 'CHANGELOG.md has no section [0.9.0]'],
  ['1.2.3', REPOSITORY, { heading: '[1.2.3] - unreleased' }, 'CHANGELOG.md does not date [1.2.3]'],
  [
    '1.2.3',
    REPOSITORY,
    { heading: '[1.2.3] - 2026-11-21', packaged: '1.2.2' },
    'package.json has version 1.2.2, not 1.2.3',
  ],
  [
    '1.2.3',
    'https://github.com/another/php-runtime-bench',
    { heading: '[1.2.3] - 2026-11-21' },
    `package.json names the repository git+${REPOSITORY}.git`,
  ],
])('a release of %s from %s with %j stops: %s', (version, repository, files, why) => {
  const { status, stderr } = release(version, repository, files);
  expect(stderr).toContain(`notes: ${why}`);
  expect(status).toBe(1);
});

test('the changelog has a section for the version in package.json, dated or not', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const headings = readFileSync('CHANGELOG.md', 'utf8').match(/^## .*$/gm) ?? [];
  const own = headings.filter((heading) => heading.startsWith(`## [${version}] - `));
  expect(own).toEqual([expect.stringMatching(/ - (unreleased|\d{4}-\d\d-\d\d)$/)]);
});
