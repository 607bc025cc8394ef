import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { keysOf } from '../../src/config/keys.ts';

const action = parse(readFileSync(new URL('../../action.yml', import.meta.url), 'utf8'));
const inputs: Record<string, { description: string; default?: string }> = action.inputs;
const OWN = ['working-directory', 'comment', 'token', 'artifact-name'];

test('action.yml offers every key of the configuration as an input, and no others', () => {
  expect(Object.keys(inputs).sort()).toEqual([...keysOf('input'), ...OWN].sort());
});

test('inputs that are keys have no default: it would win over the config file', () => {
  const withDefault = Object.keys(inputs).filter((name) => inputs[name]?.default !== undefined);
  expect(withDefault).toEqual(['comment', 'token', 'artifact-name']);
});

test('no expression stands where the runner refuses one', () => {
  expect(Object.values(inputs).filter(({ description }) => description.includes('${{'))).toEqual([]);
});
