<?php

declare(strict_types=1);

// Loaded in front of every script (auto_prepend_file) in containers of the pass that --profile adds, and in no others.
// Samples the CPU time of this process or thread, and appends what it saw to two files:
//
//   samples.txt: a line each sample: `*`, or `-` where it is the first since the sampler was started, and the periods since
//                the one before or the start; the calls from the outermost on, each as 8 letters
//   names.txt:   a line for such letters: `abcdef01 ["App\\Cart","total","/app/src/Cart.php",41]`
//
// If the app starts for each request, it is sampled from here to the end of the request. In a server that keeps it in
// memory it is sampled from its first request on (worker.php calls `watch`). The sampler is started anew where a request
// begins and ends: a tick may come while the server waits. Its time would count for the next sample, late in a request.

namespace PhpRuntimeBench;

if (!class_exists(Profile::class, false)) {
    final class Profile
    {
        private const FOLDER = '/tmp/php-runtime-bench/profile';
        /** Bytes of each file; src/run/passes/profile.ts reads no more. */
        private const MOST = 8 << 20;
        /**
         * Linux checks CPU clocks only at its ticks, every 1 to 10 ms. A tick within the first period of a request gives no
         * sample, so a long period would hide what a request does first. A short one costs nothing: a tick is one sample.
         */
        private const PERIOD = 0.00002;
        private const FLUSH_NANOSECONDS = 200_000_000;
        /**
         * Its size decides which requests are sampled: one of so many bytes. If it is empty, none is: this
         * shows what requests cost without the sampler. Reading the size costs no more than a check that the file exists.
         */
        private const EVERY = self::FOLDER . '/every';

        private static ?\ExcimerProfiler $profiler = null;
        private static int $pid = 0;
        private static int $flushed = 0;
        /** @var array<string, true> whose name this process has written */
        private static array $named = [];
        private static bool $stays = false;
        /** In a server that keeps the app: whether the request that began last is sampled. */
        private static bool $isOn = false;
        /** @var array<int, true> samples in the log that are the first since a start */
        private static array $fresh = [];

        public static function begin(): void
        {
            if (self::isWanted()) {
                self::make();
            }
        }

        private static function make(): void
        {
            $profiler = new \ExcimerProfiler();
            $profiler->setEventType(\EXCIMER_CPU);
            $profiler->setPeriod(self::PERIOD);
            $profiler->setMaxDepth(250);
            $profiler->setFlushCallback(self::write(...), 2000);
            self::$profiler = $profiler;
            self::$pid = (int) \getmypid();
            self::$flushed = \hrtime(true);
            self::start();
            // The first start in a process makes a thread that signals each tick to this one. If they share a CPU, that
            // thread goes first, as a sample after the end of the request is lost: lower the priority of this one alone.
            \function_exists('proc_nice') && @\proc_nice(10);
        }

        /** Its count of periods begins at 0. A tick that has not reached this thread is dropped. */
        private static function start(): void
        {
            self::$profiler->stop();
            self::$fresh[\count(self::$profiler->getLog())] = true;
            self::$profiler->start();
        }

        /** By chance, so that no path of a journey is left out. */
        private static function isWanted(): bool
        {
            if (!\class_exists(\ExcimerProfiler::class, false)) {
                return false;
            }
            \clearstatcache(false, self::EVERY);
            if (!\is_file(self::EVERY)) {
                return true;
            }
            $every = (int) \filesize(self::EVERY);
            return $every === 1 || ($every > 1 && \random_int(1, $every) === 1);
        }

        /** Ends a script that answers one request, after the app's own shutdown functions. */
        public static function end(): void
        {
            if (self::$profiler !== null && !self::$stays) {
                self::$profiler->stop();
                self::$profiler->flush();
                self::$profiler = null;
            }
        }

        /**
         * Called at the start of a request in a server that keeps the app. The choice is valid until the next one starts. If
         * several are answered at once, all have the same chance.
         */
        public static function enter(): void
        {
            self::$stays = true;
            self::$isOn = self::isWanted();
            if (self::$profiler !== null && self::$pid !== \getmypid()) {
                // A timer does not outlive a fork.
                self::$profiler = null;
            }
            if (!self::$isOn) {
                self::$profiler?->stop();
            } elseif (self::$profiler === null) {
                self::make();
            } else {
                self::start();
            }
        }

        /** Called at the end of a request in a server that keeps the app. */
        public static function leave(): void
        {
            if (self::$profiler === null) {
                return;
            }
            $now = \hrtime(true);
            if ($now - self::$flushed > self::FLUSH_NANOSECONDS) {
                self::$flushed = $now;
                self::$profiler->stop();
                self::$profiler->flush();
            }
            if (self::$isOn) {
                self::start();
            }
        }

        public static function write(\ExcimerLog $log): void
        {
            $lines = $names = '';
            [$fresh, self::$fresh] = [self::$fresh, []];
            $index = 0;
            // One process of many needs not write all names: what is often on the stack will have been written by one.
            $all = self::$stays || (\hrtime(true) >> 10 & 3) === 0;
            foreach ($log as $entry) {
                // While a function in C works there is no sample, and the next one counts for all of its time.
                $start = (isset($fresh[$index++]) ? '-' : '*') . $entry->getEventCount();
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
                $lines .= "$start $line\n";
            }
            if ($lines !== '') {
                self::append('samples.txt', $lines);
                if ($names !== '') {
                    self::append('names.txt', $names);
                }
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
            // Some handlers throw for suppressed errors, too: mkdir runs only if the folder is missing. The app may have set
            // a umask that lets nobody enter it.
            \is_dir(self::FOLDER) || @\mkdir(self::FOLDER, 0777, true) && @\chmod(self::FOLDER, 0777);
            $file = @\fopen(self::FOLDER . "/$name", 'a');
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
        return static function (array $request, ?callable $send = null) use ($app): void {
            Profile::enter();
            try {
                $app($request, $send);
            } finally {
                Profile::leave();
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
