<?php

// Listens, and keeps as many processes as were asked for, which all take connections from that one socket: whoever is free
// takes the next. With a socket for each (SO_REUSEPORT) the kernel would give connections to busy ones, too.

declare(strict_types=1);

$port = getenv('PORT');
$context = stream_context_create(['socket' => ['backlog' => 4096]]);
$socket = @stream_socket_server("tcp://0.0.0.0:$port", $code, $problem, STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, $context);
if ($socket === false) {
    fwrite(STDERR, "reactphp: port $port: $problem\n");
    exit(70);
}

/** @var array<int, resource> $servers by process id */
$servers = [];
$stopping = false;
$start = static function () use (&$servers, &$stopping, $socket): void {
    $streams = [['file', '/dev/null', 'r'], STDERR, STDERR, $socket];
    $process = proc_open([PHP_BINARY, __DIR__ . '/server.php'], $streams, $pipes);
    $pid = proc_get_status($process)['pid'];
    $servers[$pid] = $process;
    // A signal came meanwhile.
    if ($stopping) {
        posix_kill($pid, SIGTERM);
    }
};
$stop = static function () use (&$servers, &$stopping): void {
    $stopping = true;
    foreach (array_keys($servers) as $pid) {
        posix_kill($pid, SIGTERM);
    }
};
pcntl_async_signals(true);
foreach ([SIGTERM, SIGINT, SIGQUIT] as $signal) {
    pcntl_signal($signal, $stop, false);
}

for ($count = (int) getenv('WORKERS'); $count > 0 && !$stopping; $count--) {
    $start();
}
$code = 0;
while ($servers !== []) {
    $pid = pcntl_wait($status);
    if (!isset($servers[$pid])) {
        continue;
    }
    unset($servers[$pid]);
    if ($stopping) {
        continue;
    }
    if (pcntl_wifexited($status) && pcntl_wexitstatus($status) === 78) {
        // The app does not load, and would not the next time.
        $code = 70;
        $stop();
        continue;
    }
    if ($status !== 0) {
        fwrite(STDERR, "reactphp: process $pid has ended (status $status), another takes its place\n");
        // Not as fast as one can fail.
        usleep(50_000);
    }
    if (!$stopping) {
        $start();
    }
}
exit($code);
