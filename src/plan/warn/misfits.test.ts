import { expect, test } from 'vitest';
import { appOf } from '../../../test/fixtures/app.ts';
import type { Config, Runtime } from '../../config/types.ts';
import type { PlannedVariant } from '../variants.ts';
import { warnOfMisfits, warnOfVersions } from './misfits.ts';

const runtimeOf = (name: string, model: Runtime['model'], apps: Runtime['apps']) => ({
  runtime: { name, model, apps, requires: [] } as unknown as Runtime,
  set: {},
});

test('each pair that does not fit is reported once, with the reason', () => {
  const octane = runtimeOf('octane', 'long-lived', ['laravel']);
  const config = {
    apps: [appOf('hello', '/hello'), { ...appOf('shop', '/shop'), kind: 'laravel' }],
    php: ['8.4'],
    runtimes: [octane, octane, runtimeOf('apache', 'per-request', [])],
  } as unknown as Config;
  expect(warnOfMisfits(config)).toMatchObject([
    { code: 'left-out', message: "left out: octane is for laravel, and the app 'hello' is plain" },
  ]);
});

const variant = (name: string, php: string, ref: string | null = null) =>
  ({ php, ref, runtime: { name, php: ['8.4', '8.5'] } }) as unknown as PlannedVariant;

test('reports each version once that a manifest does not list', () => {
  const found = warnOfVersions([
    ...[variant('apache', '8.5'), variant('apache', '8.6'), variant('unit', '8.6'), variant('unit', '8.6')],
    ...[variant('unit', '8.3'), variant('unit', '8.7', 'main')],
  ]);
  expect(found.map(({ code, message }) => [code, message])).toEqual([
    [
      'unlisted-php',
      'PHP 8.6 is not in the manifest of apache, unit: it is tried, but its images may not exist',
    ],
    ['unlisted-php', 'PHP 8.3 is not in the manifest of unit: it is tried, but its images may not exist'],
  ]);
});
