<?php

declare(strict_types=1);

namespace PhpRuntimeBench;

// For servers in PHP, when one of their processes is about to end: a connection may be closed only while it is silent.
// Requests that its client has sent by then are read and answered first.

/** How long nothing was heard from a connection that may be closed, s. More than clients take between two requests of a load. */
const DRAIN_SILENCE = 0.3;
/** After so long the process ends whatever its clients do, s. Docker waits for 10. */
const DRAIN_PATIENCE = 8;

/**
 * Whether something has arrived that nobody has read yet: bytes, or on a listening socket a connection.
 *
 * @param resource $socket
 */
function has_input($socket): bool
{
    $read = [$socket];
    $none = null;
    return (bool) stream_select($read, $none, $none, 0);
}
