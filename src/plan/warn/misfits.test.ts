import { expect, test } from 'vitest';
import { appOf } from '../../../test/fixtures/app.ts';
import type { Config, Runtime } from '../../config/types.ts';
import { warnOfMisfits } from './misfits.ts';

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
