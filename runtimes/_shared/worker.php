<?php

declare(strict_types=1);

/**
 * The app, for servers that keep it in memory: a function from request to response that leaves nothing behind.
 *
 *     require '/usr/local/share/php-runtime-bench/worker.php';
 *     $app = PhpRuntimeBench\load_app();
 *     $response = $app(PhpRuntimeBench\request('GET', '/json?n=1', ['Host' => 'localhost']));
 *
 * Each server's own worker translates its request into this array, and the response back.
 *
 * @phpstan-type Request array{method: string, uri: string, path: string, query: array<mixed>, headers: array<string, string>,
 *     body: string, post: array<mixed>, files: array<mixed>, cookies: array<mixed>, server: array<string, mixed>}
 * @phpstan-type Response array{status: int, headers: array<string, list<string>>, body: string}
 */

namespace PhpRuntimeBench;

use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;
use Symfony\Component\HttpFoundation\File\UploadedFile;
use Symfony\Component\HttpFoundation\Request as SymfonyRequest;
use Symfony\Component\HttpKernel\KernelInterface;
use Symfony\Component\HttpKernel\TerminableInterface;

require_once __DIR__ . '/scope.php';

/** Answered with facts.php where BENCH_FACTS=1. */
const FACTS_PATH = '/.php-runtime-bench/facts';

/**
 * Loads the app and returns its request handler: `fn (Request $request, ?callable $send = null): Response`.
 *
 * `$send`, when given, gets the response before the app's work after it (Symfony's terminate).
 * Exceptions of an app become a response with status 500 and a line on stderr.
 * Environment: APP_KIND (plain, psr15, symfony; else found), DOCROOT, REBOOT=true (Symfony: a new kernel for each request).
 */
function load_app(string $folder = '/app'): \Closure
{
    if (IS_ENDLESS) {
        Scope::catchOutput();
    }
    // Servers start their processes in folders of their own.
    chdir($folder);
    $kind = getenv('APP_KIND') ?: find_kind($folder);
    $app = match ($kind) {
        'plain', 'psr15' => load_handler($folder),
        'symfony' => load_symfony($folder, getenv('REBOOT') === 'true'),
        default => throw new \RuntimeException("No adapter for apps of the kind '$kind': expected plain, psr15 or symfony"),
    };
    Scope::keepBuffer();
    $root = getenv('DOCROOT') ?: 'public';
    $scope = new Scope($root === '.' ? $folder : "$folder/$root");
    $facts = getenv('BENCH_FACTS') === '1';
    // Only what a pass after all measuring brings with it (auto_prepend_file) has this function.
    if (function_exists(__NAMESPACE__ . '\watch')) {
        $app = watch($app);
    }

    return static function (array $request, ?callable $send = null) use ($app, $scope, $facts): array {
        if ($facts && $request['path'] === FACTS_PATH) {
            $response = read_facts();
            $send && $send($response);
            return $response;
        }
        return $scope->run($app, $request, $send);
    };
}

/** Which kind of app is in the folder: what its composer.json requires. */
function find_kind(string $folder): string
{
    $require = read_composer($folder)['require'] ?? [];
    return match (true) {
        isset($require['laravel/framework']) => 'laravel',
        isset($require['symfony/framework-bundle']) => 'symfony',
        default => 'plain',
    };
}

/** The app's composer.json, or an empty array. */
function read_composer(string $folder): array
{
    $file = "$folder/composer.json";
    return is_file($file) ? (array) json_decode((string) file_get_contents($file), true) : [];
}

/** The autoloader of the app's packages: in vendor/, or in the folder that its composer.json names. */
function find_loader(string $folder): string
{
    $vendor = rtrim((string) (read_composer($folder)['config']['vendor-dir'] ?? 'vendor'), '/');
    return (str_starts_with($vendor, '/') ? $vendor : "$folder/$vendor") . '/autoload.php';
}

/**
 * A request as the app gets it, from what every server knows. Missing values are read from the rest: the query from
 * the URI, cookies from their header, a form from the body. As in PHP only POST has a form.
 *
 * @param array<string, string|list<string>> $headers in any case
 * @param array<string, mixed> $server more for $_SERVER, such as REMOTE_ADDR
 * @return Request
 */
function request(
    string $method,
    string $uri,
    array $headers,
    string $body = '',
    ?array $post = null,
    array $files = [],
    array $server = [],
): array {
    // A proxy's form of it: scheme and host before the path.
    if ($uri !== '' && $uri[0] !== '/' && preg_match('~^https?://[^/?]*(.*)~i', $uri, $match)) {
        $uri = str_starts_with($match[1], '/') ? $match[1] : "/$match[1]";
    }
    $headers = normalise_headers($headers);
    [$path, $query] = explode('?', $uri, 2) + [1 => ''];
    parse_str($query, $parsed);
    if ($method !== 'POST') {
        [$post, $files] = [[], []];
    } elseif ($post === null) {
        $post = [];
        if ($body !== '' && str_starts_with($headers['content-type'] ?? '', 'application/x-www-form-urlencoded')) {
            parse_str($body, $post);
        }
    }
    return [
        'method' => $method,
        'uri' => $uri,
        'path' => rawurldecode($path),
        'query' => $parsed,
        'headers' => $headers,
        'body' => $body,
        'post' => $post,
        'files' => map_files($files, name_file(...)),
        'cookies' => isset($headers['cookie']) ? parse_cookies($headers['cookie']) : [],
        'server' => $server,
    ];
}

/** As PHP, keeps what a client writes before the name of a file apart from it: else the app would move it elsewhere. */
function name_file(array $file): array
{
    if ($file['name'] === '') {
        // The field was left empty. Workerman makes an empty file of it.
        $file['error'] = UPLOAD_ERR_NO_FILE;
    }
    $name = (string) preg_replace('~^.*[/\\\\]~s', '', $file['name']);
    return ['name' => $name, 'full_path' => $file['full_path'] ?? $file['name']] + $file;
}

/** @return Request of a server that speaks PSR-7 */
function request_of_psr7(ServerRequestInterface $message, array $server = []): array
{
    $post = $message->getParsedBody();
    // ReactPHP also reads those of PUT and PATCH. request() drops them, so nothing would remove their copies.
    $files = $message->getMethod() === 'POST' ? $message->getUploadedFiles() : [];
    return request(
        $message->getMethod(),
        $message->getRequestTarget(),
        $message->getHeaders(),
        (string) $message->getBody(),
        is_array($post) ? $post : null,
        spool($files),
        // The port is that of the Host header, as elsewhere, not the one that it listens on.
        $server + array_diff_key($message->getServerParams(), ['SERVER_PORT' => 0]),
    );
}

/**
 * Names in lower case, each with one value.
 *
 * @param array<string, string|list<string>> $headers
 * @return array<string, string>
 */
function normalise_headers(array $headers): array
{
    $normal = [];
    foreach ($headers as $name => $value) {
        $name = strtolower((string) $name);
        $normal[$name] = is_array($value) ? implode($name === 'cookie' ? '; ' : ', ', $value) : (string) $value;
    }
    return $normal;
}

/** As PHP reads it: the first of a name wins, and names in brackets make arrays. */
function parse_cookies(string $header): array
{
    $seen = [];
    foreach (explode(';', $header) as $pair) {
        [$name, $value] = explode('=', ltrim($pair), 2) + [1 => ''];
        $seen[$name] ??= rawurlencode($name) . '=' . strtr($value, ['+' => '%2B', '&' => '%26']);
    }
    parse_str(strtr(implode('&', $seen), ['%5B' => '[', '%5D' => ']']), $cookies);
    return $cookies;
}

/** Uploaded files of PSR-7 as a tree of what $_FILES has; their content is in temporary files. */
function spool(array $files): array
{
    return array_map(static function ($file): array {
        if (is_array($file)) {
            return spool($file);
        }
        $path = '';
        if ($file->getError() === UPLOAD_ERR_OK) {
            $path = (string) tempnam(sys_get_temp_dir(), 'php');
            file_put_contents($path, (string) $file->getStream());
        }
        return [
            'name' => (string) $file->getClientFilename(),
            'type' => (string) $file->getClientMediaType(),
            'tmp_name' => $path,
            'error' => $file->getError(),
            'size' => (int) $file->getSize(),
        ];
    }, $files);
}

/** @return Response */
function read_facts(): array
{
    ob_start();
    (static fn () => require __DIR__ . '/facts.php')();
    return [
        'status' => 200,
        'headers' => ['Content-Type' => ['application/json'], 'Cache-Control' => ['no-store']],
        'body' => (string) ob_get_clean(),
    ];
}

/** A plain app: what its handler.php returns, a callable from request to response or a PSR-15 handler. */
function load_handler(string $folder): \Closure
{
    $loader = find_loader($folder);
    if (is_file($loader)) {
        require_once $loader;
    }
    if (!is_file("$folder/handler.php")) {
        throw new \RuntimeException('The app has no handler.php, which returns what answers a request in a server that keeps it in memory');
    }
    $handler = require "$folder/handler.php";
    if ($handler instanceof RequestHandlerInterface) {
        return static fn (array $request, callable $send): array =>
            $send(array_of_psr7($handler->handle(psr7_of_array($request))));
    }
    if (!is_callable($handler)) {
        throw new \RuntimeException('handler.php returns ' . get_debug_type($handler) . ': expected a callable or a ' . RequestHandlerInterface::class);
    }
    return static fn (array $request, callable $send): array => $send($handler($request));
}

/** The app's own PSR-7, or that of the server. */
function psr7_of_array(array $request): ServerRequestInterface
{
    static $psr7;
    foreach (['Nyholm\Psr7', 'GuzzleHttp\Psr7'] as $candidate) {
        $psr7 ??= class_exists("$candidate\\ServerRequest") ? $candidate : null;
    }
    if ($psr7 === null) {
        throw new \RuntimeException('A PSR-15 app needs nyholm/psr7 or guzzlehttp/psr7');
    }
    $uri = 'http://' . ($request['headers']['host'] ?? 'localhost') . $request['uri'];
    $class = "$psr7\\ServerRequest";
    // By its path, php-cgi would move only a file that PHP itself has received.
    $upload = static fn (array $file): mixed => new ("$psr7\\UploadedFile")(
        PHP_SAPI === 'cgi-fcgi' && $file['error'] === UPLOAD_ERR_OK ? fopen($file['tmp_name'], 'r') : $file['tmp_name'],
        ...[$file['size'], $file['error'], $file['name'], $file['type']],
    );
    return (new $class($request['method'], $uri, $request['headers'], $request['body'], '1.1', $_SERVER))
        ->withQueryParams($request['query'])
        ->withCookieParams($request['cookies'])
        ->withParsedBody($request['post'] ?: null)
        ->withUploadedFiles(map_files($request['files'], $upload));
}

/** @return Response */
function array_of_psr7(ResponseInterface $response): array
{
    return ['status' => $response->getStatusCode(), 'headers' => $response->getHeaders(), 'body' => (string) $response->getBody()];
}

/** Symfony reads forms that PHP itself does not read, as in its Request::createFromGlobals(). */
function symfony_form(array $request): array
{
    $form = $request['post'];
    $isForm = str_starts_with($request['headers']['content-type'] ?? '', 'application/x-www-form-urlencoded');
    if ($isForm && in_array(strtoupper($request['method']), ['PUT', 'DELETE', 'PATCH'], true)) {
        parse_str($request['body'], $form);
    }
    return $form;
}

/** Options of symfony/runtime from index.php and composer.json, as in vendor/autoload_runtime.php. */
function runtime_options(string $folder): array
{
    $extra = read_composer($folder)['extra']['runtime'] ?? [];
    $extra = is_array($extra) ? $extra : [];
    $set = $_SERVER['APP_RUNTIME_OPTIONS'] ?? [];
    $project = rtrim("$folder/" . ($extra['project_dir'] ?? ''), '/');
    return ['error_handler' => false] + (is_array($set) ? $set : []) + ['project_dir' => $project] + $extra;
}

/** Symfony: the closure that public/index.php returns for symfony/runtime, or App\Kernel. */
function load_symfony(string $folder, bool $reboot): \Closure
{
    $loader = find_loader($folder);
    require_once is_file($loader) ? $loader : "$folder/autoload.php";
    // Else Symfony takes the command line's PHP for a console, and answers errors with dumps. Its own workers set the same.
    $_ENV['APP_RUNTIME_MODE'] ??= 'web=1&worker=1';
    $front = $folder . '/' . (getenv('DOCROOT') ?: 'public') . '/index.php';
    if (is_file($front) && str_contains((string) file_get_contents($front), 'autoload_runtime.php')) {
        // With Composer's loader already there, autoload_runtime.php runs nothing and index.php returns its closure.
        $closure = require $front;
        $runtime = new \Symfony\Component\Runtime\SymfonyRuntime(runtime_options($folder));
        [$make, $arguments] = $runtime->getResolver($closure)->resolve();
        $make = static fn (): object => $make(...$arguments);
    } else {
        if (is_file("$folder/.env") && class_exists(\Symfony\Component\Dotenv\Dotenv::class)) {
            (new \Symfony\Component\Dotenv\Dotenv())->bootEnv("$folder/.env");
        }
        $class = $_ENV['KERNEL_CLASS'] ?? 'App\Kernel';
        $make = static fn (): object => new $class($_ENV['APP_ENV'] ?? 'prod', (bool) ($_ENV['APP_DEBUG'] ?? false));
    }
    $start = static function () use ($make): object {
        $kernel = $make();
        if ($kernel instanceof KernelInterface) {
            $kernel->boot();
        }
        return $kernel;
    };
    $kernel = $start();
    // Symfony makes null of the array of an empty field. Files are those of a test: what PHP itself has not received would not
    // count as uploaded.
    $upload = static fn (array $file): UploadedFile|array => $file['error'] === UPLOAD_ERR_NO_FILE
        ? $file
        : new UploadedFile($file['tmp_name'], $file['full_path'], $file['type'], $file['error'], true);

    return static function (array $request, callable $send) use (&$kernel, $start, $upload, $reboot): array {
        $files = map_files($request['files'], $upload);
        $asked = new SymfonyRequest($request['query'], symfony_form($request), [], $request['cookies'], $files, $_SERVER, $request['body']);
        // A kernel that has handled a request resets its services (those tagged kernel.reset) when it handles the next.
        $response = $kernel->handle($asked);
        $answer = ['status' => $response->getStatusCode(), 'headers' => $response->headers->allPreserveCaseWithoutCookies()];
        $isSet = false;
        foreach ($response->headers->getCookies() as $cookie) {
            $answer['headers']['Set-Cookie'][] = (string) $cookie;
            $isSet = $isSet || $cookie->getName() === session_name();
        }
        if ($response->getContent() === false && PHP_SAPI !== 'cli') {
            // It may flush, which sends the headers where they are PHP's.
            $response->sendHeaders();
            $answer['headers'] = [];
        }
        $response->sendContent();
        // Symfony itself has set or deleted the cookie of its session, or wants none for an empty one. A session that the app
        // has closed before is PHP's to announce.
        if (PHP_SAPI === 'cli' && $asked->hasSession(true) && session_status() === PHP_SESSION_NONE
            && ($isSet || $asked->getSession()->isEmpty())) {
            session_id('');
        }
        $answer = $send($answer);
        if ($kernel instanceof TerminableInterface) {
            $kernel->terminate($asked, $response);
        }
        if ($reboot) {
            if ($kernel instanceof KernelInterface) {
                $kernel->shutdown();
            }
            $kernel = $start();
        }
        return $answer;
    };
}
