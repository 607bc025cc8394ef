import { expect, test } from 'vitest';
import { findCause, quoteCause } from './log-cause.ts';

const PAIR = 'nginx-fpm: php-fpm has ended, so the container ends, too\n';

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
