<?php

declare(strict_types=1);

// Swoole's HTTP server, with the app in each of its workers. `serve` has checked the environment.

use Swoole\Http\Request;
use Swoole\Http\Response;
use Swoole\Http\Server;

require __DIR__ . '/vendor/autoload.php';
require __DIR__ . '/worker.php';

const COMPRESSED = [
    ...['text/html', 'text/plain', 'text/css', 'text/xml', 'text/javascript', 'application/javascript'],
    ...['application/json', 'application/xml', 'image/svg+xml'],
];
/** Swoole compares the whole header with each type. */
const CHARSETS = ['', '; charset=UTF-8', '; charset=utf-8', ';charset=UTF-8', ';charset=utf-8'];

function compression(): array
{
    $forms = static fn (string $type): array => array_map(static fn (string $charset): string => $type . $charset, CHARSETS);
    return [
        'http_compression_level' => 6,
        'http_compression_min_length' => 1,
        'http_compression_types' => array_merge(...array_map($forms, COMPRESSED)),
    ];
}

/** A file of the document root that may be given to anyone, or null. */
function find_file(string $root, Request $request): ?string
{
    $path = rawurldecode($request->server['request_uri']);
    // Neither PHP's source nor secrets such as .env.
    if (str_ends_with($path, '/') || preg_match('~\.php$|^/\.(?!well-known/)|./\.|/\.\.(/|$)|\0~is', $path)) {
        return null;
    }
    return is_file($root . $path) ? $root . $path : null;
}

/** The request as worker.php has it. */
function translate(Request $request): array
{
    $server = $request->server;
    $query = $server['query_string'] ?? '';
    return PhpRuntimeBench\request(
        $server['request_method'],
        $server['request_uri'] . ($query === '' ? '' : "?$query"),
        $request->header ?? [],
        (string) $request->getContent(),
        $request->post ?? [],
        $request->files ?? [],
        [
            'REMOTE_ADDR' => $server['remote_addr'],
            'REMOTE_PORT' => (string) $server['remote_port'],
            'SERVER_PROTOCOL' => $server['server_protocol'],
        ],
    );
}

/** Swoole would send a body to HEAD, too. It compresses or not and sends no chunks, which the app cannot know. */
function send(array $answer, Request $request, Response $response): void
{
    $response->status($answer['status']);
    foreach ($answer['headers'] as $name => $values) {
        if (!in_array(strtolower((string) $name), ['content-length', 'transfer-encoding'], true)) {
            $response->header($name, count($values) === 1 ? $values[0] : $values, false);
        }
    }
    if ($request->server['request_method'] === 'HEAD') {
        $response->header('Content-Length', (string) strlen($answer['body']));
        $response->end();
    } else {
        $response->end($answer['body']);
    }
}

function send_file(string $file, Request $request, Response $response): void
{
    if ($request->server['request_method'] === 'HEAD') {
        $response->header('Content-Type', swoole_mime_type_get($file));
        $response->header('Content-Length', (string) filesize($file));
        $response->end();
    } else {
        $response->sendfile($file);
    }
}

/** The fields of Apache's log. */
function log_line(Request $request, int $status, int $bytes): void
{
    $server = $request->server;
    $uri = $server['request_uri'] . (isset($server['query_string']) ? "?$server[query_string]" : '');
    $line = sprintf('"%s %s %s" %d %d', $server['request_method'], $uri, $server['server_protocol'], $status, $bytes);
    fwrite(STDERR, "$server[remote_addr] - - [" . date('d/M/Y:H:i:s O') . "] $line\n");
}

$root = '/app/' . getenv('DOCROOT');
$coroutines = getenv('COROUTINES') === 'true';
$base = getenv('MODE') === 'base';
$alone = $base && getenv('WORKERS') === '1';
$gzip = getenv('GZIP') === 'true';
$logs = getenv('ACCESS_LOG') === 'true';
$app = null;
$failed = new Swoole\Atomic(0);
/** @var array<int, Response> $open responses not yet sent */
$open = [];

putenv('BENCH_SERVER=swoole/' . swoole_version());
$server = new Server('0.0.0.0', (int) getenv('PORT'), $base ? SWOOLE_BASE : SWOOLE_PROCESS);
$server->set([
    'worker_num' => (int) getenv('WORKERS'),
    // Threads that hold the connections, in mode `process`.
    'reactor_num' => (int) getenv('CPUS'),
    // To a worker that is idle: else a connection belongs to one, and waits for it while others have nothing to do.
    'dispatch_mode' => SWOOLE_DISPATCH_IDLE_WORKER,
    // Without a limit, one worker alone in mode `base` would have no manager to replace it.
    'max_request' => (int) getenv('MAX_REQUESTS') ?: ($alone ? 1_000_000_000 : 0),
    'max_wait_time' => 9,
    'backlog' => 4096,
    // Always: with it off, a worker lives on after a fatal error and answers all with 503. Waits without a hook
    // block, so a worker still has one request at a time.
    'enable_coroutine' => true,
    'hook_flags' => $coroutines ? SWOOLE_HOOK_ALL : 0,
    'send_yield' => false,
    'http_compression' => $gzip,
    // A list of types would turn it on.
    ...($gzip ? compression() : []),
    'http_parse_cookie' => false,
    'package_max_length' => 8 << 20,
    'log_level' => SWOOLE_LOG_WARNING,
    'log_file' => '/dev/stderr',
]);

$server->on('start', static fn () => cli_set_process_title('swoole: master'));
// In mode `process` a shutdown closes the connections, those that wait for their answer, too.
$server->on('beforeShutdown', static function (Server $server): void {
    for ($tries = 0; $server->stats()['concurrency'] > 0 && $tries < 900; $tries++) {
        usleep(10_000);
    }
    // Until the threads have passed on what the workers gave them.
    usleep(50_000);
});
$server->on('managerStart', static fn () => cli_set_process_title('swoole: manager'));
$server->on('workerStart', static function (Server $server) use (&$app, &$open, $failed): void {
    cli_set_process_title('swoole: worker');
    try {
        $app = PhpRuntimeBench\load_app();
    } catch (Throwable $error) {
        // The same in all workers: the first one prints it.
        if ($failed->add() === 1) {
            error_log("swoole: the app cannot be loaded: $error");
        }
        // The manager may not listen yet.
        Swoole\Timer::after(200, static fn () => $server->shutdown());
        return;
    }
    // A fatal error, such as too little memory, ends the process; its client would wait for ever.
    register_shutdown_function(static function () use (&$open): void {
        foreach ($open as $response) {
            $response->status(500);
            $response->end();
        }
    });
});
$server->on('request', static function (Request $request, Response $response) use (&$app, &$open, $root, $logs): void {
    $file = find_file($root, $request);
    if ($file !== null) {
        send_file($file, $request, $response);
        $logs && log_line($request, 200, (int) filesize($file));
        return;
    }
    $open[$request->fd] = $response;
    $app(translate($request), static function (array $answer) use ($request, $response, &$open, $logs): void {
        unset($open[$request->fd]);
        send($answer, $request, $response);
        $logs && log_line($request, $answer['status'], strlen($answer['body']));
    });
});
$server->start();
exit($failed->get() > 0 ? 70 : 0);
