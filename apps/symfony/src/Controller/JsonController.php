<?php

declare(strict_types=1);

namespace App\Controller;

use App\Customers;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpKernel\Attribute\AsController;
use Symfony\Component\HttpKernel\Exception\BadRequestHttpException;
use Symfony\Component\Routing\Attribute\Route;

#[AsController]
final class JsonController
{
    private const SETTINGS = [
        'memory_limit', 'max_execution_time', 'display_errors', 'opcache.enable', 'opcache.validate_timestamps',
        'realpath_cache_size',
    ];

    public function __construct(
        private readonly Customers $customers,
        private readonly string $type,
        private readonly string $environment,
    ) {
    }

    /** Answers like the endpoint of mrsuh/php-load-test, but without the process ID, which differs each time. */
    #[Route('/', methods: ['GET'])]
    public function describe(Request $request): JsonResponse
    {
        return new JsonResponse([
            'type' => $this->type,
            'number' => random_int(0, 0x7fffffff),
            'env' => $this->environment,
            'ini' => array_map(ini_get(...), array_combine(self::SETTINGS, self::SETTINGS)),
            'host' => $request->getHttpHost(),
            'agent' => $request->headers->get('User-Agent'),
        ]);
    }

    /** `?n=100`: that many rows. */
    #[Route('/json', methods: ['GET'])]
    public function list(Request $request): JsonResponse
    {
        $count = filter_var($request->query->get('n', '100'), FILTER_VALIDATE_INT, [
            'options' => ['min_range' => 0, 'max_range' => 100_000],
        ]);
        if ($count === false) {
            throw new BadRequestHttpException('n: expected an integer from 0 to 100000');
        }
        return new JsonResponse(['type' => 'json', 'items' => $this->customers->first($count)]);
    }
}
