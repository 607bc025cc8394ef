import { expect, test } from 'vitest';
import { parseLoad } from '../config/parts/load.ts';
import type { Config } from '../config/types.ts';
import { refuseFewClients } from './load-engines.ts';

const asked = (load: string | null, engines: readonly string[]) =>
  ({
    scenarios: [
      {
        name: 'shop',
        journey: { kind: 'paths', paths: ['/'] },
        timeoutMs: 2000,
        load: load === null ? null : parseLoad(load),
      },
    ],
    loadFrom: { engines, address: '192.0.2.1' },
  }) as unknown as Config;

test.each([
  ['vus(2, 1s)', 2, null],
  ['requests(2, 8)', 2, null],
  // Ten requests per second get two clients by default.
  ['const(10, 1s)', 2, 'increase `max-vus`'],
  ['vus(8, 1s) const(10, 1s)', 2, null],
])('each engine has a client of its own: %s', (load, clients, hint) => {
  expect(() => refuseFewClients(asked(load, ['b', 'c']))).not.toThrow();
  expect(() => refuseFewClients(asked(load, ['b', 'c', 'd']))).toThrow(
    expect.objectContaining({
      detail: expect.objectContaining({
        allowed: `up to ${clients}, as the load of shop has so many clients`,
        ...(hint && { hint }),
      }),
    }),
  );
});

test('with `compare-to` a rate has half of its clients for each version', () => {
  const both = (load: string, engines: string[]) =>
    ({ ...asked(load, engines), compareTo: { ref: 'main' } }) as never;
  expect(() => refuseFewClients(both('const(10, 1s)', ['b']))).not.toThrow();
  expect(() => refuseFewClients(both('vus(2, 1s)', ['b', 'c']))).not.toThrow();
  expect(() => refuseFewClients(both('const(10, 1s)', ['b', 'c']))).toThrow(
    expect.objectContaining({
      detail: expect.objectContaining({
        allowed: 'up to 1, as half of the clients of shop load each version of `compare-to`',
      }),
    }),
  );
});

test('a script brings its own clients', () => {
  expect(() => refuseFewClients(asked(null, ['b', 'c', 'd']))).not.toThrow();
});
