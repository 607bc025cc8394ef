<?php

declare(strict_types=1);

// Loaded in front of every script (auto_prepend_file) in containers of the pass that --count=php adds, and in no others.
// Appends a line for each request: notices, warnings, deprecations, whether all of them were seen, included files,
// peak memory in bytes, and the misses of opcache. Processes may have an opcache each, so a request counts its own.

namespace PhpRuntimeBench;

if (!class_exists(Counter::class, false)) {
    final class Counter
    {
        private const FOLDER = '/tmp/php-runtime-bench/count';
        private const MOST = 4 << 20;

        /** @var array{int, int, int} */
        private static array $errors = [0, 0, 0];
        private static int $files = 0;
        private static ?int $misses = null;
        private static ?\Closure $handler = null;
        /** Whether the request is counted once all else of it has ended. */
        private static bool $isLast = false;

        public static function begin(): void
        {
            self::$errors = [0, 0, 0];
            self::$isLast = false;
            // The files of a server that keeps the app are its own from the start.
            self::$files = \count(\get_included_files());
            self::$misses = self::countMisses();
            // A warning of that is none of the app's.
            \error_clear_last();
            \memory_reset_peak_usage();
            if (\function_exists(__NAMESPACE__ . '\take_errors')) {
                take_errors();
                return;
            }
            // Only without the extension. The handler also gets suppressed errors. PHP then goes on as without it.
            self::$handler ??= static function (int $level): bool {
                $kind = match ($level) {
                    \E_NOTICE, \E_USER_NOTICE => 0,
                    \E_WARNING, \E_USER_WARNING => 1,
                    \E_DEPRECATED, \E_USER_DEPRECATED => 2,
                    default => null,
                };
                if ($kind !== null) {
                    self::$errors[$kind]++;
                }
                return false;
            };
            if (\set_error_handler(self::$handler) !== null) {
                // An app that is kept has set its own while it was loaded. It goes on with that one, and is not counted.
                \restore_error_handler();
            }
        }

        /** For a script that answers one request. */
        public static function beginScript(): void
        {
            self::begin();
            self::$isLast = true;
            if (self::$handler === null) {
                return;
            }
            // It is registered twice, to run behind those of the app. One of those that calls exit() prevents it.
            \register_shutdown_function(static function (): void {
                \register_shutdown_function(self::endScript(...));
            });
        }

        public static function endScript(): void
        {
            if (self::$isLast) {
                self::end();
            }
        }

        public static function end(): void
        {
            // The app's handler must not get errors of this function. One that the app has set replaces ours.
            $seen = \set_error_handler(null) === self::$handler || self::$handler === null;
            if (self::$handler === null) {
                self::$errors = take_errors();
            }
            [$before, $misses] = [self::$misses, self::countMisses()];
            // A full opcache restarts, and counts from 0 again.
            $misses = $before === null || $misses === null ? null : ($misses < $before ? $misses : $misses - $before);
            $files = \count(\get_included_files()) - self::$files;
            $line = [...self::$errors, $seen, $files, \memory_get_peak_usage(), $misses];
            // Swoole may go on with another request while a file is written, so the app's handler is back by then.
            \restore_error_handler();
            try {
                self::append(\json_encode($line) . "\n");
            } catch (\Throwable) {
                // The app's handler throws, and the file cannot be written.
            }
        }

        /** Since opcache started; null: not known. */
        private static function countMisses(): ?int
        {
            // The app's handler must not get a warning of this.
            \set_error_handler(null);
            $status = \function_exists('opcache_get_status') ? @\opcache_get_status(false) : false;
            \restore_error_handler();
            return \is_array($status) ? $status['opcache_statistics']['misses'] ?? null : null;
        }

        private static function append(string $line): void
        {
            // The app may have set a umask that lets nobody enter it.
            \is_dir(self::FOLDER) || @\mkdir(self::FOLDER, 0777, true) && @\chmod(self::FOLDER, 0777);
            $path = self::FOLDER . '/requests.txt';
            if (!\is_file($path) || \filesize($path) < self::MOST) {
                @\file_put_contents($path, $line, \FILE_APPEND);
            }
        }
    }

    /** The extension calls this when a request has ended. */
    function end_request(): void
    {
        Counter::endScript();
    }

    /** The app of a server that keeps it in memory. That server takes back the error handlers of a request. */
    function watch(\Closure $app): \Closure
    {
        return static function (array $request, ?callable $send = null) use ($app): void {
            Counter::begin();
            try {
                $app($request, $send);
            } finally {
                Counter::end();
            }
        };
    }
}

if (PHP_SAPI !== 'cli' && !\str_starts_with($_SERVER['REQUEST_URI'] ?? '', '/.php-runtime-bench/')) {
    Counter::beginScript();
}
