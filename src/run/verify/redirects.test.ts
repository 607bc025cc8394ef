import { expect, test } from 'vitest';
import { asked, findDifferentAnswers } from '../../../test/fixtures/asked.ts';
import { type Answer, type Asked, findRedirects, sayCookieCheck, sayElsewhere } from './verify.ts';

test('redirects are found with where they lead, except for a path that is not loaded, and to an installer', () => {
  const moved = (request: string, status: number, location: string, mayRefuse = false): Asked => ({
    ...asked('a', '', '', { status, location }),
    ...{ request, mayRefuse },
  });
  const body = 'Serendipity is not yet installed. Please <a href="/first/">install</a> it now.';
  const [notInstalled] = asked('a', body, '', { status: 302, location: '/first/' }).answers as [Answer];
  const found = findRedirects([
    asked('a', 'a page'),
    moved('GET /', 302, '/login'),
    moved('GET /unchanged', 304, ''),
    moved('GET /made', 201, '/made/1'),
    moved('GET /script', 301, '/elsewhere', true),
    moved('GET /shop', 302, 'install.php'),
    { ...moved('GET /blog', 302, '/first/'), answers: [notInstalled] },
  ]);
  expect([...found]).toEqual([['GET /', '/login']]);
});

test('a redirect to the same path that sets a cookie is a check for cookies, and its remedy is to send one', () => {
  const moved = (request: string, location: string, headers: string): Asked => ({
    ...asked('a', '', '', { status: 302, location, headers: `Date: Fri\n${headers}` }),
    request,
  });
  const cookie = 'Set-Cookie: _chc=1; path=/, b=2';
  const check = moved('GET /login?to=%2F', 'http://app.test/login?to=/&_checkCookie=1', cookie);
  expect(sayCookieCheck([moved('GET /', '/login', cookie), check])).toBe(
    "; GET /login?to=%2F may check for cookies: if so, set `headers` to such as 'Cookie: _chc=1'",
  );
  expect(sayCookieCheck([{ ...check, request: 'GET /en' }])).toBe('');
  // A login form of an app with one path, such as Kanboard or Roundcube.
  expect(sayCookieCheck([moved('GET /', '/?controller=AuthController&action=login', cookie)])).toBe('');
  expect(sayCookieCheck([moved('GET /login', '/login/', 'Server: nginx')])).toBe('');
  expect(sayCookieCheck([moved('GET /login', 'http://', cookie)])).toBe('');
});

const toHttps = 'X-Forwarded-Proto: https';

test.each([
  ['https', 'https://app.test/', [toHttps], ['`host:']],
  ['another name', 'http://www.example.com/', ['`host: www.example.com`'], ['https']],
  ['both', 'https://www.example.com/', ['`host: www.example.com`', toHttps], []],
  ['its port', 'http://app.test:18080/', [], ['`host:', 'https']],
])('a redirect to %s is no page of the app, and names the setting', (_, location, has, lacks) => {
  const moved = (variant: string, rest: Partial<Asked> = {}) => ({
    ...asked(variant, '', '', { status: 301, location }),
    ...rest,
  });
  const [fault] = findDifferentAnswers([moved('a'), moved('b')]).values();
  expect(fault).toMatchObject({ kind: 'away', reason: `GET / redirects to ${location}, another address` });
  const said = sayElsewhere(location, 'app.test');
  for (const part of has) expect(said).toContain(part);
  for (const part of lacks) expect(said).not.toContain(part);
  // A script may never ask for it, and with `verify: status` it is what the user means.
  for (const rest of [{ mayRefuse: true }, { headOnly: true }])
    expect(findDifferentAnswers([moved('a', rest), moved('b', rest)])).toEqual(new Map());
});

test.each([
  ['/en'],
  ['http://app.test/en'],
  ['http://'],
  // The app is behind a load balancer with https, as the headers say.
  ['https://app.test/login'],
])('a redirect to %s is one within the app', (location) => {
  const moved = asked('a', '', '', { status: 302, location });
  expect(findDifferentAnswers([moved])).toEqual(new Map());
});
