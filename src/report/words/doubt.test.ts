import { expect, test } from 'vitest';
import { doubt } from './doubt.ts';

const warned = (...warnings: [string, string][]) =>
  doubt(
    { warnings: warnings.map(([code, message]) => ({ code, message, remedy: '', variant: null })) },
    (text) => text.toUpperCase(),
  );

test('a doubt names the request and what its page looks like, for the first three', () => {
  expect(
    warned(
      ['htaccess', 'the app has .htaccess'],
      ['same-page', 'GET /a and GET /b show the same page ("Log in"), such as a login form'],
      ['redirect', 'the load measures redirects, not their targets: home (shop) to /en'],
      [
        'looks-unfinished',
        "GET / looks like an installer (HTTP 302 'Install' to /install.php): the numbers are",
      ],
      ['looks-unfinished', 'GET /b looks like an error page (HTTP 200 "Error"): the numbers are'],
    ),
  ).toBe(
    'Perhaps not the page that you mean: GET / LOOKS LIKE AN INSTALLER; GET /B LOOKS LIKE AN ERROR PAGE; ' +
      'THE LOAD MEASURES REDIRECTS, NOT THEIR TARGETS: HOME (SHOP) TO /EN; 1 more ' +
      '(see looks-unfinished, redirect and same-page).',
  );
  expect(warned(['htaccess', 'the app has .htaccess'])).toBe('');
  const redirect: [string, string] = ['redirect', 'the load measures redirects: / to /en'];
  expect(warned(redirect, redirect, ['login-form', 'GET /b shows a login form'], redirect, redirect)).toBe(
    'Perhaps not the page that you mean: THE LOAD MEASURES REDIRECTS: / TO /EN; GET /B SHOWS A LOGIN FORM ' +
      '(see redirect and login-form).',
  );
  const closed = "GET /a and GET /b show the same page ('We are back at noon.'), such as a message";
  expect(warned(['same-page', closed])).toBe(
    'Perhaps not the page that you mean: GET /A AND GET /B SHOW THE SAME PAGE (see same-page).',
  );
});
