<?php

// Packs Debian's Composer and the libraries it uses into one file, since images take /usr/bin/composer alone.

declare(strict_types=1);

[, $target] = $argv;
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
$phar->setStub("#!/usr/bin/env php\n<?php Phar::mapPhar('composer.phar'); require 'phar://composer.phar/bin/composer'; __HALT_COMPILER();");
$phar->stopBuffering();
rename("$target.phar", $target);
chmod($target, 0755);
