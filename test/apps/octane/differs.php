<?php

declare(strict_types=1);

// Routes of a Laravel app on Octane with the answers of test/apps/differs, whose app.php is beside artisan. Laravel reads
// bodies and variables from its own request, so this app does, too.

use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Route;

require_once __DIR__ . '/../app.php';

/** @return array<string, mixed> */
function describeFile(Request $request): array
{
    $file = $request->file('file');
    return ['error' => $file?->getError() ?? -1, 'uploaded' => is_uploaded_file((string) $file?->getPathname())];
}

Route::any('{path?}', static function (Request $request): Response {
    $path = '/' . ltrim($request->path(), '/');
    $two = $request->headers->all('X-Two');
    $answer = match ($path) {
        '/io' => (string) usleep(1000 * (int) $request->query('ms')),
        '/upload' => describeFile($request),
        '/names' => array_keys($request->post()),
        '/body' => [
            'post' => strlen((string) $request->post('word')),
            'input' => strlen((string) file_get_contents('php://input')),
        ],
        '/server' => [
            'port' => get_debug_type($request->server('SERVER_PORT')),
            'two' => count($two) > 1 ? $two : $two[0] ?? '',
            'user' => (string) $request->getUser(),
            'cwd' => getcwd(),
        ],
        default => Differs\answer($path),
    };
    return new Response(Differs\text($answer), 200, ['Content-Type' => 'text/plain']);
})->where('path', '.*');
