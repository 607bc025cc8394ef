/** Pages that a server or an app shows instead of the app. The one list of them, each with its source. Pure. */

interface SeenPage {
  /** The cleaned text of its `<title>`; null if there is none. */
  title: string | null;
  /** Empty: no redirect. */
  location: string;
  body: string;
}

export interface Unfinished {
  /** `GET / looks like …`. */
  what: string;
  remedy: string;
}

interface Mark extends Partial<Unfinished> {
  what: string;
  /** All that are given have to match. */
  title?: RegExp;
  body?: RegExp;
  /** Matches the path that a redirect leads to, also as a value of a query: `/index.php?page=install`. */
  redirect?: RegExp;
  /** Only an answer of a line or two without a title, as `die()` prints it: a whole page may be about such a message. */
  isMessage?: boolean;
  /** Only a page of HTML, without parts that show or contain other code. */
  isMarkup?: boolean;
}

/** How to fix a page whose mark has no remedy of its own. */
const INSTALL = 'install the app in `prepare`, or in `set-up` if it needs a database';

/** An installation does not bring what the message misses. */
const FATAL =
  'add a missing extension with `extensions`, such as `gettext` for `textdomain()`, or fix what the message names';

/** Statements with which PHP in a page begins. */
const STATEMENT = String.raw`(\$\w|((include|require)(_once)?|echo|print|if|else|elseif|for|foreach|while|switch|function|session_start)\b)`;

/** Source of PHP, as a page that begins with this tag or has a statement behind it. */
const sourceWith = (tag: string) => new RegExp(`^\\s*${tag}\\s|${tag}\\s+${STATEMENT}`, 'i');

/** Parts of a page in which any text may be, to the end if they are not closed. */
const OTHER_TEXT = /<!--.*?(-->|$)|<!\[CDATA\[.*?(\]\]>|$)|<(script|style|textarea)\b.*?(<\/\3\b|$)/gis;

/** Characters of an answer that is only a message, and with its markup. */
const MESSAGE = 500;
const MARKED_UP = 2000;

const MARKS: readonly Mark[] = [
  // MediaWiki: includes/templates/NoLocalSettings.mustache
  {
    what: 'MediaWiki without its LocalSettings.php',
    title: /^MediaWiki\b/,
    body: /<p>LocalSettings\.php not (found|readable)\.<\/p>/,
  },
  // WordPress: wp-load.php, wp-admin/setup-config.php
  { what: 'WordPress without its wp-config.php', redirect: /\/wp-admin\/setup-config\.php$/ },
  { what: 'WordPress without its wp-config.php', title: /^WordPress › Setup Configuration File$/ },
  // WordPress: wp_not_installed() in wp-includes/load.php, wp-admin/install.php
  { what: 'WordPress with an empty database', redirect: /\/wp-admin\/install\.php$/ },
  { what: 'WordPress with an empty database', title: /^WordPress › Installation$/ },
  // Drupal: the redirect of core/lib/Drupal/Core/DrupalKernel.php; Backdrop: core/includes/bootstrap.inc
  { what: 'Drupal or Backdrop without its tables', redirect: /\/core\/install\.php$/ },
  // Joomla: includes/app.php
  { what: 'Joomla without its configuration.php', redirect: /\/installation\/(index\.php)?$/ },
  // symfony/http-kernel: Resources/welcome.html.php
  { what: "Symfony's welcome page, which has no route", title: /^Welcome to Symfony!$/ },
  // filp/whoops: src/Whoops/Handler/PrettyPageHandler.php; Laravel's error page before version 6
  {
    what: 'an error page of Whoops',
    title: /^Whoops(! There was an error|, looks like something went wrong)/,
  },
  // PHP: php_error_cb() in main/main.c. With display_errors a fatal error is answered with HTTP 200. Many apps turn that on.
  { what: 'a fatal error of PHP', body: /<b>(Fatal|Parse) error<\/b>: {2}/, remedy: FATAL },
  // Without html_errors, as in runtimes/_shared/php.ini. The message ends the page. Text about one has more behind it.
  {
    what: 'a fatal error of PHP',
    body: /\n(Fatal|Parse) error: [^\n]+(\n(?!Fatal|Parse)[^\n]*)* on line \d+\s*$/,
    remedy: FATAL,
  },
  { what: 'PHP code that was not run', body: sourceWith('<\\?php'), isMarkup: true },
  // runtimes/_shared/php.ini turns short tags off, as php.ini-production does.
  {
    what: 'PHP code that was not run',
    body: sourceWith('<\\?'),
    isMarkup: true,
    remedy: 'turn on short tags with `ini: { short_open_tag: On }`',
  },
  // Pico: index.php of picocms/pico-composer; YOURLS: YOURLS\Config\Config; many apps end so, with HTTP 200.
  {
    what: 'an app without its Composer packages',
    body: /\bcomposer(\.phar)? (install|update)\b|vendor\/autoload\.php/i,
    isMessage: true,
    remedy: "let the build run Composer: keep composer.json in the app's folder and out of `.dockerignore`",
  },
  // phpPgAdmin: lang/english.php; SPIP: ecrire/lang/ecrire_en.php. WonderCMS: checkMinimumRequirements() in index.php
  {
    what: 'an app without one of its extensions',
    body: /^(?=.*\bphp\b)(?=.*\b(not|missing|needs?|required?s?)\b).*\b(extension|module)s?\b|\bextensions?\b[^"{}]{0,40}\b(is|are|was|were) (not|missing|required)\b/is,
    isMessage: true,
    remedy: 'add the extension with `extensions`',
  },
  // PostfixAdmin: public/login.php, common.php; phpPgAdmin: libraries/lib.inc.php
  {
    what: 'an app that is not configured',
    body: /\bnot (yet )?configured\b|\bconfiguration error\b|\bconfig(uration)?\b.* (is )?(missing|not (found|loaded))\b/i,
    isMessage: true,
  },
  // Serendipity: include/functions_config.inc.php, with a redirect; Evolution CMS: index.php
  {
    what: 'an app that is not installed',
    body: /\bnot (yet|currently) (been )?installed\b|\bhas not been installed\b|\bnot installed yet\b/i,
    isMessage: true,
  },
  // Roundcube: index.php
  {
    what: 'a message that names another document root',
    body: /^(?!.*["{}]).*(\bpoint\b.{0,40}\b(document root|(web|https?) ?server)\b.{0,40}\bto\b|\b(document root|(web|https?) ?server)\b.{0,40}\bpoint\b.{0,40}\bto\b)/is,
    isMessage: true,
    remedy: 'set `root` to the folder that the page names',
  },
  // PostfixAdmin: check_db_version() in functions.inc.php
  {
    what: 'an app with older tables than its code needs',
    body: /\b(database|schema|tables?)\b.*\b(outdated|too old|wrong version|version is wrong)\b/i,
    isMessage: true,
    remedy: 'run its migrations in `set-up`',
  },
  {
    what: 'an error message',
    body: /\b(cannot|can't|could not|couldn't|unable to|failed to) (find|open|read|load|write|connect)\b/i,
    isMessage: true,
  },
  // Cacti: include/global.php; the messages of PDO and mysqli, as `die()` prints them
  {
    what: 'an error message',
    body: /\bconnection\b.{0,80}\b(failed|refused)\b|\bSQLSTATE\[|\baccess denied for user\b/i,
    isMessage: true,
    remedy: 'fix what the message names: the host, name and password of the database, or its extension',
  },
  // Kanboard: index.php, app/check_setup.php
  {
    what: 'an error message',
    body: /^(\s*<[^<>]*>)*\s*([a-z]+ ){0,2}(error|exception|fatal)\s*[:!]|\b(must be|not|isn't) (writ|read)e?able\b/i,
    isMessage: true,
    remedy: 'fix what the message names, for example in `prepare`',
  },
  // Tiny Tiny RSS: include/sanity_check.php; MediaWiki: includes/exception/MWExceptionRenderer.php
  {
    what: 'an error page',
    title:
      /^(start-?up failed|((fatal|internal|server|internal server|database|configuration|application|connection) )?error)\W*( [-–—|·:›] .*)?$/i,
    remedy: 'fix what the page names',
  },
  // PHP: ext/standard/info.c
  { what: 'the output of phpinfo()', title: /^PHP \d+\.\d+\.\d+\S* - phpinfo\(\)$/ },
  // Debian and Ubuntu: /var/www/html/index.html of apache2
  { what: 'the default page of Apache', title: /^Apache2 \w+ Default Page: It works/ },
  // Apache httpd: docs/docroot/index.html, since 2.4.60 and before
  { what: 'the default page of Apache', title: /^It works! Apache httpd$/ },
  { what: 'the default page of Apache', body: /^\s*<html>\s*<body>\s*<h1>It works!<\/h1>/i },
  // nginx: docs/html/index.html
  { what: 'the default page of nginx', title: /^Welcome to nginx!$/ },
  // Caddy: welcome/index.html of caddyserver/dist
  { what: 'the default page of Caddy', title: /^Caddy works!$/ },
  // Apache: modules/generators/mod_autoindex.c; nginx: ngx_http_autoindex_module.c
  { what: 'a list of files', title: /^Index of \// },
  // Many apps lead to their installer by such a name; phpIPAM: functions/classes/class.Install.php, as a page of its index.php
  {
    what: 'an installer',
    redirect: /(^|\/)(web-?)?(install|installer|installation|setup|first-?run)(\.php)?(\/|$)/i,
  },
  // Piwigo: themes/default/template/no_photo_yet.tpl
  { what: 'a gallery of Piwigo without photos', title: /^Piwigo, /, body: /id="noPhotoWelcome"/ },
  // KodExplorer: app/template/user/install.html, php_env_check in config/i18n/en/main.php
  { what: 'an installer', title: /^Environment check\b/i },
  // FreshRSS: app/install.php
  { what: 'an installer', title: /\b(installation|setup)\b.*\bstep \d/i },
  { what: 'an installer', title: /\b(installer|(installation|install|setup) wizard)\b/i },
];

/** The kind of unfinished page that it looks like; null: none. */
export function findUnfinished(page: SeenPage): Unfinished | null {
  const mark = MARKS.find((one) => fits(one, page));
  return mark ? { what: mark.what, remedy: mark.remedy ?? INSTALL } : null;
}

function fits({ title, body, redirect, isMessage = false, isMarkup = false }: Mark, page: SeenPage): boolean {
  return (
    (!isMessage || (page.title === null && isShort(page.body))) &&
    (title === undefined || (page.title !== null && title.test(page.title))) &&
    (body === undefined || body.test(isMarkup ? readMarkup(page.body) : page.body)) &&
    (redirect === undefined || pathsOf(page.location).some((path) => redirect.test(path)))
  );
}

function isShort(body: string): boolean {
  return body.length <= MARKED_UP && body.replace(/<[^<>]*>|\s+/g, ' ').length <= MESSAGE;
}

/** Empty if it is none, such as JSON or text. */
function readMarkup(body: string): string {
  return /^\s*</.test(body) ? body.replace(OTHER_TEXT, '') : '';
}

/** A value that begins with `/` or a scheme is where a log-in leads back to. */
const ROUTE = /^[\w-]+(\/[\w-]+)*$/;

function pathsOf(location: string): string[] {
  if (location === '' || !URL.canParse(location, 'http://app.test')) return [];
  const { pathname, searchParams } = new URL(location, 'http://app.test');
  const isFront = /\/(index\.php)?$/.test(pathname);
  const routes = isFront ? [...searchParams.values()].filter((value) => ROUTE.test(value)) : [];
  return [pathname, ...routes.map((route) => `/${route}`)];
}
