<?php

declare(strict_types=1);

namespace PhpRuntimeBench;

/** Whether PHP takes all requests for one, and resets neither its output nor its time. */
const IS_ENDLESS = PHP_SAPI === 'cli' || PHP_SAPI === 'cgi-fcgi';

/** Calls $make for each file of $_FILES, whose fields of many have their lists inside out, or of a tree of files. */
function map_files(array $files, callable $make): array
{
    return array_map(static function (array $file) use ($make): mixed {
        if (!isset($file['tmp_name'])) {
            return map_files($file, $make);
        }
        if (!is_array($file['tmp_name'])) {
            return $make($file);
        }
        $turned = [];
        foreach ($file as $property => $values) {
            foreach ($values as $key => $value) {
                $turned[$key][$property] = $value;
            }
        }
        return map_files($turned, $make);
    }, $files);
}

/** State that PHP resets for each request where it starts anew: superglobals, session, output, error handlers. */
final class Scope
{
    /** Output of a request that has left the buffers above the lowest one; null outside of requests. */
    private static ?string $output = null;
    /** The request that has the process to itself; null outside of requests. */
    private static ?string $running = null;
    /** @var array<string, mixed> $_SERVER between requests */
    private readonly array $server;
    /** @var array<string, mixed> */
    private readonly array $env;
    private readonly mixed $errorHandler;
    /** Seconds that a request may take. None if PHP does not begin to count anew with each. */
    private readonly string $limit;
    /** The command line's PHP drops what header() and setcookie() are given, and a session's cookie with it. */
    private readonly bool $hasHeaders;
    private readonly bool $hasSessions;

    public function __construct(string $documentRoot)
    {
        $this->server = [
            'DOCUMENT_ROOT' => $documentRoot,
            'SCRIPT_FILENAME' => "$documentRoot/index.php",
            'SCRIPT_NAME' => '/index.php',
            'PHP_SELF' => '/index.php',
            'SERVER_SOFTWARE' => getenv('BENCH_RUNTIME') ?: PHP_SAPI,
            'SERVER_PROTOCOL' => 'HTTP/1.1',
            'REQUEST_SCHEME' => 'http',
            'GATEWAY_INTERFACE' => 'CGI/1.1',
            'REMOTE_ADDR' => '127.0.0.1',
        ] + array_filter(
            array_diff_key($_SERVER, ['argv' => 0, 'argc' => 0]),
            // A variable of the environment is not a header.
            static fn (string|int $name): bool => !str_starts_with((string) $name, 'HTTP_'),
            ARRAY_FILTER_USE_KEY,
        );
        $this->env = $_ENV;
        $this->errorHandler = self::currentErrorHandler();
        $this->limit = IS_ENDLESS ? '0' : (string) ini_get('max_execution_time');
        $this->hasHeaders = PHP_SAPI !== 'cli';
        $this->hasSessions = extension_loaded('session');
        if (IS_ENDLESS) {
            register_shutdown_function(self::reportExit(...));
        }
    }

    /** Clients of this process get no answer, also to other requests, and no server logs why. */
    private static function reportExit(): void
    {
        $isError = ((error_get_last()['type'] ?? 0) & (E_ERROR | E_COMPILE_ERROR | E_USER_ERROR)) !== 0;
        if (self::$running !== null && !$isError) {
            error_log('PHP Fatal error:  The app has called exit() in ' . self::$running . ', which ends a process that keeps the app in memory');
        }
    }

    /** Starts the lowest buffer. Output below it would go to stdout, which may be a server's protocol, and end the headers. */
    public static function catchOutput(): void
    {
        ob_start(static function (string $text): string {
            if (self::$output !== null) {
                self::$output .= $text;
            } elseif ($text !== '') {
                file_put_contents('php://stderr', $text);
            }
            return '';
        }, 1);
    }

    /** @return Response */
    public function run(\Closure $app, array $request, ?callable $send): array
    {
        // In Swoole, each request is a coroutine with buffers of its own.
        $isOwn = self::keepBuffer();
        $hadSent = headers_sent();
        $this->begin($request);
        self::$output = '';
        // Swoole makes an exception of exit().
        self::$running = $isOwn ? null : $request['method'] . ' ' . explode('?', $request['uri'], 2)[0];
        $level = ob_get_level();
        // It hands on pieces, as output_buffering does in php-fpm. A large response is then in memory once. In Swoole, another
        // request may end meanwhile.
        ob_start(null, IS_ENDLESS && !$isOwn ? 1 << 16 : 0);
        $sent = null;
        $finish = function (array $response) use (&$sent, $level, $hadSent, $request, $send): array {
            self::endSpoiledProcess($hadSent);
            $sent = $this->complete($response, $level, $request['cookies']);
            $send && $send($sent);
            return $sent;
        };
        try {
            $app($request, $finish);
        } catch (\Throwable $error) {
            error_log("Uncaught $error");
            if ($sent === null) {
                $finish(['status' => 500]);
            }
        } finally {
            self::$running = null;
            $this->end($request['files']);
        }
        self::endSpoiledProcess($hadSent);
        if (!$isOwn) {
            self::keepBuffer();
        } elseif (ob_get_level() > 0) {
            ob_end_clean();
        }
        return $sent;
    }

    /** Starts the lowest buffer again if there is none, and returns whether it did. */
    public static function keepBuffer(): bool
    {
        if (!IS_ENDLESS || ob_get_level() > 0) {
            return false;
        }
        self::catchOutput();
        return true;
    }

    /** Output without a buffer is lost. After it PHP takes headers for sent, and no later request could have a session. */
    private static function endSpoiledProcess(bool $hadSent): void
    {
        if (IS_ENDLESS && !$hadSent && headers_sent()) {
            set_error_handler(null);
            // Not exit(), of which Swoole makes an exception.
            trigger_error('The app has printed after it closed all output buffers', E_USER_ERROR);
        }
    }

    private function begin(array $request): void
    {
        $server = ['REQUEST_METHOD' => $request['method'], 'REQUEST_URI' => $request['uri']];
        $server['QUERY_STRING'] = explode('?', $request['uri'], 2)[1] ?? '';
        $server['REQUEST_TIME_FLOAT'] = microtime(true);
        $server['REQUEST_TIME'] = (int) $server['REQUEST_TIME_FLOAT'];
        foreach ($request['headers'] as $name => $value) {
            // `Proxy` would set HTTP_PROXY, which clients of HTTP read.
            if ($name !== 'proxy') {
                $prefix = $name === 'content-type' || $name === 'content-length' ? '' : 'HTTP_';
                $server[$prefix . strtoupper(strtr((string) $name, '-', '_'))] = $value;
            }
        }
        if (preg_match('/^(.+?)(?::(\d+))?$/D', $request['headers']['host'] ?? '', $host)) {
            $server += ['SERVER_NAME' => $host[1], 'SERVER_PORT' => $host[2] ?? '80'];
        }
        $_SERVER = self::credentials($request['headers']['authorization'] ?? '') + $request['server'] + $server + $this->server;
        foreach (['SERVER_PORT', 'REMOTE_PORT'] as $name) {
            if (isset($_SERVER[$name])) {
                $_SERVER[$name] = (string) $_SERVER[$name];
            }
        }
        $_ENV = $this->env;
        $_GET = $request['query'];
        $_POST = $request['post'];
        $_COOKIE = $request['cookies'];
        $_FILES = array_map(self::turn(...), $request['files']);
        $_REQUEST = array_replace_recursive($_GET, $_POST);
        unset($_SESSION);
        if (!headers_sent()) {
            header_remove();
            http_response_code(200);
        }
        $id = $this->hasSessions ? self::sessionOf($request['cookies']) : '';
        // It would still be the id of the one before. If none was ever set, PHP finds the cookie itself, also after the app
        // has renamed its sessions.
        if ($this->hasSessions && session_id() !== $id) {
            session_id($id);
        }
    }

    /** Returns the id of the session that the client has, or an empty text. */
    private static function sessionOf(array $cookies): string
    {
        $id = $cookies[session_name()] ?? '';
        return is_string($id) && preg_match('/^[A-Za-z0-9,-]{1,256}$/D', $id) ? $id : '';
    }

    /** Turns a tree of files into one file whose values are trees, as $_FILES has fields of many. */
    private static function turn(array $file): array
    {
        if (isset($file['tmp_name'])) {
            return $file;
        }
        $turned = [];
        foreach ($file as $key => $inner) {
            foreach (self::turn($inner) as $property => $value) {
                $turned[$property][$key] = $value;
            }
        }
        return $turned;
    }

    /** @return Response */
    private function complete(array $response, int $level, array $cookies): array
    {
        $session = $this->hasSessions ? self::sessionOf($cookies) : '';
        if ($this->hasSessions && session_status() === PHP_SESSION_ACTIVE) {
            session_write_close();
        }
        // It fails for a buffer that the app has made to stay.
        while (ob_get_level() > $level + 1 && ob_end_flush()) {
        }
        if (ob_get_level() > $level) {
            self::$output .= ob_get_clean();
        }
        $printed = self::$output;
        self::$output = null;

        $status = (int) ($response['status'] ?? 200);
        $hasBody = $status !== 204 && $status !== 304;
        $headers = [];
        $hasType = false;
        foreach ($response['headers'] ?? [] as $name => $values) {
            $headers[$name] = array_map(strval(...), array_values((array) $values));
            $hasType = $hasType || strcasecmp((string) $name, 'Content-Type') === 0;
        }
        if ($this->hasHeaders && headers_sent()) {
            [$headers, $hasType] = [[], true];
        } elseif ($this->hasHeaders) {
            foreach (headers_list() as $line) {
                [$name, $value] = explode(':', $line, 2);
                // PHP sends no cookie of a session whose cookie it got, but here it was given the id by hand.
                if ($session !== '' && str_starts_with($line, 'Set-Cookie: ' . session_name() . "=$session;")) {
                    continue;
                }
                $headers[$name][] = ltrim($value);
                $hasType = $hasType || strcasecmp($name, 'Content-Type') === 0;
            }
            header_remove();
        } elseif ($this->hasSessions && !in_array(session_id(), ['', $session], true) && ini_get('session.use_cookies')) {
            // An empty id is that of a session which was destroyed.
            $headers['Set-Cookie'][] = self::sessionCookie();
        }
        if ($hasBody && !$hasType) {
            $headers['Content-Type'] = ['text/html; charset=UTF-8'];
        }
        return ['status' => $status, 'headers' => $headers, 'body' => $hasBody ? $printed . ($response['body'] ?? '') : ''];
    }

    private function end(array $files): void
    {
        for ($depth = 0; $depth < 100 && self::currentErrorHandler() !== $this->errorHandler; $depth++) {
            restore_error_handler();
        }
        // One that a request has set would end a later one.
        if (ini_get('max_execution_time') !== $this->limit) {
            set_time_limit((int) $this->limit);
        }
        map_files($files, static function (array $file): void {
            if ($file['tmp_name'] !== '' && is_file($file['tmp_name'])) {
                unlink($file['tmp_name']);
            }
        });
    }

    /** @return array<string, string> what PHP makes of `Authorization: Basic …` or `Digest …` */
    private static function credentials(string $authorization): array
    {
        if (strncasecmp($authorization, 'Digest ', 7) === 0) {
            return ['PHP_AUTH_DIGEST' => substr($authorization, 7)];
        }
        if (!preg_match('/^Basic +(.+)$/i', $authorization, $match)) {
            return [];
        }
        $pair = explode(':', (string) base64_decode($match[1]), 2);
        return isset($pair[1]) ? ['PHP_AUTH_USER' => $pair[0], 'PHP_AUTH_PW' => $pair[1]] : [];
    }

    private static function sessionCookie(): string
    {
        $cookie = session_name() . '=' . rawurlencode((string) session_id());
        ['lifetime' => $lifetime, 'secure' => $secure, 'httponly' => $httpOnly] = $set = session_get_cookie_params();
        if ($lifetime > 0) {
            $cookie .= '; expires=' . gmdate('D, d M Y H:i:s \G\M\T', time() + $lifetime) . "; Max-Age=$lifetime";
        }
        foreach (['path', 'domain', 'samesite'] as $name) {
            $cookie .= $set[$name] === '' ? '' : "; $name=$set[$name]";
        }
        $cookie .= ($secure ? '; secure' : '') . ($httpOnly ? '; HttpOnly' : '');
        // As from PHP 8.5 on.
        return $cookie . ($set['partitioned'] ?? false ? '; Partitioned' : '');
    }

    private static function currentErrorHandler(): mixed
    {
        $handler = set_error_handler(null);
        restore_error_handler();
        return $handler;
    }
}
