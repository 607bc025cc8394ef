<?php

// Writes the file that Octane's server starts from, `state.php FILE`: what `artisan octane:swoole` writes there, with the
// options that `serve` has checked.

declare(strict_types=1);

use Illuminate\Contracts\Console\Kernel;
use Laravel\Octane\Commands\StartSwooleCommand;
use Laravel\Octane\Swoole\ServerProcessInspector;
use Laravel\Octane\Swoole\ServerStateFile;
use Laravel\Octane\Swoole\SwooleExtension;
use Symfony\Component\Console\Input\ArrayInput;
use Symfony\Component\Console\Output\StreamOutput;

require '/app/vendor/autoload.php';
$app = require '/app/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();
$app->make('config')->set('octane.state_file', $argv[1]);

$command = new class extends StartSwooleCommand {
    public function handle(ServerProcessInspector $inspector, ServerStateFile $file, SwooleExtension $extension): int
    {
        $this->writeServerStateFile($file, $extension);
        return 0;
    }

    // The app's own `octane.swoole.options` come before these.
    protected function defaultServerOptions(SwooleExtension $extension): array
    {
        $gzip = getenv('GZIP') === 'true';
        return [
            'backlog' => 4096,
            'http_compression' => $gzip,
            ...($gzip ? ['http_compression_level' => 6, 'http_compression_min_length' => 1] : []),
            'log_file' => '/dev/stderr',
            'log_level' => SWOOLE_LOG_WARNING,
            'max_wait_time' => 9,
            // Counts the CPUs that this container may use. Octane itself takes the number of workers.
            'reactor_num' => (int) getenv('CPUS'),
        ] + parent::defaultServerOptions($extension);
    }
};
$command->setLaravel($app);
exit($command->run(
    new ArrayInput([
        '--host' => '0.0.0.0',
        '--port' => getenv('PORT'),
        '--workers' => getenv('WORKERS'),
        '--task-workers' => getenv('TASK_WORKERS'),
        '--max-requests' => getenv('MAX_REQUESTS'),
    ]),
    new StreamOutput(STDERR),
));
