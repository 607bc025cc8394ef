<?php

declare(strict_types=1);

namespace App;

use Symfony\Contracts\Service\ResetInterface;

/** Words of one request, which another must not read. */
final class Notes implements ResetInterface
{
    /** @var list<string> */
    public array $words = [];

    public function reset(): void
    {
        $this->words = [];
    }
}
