/** The versions of Node that are promised, built for and set up are the same. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../fixtures/docs.ts';

const read = (name: string) => readFileSync(join(root, name), 'utf8');
const find = (name: string, pattern: RegExp) => [...read(name).matchAll(pattern)].map(([, found]) => found);

const OLDEST = '22';
const OURS = '24';

test.each([
  ['package.json', /"node": ">=(\d+)"/g],
  ['script/lib/bundle.ts', /target: 'node(\d+)'/g],
  ['script/bootstrap', /\bnode\) ensure_node (\d+)/g],
  ['README.md', /Node (\d+) or newer/g],
])('the oldest one in %s', (file, pattern) => {
  expect(new Set(find(file, pattern))).toEqual(new Set([OLDEST]));
});

test.each([
  ['script/bootstrap', /\bnode24\) ensure_node (\d+)/g],
  ['.github/workflows/release.yml', /node-version: (\d+)/g],
  ['docs/github.md', /\| Node (\d+) \| the action runs on it/g],
])('the one that we use in %s', (file, pattern) => {
  expect(new Set(find(file, pattern))).toEqual(new Set([OURS]));
});

test('every action runs on it, and the command is tried on both', () => {
  const actions = ['action.yml', ...globSync('.github/actions/*/action.yml', { cwd: root })];
  const used = actions.flatMap((file) => find(file, /using: node(\d+)/g));
  expect(used.length).toBeGreaterThan(5);
  expect(new Set(used)).toEqual(new Set([OURS]));
  expect(find('.github/workflows/ci.yml', /node: (\[.*\])/g)).toEqual([`["${OLDEST}", "${OURS}"]`]);
});
