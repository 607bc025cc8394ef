<?php

// One process: ReactPHP's HTTP server on the socket that it got as file descriptor 3.

declare(strict_types=1);

use Composer\InstalledVersions;
use Psr\Http\Message\ServerRequestInterface;
use React\EventLoop\Loop;
use React\Http\HttpServer;
use React\Http\Message\Response;
use React\Http\Middleware\RequestBodyBufferMiddleware;
use React\Http\Middleware\RequestBodyParserMiddleware;
use React\Http\Middleware\StreamingRequestMiddleware;
use React\Socket\ConnectionInterface;
use React\Socket\FdServer;

use function PhpRuntimeBench\load_app;
use function PhpRuntimeBench\request_of_psr7;

require __DIR__ . '/vendor/autoload.php';
require __DIR__ . '/worker.php';

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

$maxRequests = (int) getenv('MAX_REQUESTS');
$count = 0;
$stopping = false;
$listener = new FdServer(3);
/** @var SplObjectStorage<ConnectionInterface, null> $connections */
$connections = new SplObjectStorage();

$stop = static function () use (&$stop, &$stopping, $listener, $connections): void {
    if ($stopping) {
        return;
    }
    $stopping = true;
    $listener->close();
    // By then, what had arrived has been read and answered, and its answer waits to be sent at most. Without connections
    // the loop ends.
    Loop::addTimer(0.05, static function () use ($stop, $connections): void {
        foreach (iterator_to_array($connections, false) as $connection) {
            $connection->end();
        }
        Loop::removeSignal(SIGTERM, $stop);
    });
};
Loop::addSignal(SIGTERM, $stop);

$http = new HttpServer(
    // Bodies up to post_max_size, where the default is 64 KB.
    new StreamingRequestMiddleware(),
    new RequestBodyBufferMiddleware(),
    new RequestBodyParserMiddleware(),
    static function (ServerRequestInterface $message) use ($app, $stop, $maxRequests, &$count, &$stopping): Response {
        if (++$count === $maxRequests) {
            Loop::futureTick($stop);
        }
        $response = $app(request_of_psr7($message));
        if ($stopping || $count === $maxRequests) {
            $response['headers']['Connection'] = 'close';
        }
        return new Response($response['status'], $response['headers'], $response['body']);
    },
);
$http->on('error', static function (Throwable $error): void {
    error_log("reactphp: {$error->getMessage()}");
});
// Another process may have been faster.
$listener->on('error', static fn () => null);
$listener->on('connection', static function (ConnectionInterface $connection) use ($connections): void {
    $connections->attach($connection);
    $connection->on('close', static fn () => $connections->detach($connection));
});
$http->listen($listener);
Loop::run();
