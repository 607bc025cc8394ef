<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Laravel\Lumen\Routing\Controller;

final class JsonController extends Controller
{
    /** Headers that some servers omit and others leave empty if a request has no body. */
    private const EMPTY = ['content-length', 'content-type'];

    /** Answers like the endpoint of the article on fpm, Unit and Octane: a setting, the type, a number, the headers. */
    public function describe(Request $request): JsonResponse
    {
        $headers = array_diff_key($request->headers->all(), array_flip(self::EMPTY));
        ksort($headers);
        return new JsonResponse([
            'name' => config('app.name'),
            'type' => config('app.type'),
            'number' => random_int(0, 0x7fffffff),
            'headers' => $headers,
        ]);
    }
}
