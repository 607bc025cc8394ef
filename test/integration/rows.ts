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
  /** It runs PHP in threads, and `worker` is the name of one. */
  threads?: boolean;
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
  /** The status where PHP ends out of memory; 0 is no answer, undefined is 500. */
  outOfMemory?: number;
}

const APACHE_LINE = /"GET \/json\?n=1 HTTP\/1\.[01]" 200/;

/** Settings that the PHP CLI sets itself. */
const CLI_INI = ['output_buffering', 'max_execution_time'];

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
  {
    ...{ runtime: 'unit', php: ['8.4'], sapi: 'cli-server', server: /^unit\/1\.\d+\.\d+$/, files: true },
    // `docker top` cannot separate processes of Unit, except for their titles.
    ...{ worker: /^unit: "php" application/, logLine: APACHE_LINE, ownExtensions: ['pcntl', 'unit'] },
    bad: [
      ['PM', 'ondemand', /one of static, dynamic/],
      ['SPARE', 'x', /integer from 0 to 4096/],
      ['IDLE_TIMEOUT', '5', /duration such as/],
    ],
  },
  {
    ...{ runtime: 'swoole', php: ['8.4'], sapi: 'cli', server: /^swoole\/6\.\d+\.\d+$/, files: false },
    ...{ worker: /^swoole: worker/, logLine: APACHE_LINE, ownIni: CLI_INI },
    ownExtensions: ['mysqlnd', 'pcntl', 'pdo_mysql', 'redis', 'sockets', 'swoole'],
    bad: [
      ['MODE', 'thread', /one of base, process/],
      ['COROUTINES', '1', /one of true, false/],
      ['REBOOT', '1', /one of true, false/],
    ],
  },
  {
    ...{ runtime: 'reactphp', php: ['8.4'], sapi: 'cli', server: /^react-http\/1\.\d+\.\d+$/, files: false },
    ...{ worker: /\/server\.php$/, logLine: APACHE_LINE, ownIni: CLI_INI, ownExtensions: ['ev', 'pcntl'] },
    ...{ outOfMemory: 0, bad: [['REBOOT', '1', /one of true, false/]] },
  },
  {
    ...{ runtime: 'workerman', php: ['8.4'], sapi: 'cli', server: /^workerman\/5\.\d+\.\d+$/, files: false },
    ...{ worker: /^WorkerMan: worker/, logLine: APACHE_LINE, ownIni: CLI_INI },
    ownExtensions: ['event', 'pcntl'],
    ...{ outOfMemory: 0, bad: [['REBOOT', '1', /one of true, false/]] },
  },
  {
    ...{ runtime: 'php-pm', php: ['8.4'], sapi: 'cgi-fcgi', server: /^php-pm\/2\.\d+\.\d+$/, files: false },
    ...{
      worker: /\/php-cgi -C /,
      logLine: /"GET \/json HTTP\/1\.1" 200/,
      ownIni: CLI_INI,
      ownExtensions: ['pcntl'],
    },
    outOfMemory: 502,
  },
  {
    ...{
      runtime: 'roadrunner',
      php: ['8.4'],
      sapi: 'cli',
      server: /^roadrunner\/2025\.1\.\d+$/,
      files: false,
    },
    ...{
      worker: /^php .*\/roadrunner\.php$/,
      ownIni: CLI_INI,
      ownExtensions: ['pcntl', 'protobuf', 'sockets'],
    },
    logLine: /"status": 200, "method": "GET", "URI": "\/json\?n=1"/,
    bad: [
      ['STATIC', 'on', /one of true, false/],
      ['REBOOT', '1', /one of true, false/],
    ],
  },
  {
    ...{
      runtime: 'frankenphp',
      php: ['8.4'],
      sapi: 'frankenphp',
      server: /^frankenphp\/1\.\d+\.\d+$/,
      files: true,
    },
    ...{ worker: /^php-[0-9a-f]+$/, threads: true, ownExtensions: ['frankenphp', 'mysqlnd'] },
    logLine: /"uri":"\/json\?n=1".*"status":200/,
    bad: [
      ['MODE', 'fast', /one of classic, worker/],
      ['MAX_THREADS', '-1', /integer from 0 to 4096/],
      ['STATIC', 'on', /one of true, false/],
      ['REBOOT', '1', /one of true, false/],
    ],
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

/** Those whose base images are available. */
export const rows = all.filter(({ missing }) => missing === null);

/** The others, with the image that is missing. */
export const missing = all.filter((row) => row.missing !== null);
