import { describe, expect, test } from 'vitest';
import { messageOf, parse } from '../../../test/fixtures/memory-files.ts';

const ofFlags = (...flags: string[]) => parse({}, flags).headers;
const ofFile = (yaml: string) => parse({ '.bench.yml': yaml }).headers;
const ofInput = (headers: string) => parse({}, [], { inputs: { headers } }).headers;

const BOTH = { Accept: 'application/json', 'X-Forwarded-Proto': 'https' };

test.each([
  ['a map in a file', () => ofFile('headers: { Accept: application/json, X-Forwarded-Proto: https }')],
  ['one flag', () => ofFlags('--headers', 'Accept=application/json,X-Forwarded-Proto=https')],
  [
    'two flags',
    () => ofFlags('--headers', 'Accept=application/json', '--headers', 'X-Forwarded-Proto=https'),
  ],
  ['an input with commas', () => ofInput('Accept=application/json, X-Forwarded-Proto=https')],
  ['an input with lines', () => ofInput('Accept=application/json\r\nX-Forwarded-Proto=https\n')],
  ['names in any case', () => ofFile('headers: { accept: application/json, x-FORWARDED-proto: https }')],
])('headers are the same in %s', (_, read) => {
  expect(read()).toEqual(BOTH);
});

test('without headers there are none, and an empty map is none', () => {
  expect(parse({})).not.toHaveProperty('headers');
  expect(parse({ '.bench.yml': 'headers: {}' })).not.toHaveProperty('headers');
});

test.each([
  [
    'Accept=text/html,application/xml;q=0.9,*/*;q=0.8',
    { Accept: 'text/html,application/xml;q=0.9,*/*;q=0.8' },
  ],
  ['Accept-Language=de, en;q=0.5,X-A=1', { 'Accept-Language': 'de, en;q=0.5', 'X-A': '1' }],
  ['Authorization=Bearer abc==', { Authorization: 'Bearer abc==' }],
  ['Cookie=a=b; c=d', { Cookie: 'a=b; c=d' }],
  ['accept-encoding=br', { 'Accept-Encoding': 'br' }],
  ['X-A=$(id) `id` \'"|&;\\', { 'X-A': '$(id) `id` \'"|&;\\' }],
])('a value keeps its commas, signs and equals: %s', (text, expected) => {
  expect(ofFlags('--headers', text)).toEqual(expected);
});

test('a stronger source replaces a header whatever its case', () => {
  const files = { '.bench.yml': 'headers: { Accept: text/html, X-A: 1 }' };
  expect(parse(files, ['--headers', 'accept=text/plain']).headers).toEqual({
    Accept: 'text/plain',
    'X-A': '1',
  });
});

describe('refused', () => {
  test.each([
    ['Host', 'use the key `host`'],
    ['connection', 'use the key `reuse`'],
    ['Keep-Alive', 'use the key `reuse`'],
    ...[['Content-Length'], ['transfer-encoding'], ['TE'], ['Trailer'], ['Upgrade'], ['Expect']],
    ...[['HTTP2-Settings'], ['Proxy'], ['proxy-authorization']],
  ] as [string, string?][])('the header %s', (name, hint) => {
    const message = messageOf(() => ofFile(`headers: { ${name}: s3cret }`));
    expect(message).toMatch(
      RegExp(
        `^\\.bench\\.yml:1: headers\\.${name}: this header is reserved\\n  found:   '${name}'\\n  allowed: any except Host, .*Content-Length`,
      ),
    );
    if (hint) expect(message).toContain(`hint:    ${hint}`);
    expect(message).not.toContain('s3cret');
  });

  test.each(['a b', 'a(b)', 'naïve', 'x/y', 'a@b'])('the name %j', (name) => {
    expect(messageOf(() => ofFile(`headers: { ${JSON.stringify(name)}: x }`))).toContain(
      'not the name of a header',
    );
  });

  test.each([
    ['', 'nothing'],
    ['  ', 'nothing'],
    ['s3cret\r\nX-B: 1', 'a control character'],
    ['s3cret\0', 'a control character'],
    ['s3cret'.repeat(1000), '6000 characters'],
  ])('the value %j, without the value in the message', (value, found) => {
    const message = messageOf(() => ofFile(`headers: { X-A: ${JSON.stringify(value)} }`));
    expect(message).toBe(
      `.bench.yml:1: headers.X-A: not the value of a header\n  found:   ${found}\n  allowed: one line of 1 to 4000 characters`,
    );
  });

  test('a name twice, in another case', () => {
    expect(messageOf(() => ofFile('headers: { Accept: a, accept: b }'))).toContain(
      'headers.accept: this header is given twice',
    );
  });

  test.each([
    ['Authorization: Bearer s3cret', "'Authorization'", true],
    ['Authorization: Bearer s3cret==', "'Authorization'", true],
    ['=s3cret', "'=…'", false],
    ['Accept', "'Accept'", false],
  ])('the pair %j, without its value in the message', (text, found, hasHint) => {
    const message = messageOf(() => ofFlags('--headers', text));
    expect(message).toContain(
      `--headers: not a pair\n  found:   ${found}\n  allowed: NAME=VALUE such as Accept=application/json`,
    );
    expect(message?.includes("hint:    write '='")).toBe(hasHint);
    expect(message).not.toContain('s3cret');
  });
});

test('in lines of their own, headers may have a comma before a name; none is given twice, and no message has a value', () => {
  expect(ofFlags('--headers', 'Prefer=respond-async, wait=10\n')).toEqual({
    Prefer: 'respond-async, wait=10',
  });
  expect(ofInput('Cache-Control=no-cache, max-age=0\r\nAccept=text/html\n')).toEqual({
    'Cache-Control': 'no-cache, max-age=0',
    Accept: 'text/html',
  });
  expect(messageOf(() => ofFlags('--headers', 'X-A=s3cret', '--headers', 'X-A=2'))).toBe(
    "--headers: this header is given twice\n  found:   'X-A'\n  allowed: each header once",
  );
  const message = messageOf(() => ofFile("headers: 'Authorization=Bearer s3cret'"));
  expect(message).toContain("'Authorization=…'");
  expect(message).not.toContain('s3cret');
});
