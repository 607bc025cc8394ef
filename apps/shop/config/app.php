<?php

use Illuminate\Support\ServiceProvider;

return [
    'name' => env('APP_NAME', 'A shop'),
    'env' => env('APP_ENV', 'production'),
    'debug' => (bool) env('APP_DEBUG', false),
    'url' => env('APP_URL', 'http://localhost'),
    'timezone' => 'UTC',
    'locale' => 'en',
    'fallback_locale' => 'en',
    'cipher' => 'AES-256-CBC',
    // Of an app that keeps no secrets.
    'key' => env('APP_KEY', 'base64:cGhwLXJ1bnRpbWUtYmVuY2g6IG5vdCBhIHNlY3JldC4='),
    'maintenance' => ['driver' => 'file'],
    // Whole pages are kept for a while, as shops do; RESPONSE_CACHE=false makes each anew.
    'response-cache' => (bool) env('RESPONSE_CACHE', true),
    'providers' => ServiceProvider::defaultProviders()->merge([
        App\Providers\RouteServiceProvider::class,
    ])->toArray(),
];
