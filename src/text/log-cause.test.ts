import { expect, test } from 'vitest';
import { findCause, quoteCause } from './log-cause.ts';

const PAIR = 'nginx-fpm: php-fpm has ended, so the container ends, too\n';

/** Lines in a frame, as Symfony's console prints an error. */
function frame(...lines: string[]): string {
  const width = Math.max(...lines.map((line) => line.length));
  return ['', ...lines, ''].map((line) => `  ${line.padEnd(width)}  \n`).join('');
}

test.each([
  [
    'nginx: [emerg] unknown directive "liste" in /tmp/php-runtime-bench/server.conf:2\nnginx-fpm: nginx has ended, so the container ends, too\n',
    'nginx stopped: nginx: [emerg] unknown directive "liste" in /tmp/php-runtime-bench/server.conf:2',
  ],
  [
    `[22-Nov-2026 10:00:00] ERROR: [pool www] please specify user and group other than root\n[22-Nov-2026 10:00:00] ERROR: FPM initialization failed\n${PAIR}`,
    'php-fpm stopped: [22-Nov-2026 10:00:00] ERROR: [pool www] please specify user and group other than root',
  ],
  [
    `serve: line 30: 12 Segmentation fault php-fpm\n${PAIR}`,
    'php-fpm stopped: serve: line 30: 12 Segmentation fault php-fpm',
  ],
  [PAIR, 'php-fpm has ended'],
  [
    'an error of before\nready\n\nPHP Fatal error:  Uncaught Error: x in /app/a.php:3\nStack trace:\n#0 {main}\n  thrown in /app/a.php on line 3\n',
    'PHP Fatal error:  Uncaught Error: x in /app/a.php:3',
  ],
  ['starting\nthere is nothing to serve\n', 'there is nothing to serve'],
  // A frame of Symfony's console, 80 characters wide: cut in a word, and where a word ends.
  [
    `In CurlDownloader.php line 407:\n${frame(
      'curl error 6 while downloading https://repo.nowhere-example.invalid/package',
      's.json: Could not resolve host: repo.nowhere-example.invalid',
    )}\ninstall [--prefer-source] [--prefer-dist]\n\n`,
    'curl error 6 while downloading https://repo.nowhere-example.invalid/packages.json: Could not resolve host: repo.nowhere-example.invalid',
  ],
  [
    frame('the file does not exist, is not readable, or has an unknown format: choose ', 'another one'),
    'the file does not exist, is not readable, or has an unknown format: choose another one',
  ],
  [
    'ready\npthread_mutex_lock(): Invalid argument[Sun Nov 22] AH00052: child pid 32 exit signal Abort (6)\nAH00169: caught SIGTERM, shutting down\n',
    'AH00169: caught SIGTERM, shutting down',
  ],
  ['', ''],
])('%j', (log, cause) => {
  expect(findCause(log)).toBe(cause);
});

test('a long line is cut, and an empty log is one', () => {
  expect(findCause(`error: ${'x'.repeat(1000)}`)).toHaveLength(300);
  expect(quoteCause(' \n')).toBe('; its log is empty');
  expect(quoteCause('no such file\n')).toBe('; its log: no such file');
});
