<?php

declare(strict_types=1);

use Nyholm\Psr7\Response;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;
use Psr\Http\Server\RequestHandlerInterface;

// Says what a PSR-15 handler gets.
return new class () implements RequestHandlerInterface {
    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        $files = array_map(
            static fn ($file): array => [$file->getClientFilename(), (string) $file->getStream()],
            $request->getUploadedFiles(),
        );
        $body = json_encode([
            'method' => $request->getMethod(),
            'target' => $request->getRequestTarget(),
            'host' => $request->getUri()->getHost(),
            'query' => $request->getQueryParams(),
            'cookies' => $request->getCookieParams(),
            'header' => $request->getHeaderLine('X-Test'),
            'form' => $request->getParsedBody(),
            'files' => $files,
            'body' => $files === [] ? (string) $request->getBody() : '',
            'client' => $request->getServerParams()['REMOTE_ADDR'] ?? null,
        ], JSON_THROW_ON_ERROR);
        return (new Response($request->getUri()->getPath() === '/' ? 200 : 202, ['Content-Type' => 'application/json', 'X-Two' => 'one'], $body))
            ->withAddedHeader('Set-Cookie', 'a=1')
            ->withAddedHeader('Set-Cookie', 'b=2');
    }
};
