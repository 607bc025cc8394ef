<?php

declare(strict_types=1);

namespace App;

use App\Controller\JsonController;
use Symfony\Bundle\FrameworkBundle\FrameworkBundle;
use Symfony\Bundle\FrameworkBundle\Kernel\MicroKernelTrait;
use Symfony\Component\DependencyInjection\Loader\Configurator\ContainerConfigurator;
use Symfony\Component\HttpKernel\Kernel as BaseKernel;
use Symfony\Component\Routing\Loader\Configurator\RoutingConfigurator;

final class Kernel extends BaseKernel
{
    use MicroKernelTrait;

    public function registerBundles(): iterable
    {
        yield new FrameworkBundle();
    }

    public function getProjectDir(): string
    {
        return dirname(__DIR__);
    }

    private function configureContainer(ContainerConfigurator $container): void
    {
        $container->extension('framework', [
            'http_method_override' => false,
            'handle_all_throwables' => true,
            'php_errors' => ['log' => true],
        ]);
        $container->services()
            ->defaults()->autowire()->autoconfigure()
            ->load('App\\', __DIR__ . '/')->exclude(__DIR__ . '/Kernel.php');
    }

    private function configureRoutes(RoutingConfigurator $routes): void
    {
        $routes->add('json', '/json')->controller(JsonController::class)->methods(['GET']);
    }
}
