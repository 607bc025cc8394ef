<?php

// Instead of Octane's script of this name: the server that it makes, with a stop that waits for requests in flight.
// Swoole closes the connections first, in the mode that Octane uses, those that wait for their answer, too.

$server = require '/app/vendor/laravel/octane/bin/createSwooleServer.php';

$server->on('beforeShutdown', static function () use ($server): void {
    for ($tries = 0; $server->stats()['concurrency'] > 0 && $tries < 900; $tries++) {
        usleep(10_000);
    }
    // Until the threads have passed on what the workers gave them.
    usleep(50_000);
    // Octane's ticks, which would keep this process alive.
    Swoole\Timer::clearAll();
});

return $server;
