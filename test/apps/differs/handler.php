<?php

declare(strict_types=1);

require_once __DIR__ . '/app.php';

return static fn (array $request): array => [
    'status' => 200,
    'headers' => ['Content-Type' => 'text/plain'],
    'body' => Differs\text(Differs\answer($request['path'])),
];
