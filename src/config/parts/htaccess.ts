import { join } from 'node:path';
import type { Files } from '../files.ts';

/** The rules that pass on a header which Apache itself keeps from PHP. */
const handOn = (header: string) => [
  `rewritecond %{http:${header}} .`,
  ...['^', '.*'].map(
    (any) => `rewriterule ${any} - [e=http_${header.replaceAll('-', '_')}:%{http:${header}}]`,
  ),
];

/**
 * Directives of the files that Laravel, Lumen, Symfony, CakePHP and WordPress come with, as `normalise` writes them.
 * All servers do the same without them: send files, leave all else to index.php, give PHP every header. Only Apache has
 * the redirects among them, of a slash at the end and of index.php in the path. That shows if such a path is loaded:
 * variants which answer differently fail.
 */
const STOCK: ReadonlySet<string> = new Set([
  'directoryindex index.php',
  ...['-indexes', '-multiviews', '-indexes -multiviews', '+followsymlinks', 'followsymlinks'].map(
    (options) => `options ${options}`,
  ),
  'rewriteengine on',
  'rewritebase /',
  ...['-f', '!-f', '!-d'].map((is) => `rewritecond %{request_filename} ${is}`),
  ...['^', '.', '(.*)', '^(.*)$'].flatMap((any) =>
    ['index.php', '/index.php', '%{env:base}/index.php'].map((front) => `rewriterule ${any} ${front} [l]`),
  ),
  ...['^', '^index\\.php$'].map((as) => `rewriterule ${as} - [l]`),
  ...handOn('authorization'),
  ...handOn('x-xsrf-token'),
  // The next two set the base of an app behind an alias, which this app is not.
  'rewritecond %{request_uri}::$1 ^(/.+)/(.*)::\\2$',
  'rewriterule ^(.*) - [e=base:%1]',
  'rewritecond %{request_uri} (.+)/$',
  'rewriterule ^ %1 [l,r=301]',
  'rewriterule ^(.*)/$ /$1 [l,r=301]',
  'rewritecond %{env:redirect_status} ^$',
  'rewriterule ^index\\.php(?:/(.*)|$) %{env:base}/$1 [l,r=301]',
  'rewriterule ^(.*)#(.*)$ %{request_uri} [l,ne,r=301]',
]);

/**
 * The `.htaccess` file in the document root or at the top of an app, relative to its folder, if it does more than those of
 * frameworks do. Or one with rules in a folder that a requested path leads through.
 */
export function findHtaccess(
  folder: string,
  root: string,
  files: Files,
  paths: readonly string[] = [],
): string | undefined {
  const read = (file: string) => files.read(join(folder, file)) ?? '';
  const inside = paths.flatMap(foldersOf).map((below) => join(root, below, '.htaccess'));
  return (
    [join(root, '.htaccess'), '.htaccess'].find((file) => hasOwnRules(read(file))) ??
    // The other servers know the front controller of the document root alone.
    inside.find((file) => /^\s*(RewriteRule|FallbackResource)\s/im.test(read(file)))
  );
}

/** `/blog/post/1` → `blog`, `blog/post`. */
function foldersOf(path: string): string[] {
  const names = path
    .replace(/[?#].*/s, '')
    .split('/')
    .slice(1, -1);
  if (names.some((name) => name === '' || name === '.' || name === '..')) return [];
  return names.map((_, i) => names.slice(0, i + 1).join('/'));
}

/** Whether anything in a `.htaccess` file is missed on a server that does not read it. */
export function hasOwnRules(htaccess: string): boolean {
  // Whether each block around a line is in force.
  const blocks: boolean[] = [];
  for (const line of htaccess
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map(normalise)) {
    if (line.startsWith('<ifmodule ')) blocks.push(line !== '<ifmodule !mod_rewrite.c>');
    else if (line === '</ifmodule>') blocks.pop();
    else if (line !== '' && !line.startsWith('#') && !blocks.includes(false) && !STOCK.has(line)) return true;
  }
  return false;
}

/** Lower case, single spaces, options and flags in order. `QSA` does nothing where the rule brings no query. */
function normalise(line: string): string {
  const words = line.trim().toLowerCase().split(/\s+/);
  if (words[0] === 'options') return ['options', ...words.slice(1).sort()].join(' ');
  return words.join(' ').replace(/\[([^\]]*)\]$/, (_, flags: string) => {
    const said = flags.split(',').filter((flag) => flag !== 'qsa');
    return `[${said.sort().join(',')}]`;
  });
}
