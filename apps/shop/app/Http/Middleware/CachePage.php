<?php

declare(strict_types=1);

namespace App\Http\Middleware;

use Closure;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Support\Facades\Cache;
use Symfony\Component\HttpFoundation\Response as AnyResponse;

/** Keeps whole pages for ten minutes; the token in their forms is each visitor's own. */
final class CachePage
{
    private const PLACEHOLDER = '<token of the session>';

    public function handle(Request $request, Closure $next): AnyResponse
    {
        if (!config('app.response-cache')) {
            return $next($request);
        }
        $key = 'page:' . $request->fullUrl();
        $token = csrf_token();
        $page = Cache::get($key);
        if ($page !== null) {
            return new Response(str_replace(self::PLACEHOLDER, $token, $page));
        }
        $response = $next($request);
        if ($response->getStatusCode() === 200) {
            Cache::put($key, str_replace($token, self::PLACEHOLDER, (string) $response->getContent()), 600);
        }
        return $response;
    }
}
