import { expect, test } from 'vitest';
import { readTitle } from './pages.ts';
import { findUnfinished } from './unfinished.ts';

const find = (body: string) => findUnfinished({ title: readTitle(body), location: '', body });
const ofBody = (body: string) => find(body)?.what ?? null;
const titled = (title: string, body = '') => ofBody(`<html><head><title>${title}</title></head>${body}`);
const redirect = (location: string) => findUnfinished({ title: null, location, body: '' })?.what ?? null;

/** As PHP shows it without html_errors. */
const LACK = 'Class "Locale" not found in /app/Translator.php';
const LINE = ' in /app/Translator.php on line 199\n';

test.each([
  ['MediaWiki without', titled('MediaWiki 1.43.6', '<p>LocalSettings.php not found.</p>')],
  ['wp-config.php', titled('WordPress &rsaquo; Setup Configuration File')],
  ['empty database', titled('WordPress &rsaquo; Installation')],
  ['Symfony', titled('Welcome to Symfony!')],
  ['Whoops', titled('Whoops! There was an error.')],
  ['fatal error', ofBody('<br />\n<b>Fatal error</b>:  Uncaught Error in <b>/app/index.php</b>')],
  [
    'fatal error',
    ofBody(`\nFatal error: Uncaught Error: ${LACK}:199\nStack trace:\n#0 {main}\n  thrown${LINE}`),
  ],
  ['fatal error', ofBody(`<html><title>Shop</title><p>\nFatal error: Allowed memory size exhausted${LINE}`)],
  ['fatal error', ofBody(`\nParse error: syntax error, unexpected end of file${LINE}`)],
  ['not run', ofBody('<?php\nrequire "vendor/autoload.php";')],
  ['not run', ofBody('<? // The start page\n')],
  ['not run', ofBody("<? include 'header.inc.php'; ?>")],
  ['not run', titled('Shop', '<body><? foreach ($rows as $row) { ?><p>')],
  ['not run', titled('Shop', '<body><?php require_once("menu.php") ?>')],
  ['not run', titled('<? echo $title ?>')],
  ['Composer packages', ofBody("Cannot find 'vendor/autoload.php'. Run `composer install`.")],
  ['error message', ofBody('<p class="error">Cannot find <tt>config.php</tt>. Please read the readme.</p>')],
  ['error message', ofBody('{"error": "Could not connect to the database"}')],
  ['error message', ofBody('Internal Error: SQLSTATE[HY000]: General error: 5 database is locked')],
  ['error message', ofBody('<p><b>Uncaught Exception:</b> No such board</p>')],
  // Cacti: include/global.php
  ['error message', ofBody('<p>FATAL: Connection to Cacti database failed. Please ensure:<ul>')],
  ['error message', ofBody('Database connection failed')],
  ['error message', ofBody("Access denied for user 'blog'@'172.18.0.3' (using password: YES)")],
  ['error message', ofBody('<b>Fatal:</b> No theme')],
  ['error message', ofBody('The directory "/app/data" must be writeable by your web server user')],
  ['error page', titled('Startup failed', '<p>Tiny Tiny RSS was unable to start properly.</p>')],
  ['error page', titled('Database error – A wiki')],
  // Roundcube: index.php
  [
    'another document root',
    ofBody('Please, configure your HTTP server to point to the /public_html directory (with fallback to …'),
  ],
  ['another document root', ofBody('<p>Point your web server to the folder <tt>htdocs</tt>.</p>')],
  ['not configured', ofBody('Installation not yet configured; please edit config.inc.php')],
  ['not configured', ofBody('config.inc.php is missing!')],
  ['not configured', ofBody('Configuration error: Copy conf/config.inc.php-dist to conf/config.inc.php.')],
  [
    'not installed',
    ofBody('Serendipity is not yet installed. Please <a href="install.php">install</a> it now.'),
  ],
  ['not installed', ofBody('<h3>Evolution CMS is not currently installed</h3>')],
  ['not installed', ofBody('The wiki has not been installed.')],
  [
    'older tables',
    ofBody('ERROR: The PostfixAdmin database layout is outdated (you have r1, but r1844 is expected).'),
  ],
  [
    'extension',
    ofBody('Your PHP installation does not support the pgsql module. You will need to install it.'),
  ],
  [
    'extension',
    ofBody('<p>The following extensions are required: zip. Contact your host or configure your server.</p>'),
  ],
  ['extension', ofBody('<p>SPIP requires the php extension: mbstring</p>')],
  [
    'extension',
    // As phpIPAM shows it: most of it is markup.
    ofBody(
      `<html><head>${'<link rel="stylesheet" type="text/css" href="css/bootstrap.min.css">\n'.repeat(9)}</head><body>
        <strong>The following required PHP extensions are missing:</strong><ul><li>gd</li></ul></body></html>`,
    ),
  ],
  ['phpinfo', titled('PHP 8.4.16 - phpinfo()')],
  ['phpinfo', titled('PHP 8.5.0RC1 - phpinfo()')],
  ['default page of Apache', titled('Apache2 Debian Default Page: It works')],
  ['default page of Apache', titled('Apache2 Ubuntu Default Page: It works')],
  ['default page of Apache', ofBody('<html><body><h1>It works!</h1></body></html>\n')],
  ['default page of nginx', titled('Welcome to nginx!')],
  ['default page of Caddy', titled('Caddy works!')],
  ['list of files', titled('Index of /')],
  ['list of files', titled('Index of /public/')],
  ['installer', titled('Roundcube Webmail Installer')],
  [
    'without photos',
    titled('Piwigo, Welcome', '<p id="noPhotoWelcome">Welcome to your Piwigo photo gallery!</p>'),
  ],
  ['installer', titled('Installation · FreshRSS: step 1')],
  ['installer', titled('Environment check: - KodExplorer - Powered by KodExplorer')],
  ['wp-config.php', redirect('http://app.test/blog/wp-admin/setup-config.php')],
  ['empty database', redirect('/wp-admin/install.php')],
  ['Drupal', redirect('/core/install.php?langcode=en')],
  ['Joomla', redirect('installation/index.php')],
  ['installer', redirect('./install')],
  ['installer', redirect('/setup/?step=1')],
  ['installer', redirect('/index.php?page=install')],
  ['installer', redirect('http://app.test/?lang=en&r=install/welcome')],
])('it is %s', (what, found) => {
  expect(found).toContain(what);
});

test.each([
  ['a page of MediaWiki', titled('MediaWiki', '<p>MediaWiki has been installed.</p>')],
  ['a page about it', titled('A blog', '<p>It says “LocalSettings.php not found”, and It works!</p>')],
  ['a page on WordPress', titled('How to install WordPress')],
  ['a page on such an error', titled('Help', `<pre>\nFatal error: ${LACK} on line 3\n</pre>`)],
  ['a page on errors', titled('Error handling in PHP', '<p>config.inc.php is missing!</p>')],
  ['a page with a setting', titled('Settings', '<p>The module is not installed. It is not configured.</p>')],
  ['a text on a part', ofBody('<p>The theme is not installed here.</p>')],
  ['an API', ofBody('{"modules": ["php"], "errors": 0}')],
  ['an API', ofBody('{"connection": "mysql", "fatal": 0}')],
  ['an API', ofBody('{"extension": "png", "message": "is required"}')],
  ['a page on connections', titled('Help', '<p>SQLSTATE[HY000]: the connection failed</p>')],
  ['an API', ofBody('{"point":10,"server":"web server 1","to":"eu"}')],
  ['a short text', ofBody('Our entry point: see /docs on how to use it. Served by our web server.')],
  ['a list of results', titled('Index of companies')],
  ['XHTML', ofBody('<?xml version="1.0"?>\n<html><head><title>Shop</title></head></html>')],
  ['a page on PHP', titled('PHP', '<pre>&lt;? echo 1 ?> &lt;?php echo 1</pre>')],
  ['code that it edits', titled('PHP', '<textarea name="a"><?php echo 1; ?></textarea>')],
  ['code for its script', titled('PHP', '<script type="a">"<? echo 1; ?>"</script><!-- <? echo 1 ?> -->')],
  ['an open comment', titled('PHP', '<!-- <? echo 1 ?>')],
  ['a feed', ofBody('<?xml version="1.0"?><rss><![CDATA[<p><?php echo 1; ?>]]></rss>')],
  ['text', ofBody('# Read me\n\n    <?php echo 1;')],
  ['a question', titled('Which?', '<p>a <? b</p>')],
  ['an API', ofBody('{"title": "Installation", "code": "<?php"}')],
  ['a page that explains how to install', titled('Pico', '<p>Run `composer install`.</p>')],
  ['a long answer about it', ofBody(`<p>Run composer install.</p>${'<p>More.</p>'.repeat(100)}`)],
  ['a redirect to the log-in', redirect('/login?to=/install')],
  ['a redirect to the log-in', redirect('/index.php?page=login&to=/install')],
  ['a redirect to the log-in', redirect('/?page=login&to=http://app.test/install')],
  ['a redirect from it', redirect('/login?from=install')],
  ['a redirect to a page about installing', redirect('/installing-plugins')],
  ['a redirect to nowhere', redirect('http://')],
])('it is nothing of the kind: %s', (_, found) => {
  expect(found).toBeNull();
});

test('short tags have a remedy of their own', () => {
  expect(find("<? include 'a.php'; ?>")?.remedy).toContain('short_open_tag: On');
  expect(find("<?php include 'a.php'; ?>")?.remedy).toContain('install the app');
});

test('a fatal error has a remedy of its own', () => {
  for (const message of [`\nFatal error: ${LACK}${LINE}`, '<b>Fatal error</b>:  It ends'])
    expect(find(message)?.remedy).toContain('`extensions`');
});

test('a failed connection has a remedy of its own', () => {
  expect(find('Database connection failed')?.remedy).toContain('host, name and password');
});

test('a missing extension has a remedy of its own', () => {
  expect(find('<p>PHP extension gd is not installed.</p>')?.remedy).toContain('`extensions`');
});

test('a page with many open comments takes no time', () => {
  expect(ofBody('<!-- <script>'.repeat(20_000))).toBeNull();
  expect(ofBody(`\nFatal error: a on line 1 ${' '.repeat(20_000)}.`.repeat(5))).toBeNull();
});

test('an app without its packages needs Composer, not an installation', () => {
  const found = find('lib not found. Run `git submodule update`, or install it with `composer install`.');
  expect(found?.remedy).toContain('let the build run Composer');
});
