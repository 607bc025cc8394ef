<?php

require_once __DIR__ . '/../vendor/autoload.php';

$app = new Laravel\Lumen\Application(dirname(__DIR__));

$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, App\Exceptions\Handler::class);
$app->singleton(Illuminate\Contracts\Console\Kernel::class, App\Console\Kernel::class);

$app->configure('app');
$app->configure('logging');

$app->router->group(['namespace' => 'App\Http\Controllers'], static function ($router): void {
    require __DIR__ . '/../routes/web.php';
});

return $app;
