<?php

declare(strict_types=1);

// Composer's loader where the app was installed by it; else Symfony as Debian packages it (php-symfony-framework-bundle,
// php-symfony-console, composer): a loader for each component, and none for the app's own classes.

if (is_file(__DIR__ . '/vendor/autoload.php')) {
    require __DIR__ . '/vendor/autoload.php';
} else {
    require '/usr/share/php/Symfony/Bundle/FrameworkBundle/autoload.php';
    require '/usr/share/php/Symfony/Component/Console/autoload.php';
    spl_autoload_register(static function (string $class): void {
        if (str_starts_with($class, 'App\\')) {
            require __DIR__ . '/src/' . strtr(substr($class, 4), '\\', '/') . '.php';
        } elseif ($class === 'Composer\InstalledVersions') {
            // Symfony asks it what there is when it compiles its container.
            require '/usr/share/php/Composer/InstalledVersions.php';
        }
    });
}
