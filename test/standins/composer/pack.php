<?php

// Packs Debian's Composer, the libraries it uses and the packages it offers into one file, since images take
// /usr/bin/composer alone: pack.php TARGET REPOSITORY

declare(strict_types=1);

[, $target, $repository] = $argv;
$phar = new Phar("$target.phar", 0, 'composer.phar');
$phar->startBuffering();
$root = '/usr/share/php/';
$files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($root, FilesystemIterator::FOLLOW_SYMLINKS | FilesystemIterator::SKIP_DOTS));
foreach ($files as $file) {
    // Debian's loaders name each other by absolute paths.
    $phar[substr($file->getPathname(), strlen($root))] = str_replace($root, 'phar://composer.phar/', file_get_contents($file->getPathname()));
}
$main = preg_replace('/^#!.*\n/', '', file_get_contents('/usr/bin/composer'));
$phar['bin/composer'] = str_replace("__DIR__ . '/../share/php/", "'phar://composer.phar/", $main);
foreach (scandir($repository) as $name) {
    if ($name[0] !== '.') {
        $phar["repository/$name"] = file_get_contents("$repository/$name");
    }
}
// Composer takes archives from the disk only. Where they lie is told by its home, unless somebody set up one.
$phar->setStub(<<<'STUB'
    #!/usr/bin/env php
    <?php
    Phar::mapPhar('composer.phar');
    $home = getenv('COMPOSER_HOME') ?: '/tmp/composer-standin';
    if (!is_file("$home/config.json")) {
        $repository = '/tmp/composer-standin/repository';
        @mkdir($repository, 0777, true);
        @mkdir($home, 0777, true);
        foreach (scandir('phar://composer.phar/repository') as $name) {
            $content = file_get_contents("phar://composer.phar/repository/$name");
            file_put_contents("$repository/$name", str_ends_with($name, '.json') ? str_replace('@repository@', $repository, $content) : $content);
        }
        file_put_contents("$home/config.json", json_encode(['repositories' => [
            ['packagist.org' => false],
            ['type' => 'composer', 'url' => "file://$repository"],
        ]]));
        putenv("COMPOSER_HOME=$home");
        $_SERVER['COMPOSER_HOME'] = $_ENV['COMPOSER_HOME'] = $home;
    }
    require 'phar://composer.phar/bin/composer';
    __HALT_COMPILER();
    STUB);
$phar->stopBuffering();
rename("$target.phar", $target);
chmod($target, 0755);
