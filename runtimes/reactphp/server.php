<?php

// One process: ReactPHP's HTTP server on the socket that it got as file descriptor 3.

declare(strict_types=1);

use Composer\InstalledVersions;
use Psr\Http\Message\ServerRequestInterface;
use React\EventLoop\ExtEvLoop;
use React\EventLoop\Loop;
use React\EventLoop\StreamSelectLoop;
use React\EventLoop\TimerInterface;
use React\Http\HttpServer;
use React\Http\Message\Response;
use React\Http\Middleware\RequestBodyBufferMiddleware;
use React\Http\Middleware\RequestBodyParserMiddleware;
use React\Http\Middleware\StreamingRequestMiddleware;
use React\Socket\ConnectionInterface;
use React\Socket\FdServer;

use function PhpRuntimeBench\has_input;
use function PhpRuntimeBench\load_app;
use function PhpRuntimeBench\request_of_psr7;

use const PhpRuntimeBench\DRAIN_PATIENCE;
use const PhpRuntimeBench\DRAIN_SILENCE;

require __DIR__ . '/vendor/autoload.php';
require __DIR__ . '/worker.php';
require __DIR__ . '/drain.php';

// These are of version 1.1, which ReactPHP needs and every PSR-7 fits. Asked for later, they would be the app's.
foreach (['Message', 'Request', 'Response', 'ServerRequest', 'Stream', 'UploadedFile', 'Uri'] as $name) {
    interface_exists("Psr\\Http\\Message\\{$name}Interface");
}
putenv('BENCH_SERVER=react-http/' . ltrim((string) InstalledVersions::getPrettyVersion('react/http'), 'v'));

try {
    $app = load_app();
} catch (Throwable $error) {
    fwrite(STDERR, "reactphp: {$error->getMessage()}\n");
    exit(78);
}

Loop::set(getenv('LOOP') === 'select' ? new StreamSelectLoop() : new ExtEvLoop());
$maxRequests = (int) getenv('MAX_REQUESTS');
$count = 0;
$draining = false;
$listener = new FdServer(3);
$socket = fopen('php://fd/3', 'r');
/** @var array<string, ConnectionInterface> $connections by remote address */
$connections = [];
/** @var array<string, float> $heardAt when something was last heard or answered; infinite: a request is not answered yet */
$heardAt = [];

// Ends this process once it has answered all that its connections ask.
$drain = static function () use ($listener, $socket, &$connections, &$heardAt): void {
    $until = microtime(true) + DRAIN_PATIENCE;
    Loop::addPeriodicTimer(0.01, static function (TimerInterface $timer) use ($listener, $socket, $until, &$connections, &$heardAt): void {
        // Listening ends once all clients are accepted that connected while all processes were busy.
        if ($listener->getAddress() !== null && !has_input($socket)) {
            $listener->close();
        }
        $now = microtime(true);
        foreach ($connections as $address => $connection) {
            if ($now > $until || ($now - $heardAt[$address] > DRAIN_SILENCE && !has_input($connection->stream))) {
                $connection->end();
            }
        }
        if ($listener->getAddress() === null && $connections === []) {
            Loop::cancelTimer($timer);
            Loop::stop();
        }
    });
};
Loop::addSignal(SIGTERM, static function () use ($drain, &$draining): void {
    $draining || $drain();
    $draining = true;
});

$http = new HttpServer(
    // Bodies up to post_max_size, where the default is 64 KB.
    new StreamingRequestMiddleware(),
    new RequestBodyBufferMiddleware(),
    new RequestBodyParserMiddleware(),
    static function (ServerRequestInterface $message) use ($app, $drain, $listener, $maxRequests, &$count, &$draining, &$heardAt): Response {
        if (++$count === $maxRequests && !$draining) {
            $draining = true;
            // Others take who connects now.
            $listener->close();
            $drain();
        }
        $response = $app(request_of_psr7($message));
        if ($draining) {
            $response['headers']['Connection'] = 'close';
        }
        ['REMOTE_ADDR' => $ip, 'REMOTE_PORT' => $port] = $message->getServerParams();
        $heardAt["tcp://$ip:$port"] = microtime(true);
        return new Response($response['status'], $response['headers'], $response['body']);
    },
);
$http->on('error', static function (Throwable $error): void {
    error_log("reactphp: {$error->getMessage()}");
});
// Another process may have been faster.
$listener->on('error', static fn () => null);
$listener->on('connection', static function (ConnectionInterface $connection) use (&$connections, &$heardAt): void {
    $address = (string) $connection->getRemoteAddress();
    $connections[$address] = $connection;
    $heardAt[$address] = microtime(true);
    // Before the server reads it.
    $connection->on('data', static function () use ($address, &$heardAt): void {
        $heardAt[$address] = INF;
    });
    $connection->on('close', static function () use ($address, &$connections, &$heardAt): void {
        unset($connections[$address], $heardAt[$address]);
    });
});
$http->listen($listener);
Loop::run();
