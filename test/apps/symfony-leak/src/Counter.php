<?php

declare(strict_types=1);

namespace App;

/** Counts for as long as its kernel lives. */
final class Counter
{
    public int $requests = 0;
}
