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
  ['1.2.2', 'says nothing'],
  ['1.2.1', 'does not date'],
])('%s: %s', (version, why) => {
  expect(() => notesOf(version, changelog)).toThrow(why);
});
