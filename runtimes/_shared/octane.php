<?php

// The packages of a Laravel app that is served by Octane, and one more, which answers the facts path from its workers.
// Laravel reads this instead of bootstrap/cache/packages.php if the entry point sets APP_PACKAGES_CACHE.

declare(strict_types=1);

namespace PhpRuntimeBench;

use Illuminate\Http\Response;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\ServiceProvider;
use Laravel\Octane\Events\WorkerStarting;

if (!class_exists(FactsProvider::class, false)) {
    final class FactsProvider extends ServiceProvider
    {
        public function boot(): void
        {
            // When all is there: the app's cached routes take the place of those that were there before.
            Event::listen(static function (WorkerStarting $event): void {
                $event->app->make('router')->get('/.php-runtime-bench/facts', static function (): Response {
                    ob_start();
                    require __DIR__ . '/facts.php';
                    return new Response((string) ob_get_clean(), 200, ['Content-Type' => 'application/json']);
                });
            });
        }
    }
}

$file = '/app/bootstrap/cache/packages.php';

return (is_file($file) ? require $file : []) + ['php-runtime-bench' => ['providers' => [FactsProvider::class]]];
