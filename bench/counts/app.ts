/** An app that asks MariaDB, PostgreSQL and Redis, and its services. Pure. */

const SET_UP = `<?php
foreach (['mysql:host=mariadb' => 'root', 'pgsql:host=postgres' => 'postgres'] as $dsn => $user) {
    $database = new PDO($dsn . ';dbname=' . getenv('BENCH_DATABASE'), $user, 'secret');
    $database->exec('CREATE TABLE articles (id INT PRIMARY KEY, name VARCHAR(20))');
    $database->exec('CREATE TABLE visits (path VARCHAR(20))');
    for ($i = 1; $i <= 12; $i++) { $database->exec("INSERT INTO articles VALUES ($i, 'Wheelbarrow')"); }
}
`;

const PAGE = `<?php
require __DIR__ . '/../article.php';
$path = strtok($_SERVER['REQUEST_URI'], '?');
// A notice, a warning that is suppressed, and a deprecation.
trigger_error('noticed');
@trigger_error('suppressed', E_USER_WARNING);
trigger_error('old', E_USER_DEPRECATED);
$all = [
    '/mariadb' => fn () => show_database('mysql:host=mariadb', 'root'),
    '/postgres' => fn () => show_database('pgsql:host=postgres', 'postgres'),
    '/redis' => fn () => show_cache(),
];
foreach ($path === '/' ? $all : [$all[$path]] as $show) { echo $show(); }
`;

const ARTICLE = `<?php
function show_database(string $dsn, string $user): string
{
    $database = new PDO($dsn . ';dbname=' . getenv('BENCH_DATABASE'), $user, 'secret');
    $database->prepare('INSERT INTO visits VALUES (?)')->execute(['/']);
    $text = '';
    foreach ($database->query('SELECT id FROM articles ORDER BY id')->fetchAll() as ['id' => $id]) {
        $article = $database->prepare('SELECT name FROM articles WHERE id = ?');
        $article->execute([$id]);
        $text .= $article->fetchColumn() . "\\n";
    }
    return $text;
}

function show_cache(): string
{
    $cache = fsockopen('redis', 6379);
    $text = '';
    foreach (["SET name Wheelbarrow", "GET name", "GET name", "GET nothing"] as $command) {
        fwrite($cache, $command . "\\r\\n");
        $line = fgets($cache);
        if ($line[0] === '$' && $line[1] !== '-') { $text .= fgets($cache); }
    }
    return $text;
}
`;

const COMPOSE = `services:
  mariadb:
    image: mariadb:11
    environment: { MARIADB_ROOT_PASSWORD: secret }
    healthcheck: { test: ['CMD', 'healthcheck.sh', '--connect', '--innodb_initialized'], interval: 5s, retries: 60 }
  postgres:
    image: postgres:17
    environment: { POSTGRES_PASSWORD: secret }
    healthcheck: { test: ['CMD', 'psql', '-U', 'postgres', '-c', 'SELECT 1'], interval: 5s, retries: 60 }
  redis:
    image: redis:8
    healthcheck: { test: ['CMD', 'redis-cli', 'ping'], interval: 5s, retries: 60 }
`;

const CONFIG = `app: app
runtimes: apache
extensions: [pdo_mysql, pdo_pgsql]
ini: { error_reporting: E_ALL, display_errors: '0' }
services:
  file: services.yaml
  reset:
    mariadb: 'mariadb -uroot -psecret -e "DROP DATABASE IF EXISTS $BENCH_DATABASE; CREATE DATABASE $BENCH_DATABASE"'
    postgres: 'dropdb -U postgres --if-exists --force $BENCH_DATABASE && createdb -U postgres $BENCH_DATABASE'
set-up: php set-up.php
`;

/** All of them on one page, or a page each. */
export const PATHS = { together: ['/'], each: ['/mariadb', '/postgres', '/redis'] } as const;

/** All files; those of each pair do the same work in other words. */
export function writeApp(pair: number): [path: string, text: string][] {
  const words = `// Pair ${pair} in other words.\nfunction never_called_${pair}(): int { return ${pair}; }\n`;
  return [
    ['services.yaml', COMPOSE],
    ['.bench.yml', CONFIG],
    ['.gitignore', 'results\n'],
    ['app/set-up.php', SET_UP],
    ['app/public/index.php', PAGE],
    ['app/article.php', ARTICLE + words],
  ];
}
