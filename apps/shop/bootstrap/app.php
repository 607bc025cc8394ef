<?php

use App\Http\Middleware\CachePage;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Configuration\Exceptions;
use Illuminate\Foundation\Configuration\Middleware;

return Application::configure(basePath: dirname(__DIR__))
    ->withRouting(web: __DIR__ . '/../routes/web.php')
    ->withMiddleware(static fn (Middleware $middleware) => $middleware->alias(['page-cache' => CachePage::class]))
    ->withExceptions(static function (Exceptions $exceptions): void {
    })
    ->create();
