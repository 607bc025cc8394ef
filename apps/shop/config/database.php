<?php

$server = [
    'host' => env('DB_HOST', '127.0.0.1'),
    'port' => env('DB_PORT'),
    'database' => env('DB_DATABASE', 'laravel'),
    'username' => env('DB_USERNAME', 'root'),
    'password' => env('DB_PASSWORD', ''),
];

return [
    'default' => env('DB_CONNECTION', 'sqlite'),
    'connections' => [
        // Made when the app is built (composer.json), so that each start of a server has a fresh one.
        'sqlite' => ['driver' => 'sqlite', 'database' => database_path('database.sqlite')],
        'mysql' => ['driver' => 'mysql', 'charset' => 'utf8mb4', 'collation' => 'utf8mb4_unicode_ci'] + $server,
        'pgsql' => ['driver' => 'pgsql', 'charset' => 'utf8'] + $server,
    ],
];
