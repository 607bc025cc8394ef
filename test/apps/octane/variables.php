<?php

declare(strict_types=1);

// Routes of a Laravel app on Octane that answer with the variables of the request, as Laravel has them.

use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Route;

Route::any('{path?}', static function (Request $request): Response {
    $_SERVER = $request->server->all();
    return new Response(require __DIR__ . '/../app.php', 200, ['Content-Type' => 'application/json']);
})->where('path', '.*');
