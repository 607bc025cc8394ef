<?php

declare(strict_types=1);

// Prints Unit's configuration for the options that `serve` has checked.

/** Unit counts whole seconds. */
function seconds(string $name): int
{
    return (int) ceil((int) getenv($name) / 1000);
}

/** @param list<string> $uri */
function route(array $uri, array $action): array
{
    return ['match' => ['uri' => $uri], 'action' => $action];
}

/**
 * Folders with an index.php, as they are in a URI. Links are followed, but not into a folder that they are in. Packages of npm may
 * be linked to each other in many ways, and have no pages.
 *
 * @param list<string> $above
 * @return list<string>
 */
function find_folders(string $root, string $uri = '/', array $above = []): array
{
    $folders = $uri !== '/' && is_file("$root{$uri}index.php") ? [$uri] : [];
    $real = realpath($root . $uri);
    if (in_array($real, $above, true)) {
        return $folders;
    }
    $above[] = $real;
    foreach (array_diff(@scandir($root . $uri) ?: [], ['.', '..', 'node_modules']) as $name) {
        if (is_dir("$root$uri$name")) {
            array_push($folders, ...find_folders($root, "$uri$name/", $above));
        }
    }
    return $folders;
}

$root = '/app/' . getenv('DOCROOT');
$workers = (int) getenv('WORKERS');
$keepAlive = seconds('KEEP_ALIVE');
$maxRequests = (int) getenv('MAX_REQUESTS');

$headers = $keepAlive === 0 ? ['response_headers' => ['Connection' => 'close']] : [];
$front = ['pass' => 'applications/php/front', ...$headers];
$direct = ['pass' => 'applications/php/direct', ...$headers];

$routes = [
    // Secrets such as .env, where the document root is the app's folder.
    route(['*/.*', '!/.well-known/*'], ['return' => 403]),
    route(['/.well-known/.*', '/.well-known/*/.*'], ['return' => 403]),
    // Unit looks for index.html alone where it serves files.
    route(['*.php', '*.php/*', ...find_folders($root)], $direct),
    // The front controller gets paths that are no files, and folders without an index.
    ['action' => ['share' => "$root\$uri", 'fallback' => $front, ...$headers]],
];
$targets = [
    'front' => ['root' => $root, 'script' => 'index.php'],
    'direct' => ['root' => $root],
];
if (getenv('BENCH_FACTS') === '1') {
    array_unshift($routes, route(['/.php-runtime-bench/facts'], ['pass' => 'applications/php/facts']));
    $targets['facts'] = ['root' => __DIR__, 'script' => 'facts.php'];
}

echo json_encode([
    // `serve` opens the port later.
    'listeners' => [getenv('LISTEN') => ['pass' => 'routes']],
    'settings' => [
        'listen_threads' => (int) getenv('CPUS'),
        'http' => [
            'server_version' => false,
            'idle_timeout' => max(1, $keepAlive),
            // As Apache and nginx have it.
            'static' => ['mime_types' => ['application/javascript' => '.js']],
        ],
    ],
    'routes' => $routes,
    'applications' => [
        'php' => [
            'type' => 'php',
            'processes' => getenv('PM') === 'static'
                ? $workers
                : ['max' => $workers, 'spare' => (int) getenv('SPARE'), 'idle_timeout' => seconds('IDLE_TIMEOUT')],
            ...($maxRequests > 0 ? ['limits' => ['requests' => $maxRequests]] : []),
            'targets' => $targets,
        ],
    ],
    ...(getenv('ACCESS_LOG') === 'true' ? [
        'access_log' => [
            'path' => '/dev/stderr',
            // The fields of Apache's log.
            'format' => '$remote_addr - - [$time_local] "$request_line" $status $body_bytes_sent',
        ],
    ] : []),
], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
