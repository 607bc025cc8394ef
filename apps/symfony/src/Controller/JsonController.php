<?php

declare(strict_types=1);

namespace App\Controller;

use App\Customers;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpKernel\Attribute\AsController;
use Symfony\Component\HttpKernel\Exception\BadRequestHttpException;

#[AsController]
final class JsonController
{
    public function __construct(private readonly Customers $customers)
    {
    }

    /** `?n=100`: that many rows. */
    public function __invoke(Request $request): JsonResponse
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
