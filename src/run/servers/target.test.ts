import { expect, test } from 'vitest';
import { addressOf, hostName, hostsOf } from './target.ts';

test.each([
  ['app.test', 'app.test', 'app.test:80'],
  ['localhost:8080', 'localhost', 'localhost:8080'],
])('%s is 127.0.0.1 on each port, and for a script one variant', (host, name, from) => {
  expect(hostName(host)).toBe(name);
  expect(addressOf(host, 18080)).toBe(`http://${name}:18080`);
  expect(hostsOf(host)).toEqual({ [name]: '127.0.0.1' });
  expect(hostsOf(host, 18080)).toEqual({ [name]: '127.0.0.1', [from]: '127.0.0.1:18080' });
});
