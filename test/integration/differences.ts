/**
 * Differences from php-fpm if the app stays in memory: the table in docs/runtimes.md is made of this. On every runtime,
 * longlived-ends.test.ts checks the rows on process ends, and longlived-differs.test.ts the others. worker.test.ts also
 * checks the effects of worker.php alone.
 */

const COLUMNS = [
  'nginx-fpm',
  'workerman',
  'reactphp',
  'php-pm',
  'swoole',
  'roadrunner',
  'frankenphp',
  'octane-swoole',
  'octane-roadrunner',
  'octane-frankenphp',
] as const;
export type Column = (typeof COLUMNS)[number];

type Cells = Readonly<Record<Column, string>>;

/** The same on all that keep the app in memory, except for those that are named. */
const fpm = (text: string, others: string, named: Partial<Cells> = {}): Cells => ({
  'nginx-fpm': text,
  ...{
    workerman: others,
    reactphp: others,
    'php-pm': others,
    swoole: others,
    roadrunner: others,
    frankenphp: others,
    'octane-swoole': others,
    'octane-roadrunner': others,
    'octane-frankenphp': others,
  },
  ...named,
});

/** No image that shows it was available. */
export const UNSEEN = 'not tested';

/** The same on Octane's servers, except for FrankenPHP if it is named. */
const octane = (text: string, frankenphp = text) => ({
  'octane-swoole': text,
  'octane-roadrunner': text,
  'octane-frankenphp': frankenphp,
});

export const DIFFERENCES = {
  exit: {
    about: 'The app calls `exit`',
    cells: fpm('200', 'no answer', {
      ...{ 'php-pm': '502', swoole: '500', roadrunner: '500', frankenphp: '200' },
      ...octane('500', '200'),
    }),
  },
  print: {
    about: 'Output after the app has closed all buffers²',
    cells: fpm('sent', 'ends the process', {
      frankenphp: 'sent',
      'octane-swoole': 'not sent',
      'octane-frankenphp': 'not sent',
    }),
  },
  shutdown: {
    about: '`register_shutdown_function()` runs',
    cells: fpm('after the response', 'when the process ends'),
  },
  exception: { about: 'The app throws', cells: fpm('500', '500') },
  warning: { about: 'A PHP warning⁴', cells: fpm('200', '200', octane('500')) },
  left: {
    about: 'Kept for the next request¹',
    cells: fpm('nothing', 'all'),
  },
  cwd: {
    about: 'Working directory',
    cells: fpm('document root', '`/app`', { 'octane-frankenphp': 'document root' }),
  },
  'body 1 MB': { about: 'A form of 1 MB', cells: fpm('200, whole', '200, whole') },
  'body 7 MB': { about: 'A form of 7 MB', cells: fpm('200, whole', '200, whole') },
  'body 9 MB': {
    about: 'A form of 9 MB (`post_max_size` is 8 MB)',
    cells: fpm('413', '200, empty', {
      workerman: '200, whole',
      swoole: '413',
      roadrunner: '413',
      frankenphp: '200, whole',
      'octane-swoole': '200, whole',
      'octane-roadrunner': '413',
      'octane-frankenphp': '413',
    }),
  },
  'field name': {
    about: 'A form field `a.b` is³',
    cells: fpm('`a_b`', '`a_b`', { roadrunner: '`a.b`', 'octane-roadrunner': '`a.b`' }),
  },
  'upload 3 MB': {
    about: 'A file of 3 MB (`upload_max_filesize` is 2 MB)',
    cells: fpm('refused', 'taken', {
      reactphp: 'refused',
      'php-pm': 'refused',
      frankenphp: 'refused',
      'octane-frankenphp': 'refused',
    }),
  },
  uploaded: {
    about: '`is_uploaded_file()`, `move_uploaded_file()`',
    cells: fpm('true', 'false', {
      swoole: 'true',
      frankenphp: 'true',
      'octane-swoole': 'true',
      'octane-frankenphp': 'true',
    }),
  },
  input: {
    about: '`php://input`',
    cells: fpm('the body', 'empty', { frankenphp: 'the body', 'octane-frankenphp': 'the body' }),
  },
  headers: {
    about: '`header()` and `setcookie()`',
    cells: fpm('sent', 'dropped', { 'php-pm': 'sent', frankenphp: 'sent', 'octane-frankenphp': 'sent' }),
  },
  'session cookie': {
    about: 'Cookie of a new session⁵',
    cells: fpm('sent', 'sent', octane('not sent', 'sent')),
  },
  'session again': { about: 'Cookie of a known session', cells: fpm('not sent', 'not sent') },
  'session destroyed': { about: 'Cookie after `session_destroy()`', cells: fpm('not sent', 'not sent') },
  'session cache': {
    about: 'Cache headers of a session',
    cells: fpm('sent', 'dropped', { 'php-pm': 'sent', frankenphp: 'sent', 'octane-frankenphp': 'sent' }),
  },
  'repeated header': {
    about: 'A repeated header is joined with',
    cells: fpm('`, `', '`, `', { workerman: '`,`', ...octane('nothing', '`, `') }),
  },
  'server port': { about: '`SERVER_PORT` is a', cells: fpm('string', 'string', octane('int', 'string')) },
  credentials: { about: '`PHP_AUTH_USER`', cells: fpm('set', 'set') },
  'stop kept': {
    about: 'When it is stopped, a request that waits on a kept connection',
    cells: fpm('answered', 'answered', { 'php-pm': 'dropped', 'octane-frankenphp': UNSEEN }),
  },
  'stop new': {
    about: 'When it is stopped, a request on a connection not yet accepted',
    cells: fpm('answered', 'answered', { 'php-pm': 'dropped', 'octane-frankenphp': UNSEEN }),
  },
  'max-requests': {
    about: 'Requests lost when `max-requests` replaces a process',
    cells: fpm('0', '0', { 'octane-frankenphp': UNSEEN }),
  },
} as const satisfies Record<string, { about: string; cells: Cells }>;

/** State that the test app leaves behind, as its /state names it. */
export const LEFT = [
  ...['global variables', 'static variables', '`putenv`', '`ini_set`', 'time zone', 'working directory'],
  ...['locale', 'mbstring’s encoding', '`error_reporting`', '`umask`'],
];

/** Rows that only the end of a process shows. */
export type End = 'stop kept' | 'stop new' | 'max-requests';

/** The table and its note, as Markdown. */
export function renderDifferences(): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rows = Object.values(DIFFERENCES).map(({ about, cells }) =>
    line([about, ...COLUMNS.map((column) => cells[column])]),
  );
  return [
    line(['', ...COLUMNS]),
    line(['---', ...COLUMNS.map(() => '---')]),
    ...rows,
    '',
    `¹ ${LEFT.join(', ')}.`,
    '',
    '² For example with `while (ob_get_level()) ob_end_clean();`. The loop itself does no harm. The log names the cause.',
    '',
    '³ RoadRunner parses forms itself. It drops spaces in names, does not keep the order of fields, and loses `a[][b]`.',
    'It answers `a[b]=1&a=2` with 500. `full_path` of an uploaded file has no folders.',
    'The raw body of a form is built again from its fields, so signatures do not match.',
    '',
    '⁴ Laravel turns a warning into an exception, also on php-fpm.',
    '',
    '⁵ A session of `session_start()`. Laravel has sessions of its own, which no row is about.',
  ].join('\n');
}
