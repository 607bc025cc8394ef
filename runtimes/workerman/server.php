<?php

// Workerman's HTTP server, in as many processes as were asked for.

declare(strict_types=1);

use Workerman\Connection\TcpConnection;
use Workerman\Protocols\Http\Request;
use Workerman\Protocols\Http\Response;
use Workerman\Worker;

use function PhpRuntimeBench\load_app;
use function PhpRuntimeBench\request;

require __DIR__ . '/vendor/autoload.php';
require __DIR__ . '/worker.php';

const DOES_NOT_LOAD = 78;

putenv('BENCH_SERVER=workerman/' . Worker::VERSION);
$files = '/tmp/php-runtime-bench/workerman';
Worker::$pidFile = "$files.pid";
Worker::$statusFile = "$files.status";
Worker::$logFile = '/dev/null';
Worker::$outputStream = STDERR;
// How long what is in flight may take when it is stopped; its own default is 2 s.
Worker::$stopTimeout = 9;

$worker = new Worker('http://0.0.0.0:' . getenv('PORT'), ['socket' => ['backlog' => 4096]]);
$worker->count = (int) getenv('WORKERS');
$worker->onWorkerStart = static function (Worker $worker): void {
    try {
        $app = load_app();
    } catch (Throwable $error) {
        fwrite(STDERR, "workerman: {$error->getMessage()}\n");
        exit(DOES_NOT_LOAD);
    }
    $maxRequests = (int) getenv('MAX_REQUESTS');
    $count = 0;
    $worker->onMessage = static function (TcpConnection $connection, Request $message) use ($app, $maxRequests, &$count): void {
        $isForm = str_starts_with((string) $message->header('content-type'), 'multipart/form-data');
        $request = request(
            $message->method(),
            $message->uri(),
            $message->header(),
            $message->rawBody(),
            // It would take JSON for a form.
            $isForm ? $message->post() : null,
            $isForm ? $message->file() : [],
            ['REMOTE_ADDR' => $connection->getRemoteIp(), 'REMOTE_PORT' => $connection->getRemotePort()],
        );
        $isLast = ++$count === $maxRequests;
        // It leaves to its user when a connection ends.
        $wish = strtolower((string) $message->header('connection'));
        $keeps = !$isLast && ($message->protocolVersion() === '1.0' ? $wish === 'keep-alive' : $wish !== 'close');
        $app($request, static function (array $response) use ($connection, $message, $keeps): void {
            $response['headers']['Connection'] = $keeps ? 'keep-alive' : 'close';
            // It looks for these names as they are written here, and puts others beside what it does not find.
            foreach ($response['headers'] as $name => $values) {
                if (in_array(strtolower((string) $name), ['content-length', 'transfer-encoding'], true)) {
                    unset($response['headers'][$name]);
                } elseif (strcasecmp((string) $name, 'Content-Type') === 0) {
                    unset($response['headers'][$name]);
                    $response['headers']['Content-Type'] = end($values);
                }
            }
            $text = (string) new Response($response['status'], $response['headers'], $response['body']);
            if ($message->method() === 'HEAD') {
                $text = substr($text, 0, (int) strpos($text, "\r\n\r\n") + 4);
            }
            $keeps ? $connection->send($text, true) : $connection->close($text, true);
        });
        if ($isLast) {
            Worker::stopAll();
        }
    };
};

$code = 0;
Worker::$onWorkerExit = static function (Worker $worker, int $status) use (&$code): void {
    if (pcntl_wifexited($status) && pcntl_wexitstatus($status) === DOES_NOT_LOAD) {
        // Nor would it the next time.
        $code = 70;
        Worker::stopAll();
    } elseif ($status !== 0) {
        // Another takes its place, but not as fast as one can fail.
        usleep(50_000);
    }
};
Worker::$onMasterStop = static function () use (&$code): void {
    if ($code !== 0) {
        exit($code);
    }
};
Worker::runAll();
