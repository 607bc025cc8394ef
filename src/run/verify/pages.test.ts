import { expect, test } from 'vitest';
import type { Server } from '../servers/servers.ts';
import { describePages, findOneSided, readTitle } from './pages.ts';
import type { Answer, Round } from './verify.ts';

const HTML = '<!doctype html><html><head><title>A wiki &ndash; main page</title></head><body>…</body></html>';

const answer = (of: Partial<Answer> = {}): Answer => ({
  ...{ status: 200, error: '', type: 'text/html; charset=utf-8', location: '', body: HTML },
  ...of,
});

type Answers = Record<string, Answer & { mayRefuse?: boolean }>;

/** By variant, what it answered to each endpoint. */
function describe(
  variants: Record<string, Answers>,
  setUpSaid?: (variant: Server['variant']) => string | null,
  bases: Record<string, string> = {},
) {
  const servers = Object.keys(variants).map((id) => {
    return { variant: { id, label: id, base: bases[id] ?? null } } as Server;
  });
  const round: Round = new Map(
    Object.entries(variants).map(([id, answers]) => [
      id,
      new Map(
        Object.entries(answers).map(([endpoint, { mayRefuse = false, ...given }]) => [
          endpoint,
          { endpoint, mayRefuse, answer: given },
        ]),
      ),
    ]),
  );
  return describePages(servers, [round], setUpSaid);
}

test.each<[string, string, string, string[]]>([
  ['the base alone', 'Shop Setup Wizard', 'Shop', ['base']],
  ['the head alone', 'Shop', 'Shop Setup Wizard', ['head']],
  ['both', 'Shop Setup Wizard', 'Shop Setup Wizard', []],
  ['none', 'Shop', 'Shop', []],
])('a page that looks unfinished on %s', (_, base, head, found) => {
  const variants = { base: base, head: head, other: 'Shop Setup Wizard' };
  const servers = Object.keys(variants).map((id) => {
    return { variant: { id, label: id, base: id === 'head' ? 'base' : null } } as Server;
  });
  const round: Round = new Map(
    Object.entries(variants).map(([id, title]) => {
      const body = `<html><title>${title}</title></html>`;
      return [id, new Map([['GET /', { endpoint: '/', mayRefuse: false, answer: answer({ body }) }]])];
    }),
  );
  expect([...findOneSided(servers, [round]).keys()]).toEqual(found);
  // Beside a k6 script, which need not load it.
  for (const replies of round.values()) for (const reply of replies.values()) reply.mayRefuse = true;
  expect([...findOneSided(servers, [round]).keys()]).toEqual([]);
});

test('a path has one entry: status, title, type and size, whatever the number of variants', () => {
  const longer = answer({ body: `${HTML}<!-- cached -->` });
  const { checked, warnings } = describe({ a: { '/': answer() }, b: { '/': longer } });
  expect(checked).toEqual([
    {
      ...{ endpoint: '/', journey: null, variants: ['a', 'b'], status: 200, type: 'text/html', location: '' },
      ...{ title: 'A wiki – main page', bytes: [Buffer.byteLength(HTML), Buffer.byteLength(HTML) + 15] },
    },
  ]);
  expect(warnings).toEqual([]);
});

test('a page without a title has the beginning of its text, which may differ', () => {
  const page = (time: string) =>
    answer({ body: `<style>p {}</style>\n<p>Cannot find\n <b>config.php</b>. ${time}` });
  const { checked, warnings } = describe({ a: { '/': page('12:00') }, b: { '/': page('12:01') } });
  expect(warnings[0]?.message).toContain("an error message (HTTP 200 'Cannot find config.php . 12:00')");
  expect(checked).toMatchObject([
    { title: null, text: 'Cannot find config.php . 12:00', variants: ['a', 'b'] },
  ]);
  const long = answer({ body: 'x'.repeat(500) });
  const json = answer({ type: 'application/json', body: '{}' });
  const bare = describe({ a: { '/': answer(), '/long': long, '/json': json } });
  expect(bare.checked.map(({ text }) => text)).toEqual([undefined, `${'x'.repeat(120)}…`, undefined]);
});

test('variants that differ have an entry each', () => {
  const other = answer({ body: HTML.replace('A wiki', 'Set-up') });
  const { checked } = describe({ a: { '/': answer() }, b: { '/': other }, c: { '/': answer() } });
  expect(checked.map(({ variants, title }) => [variants, title])).toEqual([
    [['a', 'c'], 'A wiki – main page'],
    [['b'], 'Set-up – main page'],
  ]);
});

test.each([404, 0])('a step of a journey counts once; status %i beside a k6 script does not', (status) => {
  const refused = { ...answer({ status }), mayRefuse: true };
  const { checked } = describe({ a: { '/': refused, 'home\nshop': { ...answer(), mayRefuse: true } } });
  expect(checked.map(({ endpoint, journey }) => [endpoint, journey])).toEqual([['home', 'shop']]);
});

test('the size is that of the whole body, of bytes that are no text that of the header', () => {
  const cutOff = answer({ body: 'x'.repeat(100), characters: 1000 });
  const image = answer({ headers: 'Content-Length: 68\nContent-Type: image/png', body: '\ufffdPNG\ufffd' });
  const gzip = answer({ headers: 'Content-Encoding: gzip\nContent-Length: 5', body: 'x'.repeat(50) });
  const { checked } = describe({ a: { '/cut': cutOff, '/image': image, '/gzip': gzip } });
  expect(checked.map(({ bytes }) => bytes[0])).toEqual([1000, 68, 50]);
});

test('a title is one harmless line', () => {
  expect(readTitle('<TITLE lang="en">\n a\u001b[31m b\u202e\n\tc </TITLE>')).toBe('a b c');
  expect(readTitle('<title>&lt;script&gt; &#x41;&#66;&nbsp;&unknown; &#9999999;</title>')).toBe(
    '<script> AB &unknown; &#9999999;',
  );
  expect(readTitle(`<title>${'x'.repeat(500)}</title>`)).toBe(`${'x'.repeat(120)}…`);
  expect(readTitle('<title></title>')).toBeNull();
  expect(readTitle('{"title": 1}')).toBeNull();
  // Nothing that takes long.
  expect(readTitle('<title '.repeat(40_000))).toBeNull();
});

const SETUP = answer({ status: 302, location: 'http://app.test/wp-admin/setup-config.php', body: '' });

test('what looks like no page of the app is a warning, once for all paths and variants', () => {
  const { warnings } = describe({ a: { '/': SETUP, '/feed': SETUP }, b: { '/': SETUP, '/feed': SETUP } });
  expect(warnings).toEqual([
    {
      code: 'looks-unfinished',
      message:
        'GET / and GET /feed look like WordPress without its wp-config.php (HTTP 302 to http://app.test/wp-admin/setup-config.php): the numbers are those of this page, not of the app',
      remedy: expect.stringContaining('install the app'),
      variant: null,
    },
  ]);
});

test('paths that show one page on the base alone, as one of them is new, are a warning', () => {
  const page = (title: string) =>
    answer({ body: `<title>${title}</title><p>${title} and all that it has</p>` });
  const warningsOf = (head: Answers, base: Answers) =>
    describe({ head, base }, undefined, { head: 'base' }).warnings;
  const shop = page('Shop');
  const [warning, ...others] = warningsOf({ '/': shop, '/new': page('Offers') }, { '/': shop, '/new': shop });
  expect(others).toEqual([]);
  expect(warning).toEqual({
    code: 'same-page',
    message: 'GET / and GET /new show the same page on base alone ("Shop")',
    remedy: expect.stringContaining('leave out paths that are new'),
    variant: null,
  });
  // Two paths are one page on the head, too: only the new one is apart.
  const three = warningsOf(
    { '/': shop, '/x': shop, '/new': page('Offers') },
    { '/': shop, '/x': shop, '/new': shop },
  );
  expect(three.map(({ message }) => message)).toEqual([
    'GET / and GET /x show the same page ("Shop"), such as a login form or a message',
    'GET / and GET /new show the same page on base alone ("Shop")',
  ]);
  // A token of several words.
  const confirm = (token: string) => answer({ body: `<title>Shop</title><p>Confirm your age ${token}</p>` });
  const tokens = { '/': confirm('ab+cd/ef+1'), '/x': confirm('gh+ij') };
  expect(warningsOf(tokens, { '/': confirm('k'), '/x': confirm('l') })).toEqual([]);
  // The new page may be an API's.
  const api = answer({ type: 'application/json', body: '{}' });
  expect(warningsOf({ '/': shop, '/new': api }, { '/': shop, '/new': shop })).toEqual([warning]);
  const same = warningsOf({ '/': shop, '/new': shop }, { '/': shop, '/new': shop });
  expect(same.map(({ message }) => message)).toEqual([expect.stringContaining('such as a login form')]);
  expect(warningsOf({ '/': shop, '/new': page('Offers') }, { '/': shop, '/new': page('Offers') })).toEqual(
    [],
  );
});

test('paths that show one page, such as a login form, are a warning', () => {
  const page = (title: string, text: string) => answer({ body: `<title>${title}</title><p>${text}</p>` });
  const login = (path: string, token: string) => page('Shop', `Log in to go to ${path} ${token}`);
  const pages = {
    '/admin': login('/admin', 'a1'),
    '/': page('Shop', 'One thing, and another one, both to buy'),
    '/stats/day': login('/stats/day', 'b2'),
  };
  expect(describe({ a: pages, b: pages }).warnings).toEqual([
    {
      code: 'same-page',
      message: 'GET /admin and GET /stats/day show the same page ("Shop"), such as a login form or a message',
      remedy: expect.stringContaining('k6 script'),
      variant: null,
    },
  ]);
  // As `die()` prints it.
  const closed = answer({ body: '<p>We are back at noon.</p>' });
  expect(describe({ a: { '/x': closed, '/y': closed } }).warnings[0]?.message).toBe(
    "GET /x and GET /y show the same page ('We are back at noon.'), such as a login form or a message",
  );
  const alive = answer({ body: 'OK' });
  expect(describe({ a: { '/health': alive, '/ping': alive } }).warnings).toEqual([]);
  // One warning is enough.
  const installer = page('Shop Installer', 'Step 1');
  const codes = describe({ a: { '/x': installer, '/y': installer } }).warnings.map(({ code }) => code);
  expect(codes).toEqual(['looks-unfinished']);
  // Articles of a site with one title have words of their own, and what has no title may be an API.
  const [one, two] = [page('Shop', 'A blue chair of wood'), page('Shop', 'The green table, made from oak')];
  const bare = answer({ body: '{}' });
  expect(describe({ a: { '/1': one, '/2': two, '/x': bare, '/y': bare } }).warnings).toEqual([]);
});

const LOGIN = `<title>Shop</title><form><input name="user"><input value="" type="password" name="p"></form>`;
const NEWS = '<p>One more piece of news, and what we think of it.</p>'.repeat(20);

test('paths that show a login form get one warning, with how to get behind it', () => {
  const [form, titled] = [LOGIN, `${LOGIN.replace('Shop', 'Sign in to the shop')}${NEWS}`].map((body) =>
    answer({ body }),
  );
  const pages = { '/': form, '/admin': titled, '/news': answer({ body: LOGIN + NEWS }) } as const;
  const { warnings } = describe({ a: pages, b: pages } as never);
  expect(warnings).toEqual([
    {
      code: 'login-form',
      message: 'GET / and GET /admin look like a login form ("Shop")',
      remedy: expect.stringMatching(/k6 script.*`headers`/),
      variant: null,
    },
  ]);
});

test('a short page with a login form in a window that a script opens is no login form', () => {
  const inside = (before: string, after = '</div>') =>
    answer({ body: `<p>Hello world</p>${before}<div>Log in</div>${LOGIN.slice(19)}${after}` });
  const found = (page: ReturnType<typeof answer>) => describe({ a: { '/': page } }).warnings.length;
  expect(found(inside('<div id="a" style="display: none" aria-hidden="true"><div role="dialog">'))).toBe(0);
  expect(found(inside('<div class="modal fade" id="login">'))).toBe(0);
  expect(found(inside('<dialog id="login">', '</dialog>'))).toBe(0);
  expect(found(inside('<div class="modal">Cookies?</div><div>'))).toBe(1);
  expect(found(inside(`<div class="modal">${LOGIN.slice(19)}</div><div>`))).toBe(1);
  expect(found(inside('<div class="model">'))).toBe(1);
});

test('a login form at a path of that name is what was asked for', () => {
  const pages = Object.fromEntries(
    ['/login.php', '/users/sign-in', '/auth', '/index.php?do=logon'].map((path) => [path, path]),
  );
  const replies = Object.fromEntries(
    Object.keys(pages).map((path) => [
      path,
      answer({ body: `${LOGIN}<p>${'a b c '.repeat(9)} ${path.repeat(4)}` }),
    ]),
  );
  expect(describe({ a: replies }).warnings.map(({ code }) => code)).not.toContain('login-form');
});

test('a set-up that changed nothing is quoted', () => {
  const said = ({ id }: { id: string }) => (id === 'a' ? 'PHP module gd\tis not installed' : null);
  const [warning] = describe({ a: { '/': SETUP }, b: { '/': SETUP } }, said).warnings;
  expect(warning?.remedy).toMatch(
    /^`set-up` did not fail, but printed 'PHP module gd is not installed'; install/,
  );
});

test('with other answers on other variants it names the variants', () => {
  const { warnings } = describe({ a: { '/': SETUP }, b: { '/': answer() } });
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^GET \/ on a looks like WordPress/),
  ]);
});
