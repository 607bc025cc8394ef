import { expect, test } from 'vitest';
import { memoryFiles } from '../../test/fixtures/memory-files.ts';
import { findAuth, makeMask, maskUsers, readAuth } from './secret.ts';

const AUTH = JSON.stringify({
  'http-basic': { 'repo.example.com': { username: 'composer', password: 'pass-word' } },
  'github-oauth': { 'github.com': 'ghp_0123456789' },
  'gitlab-token': { 'gitlab.example.com': { username: 'build', token: 'ghp_0123456789-and-more' } },
  bearer: { 'other.example.com': 'short' },
});

test.each([
  [
    'all of it',
    AUTH,
    /^(?!.*(pass-word|ghp_)).*"repo\.example\.com":\{"username":"composer","password":"\*\*\*"/,
  ],
  ['a password', 'https://composer:pass-word@repo.example.com', 'https://composer:***@repo.example.com'],
  ['one within another', 'ghp_0123456789-and-more, ghp_0123456789.', '***, ***.'],
  ['what is too short to be distinguished from other words', 'in short', 'in short'],
  ['what it has nothing to do with', '#7 ERROR: no build of composer', '#7 ERROR: no build of composer'],
])('%s', (_, text, masked) => {
  expect(makeMask(AUTH)(text)).toEqual(typeof masked === 'string' ? masked : expect.stringMatching(masked));
});

test('what is no JSON is a secret line by line; where there is none, nothing is masked', () => {
  expect(makeMask('ghp_0123456789\n  and more\n')('#7 0.1 ghp_0123456789\n#7 0.1 and more')).toBe(
    '#7 0.1 ***\n#7 0.1 ***',
  );
  for (const none of [undefined, '', '{}', '{"bearer": {}}', '\n']) {
    expect(makeMask(none)('{} {"bearer": {}}\n')).toBe('{} {"bearer": {}}\n');
  }
});

test.each([
  ['http://bench:p@ss-word@proxy:3128: refused', 'http://***@proxy:3128: refused'],
  [
    'proxyconnect tcp: http://ghp_0123@proxy:3128: refused',
    'proxyconnect tcp: http://***@proxy:3128: refused',
  ],
  ['Head "HTTPS://ghp_0123@registry.test/v2/": denied', 'Head "HTTPS://***@registry.test/v2/": denied'],
  ['https://registry.test/v2/bench@sha256:0123', 'https://registry.test/v2/bench@sha256:0123'],
  ['https://registry.test/token?account=me@host', 'https://registry.test/token?account=me@host'],
  ['ssh://bench@box: ask me@host.test', 'ssh://bench@box: ask me@host.test'],
  ['denied for bench:secret@registry.test/bench', 'denied for ***@registry.test/bench'],
  ['push 10.0.0.5:5000/team/bench:apache failed', 'push 10.0.0.5:5000/team/bench:apache failed'],
  ['pull registry.test:5000/bench:a@sha256:0123', 'pull registry.test:5000/bench:a@sha256:0123'],
])('users of addresses: %s', (text, masked) => {
  expect(maskUsers(text)).toBe(masked);
});

test("Composer's credentials are those of the variable and of each app with an auth.json", () => {
  const json = (token: string, host: string) => JSON.stringify({ bearer: { [host]: token } });
  const files = memoryFiles('/app', {
    ...{
      'one/composer.json': '{}',
      'two/composer.json': '{}',
      'two/auth.json': json('file', 'a.example.com'),
    },
    ...{ 'three/composer.json': '{}', 'three/auth.json': json('own', 'c.example.com') },
    // Other programs'.
    ...{ 'other/auth.json': '{"bearer": {}}', 'mine/composer.json': '{}', 'mine/auth.json': '{"users": []}' },
  });
  const find = (variable?: string, ...folders: string[]) =>
    findAuth(
      folders.map((name) => `/app/${name}`),
      variable,
      files,
    );
  expect(find(undefined, 'one', 'other', 'mine')).toBeUndefined();
  // No image gets the last of these: nobody knows what is in it.
  const text = (auth: string) =>
    readAuth('/app', memoryFiles('/app', { 'composer.json': '{}', 'auth.json': auth }));
  expect(text('{"bearer": {"a": "b"}, "_comment": "x"}')).toEqual({ bearer: { a: 'b' } });
  expect(text('{"users": []}')).toBeNull();
  expect(text('{"bearer": {"a": "b"},}')).toEqual({});
  expect(JSON.parse(find(undefined, 'two', 'three') ?? '')).toEqual({
    bearer: { 'a.example.com': 'file', 'c.example.com': 'own' },
  });
  expect(find(undefined, 'one', 'two')).toBe(json('file', 'a.example.com'));
  expect(find('{"bearer": {}}', 'one')).toBe('{"bearer": {}}');
  const both = find(json('given', 'b.example.com'), 'two');
  expect(JSON.parse(both ?? '')).toEqual({ bearer: { 'a.example.com': 'file', 'b.example.com': 'given' } });
  expect(find(json('given', 'a.example.com'), 'two')).toBe(json('given', 'a.example.com'));
  expect(find('ghp_no_json', 'two')).toBe('ghp_no_json');
});
