<?php

// Makes a Composer repository of Debian's packages of PHP libraries: packages.php FOLDER REPOSITORY
// FOLDER has a folder for each, with its files and its `control`. The repository becomes packages.json and archives.

declare(strict_types=1);

[, $folder, $repository] = $argv;
const ROOT = 'usr/share/php/';

/** As Composer knows it, where that is not the first word before a slash, the others behind it. */
const NAMES = [
    'php-email-validator' => 'egulias/email-validator',
    'php-graham-campbell-result-type' => 'graham-campbell/result-type',
    'php-monolog' => 'monolog/monolog',
    'php-phpoption' => 'phpoption/phpoption',
];

/** @return array<string, string> */
function readControl(string $file): array
{
    preg_match_all('/^(\w+): (.*)$/m', (string) file_get_contents($file), $lines);
    return array_combine($lines[1], $lines[2]);
}

function nameOf(string $package): string
{
    return NAMES[$package] ?? preg_replace('/-/', '/', substr($package, strlen('php-')), 1);
}

/** What a library loads besides its classes, by the loader that Debian made: `require_once __DIR__ . '/helpers.php'`. */
function findFiles(string $root): array
{
    $found = [];
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($root, FilesystemIterator::SKIP_DOTS)) as $file) {
        if ($file->getFilename() !== 'autoload.php') {
            continue;
        }
        $text = (string) file_get_contents($file->getPathname());
        preg_match_all('/^\s*require(?:_once)?\s*\(?\s*__DIR__\s*\.\s*[\'"]([^\'"]+\.php)[\'"]/m', $text, $required);
        foreach ($required[1] as $path) {
            $path = dirname($file->getPathname()) . $path;
            if (!str_contains($path, '..') && basename($path) !== 'autoload.php' && is_file($path)) {
                $found[] = substr($path, strlen($root) + 1);
            }
        }
    }
    return array_values(array_unique($found));
}

mkdir($repository);
$controls = [];
foreach (glob("$folder/*/control") as $file) {
    if (is_dir(dirname($file) . '/' . ROOT)) {
        $control = readControl($file);
        $controls[$control['Package']] = ['from' => dirname($file) . '/' . rtrim(ROOT, '/')] + $control;
    }
}
$packages = [];
foreach ($controls as $debian => ['from' => $from, 'Version' => $full, 'Depends' => $depends]) {
    $name = nameOf($debian);
    preg_match('/^(?:\d+:)?v?(\d+(?:\.\d+)*)/', $full, $version);
    preg_match_all('/\bphp-[a-z0-9.-]+/', $depends, $needed);
    $needs = array_intersect(array_unique($needed[0]), array_keys($controls));
    // Upstream's own composer.json says this of its plugin.
    $plugin = $name === 'symfony/runtime'
        ? ['type' => 'composer-plugin', 'extra' => ['class' => 'Symfony\Component\Runtime\Internal\ComposerPlugin']]
        : [];
    $files = findFiles($from);
    if ($name === 'symfony/string') {
        copy(__DIR__ . '/intl.php', "$from/intl.php");
        $files[] = 'intl.php';
    }
    // Composer unpacks what is in the one folder of an archive.
    $wrapped = dirname($from) . '/wrapped';
    mkdir($wrapped);
    rename($from, "$wrapped/package");
    $archive = strtr($name, '/', '-') . '.tar';
    (new PharData("$repository/$archive"))->buildFromDirectory($wrapped);
    $packages[$name][$version[1]] = $plugin + [
        'name' => $name,
        'version' => $version[1],
        'type' => 'library',
        // The sum: what Composer keeps in its cache of an older stand-in does not count.
        'dist' => [
            'type' => 'tar',
            'url' => "@repository@/$archive",
            'shasum' => sha1_file("$repository/$archive"),
        ],
        'require' => ($plugin ? ['composer-plugin-api' => '^2.0'] : []) + array_fill_keys(array_map(nameOf(...), $needs), '*'),
        'autoload' => ['classmap' => [''], 'files' => $files],
    ];
}
ksort($packages);
file_put_contents("$repository/packages.json", json_encode(['packages' => $packages], JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT));
echo count($packages), " packages\n";
