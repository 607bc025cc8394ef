<?php

// Packs Debian's Composer, the libraries it uses and the packages it offers into one file, since images take
// /usr/bin/composer alone: pack.php TARGET COMPOSER REPOSITORY
// COMPOSER has a folder for each of Debian's packages.

declare(strict_types=1);

/** @return iterable<string, string> path in the folder => path */
function filesIn(string $folder): iterable
{
    $flags = FilesystemIterator::FOLLOW_SYMLINKS | FilesystemIterator::SKIP_DOTS;
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, $flags)) as $file) {
        yield substr($file->getPathname(), strlen($folder) + 1) => $file->getPathname();
    }
}

[, $target, $composer, $repository] = $argv;
$phar = new Phar("$target.phar", 0, 'composer.phar');
$phar->startBuffering();
foreach (glob("$composer/*/usr/share/php") as $root) {
    foreach (filesIn($root) as $path => $file) {
        // Debian's loaders name each other by absolute paths. Debian's PHP gives all files in a phar the time 0, and OPcache
        // keeps no file with that time. Composer would give it to its own class loader.
        $phar[$path] = strtr(file_get_contents($file), [
            '/usr/share/php/' => 'phar://composer.phar/',
            'touch($target, (int) filemtime($source)' => 'touch($target, (int) filemtime($source) ?: time()',
        ]);
    }
}
[$main] = glob("$composer/*/usr/bin/composer");
$main = preg_replace('/^#!.*\n/', '', file_get_contents($main));
$phar['bin/composer'] = str_replace("__DIR__ . '/../share/php/", "'phar://composer.phar/", $main);
$phar['polyfills.php'] = file_get_contents(__DIR__ . '/polyfills.php');
foreach (filesIn($repository) as $path => $file) {
    $phar["repository/$path"] = file_get_contents($file);
}
// Composer takes archives from the disk only. Where they lie is told by its home, unless somebody set up one.
$phar->setStub(<<<'STUB'
    #!/usr/bin/env php
    <?php
    Phar::mapPhar('composer.phar');
    $home = getenv('COMPOSER_HOME') ?: '/tmp/composer-standin';
    if (!is_file("$home/config.json")) {
        $repository = '/tmp/composer-standin/repository';
        @mkdir($home, 0777, true);
        $packed = 'phar://composer.phar/repository';
        foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($packed)) as $file) {
            $path = $repository . substr($file, strlen($packed));
            $content = file_get_contents($file);
            @mkdir(dirname($path), 0777, true);
            file_put_contents($path, str_ends_with($path, '.json') ? str_replace('@repository@', $repository, $content) : $content);
        }
        file_put_contents("$home/config.json", json_encode(['repositories' => [
            ['packagist.org' => false],
            ['type' => 'composer', 'url' => "file://$repository"],
        ]]));
    }
    putenv("COMPOSER_HOME=$home");
    $_SERVER['COMPOSER_HOME'] = $_ENV['COMPOSER_HOME'] = $home;
    // A lock file names archives that only the Internet has: the versions nearest to it are taken.
    if (in_array('install', $argv, true) && str_contains((string) @file_get_contents('composer.lock'), 'https://api.github.com/')) {
        fwrite(STDERR, "composer.lock is set aside: this Composer has Debian's packages\n");
        rename('composer.lock', 'composer.lock.set-aside');
    }
    require 'phar://composer.phar/polyfills.php';
    require 'phar://composer.phar/bin/composer';
    __HALT_COMPILER();
    STUB);
$phar->stopBuffering();
rename("$target.phar", $target);
chmod($target, 0755);
