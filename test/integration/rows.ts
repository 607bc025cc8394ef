/** The bundled runtimes as test/integration/runtimes.test.ts asks them all the same: what differs between them. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import type { OptionSpec } from '../../src/config/types.ts';
import { findMissingBase, root } from './docker.ts';

interface Row {
  runtime: string;
  /** Versions that it is tried on: answers on all of them, options on the last one. */
  php: readonly string[];
  /** PHP_SAPI. */
  sapi: string;
  /** `server` of its facts. */
  server: RegExp;
  /** The command line of a process that runs PHP. */
  worker: RegExp;
  /** Its line in the access log for GET /json?n=1, answered with 200. */
  logLine: RegExp;
  /** Serves the files of the document root, and any index.php; false: it has taken hold of handler.php. */
  files: boolean;
  /** Of two servers in one container: name and command line of the one in front, and of the one behind. */
  pair?: Readonly<Record<string, RegExp>>;
  /** Values that it refuses, beyond those that all do: variable, value, what is expected. */
  bad?: readonly [string, string, RegExp][];
  /** ini settings that its SAPI sets itself. */
  ownIni?: readonly string[];
  /** Extensions beyond those of the other runtimes. */
  ownExtensions?: readonly string[];
}

const APACHE_LINE = /"GET \/json\?n=1 HTTP\/1\.[01]" 200/;

const modPhp = { sapi: 'apache2handler', worker: /^apache2 /, logLine: APACHE_LINE, files: true };

const fpm = {
  ...{ sapi: 'fpm-fcgi', worker: /^php-fpm: pool/, logLine: APACHE_LINE, files: true },
  bad: [
    ['LISTEN', 'udp', /one of tcp, unix/],
    ['PM', 'fixed', /one of static, dynamic, ondemand/],
    ['MIN_SPARE', 'x', /integer from 0 to 4096/],
  ] as [string, string, RegExp][],
};

const ROWS: readonly Row[] = [
  { ...modPhp, runtime: 'apache', php: ['8.2', '8.4'], server: /^apache\/2\.4\.\d+$/ },
  {
    ...{ ...fpm, runtime: 'nginx-fpm', php: ['8.2', '8.4'], server: /^nginx\/1\.\d+\.\d+ \+ fpm$/ },
    pair: { nginx: /nginx: master/, 'php-fpm': /php-fpm: master/ },
  },
  {
    ...{ ...modPhp, runtime: 'nginx-apache', php: ['8.4'] },
    server: /^nginx\/1\.\d+\.\d+ \+ apache\/2\.4\.\d+$/,
    pair: { nginx: /nginx: master/, apache: /^apache2 / },
    bad: [['UPSTREAM_KEEP_ALIVE', '5s', /one of true, false/]],
  },
  {
    ...{ ...fpm, runtime: 'apache-fpm', php: ['8.4'], server: /^apache\/2\.4\.\d+ \+ fpm$/ },
    pair: { apache: /^apache2 /, 'php-fpm': /php-fpm: master/ },
  },
  {
    ...{ ...fpm, runtime: 'caddy-fpm', php: ['8.4'], server: /^caddy\/2\.\d+\.\d+ \+ fpm$/ },
    pair: { caddy: /^caddy run/, 'php-fpm': /php-fpm: master/ },
    logLine: /"uri":"\/json\?n=1".*"status":200/,
  },
];

interface Manifest {
  options: Record<string, OptionSpec>;
  stop: { signal: string; 'in-flight': string };
  htaccess?: boolean;
}

export const folderOf = (runtime: string) => resolve(root, 'runtimes', runtime);

const all = ROWS.map((row) => ({
  ...row,
  last: row.php.at(-1) ?? '',
  manifest: parse(readFileSync(resolve(folderOf(row.runtime), 'runtime.yaml'), 'utf8')) as Manifest,
  missing: row.php.map((php) => findMissingBase(row.runtime, php)).find((base) => base !== null) ?? null,
}));

/** Those whose base images can be had. */
export const rows = all.filter(({ missing }) => missing === null);

/** The others, with the image that is missing. */
export const missing = all.filter((row) => row.missing !== null);
