<?php

declare(strict_types=1);

use App\Kernel;
use Symfony\Component\HttpFoundation\Request;

require dirname(__DIR__) . '/autoload.php';

$kernel = new Kernel($_ENV['APP_ENV'] ?? 'prod', ($_ENV['APP_DEBUG'] ?? '0') === '1');
$request = Request::createFromGlobals();
$response = $kernel->handle($request);
$response->send();
$kernel->terminate($request, $response);
