<?php

declare(strict_types=1);

/**
 * Asks php-cgi for a page, or counts its instructions with callgrind. Called with one argument, JSON:
 *
 *     {"path": "/?a=1", "host": "app.test", "headers": {"Accept": "text/html"}, "agent": "k6",
 *      "requests": 0, "seconds": 60, "pad": 0}
 *
 * `requests` 0: the answer, as JSON on standard output. Else php-cgi makes so many requests in one process. Files of
 * callgrind begin when a request begins: the second file is the first request's, the last one has the end of the
 * process in it.
 * `pad`: length of a variable in the environment, which moves what PHP keeps in memory.
 */

const FOLDER = '/tmp/php-runtime-bench/count';
/** The parts of all answers that one process prints. */
const MOST_BYTES = 64 << 20;

$asked = json_decode($argv[1], true, 4, JSON_THROW_ON_ERROR);
[$environment, $problem] = describe_request($asked);
if ($problem !== null) {
    answer(['problem' => $problem]);
}
$requests = $asked['requests'];
array_map('unlink', glob(FOLDER . '/*') ?: []);
$settings = [
    // Under callgrind a request takes fifty times as long.
    'max_execution_time' => '0',
    'max_input_time' => '-1',
    'opcache.jit' => 'disable',
    'opcache.file_cache' => '',
    'realpath_cache_ttl' => '86400',
    // PHP clears old sessions in a request drawn at random.
    'session.gc_probability' => '0',
];
$command = ['php-cgi'];
foreach ($settings as $name => $value) {
    array_push($command, '-d', "$name=$value");
}
if ($requests > 0) {
    $command = [
        'valgrind', '--tool=callgrind', '--callgrind-out-file=' . FOLDER . '/out', '--log-file=' . FOLDER . '/log',
        '--dump-line=no', '--dump-before=php_request_startup', ...$command, '-T', (string) $requests,
    ];
}
[$code, $printed, $said] = run(['timeout', '--kill-after=5', (string) $asked['seconds'], ...$command], $environment);
if ($code === 124 || $code === 137) {
    answer(['problem' => "it took longer than $asked[seconds] s"]);
}
if ($requests === 0) {
    answer(read_answer($printed) + ['code' => $code, 'said' => substr($said, -2000)]);
}
$parts = glob(FOLDER . '/out.*') ?: [];
natsort($parts);
answer([
    'parts' => array_values($parts),
    'bytes' => strlen($printed),
    'statuses' => read_statuses($printed),
    'code' => $code,
    'said' => substr($said . @file_get_contents(FOLDER . '/log'), -2000),
]);

function answer(array $found): never
{
    echo json_encode($found, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
    exit;
}

/**
 * Parameters that nginx passes to php-fpm for a request, as in runtimes/nginx-fpm; or why PHP would not answer it.
 *
 * @return array{array<string, string>, ?string}
 */
function describe_request(array $asked): array
{
    [$path, $query] = explode('?', $asked['path'], 2) + [1 => ''];
    $path = rawurldecode($path);
    $root = rtrim('/app/' . (getenv('DOCROOT') ?: 'public'), '/.');
    [$script, $info, $problem] = find_script($root, $path);
    if ($problem !== null) {
        return [[], $problem];
    }
    $port = preg_match('/:([0-9]+)$/', $asked['host'], $match) ? $match[1] : '80';
    $own = array_diff_key(getenv(), ['ARGV' => 0, 'PORT' => 0, 'DOCROOT' => 0, 'BENCH_FACTS' => 0, 'BENCH_RUNTIME' => 0]);
    return [
        [
            ...$own,
            'SCRIPT_FILENAME' => $root . $script,
            'SCRIPT_NAME' => $script,
            'QUERY_STRING' => $query,
            'REQUEST_METHOD' => 'GET',
            'REQUEST_URI' => $asked['path'],
            'DOCUMENT_URI' => $script,
            'DOCUMENT_ROOT' => $root,
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'REQUEST_SCHEME' => 'http',
            'GATEWAY_INTERFACE' => 'CGI/1.1',
            'SERVER_SOFTWARE' => 'nginx/1.26.3',
            'REMOTE_ADDR' => '127.0.0.1',
            'REMOTE_PORT' => '40000',
            'SERVER_ADDR' => '127.0.0.1',
            'SERVER_PORT' => $port,
            'SERVER_NAME' => preg_replace('/:[0-9]+$/', '', $asked['host']),
            'REDIRECT_STATUS' => '200',
            'HTTP_HOST' => $asked['host'],
            'HTTP_USER_AGENT' => $asked['agent'],
            'HTTP_ACCEPT_ENCODING' => 'gzip',
            ...header_variables($asked['headers'] ?? []),
            ...($info === '' ? [] : ['PATH_INFO' => $info]),
            ...($asked['pad'] > 0 ? ['BENCH_PAD' => str_repeat('x', $asked['pad'])] : []),
        ],
        null,
    ];
}

/**
 * Headers as nginx passes them: names with other characters than letters, digits and hyphens are dropped.
 *
 * @return array<string, string>
 */
function header_variables(array $headers): array
{
    $variables = [];
    foreach ($headers as $name => $value) {
        if (preg_match('/^[A-Za-z0-9-]+$/D', (string) $name)) {
            $variables['HTTP_' . strtoupper(strtr((string) $name, '-', '_'))] = $value;
        }
    }
    return $variables + (isset($headers['Content-Type']) ? ['CONTENT_TYPE' => $headers['Content-Type']] : []);
}

/** @return array{string, string, ?string} the script, the path behind its name, why there is none */
function find_script(string $root, string $path): array
{
    if (str_contains("$path/", '/../') || str_contains($path, "\0")) {
        return ['', '', 'a path with .. in it'];
    }
    if (preg_match('~^(.+?\.php)(/.*)?$~s', $path, $match)) {
        return is_file($root . $match[1]) ? [$match[1], $match[2] ?? '', null] : ['', '', "there is no file $match[1]"];
    }
    if (is_file($root . $path)) {
        return ['', '', 'a file that the web server sends without PHP'];
    }
    if (is_dir($root . $path)) {
        if (!str_ends_with($path, '/')) {
            return ['', '', 'the web server redirects to the folder'];
        }
        if (is_file("$root{$path}index.php")) {
            return ["{$path}index.php", '', null];
        }
        if (is_file("$root{$path}index.html")) {
            return ['', '', 'a file that the web server sends without PHP'];
        }
    }
    return is_file("$root/index.php") ? ['/index.php', '', null] : ['', '', 'the app has no index.php'];
}

/** @return array{int, string, string} exit code, standard output, standard error; both cut */
function run(array $command, array $environment): array
{
    $said = tmpfile();
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], $said], $pipes, '/app', $environment);
    if ($process === false) {
        return [127, '', 'it could not be started'];
    }
    $printed = (string) stream_get_contents($pipes[1], MOST_BYTES);
    // The rest is read and dropped, or php-cgi would wait.
    while (!feof($pipes[1]) && fread($pipes[1], 1 << 16) !== false);
    $code = proc_close($process);
    rewind($said);
    return [$code, $printed, (string) stream_get_contents($said, 1 << 20)];
}

function read_answer(string $printed): array
{
    [$head, $body] = preg_split('/\r?\n\r?\n/', $printed, 2) + [1 => ''];
    $headers = [];
    foreach (preg_split('/\r?\n/', $head) as $line) {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $headers[strtolower($name)] ??= trim($value);
    }
    if (($headers['content-encoding'] ?? '') === 'gzip') {
        $body = (string) @gzdecode($body, MOST_BYTES);
    }
    return [
        'status' => (int) ($headers['status'] ?? ($printed === '' ? 0 : 200)),
        'type' => $headers['content-type'] ?? '',
        'location' => $headers['location'] ?? '',
        'bytes' => strlen($body),
        'sent' => strlen($printed),
        'body' => substr($body, 0, 1 << 18),
    ];
}

/** Statuses that php-cgi printed; it does not print 200. */
function read_statuses(string $printed): array
{
    preg_match_all('/Status: ([1-5][0-9]{2})[^\r\n]{0,80}\r\n(?:[^\s:]+:[^\r\n]*\r\n)*+\r\n/', $printed, $matches);
    return array_map('intval', $matches[1]);
}
