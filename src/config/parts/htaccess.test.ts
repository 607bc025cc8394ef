import { describe, expect, test } from 'vitest';
import type { Files } from '../files.ts';
import { findHtaccess, hasOwnRules } from './htaccess.ts';

const FRONT = ['RewriteCond %{REQUEST_FILENAME} !-d', 'RewriteCond %{REQUEST_FILENAME} !-f'];
const AUTHORIZATION = [
  'RewriteCond %{HTTP:Authorization} .',
  'RewriteRule .* - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]',
];
const negotiation = (options: string) => ['<IfModule mod_negotiation.c>', options, '</IfModule>'];
const rewrite = (...lines: string[]) => [
  '<IfModule mod_rewrite.c>',
  ...['RewriteEngine On', ...lines].map((line) => `    ${line}`),
  '</IfModule>',
];

const frameworks: Record<string, string[]> = {
  'Laravel 8': rewrite(
    ...negotiation('Options -MultiViews -Indexes'),
    ...AUTHORIZATION,
    '# Redirect Trailing Slashes If Not A Folder...',
    ...[
      'RewriteCond %{REQUEST_FILENAME} !-d',
      'RewriteCond %{REQUEST_URI} (.+)/$',
      'RewriteRule ^ %1 [L,R=301]',
    ],
    ...[...FRONT, 'RewriteRule ^ index.php [L]'],
  ),
  'Laravel 12': rewrite(
    ...AUTHORIZATION,
    'RewriteCond %{HTTP:x-xsrf-token} .',
    'RewriteRule .* - [E=HTTP_X_XSRF_TOKEN:%{HTTP:X-XSRF-Token}]',
    ...[...FRONT, 'RewriteRule ^ index.php [L]'],
  ),
  'Lumen 5': rewrite('RewriteRule ^(.*)/$ /$1 [L,R=301]', ...FRONT, 'RewriteRule ^ index.php [L]'),
  Symfony: [
    'DirectoryIndex index.php',
    ...negotiation('Options -MultiViews'),
    ...rewrite(
      ...['RewriteCond %{REQUEST_URI}::$1 ^(/.+)/(.*)::\\2$', 'RewriteRule ^(.*) - [E=BASE:%1]'],
      'RewriteRule ^ - [E=HTTP_AUTHORIZATION:%{HTTP:Authorization}]',
      'RewriteCond %{ENV:REDIRECT_STATUS} ^$',
      'RewriteRule ^index\\.php(?:/(.*)|$) %{ENV:BASE}/$1 [R=301,L]',
      ...[
        'RewriteCond %{REQUEST_FILENAME} -f',
        'RewriteRule ^ - [L]',
        'RewriteRule ^ %{ENV:BASE}/index.php [L]',
      ],
    ),
    '<IfModule !mod_rewrite.c>',
    ...['<IfModule mod_alias.c>', 'RedirectMatch 307 ^/$ /index.php/', '</IfModule>'],
    '</IfModule>',
  ],
  CakePHP: rewrite('RewriteCond   %{REQUEST_FILENAME} !-f', 'RewriteRule   ^ index.php [L]'),
  WordPress: rewrite(
    'RewriteBase /',
    'RewriteRule ^index\\.php$ - [L]',
    ...[...FRONT.toReversed(), 'RewriteRule . /index.php [L]'],
  ),
  'another order, other spaces': ['options   -indexes\t-multiviews', '\trewriterule ^ index.php [QSA,L]\r'],
  'nothing at all': [''],
};

test.each(Object.entries(frameworks))('what comes with %s is done by all servers', (_, lines) => {
  expect(hasOwnRules(lines.join('\n'))).toBe(false);
});

describe('is missed elsewhere', () => {
  test.each([
    'Header set X-Frame-Options DENY',
    'Options +Indexes',
    'AddType text/x-own .own',
    'ExpiresByType image/png "access plus 1 month"',
    'RewriteRule ^old$ /new [R=301,L]',
    'RewriteRule ^(.*)$ index.php?route=$1 [L,QSA]',
    'RewriteRule ^api index.php [L]',
    'RewriteCond %{HTTPS} off',
    '<Files "secret.txt">',
    '<IfModule mod_headers.c>\nHeader unset ETag\n</IfModule>',
    '<IfModule !mod_php7.c>\nHeader unset ETag\n</IfModule>',
    'RewriteRule ^ index.php \\\n[L,E=OWN:1]',
  ])('%s', (line) => {
    const laravel = frameworks['Laravel 8'] as string[];
    expect(hasOwnRules([...laravel, line].join('\n'))).toBe(true);
    expect(hasOwnRules([...laravel, `# ${line.split('\n')[0]}`].join('\n'))).toBe(false);
  });
});

test.each([
  ['/', undefined],
  ['/blog', undefined],
  ['/blog/post/1?a=/shop/x', 'public/blog/.htaccess'],
  ['/shop/', undefined],
  ['/news/../blog/x', undefined],
])('rules of a folder are missed where a path leads through it: %s', (path, found) => {
  const texts: Readonly<Record<string, string>> = {
    '/app/public/.htaccess': 'RewriteEngine on\nRewriteRule ^ index.php [L]',
    '/app/public/blog/.htaccess': 'RewriteEngine on\nRewriteRule ^ index.php [L]',
    '/app/public/shop/.htaccess': 'Deny from all',
  };
  const files = { read: (file: string) => texts[file] ?? null } as Files;
  expect(findHtaccess('/app', 'public', files, [path])).toBe(found);
});
