<?php

declare(strict_types=1);

namespace PhpRuntimeBench;

use Nyholm\Psr7\Response;
use PHPPM\Bridges\BridgeInterface;
use PHPPM\Bridges\HttpKernel;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\ServerRequestInterface;

/** Answers in each process of PHP-PM: Symfony with PHP-PM's own adapter, other apps with ours. */
final class Bridge implements BridgeInterface
{
    private ?HttpKernel $symfony = null;
    private ?\Closure $app = null;

    public function bootstrap($appBootstrap, $appenv, $debug): void
    {
        require __DIR__ . '/worker.php';
        // These are of version 1.1, which ReactPHP needs and every PSR-7 fits. Asked for later, they would be the app's.
        foreach (['Message', 'Request', 'Response', 'ServerRequest', 'Stream', 'UploadedFile', 'Uri'] as $name) {
            interface_exists("Psr\\Http\\Message\\{$name}Interface");
        }
        try {
            $this->load($appenv, $debug);
        } catch (\Throwable $error) {
            // PHP-PM would start this process again and again; and it passes nothing on after a signal to stop.
            file_put_contents('/tmp/php-runtime-bench/broken', "php-pm: {$error->getMessage()}\n");
            posix_kill(posix_getppid(), SIGTERM);
            exit(1);
        }
    }

    private function load(string $appenv, bool $debug): void
    {
        if ((getenv('APP_KIND') ?: find_kind('/app')) !== 'symfony') {
            // Its own handler of errors makes an exception of each warning, and so a 500. Symfony configures the handler itself.
            restore_error_handler();
            $this->app = load_app();
            return;
        }
        $this->symfony = new HttpKernel();
        $this->symfony->bootstrap('Symfony', $appenv, $debug);
    }

    public function handle(ServerRequestInterface $request): ResponseInterface
    {
        if ($this->symfony !== null) {
            if (getenv('BENCH_FACTS') !== '1' || $request->getUri()->getPath() !== FACTS_PATH) {
                // Its adapter neither fills these nor empties them.
                [$_GET, $_POST, $_FILES] = [$request->getQueryParams(), (array) $request->getParsedBody(), []];
                $_REQUEST = array_replace_recursive($_GET, $_POST);
                return $this->symfony->handle($request);
            }
            $response = read_facts();
            header_remove();
        } else {
            $remote = ['REMOTE_ADDR' => $request->getAttribute('remote_address'), 'REMOTE_PORT' => $request->getAttribute('remote_port')];
            $response = ($this->app)(request_of_psr7($request, $remote));
        }
        return new Response($response['status'], $response['headers'], $response['body']);
    }
}
