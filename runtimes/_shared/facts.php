<?php

declare(strict_types=1);

// Facts about the PHP that answers: read from within the serving SAPI, since `php -i` may differ. Served only when
// BENCH_FACTS=1.

$status = function_exists('opcache_get_status') ? (opcache_get_status(false) ?: []) : [];
$jit = $status['jit'] ?? [];
$memory = $status['memory_usage'] ?? [];

$ini = [];
foreach (
    [
        'memory_limit', 'max_execution_time', 'error_reporting', 'display_errors', 'log_errors', 'output_buffering',
        'variables_order', 'zend.assertions', 'zlib.output_compression', 'realpath_cache_size', 'realpath_cache_ttl',
        'date.timezone', 'session.save_handler', 'pcre.jit', 'opcache.enable', 'opcache.enable_cli',
        'opcache.memory_consumption', 'opcache.interned_strings_buffer', 'opcache.max_accelerated_files',
        'opcache.validate_timestamps', 'opcache.save_comments', 'opcache.preload', 'opcache.jit',
        'opcache.jit_buffer_size', 'auto_prepend_file',
    ] as $name
) {
    $value = ini_get($name);
    $ini[$name] = $value === false ? null : $value;
}

/** Settings in Laravel's cached configuration that decide how much a request does. */
$readSettings = static function (string $file): array {
    try {
        $config = require $file;
        $log = $config['logging']['default'] ?? null;
        $all = [
            'env' => $config['app']['env'] ?? null,
            'debug' => (bool) ($config['app']['debug'] ?? false) ? 'on' : 'off',
            'cache' => $config['cache']['default'] ?? null,
            'session' => $config['session']['driver'] ?? null,
            'queue' => $config['queue']['default'] ?? null,
            'mail' => $config['mail']['default'] ?? null,
            'log' => $log,
            'log level' => $config['logging']['channels'][$log]['level'] ?? null,
        ];
        // Their settings may be there without them.
        $tools = [
            'telescope' => ['laravel/telescope'],
            'debugbar' => ['barryvdh/laravel-debugbar', 'fruitcake/laravel-debugbar'],
        ];
        foreach ($tools as $name => $packages) {
            $isServed = array_filter($packages, static fn (string $package): bool => is_dir("/app/vendor/$package"));
            if ($isServed && ($config[$name]['enabled'] ?? $config['app']['debug'] ?? false)) {
                $all[$name] = 'on';
            }
        }
        return array_filter($all, is_string(...));
    } catch (Throwable) {
        return [];
    }
};

// Caches that Laravel's build has not made: it reads those files in each request. Lumen has no such folder.
$uncached = [];
$settings = [];
if (is_file('/app/artisan') && is_dir('/app/bootstrap/cache')) {
    $caches = ['config' => ['APP_CONFIG_CACHE', 'config.php'], 'route' => ['APP_ROUTES_CACHE', 'routes*.php']];
    foreach ($caches as $name => [$variable, $file]) {
        $path = getenv($variable) ?: "bootstrap/cache/$file";
        $found = glob(str_starts_with($path, '/') ? $path : "/app/$path");
        if (!$found) {
            $uncached[] = $name;
        } elseif ($name === 'config') {
            $settings = $readSettings($found[0]);
        }
    }
}

// Extensions of development that look at each call. Xdebug alone knows its modes, as XDEBUG_MODE overrides php.ini.
$xdebug = phpversion('xdebug');
if ($xdebug && (version_compare($xdebug, '3.1', '<') || xdebug_info('mode'))) {
    $settings['xdebug'] = 'on';
}
if (ini_get('pcov.enabled')) {
    $settings['pcov'] = 'on';
}

$extensions = array_map(strtolower(...), get_loaded_extensions());
sort($extensions);

header('Content-Type: application/json');
header('Cache-Control: no-store');
echo json_encode([
    'php' => PHP_VERSION,
    'zts' => (bool) PHP_ZTS,
    'debug' => (bool) PHP_DEBUG,
    'sapi' => PHP_SAPI,
    'os' => php_uname('s') . ' ' . php_uname('r') . ' ' . php_uname('m'),
    'server' => getenv('BENCH_SERVER') ?: PHP_SAPI,
    'opcache' => [
        'enabled' => (bool) ($status['opcache_enabled'] ?? false),
        'jit' => [
            'enabled' => (bool) ($jit['enabled'] ?? false),
            'on' => (bool) ($jit['on'] ?? false),
            // The trigger: 5 is a hot trace, all below are functions, at load or when hot.
            'kind' => ($jit['on'] ?? false) ? ($jit['kind'] === 5 ? 'tracing' : 'function') : 'off',
            'bufferBytes' => $jit['buffer_size'] ?? 0,
            'bufferFreeBytes' => $jit['buffer_free'] ?? 0,
        ],
        'memory' => [
            'usedBytes' => $memory['used_memory'] ?? 0,
            'freeBytes' => $memory['free_memory'] ?? 0,
            'wastedBytes' => $memory['wasted_memory'] ?? 0,
        ],
        'scripts' => $status['opcache_statistics']['num_cached_scripts'] ?? 0,
        'misses' => $status['opcache_statistics']['misses'] ?? null,
    ],
    'ini' => $ini,
    // Each start of a run has this line in BENCH_INI.
    'ignoresIni' => function_exists('get_cfg_var') && get_cfg_var('php_runtime_bench.read') !== '1',
    'extensions' => $extensions,
    'uncached' => $uncached,
    'settings' => (object) $settings,
], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
