<?php

declare(strict_types=1);

namespace App\Controller;

use App\Counter;
use App\Notes;
use Symfony\Component\HttpFoundation\Cookie;
use Symfony\Component\HttpFoundation\JsonResponse;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\RequestStack;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\HttpFoundation\StreamedResponse;
use Symfony\Component\HttpKernel\Attribute\AsController;
use Symfony\Component\Routing\Attribute\Route;

#[AsController]
final class StateController
{
    public function __construct(
        private readonly Notes $notes,
        private readonly Counter $counter,
        private readonly RequestStack $stack,
    ) {
    }

    #[Route('/leave')]
    public function leave(Request $request): Response
    {
        $this->notes->words[] = (string) $request->query->get('secret');
        $request->setLocale('fr');
        $request->attributes->set('secret', 1);
        $request->getSession()->set('secret', 1);
        $_SERVER['HTTP_SECRET'] = $_GET['secret'] = $_POST['secret'] = $_COOKIE['secret'] = 'left';
        $response = new Response('left');
        $response->headers->setCookie(Cookie::create('secret', '1'));
        $response->headers->setCookie(Cookie::create('other', '2'));
        return $response;
    }

    #[Route('/state')]
    public function state(Request $request): JsonResponse
    {
        $changing = array_flip(['REQUEST_TIME', 'REQUEST_TIME_FLOAT', 'REMOTE_PORT']);
        return new JsonResponse([
            'pid' => getmypid(),
            'notes' => $this->notes->words,
            'locale' => $request->getLocale(),
            'attributes' => array_keys($request->attributes->all()),
            'query' => $request->query->all(),
            'form' => $request->request->all(),
            'cookies' => $request->cookies->all(),
            'headers' => $request->headers->all(),
            'server' => array_diff_key($_SERVER, $changing),
            'superglobals' => [$_GET, $_POST, $_COOKIE, isset($_SESSION)],
            'session' => [$request->hasPreviousSession(), session_status(), session_id()],
            'main' => [$this->stack->getMainRequest() === $request, $this->stack->getParentRequest() === null],
        ]);
    }

    /** How often this session was here. */
    #[Route('/session')]
    public function visit(Request $request): Response
    {
        $session = $request->getSession();
        $session->set('visits', $session->get('visits', 0) + 1);
        return new Response((string) $session->get('visits'));
    }

    /** Looks into its session, and leaves it empty. */
    #[Route('/nothing')]
    public function look(Request $request): Response
    {
        return new Response((string) count($request->getSession()->all()));
    }

    #[Route('/logout')]
    public function logout(Request $request): Response
    {
        $request->getSession()->invalidate();
        return new Response('bye');
    }

    /** Closes its session at once, as for a long answer. */
    #[Route('/closed')]
    public function close(Request $request): Response
    {
        $request->getSession()->set('count', $count = $request->getSession()->get('count', 0) + 1);
        $request->getSession()->save();
        return new Response((string) $count);
    }

    #[Route('/stream')]
    public function stream(Request $request): Response
    {
        return new StreamedResponse(static function () use ($request): void {
            foreach (['one, ', 'two, ', 'three'] as $part) {
                echo $part;
                $request->query->get('flush') && ob_flush();
                flush();
            }
        }, 200, ['Content-Type' => 'text/plain']);
    }

    #[Route('/large')]
    public function streamMuch(Request $request): Response
    {
        return new StreamedResponse(static function () use ($request): void {
            for ($left = $request->query->getInt('mb'); $left > 0; $left--) {
                echo str_repeat('x', 1 << 20);
            }
        });
    }

    #[Route('/upload', methods: ['POST'])]
    public function read(Request $request): Response
    {
        $file = $request->files->get('one');
        if ($file === null) {
            return new Response('no file');
        }
        return new Response($file->getClientOriginalName() . ': ' . $file->getContent() . json_encode($request->request->all()));
    }

    #[Route('/count')]
    public function count(): Response
    {
        return new Response((string) ++$this->counter->requests);
    }

    #[Route('/throw')]
    public function fail(): Response
    {
        throw new \LogicException('thrown on purpose');
    }

    #[Route('/')]
    public function greet(Request $request): JsonResponse
    {
        return new JsonResponse(['url' => $request->getUri(), 'method' => $request->getMethod(), 'body' => $request->getContent()]);
    }
}
