<?php

// Makes a Composer repository of Debian's packages of PHP libraries: packages.php FOLDER REPOSITORY
// FOLDER has a folder for each release of Debian, with a folder for each package: its files and its `control`. The
// repository becomes packages.json, p2/ and archives, with the security advisories of advisories.json, as Packagist's.

declare(strict_types=1);

set_error_handler(static fn (int $level, string $what) => throw new ErrorException($what, 0, $level));
[, $folder, $repository] = $argv;
const ROOT = 'usr/share/php/';

/** As Composer knows it, where that is not the first word before a slash, the others behind it. */
const NAMES = [
    'php-carbon-doctrine-types' => 'carbonphp/carbon-doctrine-types',
    'php-email-validator' => 'egulias/email-validator',
    'php-getallheaders' => 'ralouphie/getallheaders',
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

/** Files that Debian's loader of a library loads besides its classes: `require_once __DIR__ . '/helpers.php'`. */
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

/** The version constraint of a package: another version would be from another Debian release. */
function asConstraint(string $version): string
{
    return '^' . implode('.', array_slice(explode('.', $version), 0, 2));
}

/** @return array<string, array{from: string, version: string, depends: string}> by Debian's names */
function readSuite(string $suite): array
{
    $found = [];
    foreach (glob("$suite/*/control") as $file) {
        $from = dirname($file) . '/' . rtrim(ROOT, '/');
        $control = readControl($file);
        if (is_dir($from) && preg_match('/^(?:\d+:)?v?(\d+(?:\.\d+)*)/', $control['Version'], $version)) {
            $found[$control['Package']] = ['from' => $from, 'version' => $version[1], 'depends' => $control['Depends'] ?? ''];
        }
    }
    return $found;
}

/** Where upstream has a file: Laravel finds its default configuration by a path relative to its classes. */
function placeOf(string $path, string $name): string
{
    if ($name !== 'laravel/framework') {
        return $path;
    }
    return str_starts_with($path, 'Illuminate/config/') ? substr($path, strlen('Illuminate/')) : "src/$path";
}

/** Composer unpacks what is in the one folder of an archive. */
function archive(string $from, string $name, string $target): void
{
    $files = [];
    foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator($from, FilesystemIterator::SKIP_DOTS)) as $file) {
        $files['package/' . placeOf(substr($file->getPathname(), strlen($from) + 1), $name)] = $file->getPathname();
    }
    (new PharData($target))->buildFromIterator(new ArrayIterator($files));
}

mkdir("$repository/p2", recursive: true);
$packages = [];
foreach (glob("$folder/*", GLOB_ONLYDIR) as $suite) {
    $libraries = readSuite($suite);
    foreach ($libraries as $debian => ['from' => $from, 'version' => $version, 'depends' => $depends]) {
        $name = nameOf($debian);
        if (isset($packages[$name][$version])) {
            continue;
        }
        preg_match_all('/\bphp-[a-z0-9.-]+/', $depends, $needed);
        // Else PHP 8.2 would get it here, and fail in its syntax.
        $require = $name === 'laravel/framework' && version_compare($version, '13', '>=') ? ['php' => '^8.3'] : [];
        foreach (array_intersect(array_unique($needed[0]), array_keys($libraries)) as $need) {
            $require[nameOf($need)] = asConstraint($libraries[$need]['version']);
        }
        // Upstream's own composer.json says this of its plugin.
        $plugin = $name === 'symfony/runtime'
            ? ['type' => 'composer-plugin', 'extra' => ['class' => 'Symfony\Component\Runtime\Internal\ComposerPlugin']]
            : [];
        $files = findFiles($from);
        if ($name === 'symfony/string') {
            copy(__DIR__ . '/polyfills.php', "$from/polyfills.php");
            $files[] = 'polyfills.php';
        }
        $archive = strtr($name, '/', '-') . "-$version.tar";
        archive($from, $name, "$repository/$archive");
        $packages[$name][$version] = $plugin + [
            'name' => $name,
            'version' => $version,
            'type' => 'library',
            // The sum: what Composer keeps in its cache of an older stand-in does not count.
            'dist' => [
                'type' => 'tar',
                'url' => "@repository@/$archive",
                'shasum' => sha1_file("$repository/$archive"),
            ],
            'require' => ($plugin ? ['composer-plugin-api' => '^2.0'] : []) + $require,
            'autoload' => [
                'classmap' => [''],
                'files' => array_map(static fn (string $path): string => placeOf($path, $name), $files),
            ],
        ];
    }
}
$advisories = json_decode((string) file_get_contents(__DIR__ . '/advisories.json'), true, flags: JSON_THROW_ON_ERROR);
foreach ($packages as $name => $versions) {
    is_dir(dirname("$repository/p2/$name")) || mkdir(dirname("$repository/p2/$name"));
    file_put_contents("$repository/p2/$name.json", json_encode(
        ['packages' => [$name => array_values($versions)], 'security-advisories' => $advisories[$name] ?? []],
        JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT,
    ));
}
file_put_contents("$repository/packages.json", json_encode([
    'packages' => [],
    'metadata-url' => 'file://@repository@/p2/%package%.json',
    'available-packages' => array_keys($packages),
    'security-advisories' => ['metadata' => true],
], JSON_UNESCAPED_SLASHES | JSON_PRETTY_PRINT));
echo count($packages), " packages\n";
