<?php

declare(strict_types=1);

// Behaviour that may differ if the app stays in memory: php-fpm runs public/index.php, the other runtimes handler.php.

namespace Differs;

/** @return array<string, mixed> what a request may leave behind for the next one */
function state(): array
{
    return [
        'global variables' => isset($GLOBALS['left']),
        'static variables' => counter() > 0,
        '`putenv`' => getenv('LEFT') !== false,
        '`ini_set`' => ini_get('precision') === '5',
        'time zone' => date_default_timezone_get() === 'Asia/Tokyo',
        'working directory' => getcwd() === '/tmp',
        'locale' => setlocale(LC_TIME, '0') !== 'C',
        'mbstring’s encoding' => mb_internal_encoding() === 'ISO-8859-1',
        '`error_reporting`' => error_reporting() === E_ERROR,
        '`umask`' => umask() === 0o7,
    ];
}

function counter(int $add = 0): int
{
    static $count = 0;
    return $count += $add;
}

function leave(): string
{
    $GLOBALS['left'] = true;
    counter(1);
    putenv('LEFT=1');
    ini_set('precision', '5');
    date_default_timezone_set('Asia/Tokyo');
    chdir('/tmp');
    setlocale(LC_TIME, 'C.UTF-8', 'C.utf8');
    mb_internal_encoding('ISO-8859-1');
    error_reporting(E_ERROR);
    umask(0o7);
    return 'left';
}

function session(string $end): string
{
    session_start();
    $end === 'destroy' && session_destroy();
    return 'session';
}

function headers(): string
{
    header('X-Own: yes');
    setcookie('own', 'yes');
    return 'headers';
}

function warn(): string
{
    return 'warned' . @$GLOBALS['nothing'] . $undefined; // @phpstan-ignore variable.undefined
}

/** Prints after it has closed all buffers. */
function printLate(): string
{
    while (ob_get_level() > 0) {
        ob_end_clean();
    }
    echo 'printed';
    return '';
}

function register(): string
{
    register_shutdown_function(static fn () => touch('/tmp/shut-down'));
    return 'registered';
}

/** Its process takes two seconds to end. */
function linger(): string
{
    register_shutdown_function(static fn () => sleep(2));
    return 'lingers';
}

/** @return array<string, mixed> */
function upload(): array
{
    $file = $_FILES['file'] ?? ['error' => -1, 'tmp_name' => ''];
    return ['error' => $file['error'], 'uploaded' => is_uploaded_file($file['tmp_name'])];
}

/** The answer to a path, as text or as what becomes JSON. */
function answer(string $path): mixed
{
    return match ($path) {
        '/leave' => leave(),
        '/state' => array_keys(array_filter(state())),
        '/session' => session('keep'),
        '/destroy' => session('destroy'),
        '/headers' => headers(),
        '/warning' => warn(),
        '/throw' => throw new \LogicException('thrown on purpose'),
        '/exit' => exit('ended'),
        '/print' => printLate(),
        '/register' => register(),
        '/linger' => linger(),
        '/registered' => is_file('/tmp/shut-down') ? 'ran' : 'waits',
        '/upload' => upload(),
        '/names' => array_keys($_POST),
        '/body' => ['post' => strlen($_POST['word'] ?? ''), 'input' => strlen((string) file_get_contents('php://input'))],
        '/server' => [
            'port' => get_debug_type($_SERVER['SERVER_PORT'] ?? null),
            'two' => $_SERVER['HTTP_X_TWO'] ?? '',
            'user' => $_SERVER['PHP_AUTH_USER'] ?? '',
            'cwd' => getcwd(),
        ],
        default => 'hello',
    };
}

function text(mixed $answer): string
{
    return is_string($answer) ? $answer : json_encode($answer, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
}
