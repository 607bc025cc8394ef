import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { notesOf } from '../../script/lib/notes.ts';

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

const own = JSON.parse(readFileSync('package.json', 'utf8'));

test.each([
  ['0.9.0', 'https://github.com/org/php-runtime-bench', 'CHANGELOG.md has no section [0.9.0]'],
  [own.version, 'https://github.com/org/php-runtime-bench', 'CHANGELOG.md does not date'],
])('a release of %s from %s stops: %s', (version, repository, why) => {
  const { status, stderr } = spawnSync(process.execPath, ['script/lib/notes.ts', version, repository], {
    encoding: 'utf8',
  });
  expect(stderr).toContain(`notes: ${why}`);
  expect(status).toBe(1);
});
