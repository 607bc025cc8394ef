import { describe, expect, test } from 'vitest';
import { answer, asked, findDifferentAnswers } from '../../../test/fixtures/asked.ts';
import { type Answer, type Asked, type Fault, sayFurther } from './verify.ts';

/** The answers of one variant after several starts, the latest first. */
const started = (variant: string, ...bodies: string[]): Asked => ({
  ...{ variant, request: 'GET /', answers: bodies.map((body) => answer(body)) },
});
const reasons = (input: readonly Asked[]) =>
  Object.fromEntries([...findDifferentAnswers(input)].map(([variant, { reason }]) => [variant, reason]));

const PAGE = `<html><body><h1>Shop</h1>${'<p>a thing to buy</p>'.repeat(30)}</body></html>`;
const NOISE = (seed: number) => Array.from({ length: 40 }, (_, i) => (i + 7) * seed).join(' ');

describe('findDifferent', () => {
  test.each<[string, Asked[], Record<string, string>]>([
    ['the same everywhere', [asked('a', 'hello'), asked('b', 'hello')], {}],
    [
      'tokens and dates that change with every answer are masked',
      [
        asked('a', '<i name=t value=ab12> 10:01', '<i name=t value=zz99> 10:02'),
        asked('b', '<i name=t value=q7> 10:03', '<i name=t value=p0> 10:04'),
      ],
      {},
    ],
    [
      'the code of a character is written as the app likes, such as that of an e-mail address',
      [
        asked('a', 'mail &#109;e&#64;app.test', 'mail &#x6d;&#101;@app.test'),
        asked('b', 'mail me&#x40;app.test', 'mail &#x6D;&#x65;@app.test'),
        asked('c', 'mail &#110;e@app.test'),
      ],
      { c: 'GET / answers differently from a: ‘mail ne@app.test’ instead of ‘mail me@app.test’' },
    ],
    [
      'a token in the address of a redirect is masked, and another address differs',
      ['a', 'b', 'c'].map((variant) => ({
        ...asked(variant, ''),
        answers: [1, 2].map((n) =>
          answer('', { status: 302, location: `/${variant === 'c' ? 'login' : 'i'}/?rid=${variant}${n}f` }),
        ),
      })),
      {
        c: expect.stringMatching(
          /HTTP 302, \S+, \/login\/\?rid=c1f instead of HTTP 302, \S+, \/i\/\?rid=a1f$/,
        ),
      },
    ],
    [
      'a redirect with the name of the app or without it is the same, and one to another port is not',
      [
        asked('a', '', '', { status: 301, location: '/wp-admin/' }),
        asked('b', '', '', { status: 301, location: 'http://app.test/wp-admin/' }),
        asked('c', '', '', { status: 301, location: 'http://app.test:8080/wp-admin/' }),
      ],
      {
        c: 'GET / redirects to http://app.test:8080/wp-admin/, another address',
      },
    ],
    [
      'bodies that name the server, where the scenario says so',
      [
        { ...asked('a', 'apache'), headOnly: true },
        { ...asked('b', 'fpm'), headOnly: true },
        { ...asked('c', 'unit', 'unit', { type: 'text/plain' }), headOnly: true },
      ],
      {
        c: 'GET / answers differently from a: HTTP 200, text/plain instead of HTTP 200, text/html;charset=utf-8',
      },
    ],
    [
      'one token is masked, another word differs',
      [
        asked('a', 't=1 Hello', 't=2 Hello'),
        asked('b', 't=3 Hello', 't=4 Hello'),
        asked('c', 't=5 Oops', 't=6 Oops'),
      ],
      { c: 'GET / answers differently from a: ‘t=… Oops’ instead of ‘t=… Hello’' },
    ],
    [
      'a token whose length in words changes',
      [
        asked('a', 'x <a+b> end', 'x <ab> end'),
        asked('b', 'x <c/d> end', 'x <cd> end'),
        asked('c', 'x <ab> fin', 'x <a+b> fin'),
      ],
      { c: 'GET / answers differently from a: ‘<ab> fin’ instead of ‘x <a+b> end’' },
    ],
    [
      'the majority is right, not the first',
      [asked('a', 'error page'), asked('b', 'shop'), asked('c', 'shop')],
      { a: 'GET / answers differently from b: ‘error page’ instead of ‘shop’' },
    ],
    [
      'another content type',
      [asked('a', '{}', '{}', { type: 'application/json' }), asked('b', '{}')],
      {
        b: 'GET / answers differently from a: HTTP 200, text/html;charset=utf-8 instead of HTTP 200, application/json',
      },
    ],
    [
      'spaces and case of the content type do not matter',
      [asked('a', 'x', 'x', { type: 'text/html;charset=utf-8' }), asked('b', 'x')],
      {},
    ],
    [
      'files of a type that servers name differently, and with a charset or without',
      [
        asked('a', 'x', 'x', { type: 'application/javascript' }),
        asked('b', 'x', 'x', { type: 'text/javascript; charset=utf-8' }),
        asked('c', 'x', 'x', { type: 'text/css' }),
      ],
      { c: 'GET / answers differently from a: HTTP 200, text/css instead of HTTP 200, text/javascript' },
    ],
    [
      'another charset',
      [asked('a', 'x'), asked('b', 'x', 'x', { type: 'text/html; charset=latin1' })],
      {
        b: 'GET / answers differently from a: HTTP 200, text/html;charset=latin1 instead of HTTP 200, text/html;charset=utf-8',
      },
    ],
    [
      'a clock that alone differs: nothing shows that it is one',
      [asked('a', 'it is 10:01:59'), asked('b', 'it is 11:01:59')],
      { b: 'GET / answers differently from a: ‘it is 11:01:59’ instead of ‘it is 10:01:59’' },
    ],
    [
      'when its rows were made, as two starts show; but not other numbers',
      [
        started('a', 'made 2026-11-22T10:05:11.2Z, 17:5', 'made 2026-11-22T10:01:59.0Z, 17:5'),
        started('b', 'made 2026-11-22T10:02:07.7Z, 17:5'),
        started('c', 'made 2026-11-22T10:05:12.4Z, 17:6', 'made 2026-11-22T10:02:08.1Z, 17:6'),
      ],
      { c: 'GET / answers differently from a: ‘.…, 17:6’ instead of ‘.…, 17:5’' },
    ],
    [
      'when a page was cached, in digits of no known format',
      [
        started('a', 'x <!-- 20261122100511 -->', 'x <!-- 20261122100159 -->', 'x <!-- 20261122100159 -->'),
        started('b', 'x <!-- 20261122100207 -->', 'x <!-- 20261122100207 -->'),
      ],
      {},
    ],
    [
      'what stands between two tokens of many lengths',
      [
        started('a', 'x=a+b; <h1>Shop</h1> y=c/d+e;', 'x=ab; <h1>Shop</h1> y=cd;'),
        started('b', 'x=f; <h1>Shop</h1> y=g/h;', 'x=f+; <h1>Shop</h1> y=gh;'),
        started('c', 'x=i+j; <h1>Oops</h1> y=k;', 'x=ij; <h1>Oops</h1> y=/k;'),
      ],
      {
        c: 'GET / answers differently from a: ‘…; <h1>Oops</h1> y=…k’ instead of ‘…; <h1>Shop</h1> y=…;’',
      },
    ],
    [
      'lists that are longer at times, with another word behind them',
      [
        started('a', '<p>one two</p><i>Hello</i>', '<p>one</p><i>Hello</i>'),
        started('b', '<p>two</p><i>Hello</i>'),
        started('c', '<p>one two three</p><i>Bye</i>', '<p>one</p><i>Bye</i>'),
      ],
      { c: 'GET / answers differently from a: ‘/p><i>Bye</i>’ instead of ‘/p><i>Hello</i>’' },
    ],
    [
      'a word beside a token',
      [started('a', 't=1 Hello', 't=2 Hello'), started('b', 't=3 no Hello', 't=4 no Hello')],
      { b: 'GET / answers differently from a: ‘t=… no Hello’ instead of ‘t=… Hello’' },
    ],
    [
      'a page that is another one after the second start is no new token',
      [started('a', PAGE, PAGE), started('b', 'Out of order', PAGE)],
      { b: 'GET / answers differently from a: most of its answer changes each time' },
    ],
    [
      'pages of nothing but chance on all',
      [started('a', NOISE(1), NOISE(2)), started('b', NOISE(3), NOISE(4))],
      {},
    ],
    ['a fast 500', [asked('a', 'x'), asked('b', 'x', 'x', { status: 500 })], { b: 'GET / answers HTTP 500' }],
    [
      'no answer',
      [asked('a', 'x', 'x', { status: 0, error: 'refused' })],
      { a: 'GET / did not answer: refused' },
    ],
    [
      'no answer in time',
      [asked('a', 'x', 'x', { status: 0, error: 'request timeout' })],
      { a: 'GET / did not answer: request timeout; if the page takes that long, set a longer `timeout`' },
    ],
    [
      'an empty answer',
      [asked('a', 'x'), asked('b', '')],
      { b: 'GET / answers differently from a: nothing instead of ‘x’' },
    ],
  ])('%s', (_, input, expected) => {
    const found = reasons(input);
    if (_ === 'a token whose length in words changes') {
      expect(Object.keys(found)).toEqual(Object.keys(expected));
    } else {
      expect(found).toEqual(expected);
    }
  });
});

test('a difference does not hide an error at a later request', () => {
  const page = (request: string, variant: string, body: string, status = 200): Asked => ({
    ...asked(variant, body, body, { status }),
    request,
  });
  const found = findDifferentAnswers([
    ...['a', 'b'].map((variant) => page('GET /', variant, 'right')),
    page('GET /', 'c', 'other'),
    ...['a', 'b'].map((variant) => page('GET /a', variant, 'right')),
    page('GET /a', 'c', 'wrong', 500),
  ]);
  expect(found.get('c')).toMatchObject({
    kind: 'wrong',
    reason: 'GET /a answers HTTP 500',
    others: [],
  });
});

test('further requests that a variant answers wrongly are named, at most ten', () => {
  const page = (request: string, variant: string, body: string, status = 200): Asked => ({
    ...asked(variant, body, body, { status }),
    request,
  });
  const found = findDifferentAnswers(
    ['GET /', 'GET /a', 'GET /b'].flatMap((request) => [
      ...['a', 'b'].map((variant) => page(request, variant, 'right')),
      page(request, 'c', 'wrong', request === 'GET /' ? 500 : 200),
      page(request, 'd', request === 'GET /b' ? 'right' : 'wrong'),
      page(request, 'e', request === 'GET /b' ? 'wrong' : 'right'),
    ]),
  );
  expect([...found].map(([variant, fault]) => variant + sayFurther(fault))).toEqual([
    'c',
    'd; also wrong: GET /a (differs)',
    'e',
  ]);
  expect(found.get('c')?.reason).toBe('GET / answers HTTP 500');
  const heads = findDifferentAnswers([
    ...['a', 'b', 'c'].map((variant) => page('GET /', variant, 'right', variant === 'c' ? 404 : 200)),
    ...['a', 'b', 'c'].map((variant) => ({
      ...asked(variant, '{}', '{}', { type: variant === 'c' ? 'text/html' : 'application/json' }),
      request: 'GET /api',
    })),
    { ...asked('c', '{}', '{}', { fault: 'wrong answer' }), request: 'step (shop)' },
  ]);
  // `same-answers: warn` allows another content type.
  expect(sayFurther(heads.get('c') as Fault)).toBe('; also wrong: step (shop) (wrong answer)');
  const paths = Array.from({ length: 13 }, (_, i) => page(`GET /${i}`, 'f', 'none', i === 1 ? 0 : 404));
  const all = sayFurther(findDifferentAnswers(paths).get('f') as Fault);
  expect(all).toMatch(
    /^; also wrong: GET \/1 \(no answer\), GET \/2 \(HTTP 404\), .*GET \/10 \(HTTP 404\) and 2 more$/,
  );
});

test('a path that the load does not ask for may be refused, by all alike', () => {
  const refused = (variant: string, status: number): Asked => ({
    ...asked(variant, 'nothing here', 'nothing here', { status }),
    mayRefuse: true,
  });
  expect(reasons([refused('a', 404), refused('b', 404)])).toEqual({});
  expect([...findDifferentAnswers([refused('a', 404), refused('b', 404), refused('c', 500)]).keys()]).toEqual(
    ['c'],
  );
});

test('a path that a k6 script may not ask for has no answer on all, or it is a fault', () => {
  const asks = (variant: string, status: number): Asked => ({
    ...asked(variant, '', '', { status, error: status === 0 ? 'request timeout' : '' }),
    ...{ mayRefuse: true, mayBeMute: true },
  });
  expect(reasons([asks('a', 0), asks('b', 0)])).toEqual({});
  expect(reasons([asks('a', 0), asks('b', 404)])).toEqual({
    a: expect.stringMatching(/^GET \/ did not answer: request timeout/),
  });
  const step = (variant: string) => ({ ...asks(variant, 0), request: 'home (shop)', mayBeMute: false });
  expect(Object.keys(reasons([asks('a', 0), asks('b', 0), step('a'), step('b')]))).toEqual(['a', 'b']);
});

test('what the journey has against an answer counts, and what it does not, may be any status', () => {
  const step = (variant: string, rest: Partial<Answer>): Asked => ({
    ...asked(variant, '{}', '{}', rest),
    ...{ request: 'POST /login (auth)', mayRefuse: true },
  });
  expect(
    reasons([
      ...[step('a', { status: 409 }), step('b', { status: 409 })],
      ...[step('c', { status: 418, fault: 'http other' }), step('d', { status: 200, fault: 'wrong answer' })],
      step('e', { status: 302, location: '/home', fault: 'wrong answer', unreached: ['GET /user'] }),
    ]),
  ).toEqual({
    c: 'POST /login (auth) answers HTTP 418',
    d: 'POST /login (auth) gives a wrong answer',
    e: 'POST /login (auth) answers HTTP 302 to /home, and its journey never requests GET /user',
  });
});

test('what a difference is in decides what can be done about it', () => {
  const kinds = findDifferentAnswers([
    ...[asked('a', 'x'), asked('a2', 'x')],
    ...[asked('b', 'y'), asked('c', 'y', 'y', { type: 'text/plain' }), asked('d', 'y', 'y', { status: 302 })],
    asked('e', 'y', 'y', { status: 500 }),
  ]);
  expect([...kinds].map(([variant, { kind, model }]) => [variant, kind, model])).toEqual([
    ['e', 'wrong', null],
    ['b', 'body', 'a'],
    ['c', 'head', 'a'],
    ['d', 'status', 'a'],
  ]);
});
