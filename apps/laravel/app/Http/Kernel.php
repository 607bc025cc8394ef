<?php

declare(strict_types=1);

namespace App\Http;

use Illuminate\Foundation\Http\Kernel as HttpKernel;

final class Kernel extends HttpKernel
{
    protected $middleware = [
        \Illuminate\Http\Middleware\HandleCors::class,
        \Illuminate\Foundation\Http\Middleware\ValidatePostSize::class,
        \Illuminate\Foundation\Http\Middleware\TrimStrings::class,
        \Illuminate\Foundation\Http\Middleware\ConvertEmptyStringsToNull::class,
    ];

    protected $middlewareAliases = ['auth' => \Illuminate\Auth\Middleware\Authenticate::class];

    protected $middlewareGroups = [
        // Not throttled: that is what a load would run into.
        'api' => [\Illuminate\Routing\Middleware\SubstituteBindings::class],
    ];
}
