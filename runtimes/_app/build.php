<?php

// The steps of an app's build, in the folder of the app:
//   build.php install            Composer installs its packages, unless they are there
//   build.php prepare NUMBER     runs a command of the app's own, from BENCH_PREPARE_1 and so on
//   build.php warm               what its framework caches for production
//   build.php check ROOT         there is an index.php in the document root
// The line that begins with `php-runtime-bench: ` shows why a step failed.

declare(strict_types=1);

const SAYS = 'php-runtime-bench: ';

/**
 * Runs a command, shows its output, and keeps it.
 *
 * @param list<string> $command
 * @return array{int, string} exit code and output
 */
function run(array $command, array $env = []): array
{
    // Symfony's console, and so Composer, would cut a long message within its words.
    $env += ['COLUMNS' => '1000'] + getenv();
    $process = proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes, null, $env);
    stream_set_blocking($pipes[1], false);
    $output = '';
    do {
        // Its end counts, and not that of the pipe: a process that it leaves behind keeps that open.
        ['running' => $runs, 'exitcode' => $code, 'termsig' => $signal] = proc_get_status($process);
        while (($text = (string) fread($pipes[1], 8192)) !== '') {
            echo $text;
            $output .= $text;
        }
        $runs && usleep(10_000);
    } while ($runs);
    fclose($pipes[1]);
    proc_close($process);
    // After a signal, the code is the one that a shell has.
    return [$signal > 0 ? 128 + $signal : $code, $output];
}

/** Prints it in a line of its own: the output of a command may end within one. */
function say(string $what): void
{
    echo "\n", SAYS, preg_replace('/\s+/', ' ', $what), "\n";
}

function fail(string $why): never
{
    say($why);
    exit(1);
}

function lastLine(string $text): string
{
    $lines = array_filter(array_map('trim', explode("\n", $text)));
    return (string) end($lines);
}

/** The app's own PHP settings are in force for the commands of its build, too. */
function setIni(): void
{
    $lines = (string) getenv('BENCH_INI');
    if ($lines !== '') {
        file_put_contents('/usr/local/etc/php/conf.d/zz-app.ini', "$lines\n");
    }
}

function cacheOfSymfony(): string
{
    return 'var/cache/' . basename(getenv('APP_ENV') ?: 'prod');
}

function install(): void
{
    setIni();
    // Outside its debug mode Symfony never asks whether a cache is older than the code: one from another machine would be served.
    $cache = cacheOfSymfony();
    if (is_file('bin/console') && is_dir($cache)) {
        run(['rm', '-rf', "./$cache"]);
    }
    if (!is_file('composer.json')) {
        return;
    }
    $composer = json_decode((string) file_get_contents('composer.json'), true);
    $vendor = rtrim($composer['config']['vendor-dir'] ?? 'vendor', '/');
    if (is_file("$vendor/autoload.php") && getenv('BENCH_INSTALL') === '') {
        echo "$vendor/ is there and is used as it is\n";
        return;
    }
    // A folder that Composer did not make has the app's own code.
    $isMade = getenv('BENCH_INSTALL') !== '' || is_file("$vendor/composer/installed.json");
    if ($isMade && !str_starts_with($vendor, '/') && !str_contains($vendor, '..') && is_dir($vendor)) {
        run(['rm', '-rf', "./$vendor"]);
    }
    $env = ['COMPOSER_ALLOW_SUPERUSER' => '1', 'COMPOSER_CACHE_DIR' => '/var/cache/composer'];
    if (is_file('/run/secrets/composer-auth')) {
        $env['COMPOSER_AUTH'] = (string) file_get_contents('/run/secrets/composer-auth');
    }
    $flags = ['--no-dev', '--optimize-autoloader', '--prefer-dist', '--no-interaction', '--no-progress', '--no-ansi'];
    [$code, $said] = run(['composer', 'install', ...$flags], $env);
    if ($code !== 0) {
        fail('composer install: ' . findReason($said));
    }
}

/** The reason in Composer's output, without how it came to look for that. */
function findReason(string $said): string
{
    // Packages that are not available together: the first of the problems.
    if (preg_match('/^ +Problem 1\n((?: +- .*\n)+)/m', $said, $problem)) {
        $reason = trim(preg_replace('/^ +- /m', '', $problem[1]));
        return $reason . adviseExtension($reason);
    }
    $exception = findException($said);
    if ($exception !== null) {
        return $exception;
    }
    if (preg_match_all('/^(?!.*Script .* returned).*(?:curl error \d+|could not be|HTTP\/[\d.]+ [45]\d\d|Your lock file|[Ee]rror:).*$/m', $said, $lines)) {
        return trim(end($lines[0]));
    }
    // Advice follows it, which does not name the package.
    if (preg_match('/^- (Required .*(?:not present in the lock file|does not satisfy your constraint).*)$/m', $said, $line)) {
        return $line[1];
    }
    return lastLine($said);
}

/** The setting by which the extension is there that Composer misses; empty: none is known. */
function adviseExtension(string $reason): string
{
    $wrong = '(.*?) (?:->|but) it has the wrong version installed \((.*?)\)';
    if (preg_match("/requires? (?:PHP extension )?ext-(\w+) $wrong/", $reason, $found)) {
        // An extension with PHP's own version is a part of PHP. The last of several alternatives: older ones may not compile.
        $isFixed = $found[3] === PHP_VERSION || str_contains($found[3], 'config.platform');
        $isOne = preg_match('/(?:^|\|)\s*(?:\^|~|>=|=)?\s*v?(\d+(?:\.\d+)?)[^|]*$/', $found[2], $version);
        return $isOne && !$isFixed ? " Set 'extensions: [$found[1]-^$version[1]]'." : '';
    }
    return preg_match('/requires? (?:PHP extension )?ext-(\w+)/', $reason, $found)
        ? " Set 'extensions: [$found[1]]', or require it in the app's own composer.json."
        : '';
}

/** An exception that nobody caught: the last lines of its output only show where it was thrown. */
function findException(string $said): ?string
{
    $said = preg_replace('/\e\[[\d;]*m/', '', $said);
    if (preg_match_all('/^(?:PHP )?(?:Fatal|Parse) error: +(.+)$/m', $said, $lines)) {
        return end($lines[1]);
    }
    // Symfony's console: its message in a box, below where it was thrown.
    if (preg_match('/^In .+ line \d+:\s*\n\s*\n((?:  .*\S.*\n)+)/m', $said, $box)) {
        return trim($box[1]);
    }
    // Laravel's: class, message, and where it was thrown.
    $isOne = preg_match('/^ {3}([\w\\\\]+) *\n\n((?:  .*\S.*\n)+)\n  (at .+:\d+)$/m', $said, $parts);
    return $isOne ? "$parts[1]: " . trim($parts[2]) . " $parts[3]" : null;
}

/** A failure names the command by its number: its text may have secrets, and the report shows the reason. */
function prepare(string $number): void
{
    $command = (string) getenv("BENCH_PREPARE_$number");
    [$code, $said] = run(['sh', '-euc', $command], ['COMPOSER_ALLOW_SUPERUSER' => '1']);
    if ($code !== 0) {
        fail("prepare: command $number ended with exit code $code: " . (findException($said) ?? lastLine($said)));
    }
}

/**
 * A variant's database has its name once the variant runs: `{variant}` in the cached configuration, which is made of
 * exported strings, is read from there.
 */
function nameDatabase(string $file): void
{
    file_put_contents($file, str_replace('{variant}', "'.getenv('BENCH_DATABASE').'", (string) file_get_contents($file)));
}

/**
 * Keeps the configuration that `artisan config:cache` made. That command ends with 0 even if the app dies before it is done.
 *
 * @param string $output of the command
 */
function keepConfig(string $output): void
{
    $file = getenv('APP_CONFIG_CACHE') ?: 'bootstrap/cache/config.php';
    if (is_file($file)) {
        nameDatabase($file);
    } elseif (!str_contains($output, 'cached successfully')) {
        fail('artisan config:cache made no cache: ' . findReason($output));
    }
}

/** The file that all requests go to, which the build may have had to make. */
function check(string $root): void
{
    if (!is_file("$root/index.php")) {
        $place = $root === '.' ? "the app's folder" : "$root/";
        fail("no index.php in $place, and the build made none: set 'root' to the folder that has it, or make it with 'prepare'.");
    }
}

function warm(): void
{
    $kind = (string) getenv('BENCH_KIND');
    $command = ['symfony' => 'bin/console', 'laravel' => 'artisan'][$kind] ?? null;
    if ($command !== null && !is_file($command) && getenv('BENCH_PREPARE_1') === false) {
        say("note: no cache of the framework was filled, as there is no $command in the app's folder: do it in 'prepare'");
    }
    if ($kind === 'symfony' && is_file('bin/console')) {
        $cache = cacheOfSymfony();
        if (getenv('BENCH_PREPARE_1') !== false && is_dir($cache)) {
            // Composer or a command may have compiled the container before another command changed the configuration. Pools
            // may have what a command put there, except for the one that is made of the configuration itself.
            run(['find', "./$cache", '-mindepth', '1', '-maxdepth', '1', '!', '-name', 'pools', '-exec', 'rm', '-rf', '{}', '+']);
            run(['rm', '-rf', "./$cache/pools/system"]);
        }
        // Without it the app would compile its container in the first request, or fail to.
        [$code, $said] = run(['php', 'bin/console', 'cache:warmup', '--no-interaction', '--no-ansi']);
        if ($code !== 0) {
            fail('bin/console cache:warmup: ' . findReason($said));
        }
    }
    if ($kind === 'laravel' && is_file('artisan')) {
        $views = is_dir('resources/views') ? ['view:cache'] : [];
        foreach (['config:cache', 'event:cache', 'route:cache', ...$views] as $command) {
            [$code, $said] = run(['php', 'artisan', $command, '--no-interaction', '--no-ansi']);
            if ($code === 0 && $command === 'config:cache') {
                keepConfig($said);
            }
            // Some apps cannot have one of these, and are deployed without.
            if ($code !== 0) {
                say("note: served without artisan $command: " . findReason($said));
                run(['php', 'artisan', str_replace(':cache', ':clear', $command), '--no-interaction', '--no-ansi']);
            }
        }
    }
}

match ($argv[1] ?? '') {
    'install' => install(),
    'prepare' => prepare($argv[2] ?? ''),
    'warm' => warm(),
    'check' => check($argv[2] ?? '.'),
};
