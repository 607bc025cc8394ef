import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { keysOf } from '../../src/config/keys/key-sources.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { plan } from '../../src/plan/plan.ts';
import { readInputs } from '../../src/publish/job.ts';
import { root } from '../fixtures/docs.ts';
import { memoryFiles } from '../fixtures/memory-files.ts';

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

test('the description is as short as the Marketplace wants it', () => {
  expect(action.description.length).toBeLessThan(125);
});

test('no expression stands where the runner refuses one', () => {
  expect(Object.values(inputs).filter(({ description }) => description.includes('${{'))).toEqual([]);
});

test('capacity, cold-start and tune are asked for by inputs, which win over the file', () => {
  const workspace = import.meta.dirname;
  const files = memoryFiles(workspace, {
    'public/index.php': '',
    '.bench.yml': 'capacity: true\ntune: workers',
  });
  const planned = (env: Record<string, string>) => {
    const { inputs, cwd } = readInputs({ GITHUB_WORKSPACE: workspace, INPUT_RUNTIMES: 'apache', ...env });
    const config = parseConfig({ flags: [], inputs, cwd, packageRoot: root, files });
    const cpus = [0, 1].map((cpu) => ({ cpu, core: cpu }));
    const { variants, searches } = plan(config, cpus);
    return [
      variants.map(({ options }) => options.workers),
      searches?.searches ?? 0,
      config.coldStart ?? false,
    ];
  };
  expect(planned({})).toEqual([[16, 2, 4, 8, 32, 64, 128], 7, false]);
  const given = { INPUT_CAPACITY: 'false', INPUT_TUNE: 'workers=4', 'INPUT_COLD-START': 'true' };
  expect(planned(given)).toEqual([[16, 4], 0, true]);
  expect(planned({ ...given, INPUT_CAPACITY: 'true' })).toEqual([[16, 4], 2, true]);
  expect(() => planned({ INPUT_CAPACITY: 'maybe' })).toThrow('neither true nor false');
});
