<?php

declare(strict_types=1);

/**
 * The application: a plain function from request to response, so that servers of every kind can call it.
 *
 * @phpstan-type Request array{path: string, query: array<string, mixed>, headers: array<string, string>}
 * @phpstan-type Response array{status: int, headers: array<string, string>, body: string}
 */

namespace App;

const ROUTES = ['/', '/json', '/cpu', '/io', '/loop', '/mem', '/phpinfo', '/status'];

/** A parameter that does not fit; becomes an answer with status 400. */
final class BadParameter extends \InvalidArgumentException
{
}

/**
 * @param Request $request
 * @return Response
 */
function handle(array $request): array
{
    $query = $request['query'];
    try {
        return match ($request['path']) {
            '/' => json(describe($request['headers'])),
            '/json' => json(['type' => 'json', 'items' => records((int) number($query, 'n', 100, 0, 100_000))]),
            '/cpu' => json(['type' => 'cpu', 'ms' => burn(number($query, 'ms', 1, 0, 10_000, true))]),
            '/io' => json(['type' => 'io', 'ms' => wait(number($query, 'ms', 10, 0, 10_000, true))]),
            '/loop' => text(loop(1000)),
            '/mem' => json(['type' => 'mem', 'mb' => allocate((int) number($query, 'mb', 1, 0, 4096))]),
            '/phpinfo' => html(information()),
            '/status' => status((int) number($query, 'code', 200, 200, 599)),
            default => json(['error' => 'no such route', 'path' => $request['path'], 'routes' => ROUTES], 404),
        };
    } catch (BadParameter $problem) {
        return json(['error' => $problem->getMessage()], 400);
    }
}

/** @return Response */
function json(array $data, int $status = 200): array
{
    $flags = JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE;
    $body = json_encode($data, $flags);
    return ['status' => $status, 'headers' => ['Content-Type' => 'application/json'], 'body' => $body];
}

/** @return Response */
function text(string $body): array
{
    return ['status' => 200, 'headers' => ['Content-Type' => 'text/plain; charset=UTF-8'], 'body' => $body];
}

/** @return Response */
function html(string $body): array
{
    return ['status' => 200, 'headers' => ['Content-Type' => 'text/html; charset=UTF-8'], 'body' => $body];
}

/**
 * Answers with that status. 204, 205 and 304 have no body.
 *
 * @return Response
 */
function status(int $code): array
{
    if (in_array($code, [204, 205, 304], true)) {
        return ['status' => $code, 'headers' => [], 'body' => ''];
    }
    return json(['type' => 'status', 'code' => $code], $code);
}

/** Reads a number from the query; $min and $max are included. */
function number(array $query, string $name, float $default, float $min, float $max, bool $fraction = false): float
{
    $text = $query[$name] ?? (string) $default;
    $pattern = $fraction ? '/^\d{1,9}(\.\d{1,9})?$/D' : '/^\d{1,9}$/D';
    if (!is_string($text) || !preg_match($pattern, $text) || $text < $min || $text > $max) {
        $found = is_string($text) ? "'$text'" : 'a list';
        $kind = $fraction ? 'a number' : 'an integer';
        throw new BadParameter("$name: expected $kind from $min to $max, found $found");
    }
    return (float) $text;
}

/** Content of the articles' test pages: a random number, where it ran, and the settings that matter. */
function describe(array $headers): array
{
    $ini = [];
    foreach (
        [
            'memory_limit', 'max_execution_time', 'display_errors', 'opcache.enable', 'opcache.enable_cli',
            'opcache.validate_timestamps', 'opcache.memory_consumption', 'opcache.jit', 'realpath_cache_size',
        ] as $name
    ) {
        $value = ini_get($name);
        $ini[$name] = $value === false ? null : $value;
    }
    ksort($headers);
    return [
        'type' => getenv('BENCH_RUNTIME') ?: PHP_SAPI,
        'number' => random_int(0, 0x7fffffff),
        'env' => getenv('APP_ENV') ?: 'prod',
        'pid' => getmypid(),
        'php' => PHP_VERSION,
        'sapi' => PHP_SAPI,
        'ini' => $ini,
        'headers' => $headers,
    ];
}

/** A list as an API would return it: the same for the same $count everywhere, about 370 bytes of JSON a record. */
function records(int $count): array
{
    $names = ['Ada', 'Grace', 'Linus', 'Barbara', 'Ken', 'Margaret', 'Dennis', 'Радия', 'Edsger', 'Frances'];
    $cities = ['Riga', 'Łódź', 'Oslo', 'Köln', '東京', 'Porto', 'Brno', 'Lyon'];
    $tags = ['new', 'sale', 'gift', 'heavy', 'fragile', 'digital', 'bulk'];
    $list = [];
    $seed = 1;
    for ($id = 1; $id <= $count; $id++) {
        $seed = ($seed * 1_103_515_245 + 12_345) & 0x7fffffff;
        $name = $names[$seed % 10];
        $list[] = [
            'id' => $id,
            'uuid' => sprintf('%08x-%04x-4%03x-a%03x-%012x', $seed, $seed & 0xffff, $id & 0xfff, $seed >> 20, $seed * 7),
            'name' => "$name $id",
            'email' => "user$id@example.org",
            'active' => $seed % 3 !== 0,
            'balance' => ($seed % 1_000_000) / 100,
            'created' => gmdate('Y-m-d\TH:i:s\Z', 1_700_000_000 + $seed % 31_536_000),
            'address' => [
                'street' => ($seed % 200) . ' Main Street',
                'city' => $cities[$seed % 8],
                'zip' => sprintf('%05d', $seed % 100_000),
                'location' => ['lat' => ($seed % 18_000 - 9_000) / 100, 'lon' => ($seed % 36_000 - 18_000) / 100],
            ],
            'tags' => [$tags[$seed % 7], $tags[($seed + 3) % 7]],
            'note' => $seed % 5 === 0 ? null : "Order #$seed, \"as agreed\"",
        ];
    }
    return $list;
}

/**
 * Uses that much CPU time, of user and system together, and returns it.
 *
 * It is the CPU time of the process: PHP offers none for a thread, so under a server that runs PHP in threads the
 * requests beside this one count as well and it ends too soon.
 */
function burn(float $ms): float
{
    $end = cpuMicroseconds() + $ms * 1000;
    $hash = '';
    while (cpuMicroseconds() < $end) {
        for ($i = 0; $i < 20; $i++) {
            $hash = hash('xxh64', $hash . $i);
        }
    }
    return $ms;
}

/** CPU time of this process so far. */
function cpuMicroseconds(): int
{
    $usage = getrusage();
    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1_000_000
        + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

/** Waits, as for a database, and returns how long. */
function wait(float $ms): float
{
    usleep((int) round($ms * 1000));
    return $ms;
}

/** The page of the Apache and nginx comparisons. */
function loop(int $times): string
{
    $page = '';
    for ($i = 1; $i <= $times; $i++) {
        $page .= "Hello, World! $i\n";
    }
    return $page;
}

/** Fills that much memory and returns how much it was. */
function allocate(int $mb): int
{
    return strlen(str_repeat('x', $mb << 20)) >> 20;
}

function information(): string
{
    ob_start();
    phpinfo();
    return (string) ob_get_clean();
}
