import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { keysOf } from './keys/key-sources.ts';
import { configJsonSchema, runtimeJsonSchema, scenarioJsonSchema } from './schema.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ajv = new Ajv2020({ strict: true, strictTypes: false, allowUnionTypes: true });
const isConfig = ajv.compile(configJsonSchema());
const isScenario = ajv.compile(scenarioJsonSchema());
const isRuntime = ajv.compile(runtimeJsonSchema());

/** As an editor reads it: numbers and booleans are what YAML makes of them. */
const read = (path: string): unknown => parse(readFileSync(`${root}${path}`, 'utf8'));

test.each([
  'php: 8.4',
  "php: ['8.2', 8.4]",
  'runtimes: apache,nginx-fpm[listen=tcp]',
  'runtimes: [apache, { runtime: nginx-fpm, as: x, options: { workers: 8, gzip: true, listen: unix } }]',
  'instances: 5\nwait: true\nreuse: off\nseed: 0',
  'server-cpus: 0\nload-cpus: [1, 2-3]',
  'env: { A: 1, B: ~, C: true, D: x }',
  'headers: { X-A: 1, X-B: true, Accept: text/html }',
  'images: images.yml',
  'images: { php:8.4-fpm: mirror.example/php:8.4-fpm }',
  'compare-to: base\nreference: x\nfail-on: [slower > 3%, p99 slower > 5% on x]\nbudget: 2m30s',
  'extensions: [gd, xdebug-3.4.0, ext-mongodb-^1.21, php8.4-gd, php84-pecl-redis]',
  'profile: true',
  'profile: [apache, nginx-fpm]',
  'slo: { p99: 2s, ok: 99.9% }\ntimeout: 1m30s\nmemory: 512M',
])('editors accept %j', (yaml) => {
  expect(isConfig(parse(yaml)), ajv.errorsText(isConfig.errors)).toBe(true);
});

test.each([
  'runtime: apache',
  'instances: 0',
  'instances: x',
  'timeout: 5',
  'slo: { p98: 1s }',
  'php: { a: b }',
  'budget: 5',
  'fail-on: faster > 3%',
  'load: 5',
])('editors refuse %j', (yaml) => {
  expect(isConfig(parse(yaml))).toBe(false);
});

test('every key is described', () => {
  const { properties } = configJsonSchema() as { properties: Record<string, { description?: string }> };
  expect(Object.keys(properties)).toEqual(keysOf('file'));
  for (const [key, { description }] of Object.entries(properties)) expect(description, key).toBeTruthy();
});

test('bundled scenarios and runtimes keep their schemas', () => {
  const scenarios = readdirSync(`${root}scenarios`).filter((name) => name.endsWith('.yaml'));
  const runtimes = readdirSync(`${root}runtimes`).filter((name) => !name.startsWith('_'));
  expect(scenarios).toContain('quick.yaml');
  expect(runtimes).toContain('apache');
  for (const name of scenarios)
    expect(isScenario(read(`scenarios/${name}`)), `${name} ${ajv.errorsText(isScenario.errors)}`).toBe(true);
  for (const name of runtimes) {
    expect(
      isRuntime(read(`runtimes/${name}/runtime.yaml`)),
      `${name} ${ajv.errorsText(isRuntime.errors)}`,
    ).toBe(true);
  }
});
