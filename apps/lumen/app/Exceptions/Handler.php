<?php

declare(strict_types=1);

namespace App\Exceptions;

use Laravel\Lumen\Exceptions\Handler as ExceptionHandler;
use Symfony\Component\HttpKernel\Exception\HttpException;

final class Handler extends ExceptionHandler
{
    /** A request that the app refuses is no event. */
    protected $dontReport = [HttpException::class];
}
