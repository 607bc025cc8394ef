<?php

declare(strict_types=1);

// For servers that keep the app in memory: /leave leaves behind what it can, /state says what a request finds.

/** @param array<string, mixed> $request */
function leave(array $request): array
{
    foreach (['_GET', '_POST', '_COOKIE', '_FILES', '_SERVER', '_ENV', '_REQUEST'] as $name) {
        $GLOBALS[$name]['LEFT'] = 'by the request before';
    }
    session_start();
    $_SESSION['left'] = 'by the request before';
    session_write_close();
    set_error_handler(static fn (): bool => true);
    set_error_handler(static fn (): bool => false);
    set_time_limit(1);
    header('X-Left: yes');
    setcookie('left', 'yes');
    http_response_code(418);
    echo 'printed, ';
    ob_start();
    echo 'buffered, ';
    ob_start(static fn (string $text): string => strtoupper($text));
    echo 'turned, ';
    return ['status' => 201, 'headers' => ['X-Own' => 'yes'], 'body' => "returned\n"];
}

/** @param array<string, mixed> $request */
function state(array $request): array
{
    $handler = set_error_handler(null);
    restore_error_handler();
    $changing = array_flip(['REQUEST_TIME', 'REQUEST_TIME_FLOAT', 'REMOTE_PORT']);
    $state = [
        'pid' => getmypid(),
        'request' => array_diff_key($request, ['server' => true]),
        'get' => $_GET,
        'post' => $_POST,
        'cookie' => $_COOKIE,
        'files' => $_FILES,
        'request variables' => $_REQUEST,
        'server' => array_diff_key($_SERVER, $changing),
        'env' => $_ENV,
        'session' => [isset($_SESSION), session_status(), session_id()],
        'output' => [ob_get_level(), ob_get_length()],
        'headers' => headers_list(),
        'code' => http_response_code(),
        'input' => file_get_contents('php://input'),
        'error handler' => get_debug_type($handler),
        'limit' => ini_get('max_execution_time'),
    ];
    return ['status' => 200, 'headers' => ['Content-Type' => 'application/json'], 'body' => json_encode($state, JSON_THROW_ON_ERROR)];
}

/** How often this session was here. */
function visit(): array
{
    session_start();
    $_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;
    return ['status' => 200, 'headers' => ['Content-Type' => 'text/plain'], 'body' => (string) $_SESSION['visits']];
}

/** Names and contents of what was uploaded. */
function read(array $files): string
{
    return implode(', ', array_map(
        static fn (array $file): string => isset($file['tmp_name'])
            ? "$file[name] ($file[type], $file[size]): " . file_get_contents($file['tmp_name'])
            : read($file),
        $files,
    ));
}

return static fn (array $request): array => match ($request['path']) {
    '/leave' => leave($request),
    '/state' => state($request),
    '/session' => visit(),
    '/upload' => ['status' => 200, 'headers' => [], 'body' => read($request['files']) . json_encode($request['post'])],
    '/throw' => throw new LogicException('thrown on purpose'),
    '/exit' => exit(1),
    '/length' => ['status' => 200, 'headers' => ['Content-Type' => 'text/plain', 'content-length' => '1000', 'Transfer-Encoding' => 'chunked'], 'body' => str_repeat('x', 1000)],
    default => ['status' => 200, 'headers' => ['Set-Cookie' => ['a=1', 'b=2; Path=/']], 'body' => ''],
};
