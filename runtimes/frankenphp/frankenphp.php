<?php

declare(strict_types=1);

// One worker of FrankenPHP, a thread that keeps the app in memory.

// Before the app's own packages, which win where both have one.
require __DIR__ . '/vendor/autoload.php';
require __DIR__ . '/worker.php';

function send(array $response): void
{
    // A response that flushes what it streams has sent them itself.
    if (!headers_sent()) {
        http_response_code($response['status']);
    }
    foreach ($response['headers'] as $name => $values) {
        foreach ($values as $index => $value) {
            header("$name: $value", $index === 0);
        }
    }
    echo $response['body'];
    // The client does not wait for the app's work after the response.
    frankenphp_finish_request();
}

$app = PhpRuntimeBench\load_app();
// A client that goes away is no reason to start the app anew.
ignore_user_abort(true);
$handle = static function () use ($app): void {
    $app(PhpRuntimeBench\request(
        $_SERVER['REQUEST_METHOD'],
        $_SERVER['REQUEST_URI'],
        // Go keeps the host apart from the other headers.
        getallheaders() + ['Host' => $_SERVER['HTTP_HOST'] ?? ''],
        (string) file_get_contents('php://input'),
        $_POST === [] ? null : $_POST,
        $_FILES,
        ['REMOTE_ADDR' => $_SERVER['REMOTE_ADDR'], 'SERVER_PROTOCOL' => $_SERVER['SERVER_PROTOCOL']],
    ), send(...));
};
while (frankenphp_handle_request($handle)) {
    // As in FrankenPHP's documentation and Symfony's runner: between two requests, not in the middle of one.
    gc_collect_cycles();
}
