<?php

// Workerman's HTTP server, in as many processes as were asked for.

declare(strict_types=1);

use Workerman\Connection\TcpConnection;
use Workerman\Events\Event;
use Workerman\Events\Select;
use Workerman\Protocols\Http\Request;
use Workerman\Protocols\Http\Response;
use Workerman\Timer;
use Workerman\Worker;

use function PhpRuntimeBench\has_input;
use function PhpRuntimeBench\load_app;
use function PhpRuntimeBench\request;

use const PhpRuntimeBench\DRAIN_PATIENCE;
use const PhpRuntimeBench\DRAIN_SILENCE;

require __DIR__ . '/vendor/autoload.php';
require __DIR__ . '/worker.php';
require __DIR__ . '/drain.php';

const DOES_NOT_LOAD = 78;

putenv('BENCH_SERVER=workerman/' . Worker::VERSION);
$files = '/tmp/php-runtime-bench/workerman';
Worker::$pidFile = "$files.pid";
Worker::$statusFile = "$files.status";
Worker::$logFile = '/dev/null';
Worker::$outputStream = STDERR;
Worker::$eventLoopClass = getenv('LOOP') === 'select' ? Select::class : Event::class;

$worker = new Worker('http://0.0.0.0:' . getenv('PORT'), ['socket' => ['backlog' => 4096]]);
$worker->count = (int) getenv('WORKERS');
$draining = false;
$ended = false;

/**
 * Ends this process once it has answered all that its connections ask. Workerman's own stop closes connections whose next
 * request has arrived but is not read yet.
 */
$drain = static function (Worker $worker) use (&$draining, &$ended): void {
    if ($draining) {
        return;
    }
    $draining = true;
    $worker->pauseAccept();
    $until = microtime(true) + DRAIN_PATIENCE;
    Timer::repeat(0.01, static function () use ($worker, $until, &$ended): void {
        $now = microtime(true);
        foreach ($worker->connections as $connection) {
            $waits = $connection->getRecvBufferQueueSize() > 0 || $connection->getSendBufferQueueSize() > 0;
            $isSilent = $now - $connection->context->heardAt > DRAIN_SILENCE && !$waits && !has_input($connection->getSocket());
            if ($isSilent || $now > $until) {
                $connection->close();
            }
        }
        if ($worker->connections === []) {
            $ended = true;
            Worker::stopAll();
        }
    });
};

$worker->onConnect = static function (TcpConnection $connection): void {
    $connection->context->heardAt = microtime(true);
};
$worker->onWorkerStart = static function (Worker $worker) use ($drain, &$draining): void {
    try {
        $app = load_app();
    } catch (Throwable $error) {
        fwrite(STDERR, "workerman: {$error->getMessage()}\n");
        exit(DOES_NOT_LOAD);
    }
    $maxRequests = (int) getenv('MAX_REQUESTS');
    $count = 0;
    $worker->onMessage = static function (TcpConnection $connection, Request $message) use ($app, $worker, $maxRequests, $drain, &$draining, &$count): void {
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
        if (++$count === $maxRequests) {
            $drain($worker);
        }
        // It leaves to its user when a connection ends.
        $wish = strtolower((string) $message->header('connection'));
        $keeps = !$draining && ($message->protocolVersion() === '1.0' ? $wish === 'keep-alive' : $wish !== 'close');
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
            $connection->context->heardAt = microtime(true);
        });
    };
};
// On SIGQUIT, which the image is stopped with.
$worker->onWorkerStop = static function (Worker $worker) use ($drain, &$ended): void {
    // This process ends and another one replaces it, which takes the requests.
    if ($ended) {
        return;
    }
    // Accepts clients that connected while all processes were busy.
    $socket = $worker->getMainSocket();
    while ($socket !== null && has_input($socket)) {
        (fn () => $this->acceptTcpConnection($socket))->call($worker);
    }
    $drain($worker);
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
