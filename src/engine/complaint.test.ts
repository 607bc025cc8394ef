import { expect, test } from 'vitest';
import { dropOwn, findComplaint, readPrinted } from './complaint.ts';

const UNDEFINED = 'Uncaught Error: Call to undefined function mysqli_connect() in /app/index.php:3';

test('requests with which the tool waits for the start are no part of a log', () => {
  const own =
    '2026/11/28 [crit] 61#61: *1 connect() to unix:/tmp/php-runtime-bench/fpm.sock failed (2: No such file or directory) while connecting to upstream, request: "GET /.php-runtime-bench/facts HTTP/1.1"\n';
  const other = '2026/11/28 [crit] 61#61: *2 connect() failed, request: "GET /install.php HTTP/1.1"\n';
  expect(dropOwn(`${own}${own}${other}`)).toBe(other);
  expect(dropOwn('')).toBe('');
});

test.each([
  [
    'Apache with mod_php',
    `[Sat Nov 21 10:00:00.1 2026] [php:error] [pid 9] [client 127.0.0.1:4] PHP Fatal error:  ${UNDEFINED}\\nStack trace:\\n#0 {main}\\n  thrown in /app/index.php on line 3\n`,
    UNDEFINED,
  ],
  [
    'nginx before php-fpm',
    `2026/11/21 10:00:00 [error] 9#9: *1 FastCGI sent in stderr: "PHP message: PHP Fatal error:  ${UNDEFINED}\nStack trace:\n#0 {main}\n  thrown in /app/index.php on line 3" while reading response header from upstream, client: 127.0.0.1\n`,
    UNDEFINED,
  ],
  [
    'the same in one line',
    '2026/11/21 [error] "PHP message: PHP Parse error:  syntax error, unexpected end of file in /app/a.php on line 2" while reading upstream',
    'syntax error, unexpected end of file in /app/a.php on line 2',
  ],
  [
    'the first of several in one line',
    '2026/11/21 [error] "PHP message: Fatal error: Constant E_STRICT is deprecated; PHP message: [index.php:12] require(); PHP message: PHP Deprecated: old" while reading upstream',
    'Constant E_STRICT is deprecated',
  ],
  [
    'FrankenPHP',
    `{"level":"error","ts":1,"msg":"PHP Fatal error:  ${UNDEFINED}\\nStack trace:\\n#0 {main}","syslog_level":"notice"}`,
    UNDEFINED,
  ],
  ['a worker that keeps the app in memory', `PHP ${UNDEFINED}\nStack trace:\n#0 {main}\n`, UNDEFINED],
  [
    "Laravel's own log, the last of its errors",
    '[2026-11-20 10:00:00] local.ERROR: of yesterday {"exception":"x"}\n#0 a\n[2026-11-21 10:00:00] production.ERROR: No application encryption key has been specified. {"exception":"[object] (Illuminate\\\\Encryption\\\\MissingAppKeyException(code: 0)\n[stacktrace]\n#0 /app/x.php(1)\n"}\n',
    'No application encryption key has been specified.',
  ],
  [
    'Symfony with Monolog',
    '{"message":"Uncaught PHP Exception Doctrine\\\\DBAL\\\\DriverException: \\"could not find driver\\" at Driver.php line 30","context":{},"level":500,"level_name":"CRITICAL"}',
    'Uncaught PHP Exception Doctrine\\DBAL\\DriverException: "could not find driver" at Driver.php line 30',
  ],
  [
    'an exception that the app caught and logged, on Apache',
    '[Fri Nov 27 17:13:49 2026] [php:notice] [pid 3] [client 127.0.0.1:3] Kirby\\\\Exception\\\\NotFoundException: No page in /app/site/home.php:2\\nStack trace:\\n#0 /app/index.php(5): App->render()\\n#1 {main}\n',
    'Kirby\\\\Exception\\\\NotFoundException: No page in /app/site/home.php:2',
  ],
  [
    'the same before php-fpm',
    '2026/11/27 [error] 6#6: *1 FastCGI sent in stderr: "PHP message: ParseError: unexpected token "<" in /app/a.php:2\nStack trace:\n#0 /app/F.php(393): b()\n#1 {main}" while reading\n',
    'ParseError: unexpected token "<" in /app/a.php:2',
  ],
  [
    'a message with quotes and commas',
    '[php:error] PHP Parse error:  syntax error, unexpected token "echo", expecting "," or ";" in /app/index.php on line 3\n',
    'syntax error, unexpected token "echo", expecting "," or ";" in /app/index.php on line 3',
  ],
  [
    'the same as JSON',
    JSON.stringify({
      msg: 'PHP Parse error:  syntax error, unexpected token "echo", expecting "," or ";" in /app/a.php on line 3',
      logger: 'frankenphp',
    }),
    'syntax error, unexpected token "echo", expecting "," or ";" in /app/a.php on line 3',
  ],
  [
    'a long one keeps file and line',
    `PHP Fatal error:  Uncaught Error: ${'x'.repeat(900)} in /app/index.php:77\n`,
    `Uncaught Error: ${'x'.repeat(164)}…${'x'.repeat(99)} in /app/index.php:77`,
  ],
  [
    'notices are none',
    '[php:notice] PHP Deprecated:  old\nproduction.WARNING: slow\nAH00558: apache2\nError: retry 2\nTypeError: x at app.js:3\n',
    null,
  ],
  ['an endless one is cut', `production.ERROR: ${'x'.repeat(9999)}`, `${'x'.repeat(180)}…${'x'.repeat(120)}`],
])('the complaint in a log: %s', (_, log, complaint) => {
  expect(findComplaint(log)).toBe(complaint);
});

test.each([
  [
    'of a page its text',
    '<!DOCTYPE html>\n<html><head><title>Oops</title><style>p { color: red }</style></head>\n<body><p>Error establishing a database connection</p></body>\n</html>\n',
    'Oops Error establishing a database connection',
  ],
  [
    'of a page its errors, without the menu and the form around them',
    `<!doctype html>\n<title>Installer</title><ul><li>Guide</li></ul><p>All fields are required.</p>
     <p class="message error"><strong>Error installing the app.</strong></p>
     <label>Name <b class="error">&nbsp;</b></label> <label>User: <b id='user-error'>Bad&nbsp;username</b></label>`,
    'Error installing the app. Bad username',
  ],
  [
    'of errors as PHP shows them file and line',
    '<br />\n<b>Fatal error</b>:  Uncaught Error: no in <b>/app/a.php</b>:3\n<br />',
    'Uncaught Error: no in /app/a.php :3',
  ],
  ['of other text its last line', 'creating tables\nno such host\n', 'no such host'],
  ['of nothing nothing', '', null],
  [
    'a list',
    'Checking\nFreshRSS failed requirements:\n• gmp\n • pdo-pgsql\n',
    'FreshRSS failed requirements: • gmp • pdo-pgsql',
  ],
  [
    'a message of libpq over two lines, with its first',
    'install…\nSQLSTATE[08006] [7] connection to server at "127.0.0.1", port 5432 failed: Connection refused\n\tIs the server running on that host and accepting TCP/IP connections?\n',
    'SQLSTATE[08006] [7] connection to server at "127.0.0.1", port 5432 failed: Connection refused Is the server running on that host and accepting TCP/IP connections?',
  ],
  [
    'an error before warnings of PHP, which the error stream repeats',
    '[OK]\tConnected\n\nWarning: Undefined array key "db" in /app/setup.php on line 3\n[ERROR]\tDatabase does not exist\n\n\nPHP Warning:  Undefined array key "db" in /app/setup.php on line 3\n',
    '[ERROR]\tDatabase does not exist',
  ],
  [
    'a warning of PHP with no error before it',
    'installing\nPHP Warning:  file_put_contents(/app/a): Failed to open stream: Permission denied in /app/b.php on line 3\n',
    'PHP Warning:  file_put_contents(/app/a): Failed to open stream: Permission denied in /app/b.php on line 3',
  ],
  [
    'a warning of PHP far behind a line that reads like an error',
    `locale not found, using en\n${'step done\n'.repeat(20)}PHP Warning:  mkdir(): Permission denied in /app/b.php on line 3\n`,
    'PHP Warning:  mkdir(): Permission denied in /app/b.php on line 3',
  ],
  [
    'PHP that ends within a script of a page',
    '<html><h1>Setup</h1><script>let a =\nPHP Fatal error:  Uncaught Error: no table in /app/a.php:3\n',
    'Uncaught Error: no table in /app/a.php:3',
  ],
  [
    'of several pages the last one, and the error of curl behind it',
    '<html><title>Setup</title><h1>Welcome</h1></html>\n<html><title>Setup</title><h1>Create user</h1></html>\n\ncurl: (22) The requested URL returned error: 500\n',
    'curl: (22) The requested URL returned error: 500: Setup Create user',
  ],
  [
    'an error that curl got as a page',
    '<html><title>Setup</title></html><!DOCTYPE html>\n<html><body><p>No table</p></body></html>\ncurl: (22) The requested URL returned error: 500\n',
    'curl: (22) The requested URL returned error: 500: No table',
  ],
  ['a long page with a mark that it was cut', `<html>${'x'.repeat(250)}</html>`, `${'x'.repeat(200)}…`],
  [
    'a statement over several lines that MariaDB refuses',
    "--------------\nCREATE TABEL a (\n  b int\n)\n--------------\n\nERROR 1064 (42000) at line 33: You have an error in your SQL syntax; use near 'TABEL a (\n  b int\n)' at line 1\n",
    "ERROR 1064 (42000) at line 33: You have an error in your SQL syntax; use near 'TABEL a (",
  ],
  [
    'a statement that PostgreSQL refuses',
    'psql:a.sql:2: ERROR:  syntax error at or near "TABEL"\nLINE 1: CREATE TABEL a (\n               ^\n',
    'psql:a.sql:2: ERROR:  syntax error at or near "TABEL"',
  ],
])('what a command says: %s', (_, output, complaint) => {
  expect(readPrinted(output).complaint).toBe(complaint);
});
