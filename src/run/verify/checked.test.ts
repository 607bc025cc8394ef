import { describe, expect, test } from 'vitest';
import { expectationOf, findDifference, type Seen, see } from './checked.ts';
import type { Answer } from './verify.ts';

const answer = (body: string, status = 200, location = ''): Answer => ({
  ...{ status, error: '', type: 'text/html', location, body },
});
const PAGE = `<title>Garden tools</title>${'<li>Wheelbarrow, galvanised</li>'.repeat(30)}`;
const seen = (...bodies: string[]) =>
  bodies.reduce<Seen | undefined>((known, body) => see(known, answer(body)), undefined) as Seen;
const other = (known: Seen, found: Answer) => findDifference(expectationOf(known, true), found);

describe('an answer under load', () => {
  test.each([
    ['the same', PAGE],
    ['with a counter of one more digit', `${PAGE}Visitors: 10000`],
    ['with other words, but the most of them', PAGE.replace('galvanised', 'garden-made')],
  ])('%s is no other', (_, body) => expect(other(seen(PAGE, PAGE), answer(body))).toBeNull());

  test.each([
    ['a redirect', answer(PAGE, 302, '/login'), 'HTTP 302 to /login instead of HTTP 200'],
    ['an error of its server', answer('', 500), 'HTTP 500 instead of HTTP 200'],
    ['half a page', answer(PAGE.slice(0, 500)), '500 characters instead of 937 to 1037'],
    ['nothing', answer(''), '0 characters instead of 937 to 1037'],
    ['two pages', answer(PAGE + PAGE), '1974 characters instead of 937 to 1037'],
    [
      'as long, of other words',
      answer('Error establishing a database connection. '.repeat(30).slice(0, PAGE.length)),
      '0 of 5 words that it contained before',
    ],
  ])('%s is another', (_, found, what) => expect(other(seen(PAGE, PAGE), found)).toBe(what));

  test('a short one differs from an excuse in its words', () => {
    const known = seen('{"user":"ada","roles":["admin"]}', '{"user":"ada","roles":["admin"]}');
    expect(other(known, answer('{"user":"eve","roles":["admin"]}'))).toBeNull();
    expect(other(known, answer('Too many connections'))).toBe('0 of 4 words that it contained before');
  });

  test('of varying length may vary as far again as it was seen to', () => {
    const known = seen(PAGE, PAGE + '. '.repeat(1000), PAGE + '. '.repeat(400));
    expect(other(known, answer(PAGE + '. '.repeat(1900)))).toBeNull();
    expect(other(known, answer(PAGE + '. '.repeat(2100)))).not.toBeNull();
    expect(other(known, answer(''))).not.toBeNull();
  });

  test('of random words alone is known by its length', () => {
    const known = seen('qwertzuiop', 'asdfghjkly');
    expect(other(known, answer('yxcvbnmlkj'))).toBeNull();
  });

  test('without a look at bodies is known by its status', () => {
    const checked = expectationOf(seen(PAGE), false);
    expect(findDifference(checked, answer('x'))).toBeNull();
    expect(findDifference(checked, answer('x', 302, '/'))).not.toBeNull();
  });

  test('is counted by the whole of its body, of which only the beginning was kept', () => {
    const long = { ...answer(PAGE), characters: 5_000_000 };
    expect(other(see(undefined, long), long)).toBeNull();
    expect(other(see(undefined, long), answer(PAGE))).not.toBeNull();
  });
});
