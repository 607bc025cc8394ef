<?php

declare(strict_types=1);

namespace PhpRuntimeBench;

/** State that PHP resets for each request where it starts anew: superglobals, session, output, error handlers. */
final class Scope
{
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
            'REMOTE_ADDR' => '127.0.0.1',
        ] + array_filter(
            array_diff_key($_SERVER, ['argv' => 0, 'argc' => 0]),
            // A variable of the environment is not a header.
            static fn (string|int $name): bool => !str_starts_with((string) $name, 'HTTP_'),
            ARRAY_FILTER_USE_KEY,
        );
        $this->env = $_ENV;
        $this->errorHandler = self::currentErrorHandler();
        $this->limit = PHP_SAPI === 'cli' || PHP_SAPI === 'cgi-fcgi' ? '0' : (string) ini_get('max_execution_time');
        $this->hasHeaders = PHP_SAPI !== 'cli';
        $this->hasSessions = extension_loaded('session');
    }

    /** @return Response */
    public function run(\Closure $app, array $request, ?callable $send): array
    {
        $session = $this->begin($request);
        $level = ob_get_level();
        ob_start();
        $sent = null;
        $finish = function (array $response) use (&$sent, $level, $session, $send): array {
            $sent = $this->complete($response, $level, $session);
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
            $this->end($request['files']);
        }
        return $sent;
    }

    /** Returns the id of the session that the client has. */
    private function begin(array $request): string
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
        $_FILES = $request['files'];
        $_REQUEST = $_POST + $_GET;
        unset($_SESSION);
        if (!headers_sent()) {
            header_remove();
            http_response_code(200);
        }
        if (!$this->hasSessions) {
            return '';
        }
        // It would still be the id of the one before, and a cookie is looked at only where there is none.
        $id = $request['cookies'][session_name()] ?? '';
        $id = is_string($id) && preg_match('/^[A-Za-z0-9,-]{1,256}$/D', $id) ? $id : '';
        session_id($id);
        return $id;
    }

    /** @return Response */
    private function complete(array $response, int $level, string $session): array
    {
        if ($this->hasSessions && session_status() === PHP_SESSION_ACTIVE) {
            session_write_close();
        }
        while (ob_get_level() > $level + 1) {
            ob_end_flush();
        }
        $printed = ob_get_level() > $level ? (string) ob_get_clean() : '';

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

    /** @return array<string, string> what PHP makes of `Authorization: Basic …` */
    private static function credentials(string $authorization): array
    {
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
        return $cookie . ($secure ? '; secure' : '') . ($httpOnly ? '; HttpOnly' : '');
    }

    private static function currentErrorHandler(): mixed
    {
        $handler = set_error_handler(null);
        restore_error_handler();
        return $handler;
    }
}
