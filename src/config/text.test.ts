import { describe, expect, test } from 'vitest';
import { UserError } from '../errors.ts';
import {
  formatDuration,
  formatSize,
  parseCpus,
  parseDuration,
  parseHost,
  parseImage,
  parseSize,
  parseUrlPath,
  quote,
  splitList,
  suggest,
} from './text.ts';

test.each([
  ['0s', 0, '0s'],
  ['500ms', 500, '500ms'],
  ['1s500ms', 1500, '1500ms'],
  ['2m30s', 150_000, '150s'],
  ['1h', 3_600_000, '3600s'],
  ['24h', 86_400_000, '86400s'],
])('time %s', (text, ms, canonical) => {
  expect(parseDuration(text)).toBe(ms);
  expect(formatDuration(ms)).toBe(canonical);
});

test.each([
  ['1', 1, '1'],
  ['1500K', 1_536_000, '1500K'],
  ['128m', 2 ** 27, '128M'],
  ['1024M', 2 ** 30, '1G'],
  ['2T', 2 ** 41, '2048G'],
])('size %s', (text, bytes, canonical) => {
  expect(parseSize(text)).toBe(bytes);
  expect(formatSize(bytes)).toBe(canonical);
});

test.each([
  ['www.Example.com', 'www.example.com'],
  ['app.test:80', 'app.test'],
  ['localhost:08080', 'localhost:8080'],
  ['127.0.0.1', '127.0.0.1'],
])('host %s', (text, host) => expect(parseHost(text)).toBe(host));

test.each([
  '',
  'http://a.test/',
  'a.test/',
  'a..b',
  '-a',
  'a_b',
  'a:0',
  'a:65536',
  'a:',
  '[::1]',
  'a b',
  'a\nb',
])('refuses the host %j', (text) => expect(() => parseHost(text)).toThrow('not a host'));

describe('refuses', () => {
  test.each([
    [parseDuration, ['', ' ', '5', '1.5s', '1s1m', '-1s', '24h1ms', '1 s', '9999999999s', '１s']],
    [parseSize, ['', '0', '-1', '1.5G', '17T', '1GB', '1e3']],
    [parseCpus, ['', ',', '1,', '-1', '2-1', '4096', '0-4096', 'a', '0 1']],
    [parseImage, ['', '-x', ' x', 'a b', 'a\nb', 'x'.repeat(256), 'a$b']],
    [parseUrlPath, ['', 'x', '//\n', '/a b', '/\u0085', '/\u00a0', `/${'x'.repeat(2000)}`, '/#a', '/\0']],
    [parseUrlPath, ['/50%', '/sale-50%-off', '/%2', '/a%20b%zz?q=1']],
  ] as [(text: string) => unknown, string[]][])('%o', (parse, texts) => {
    for (const text of texts) expect(() => parse(text), text).toThrow(UserError);
  });
});

test.each(['/', '/50%25', '/caf%C3%A9', '/café', '/?q=50%', '/%2f?a=%&b=%zz'])('URL path %j', (text) => {
  expect(parseUrlPath(text)).toBe(text);
});

test.each([
  ['a,b', ['a', 'b']],
  [' a ,\n b[x=1,y=2] ', ['a', 'b[x=1,y=2]']],
  ['a,,b', ['a', '', 'b']],
  ['a,\n,b', ['a', '', 'b']],
  ['a\nb', ['a', 'b']],
  ['a],b', ['a]', 'b']],
])('splits %j', (text, items) => {
  expect(splitList(text)).toEqual(items);
});

test.each([
  ['apach', "did you mean 'apache'?"],
  ['titel', "did you mean 'title'?"],
  ['ttile', "did you mean 'title'?"],
  ['Apahce', "did you mean 'apache'?"],
  ['nginxfpm', "did you mean 'nginx-fpm'?"],
  ['--tilte', "did you mean '--title'?"],
  ['pap', "did you mean 'app'?"],
  ['swoole', undefined],
  // Half of the word, or another word that ends alike.
  ['--rps', undefined],
  ['test', undefined],
  ['main', undefined],
  ['export', undefined],
  ['', undefined],
])('suggests for %s', (word, hint) => {
  const known = ['apache', 'nginx-fpm', 'title', 'app', 'host', 'list', 'mask', 'report'];
  const flags = known.map((name) => `--${name}`);
  expect(suggest(word, word.startsWith('--') ? flags : known)).toBe(hint);
});

test('quotes what could deceive', () => {
  expect(quote('a\u001b[31m\n\u202e\u{e0001}b')).toBe("'a\\u001b[31m\\n\\u{202e}\\u{e0001}b'");
  expect(quote('x'.repeat(100))).toHaveLength(82);
  expect(quote('')).toBe('nothing');
});
