<?php

declare(strict_types=1);

// Loaded in front of every script (auto_prepend_file) in containers of the pass that --profile adds, and in no others.
// Samples the CPU time of this process or thread, and appends what it saw to two files:
//
//   samples.txt: a line each sample, the calls from the outermost on, each as 8 letters
//   names.txt:   a line for such letters: `abcdef01 ["App\\Cart","total","/app/src/Cart.php",41]`
//
// Whoever starts the app for each request samples from here to the end of the request; a server that keeps it in memory
// from its first request on (worker.php calls `watch`).

namespace PhpRuntimeBench;

if (!class_exists(Profile::class, false)) {
    final class Profile
    {
        private const FOLDER = '/tmp/php-runtime-bench/profile';
        /** Bytes of each file; src/run/passes/profile.ts reads no more. */
        private const MOST = 8 << 20;
        /**
         * Linux looks at CPU clocks at its ticks alone, each 1 to 10 ms. With a period far below that each tick is one
         * sample, however short a request is. With one near it, the end of a request would count more than its beginning.
         */
        private const PERIOD = 0.0002;
        private const FLUSH_NANOSECONDS = 200_000_000;
        /** Once it is there nothing is sampled any more: what requests cost without is to be compared. */
        private const OFF = self::FOLDER . '/off';

        private static ?\ExcimerProfiler $profiler = null;
        private static int $pid = 0;
        private static int $flushed = 0;
        /** @var array<string, true> whose name this process has written */
        private static array $named = [];
        private static bool $stays = false;

        public static function begin(): void
        {
            if (!\class_exists(\ExcimerProfiler::class, false) || \is_file(self::OFF)) {
                return;
            }
            $profiler = new \ExcimerProfiler();
            $profiler->setEventType(\EXCIMER_CPU);
            $profiler->setPeriod(self::PERIOD);
            $profiler->setMaxDepth(250);
            $profiler->setFlushCallback(self::write(...), 2000);
            $profiler->start();
            // A thread of its own tells this one of a tick. Where they share a CPU that thread goes first: a sample that comes
            // behind the end of the request is lost. It is there already, and keeps its priority.
            \function_exists('proc_nice') && @\proc_nice(10);
            self::$profiler = $profiler;
            self::$pid = (int) \getmypid();
            self::$flushed = \hrtime(true);
        }

        /** Of a script that answers one request: behind what the app itself does at its end. */
        public static function end(): void
        {
            if (self::$profiler !== null && !self::$stays) {
                self::$profiler->stop();
                self::$profiler->flush();
                self::$profiler = null;
            }
        }

        /** Once per process: a timer does not outlive a fork. */
        public static function stay(): void
        {
            if (self::$pid !== \getmypid()) {
                self::begin();
            }
            self::$stays = true;
        }

        public static function flushAtTimes(): void
        {
            $now = \hrtime(true);
            if ($now - self::$flushed > self::FLUSH_NANOSECONDS) {
                self::$flushed = $now;
                self::$profiler?->flush();
                if (self::$profiler !== null && \is_file(self::OFF)) {
                    self::$profiler->stop();
                    self::$profiler = null;
                }
            }
        }

        public static function write(\ExcimerLog $log): void
        {
            $lines = $names = '';
            // One process of many needs not write all names: what is often on the stack will have been written by one.
            $all = self::$stays || (\hrtime(true) >> 10 & 3) === 0;
            foreach ($log as $entry) {
                $line = '';
                foreach ($entry->getTrace() as $depth => $frame) {
                    $key = ($frame['class'] ?? '') . "\0" . ($frame['function'] ?? '') . "\0" . ($frame['file'] ?? '')
                        . "\0" . ($frame['closure_line'] ?? '');
                    $id = \substr(\hash('xxh64', $key), 0, 8);
                    $line = $line === '' ? $id : "$id $line";
                    if (!isset(self::$named[$id]) && ($all || $depth === 0)) {
                        self::$named[$id] = true;
                        $names .= $id . ' ' . self::describe($frame) . "\n";
                    }
                }
                $lines .= "$line\n";
            }
            if ($lines !== '') {
                self::append('samples.txt', $lines);
                self::append('names.txt', $names);
            }
        }

        private static function describe(array $frame): string
        {
            $class = $frame['class'] ?? null;
            $function = $frame['function'] ?? null;
            $line = $frame['closure_line'] ?? null;
            try {
                if ($line === null && $function !== null) {
                    $line = $class === null
                        ? (new \ReflectionFunction($function))->getStartLine()
                        : (new \ReflectionMethod($class, $function))->getStartLine();
                }
            } catch (\Throwable) {
                // A closure of an older PHP, which has no name to ask for.
            }
            $cut = static fn (?string $text): ?string => $text === null ? null : \substr($text, 0, 400);
            return (string) \json_encode(
                [$cut($class), $cut($function), $cut($frame['file'] ?? null), $line ?: null],
                \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_UNESCAPED_SLASHES,
            );
        }

        private static function append(string $name, string $text): void
        {
            $path = self::FOLDER . "/$name";
            $file = @\fopen($path, 'a');
            if ($file === false) {
                @\mkdir(self::FOLDER, 0777, true);
                $file = @\fopen($path, 'a');
            }
            if ($file !== false) {
                if (\fstat($file)['size'] + \strlen($text) <= self::MOST) {
                    \fwrite($file, $text);
                }
                \fclose($file);
            }
        }
    }

    /** The app of a server that keeps it in memory, watched from its first request on. */
    function watch(\Closure $app): \Closure
    {
        return static function (array $request, ?callable $send = null) use ($app): array {
            Profile::stay();
            try {
                return $app($request, $send);
            } finally {
                Profile::flushAtTimes();
            }
        };
    }
}

if (PHP_SAPI !== 'cli') {
    Profile::begin();
    // Twice, so that it runs behind those which the app registers.
    \register_shutdown_function(static function (): void {
        \register_shutdown_function(Profile::end(...));
    });
}
