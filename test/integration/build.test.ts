// Builds of apps into images: real bake, Composer, extensions and frameworks.
import { createHash, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { IMAGE_LABEL } from '../../src/engine/docker.ts';
import { realHost } from '../../src/host.ts';
import { writeFiles } from '../fixtures/commits.ts';
import { DOCKERIGNORES, IGNORABLE } from '../fixtures/dockerignores.ts';
import { PHP_CONSTRAINTS, PHP_VERSIONS } from '../fixtures/php-constraints.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import { docker, findImages, leftovers, makeProject, type Project, root, variantOf } from './bench.ts';
import { build, buildBeside, factsOf } from './built.ts';
import { runToEnd } from './docker.ts';

const GREET = '<?php namespace Acme; class Greet { static function say() { return "hello"; } }';
/** A package that the app brings along, so that there is one without a registry. */
const PACKAGE = {
  'packages/greet/composer.json': JSON.stringify({
    ...{ name: 'acme/greet', version: '1.0.0', autoload: { 'psr-4': { 'Acme\\': 'src/' } } },
  }),
  'packages/greet/src/Greet.php': GREET,
};
const composer = (more: object) =>
  JSON.stringify({ name: 'acme/app', repositories: [{ type: 'path', url: 'packages/*' }], ...more });
const INDEX = {
  'public/index.php': "<?php require __DIR__ . '/../vendor/autoload.php'; echo Acme\\Greet::say();",
};

let folder: string;
let project: Project;
beforeAll(async () => {
  folder = makeFolder();
  project = await makeProject();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  project.remove();
  expect(await leftovers()).toEqual([]);
});

const write = (name: string, files: Readonly<Record<string, string>>, top = folder) =>
  writeFiles(join(top, name), files);

/** Runs PHP code in the image; returns the output. */
async function php(image: string, code: string, ...args: string[]): Promise<string> {
  const finished = await runToEnd('--entrypoint=php', image, '-r', code, ...args);
  expect(finished).toMatchObject({ code: 0 });
  return finished.stdout.trim();
}

describe('an app with packages, an extension and commands of its own', () => {
  const out = 'my results [1]*';
  const flags = [
    ...['--out', join('shop', out)],
    ...['--env', 'GREETING=it is $HOME "q"', '--prepare', 'printf %s "$GREETING" > made'],
    ...['--prepare', 'test "$(cat made)" = "$GREETING"\necho two >> made'],
  ];

  test('has all that in its image, and the second build rebuilds no layer', async () => {
    const app = write('shop', {
      ...{
        ...INDEX,
        ...PACKAGE,
        '.git/HEAD': 'x',
        'deep/.git': 'x',
        '.dockerignore': 'left-out\n',
        'left-out': '',
      },
      'composer.json': composer({
        require: { 'acme/greet': '*', 'ext-bcmath': '*' },
      }),
    });
    symlinkSync('/nowhere/at/all', join(app, 'lost'));
    const { name, id, bases } = factsOf(await build(app, ...flags));
    const seen = await php(
      name,
      `chdir('/app'); require 'public/index.php'; echo json_encode(['', bcadd('1', '2'), file_get_contents('made'),
        file_exists('.git'), file_exists('deep/.git'), file_exists('left-out'), basename(readlink('lost'))]);`,
    );
    const missing = [false, false, false];
    expect(seen).toBe(`hello${JSON.stringify(['', '3', 'it is $HOME "q"two\n', ...missing, 'all'])}`);
    expect(bases.map((base) => base.name)).toEqual([
      ...['php:8.4-apache', 'mlocati/php-extension-installer:2', 'php:8.4-cli', 'composer:2'],
    ]);
    expect(await php(name, "echo ini_get('session.gc_probability');")).toBe('0');
    // The output of a run in the app's folder is no part of the app.
    write('shop', { [`${out}/results.json`]: '{}' });
    const again = await build(app, ...flags);
    expect(factsOf(again).id).toBe(id);
    expect(again.said).toEqual([]);
  });

  test('keeps the packages that are there', async () => {
    const vendor = { 'vendor/autoload.php': `<?php require __DIR__ . '/../packages/greet/src/Greet.php';` };
    const there = {
      ...INDEX,
      ...PACKAGE,
      ...vendor,
      'composer.json': composer({ require: { 'acme/nothing': '*' } }),
    };
    const serve = "chdir('/app'); require 'public/index.php'; echo is_file('made');";
    const app = write('there', there);
    expect(await php(factsOf(await build(app)).name, serve)).toBe('hello');
    expect(await php(factsOf(await build(app, '--prepare', 'touch made')).name, serve)).toBe('hello1');
  });
});

test("the app's own code in Composer's folder stays beside the packages that the build installs", async () => {
  const autoload = { 'psr-4': { 'Own\\': 'vendor/own/' } };
  const app = write('own-code', {
    ...INDEX,
    ...PACKAGE,
    'composer.json': composer({ require: { 'acme/greet': '*' }, autoload }),
    'vendor/own/Page.php': '<?php namespace Own; class Page { const TEXT = " own"; }',
  });
  const serve = "require '/app/public/index.php'; echo Own\\Page::TEXT;";
  expect(await php(factsOf(await build(app)).name, serve)).toBe('hello own');
});

describe('an index.php that the build makes', () => {
  const script = (root: string) => ({
    'page.php': '<?php echo "made";',
    'composer.json': composer({
      scripts: { 'post-autoload-dump': `mkdir -p ${root} && cp page.php ${root}/index.php` },
    }),
  });

  test('by a script of Composer, in the document root that is given', async () => {
    const app = write('scaffold', script('htdocs'));
    const { name } = factsOf(await build(app, '--root', 'htdocs'));
    expect(await php(name, "require '/app/htdocs/index.php';")).toBe('made');
  });

  test('is missed in the build, not under load', async () => {
    const app = write('elsewhere', script('www'));
    expect(await build(app, '--root', 'htdocs')).toMatchObject({
      failure: { stage: 'build', reason: expect.stringContaining('no index.php in htdocs/') },
    });
  });
});

describe('credentials for private packages', () => {
  const token = `token-${randomUUID()}`;
  const auth = JSON.stringify({ bearer: { 'repo.example.com': token } });
  const hash = createHash('md5').update(auth).digest('hex');
  beforeAll(() => {
    process.env.COMPOSER_AUTH = auth;
  });
  afterAll(() => {
    delete process.env.COMPOSER_AUTH;
  });
  /** An app without packages, never the same one, by whose script Composer does what the code says. */
  const appThat = (name: string, code: string) => {
    const scripts = { 'post-update-cmd': `@php -r "${code}"` };
    return write(name, {
      'public/index.php': '',
      'composer.json': JSON.stringify({ name: 'acme/app', description: randomUUID(), scripts }),
    });
  };

  test('reach Composer, and no later step, no command, no history, no layer', async () => {
    const app = appThat('private', "file_put_contents('auth', md5((string) getenv('COMPOSER_AUTH')));");
    const gone = 'test -z "$(printenv COMPOSER_AUTH)" && test ! -e /run/secrets/composer-auth';
    const { commands, ...built } = await build(app, '--prepare', gone);
    const { name } = factsOf(built);
    expect(await php(name, "echo file_get_contents('/app/auth');")).toBe(hash);
    expect(commands.join('\n')).toContain('env=COMPOSER_AUTH');
    expect(commands.join('\n')).not.toContain(token);
    expect(await docker('history', '--no-trunc', name)).not.toContain(token);
    // The search must find the hash. Otherwise a token that it does not find would prove nothing.
    expect(await findInLayers(name, [token, hash])).toEqual([hash]);
  });

  test('may be in a file of the app, which no image gets', async () => {
    delete process.env.COMPOSER_AUTH;
    try {
      const app = appThat('with-file', "file_put_contents('auth', md5((string) getenv('COMPOSER_AUTH')));");
      writeFileSync(join(app, 'auth.json'), auth);
      const { name } = factsOf(await build(app));
      expect(await php(name, "echo file_get_contents('/app/auth');")).toBe(hash);
      expect(await findInLayers(name, [token, hash])).toEqual([hash]);
    } finally {
      process.env.COMPOSER_AUTH = auth;
    }
  });

  test('are blanked out where a script prints them and the build fails', async () => {
    const app = appThat('telling', "echo getenv('COMPOSER_AUTH'), PHP_EOL; exit(1);");
    const built = await build(app);
    expect(built).toMatchObject({ failure: { stage: 'build', log: expect.stringContaining('***') } });
    expect(JSON.stringify(built)).not.toContain(token);
  });
});

/** Those of the texts that stand in some file of an image's layers or of what describes them. */
async function findInLayers(image: string, texts: readonly string[]): Promise<string[]> {
  const layers = mkdtempSync(join(folder, 'layers-'));
  const script = `docker image save "$1" | tar -xf - -C "$2"; find "$2" -type f -exec gzip -dcfq {} + | grep -aohF -e "$3"`;
  const { stdout, stderr } = await realHost.exec('sh', ['-c', script, 'sh', image, layers, texts.join('\n')]);
  if (stderr) throw new Error(stderr);
  return [...new Set(stdout.split('\n').filter(Boolean))];
}

/** The end of what `php artisan key:generate` printed, for printf. */
const COLLISION = `
   GuzzleHttp\\\\Exception\\\\ConnectException

  cURL error 6: Could not resolve host: appslist.heimdall.site for https://appslist.heimdall.site/list.json

  at vendor/guzzlehttp/guzzle/src/Handler/CurlFactory.php:210
    209▕         $error = isset($connectionErrors[$easy->errno])
  ➜ 210▕             ? new ConnectException($message, $easy->request, null, $ctx)

      \\033[2m+13 vendor frames \\033[22m
  14  app/SupportedApps.php:157
      GuzzleHttp\\\\Client::request()
`;

describe('a build that fails says why', () => {
  test.each([
    [
      'a package that is nowhere',
      { require: { 'acme/nothing': '*' } },
      [],
      /^composer install: .*acme\/nothing/,
    ],
    [
      'a package of which all versions have known security holes',
      { require: { 'laravel/framework': '^10.48' } },
      [],
      /^composer install: .*laravel\/framework.* affected by security advisories \("PKSA-/,
    ],
    [
      'a repository that is not there, in a message longer than a terminal is wide',
      {
        repositories: [{ type: 'composer', url: `file:///${'x'.repeat(60)}` }],
        require: { 'acme/nothing': '*' },
      },
      [],
      /^composer install: The "file:.*packages\.json" file could not be downloaded/,
    ],
    ['an extension', { require: { 'acme/needs': '*' } }, [], /ext-nonesuch.*extensions: \[nonesuch\]/],
    [
      "a version of PHP's own extension, which cannot be chosen",
      { require: { 'ext-filter': '^7.1' } },
      [],
      /^composer install: .*ext-filter \^7\.1 but it has the wrong version installed \([^)]+\)\.$/,
    ],
    [
      'an exception in a command',
      {},
      ['--prepare', `php -r 'throw new Exception("no such table");'`],
      /^prepare: command 1 ended with exit code 255: Uncaught Exception: no such table in /,
    ],
    [
      "an exception on Laravel's console, as Heimdall showed it",
      {},
      ['--prepare', `printf '${COLLISION}'; exit 1`],
      /exit code 1: GuzzleHttp.Exception.ConnectException: cURL error 6: .* at vendor\/guzzlehttp\/guzzle\/src\/Handler\/CurlFactory\.php:210$/,
    ],
    [
      "an exception on Symfony's console",
      {},
      [
        '--prepare',
        `printf '\\nIn Kernel.php line 9:\\n      \\n  no such table  \\n      \\n\\nabout [-h]\\n'; exit 1`,
      ],
      /exit code 1: no such table$/,
    ],
    [
      'a command',
      {},
      ['--prepare', 'echo so && echo because >&2; exit 3'],
      /^prepare: command 1 ended with exit code 3: because$/,
    ],
    [
      'a command that leaves a process behind, for which nobody waits',
      {},
      ['--prepare', '(sleep 20; echo late) & echo because; exit 3'],
      /^prepare: command 1 ended with exit code 3: because$/,
    ],
    [
      'a command that a signal ends, as for too little memory',
      {},
      ['--prepare', 'echo because; kill -9 $$'],
      /^prepare: command 1 ended with exit code 137: because$/,
    ],
  ])('%s', async (_, require, flags, reason) => {
    const needs = { name: 'acme/needs', version: '1.0.0', require: { 'ext-nonesuch': '*' } };
    const app = write('failing', {
      ...{ ...INDEX, ...PACKAGE, 'composer.json': composer(require) },
      'packages/needs/composer.json': JSON.stringify(needs),
    });
    const built = await build(app, ...flags);
    expect('failure' in built && built.failure).toMatchObject({
      stage: 'build',
      reason: expect.stringMatching(reason),
    });
  });
});

test('a composer.lock that is older than composer.json is the reason, not the advice below it', async () => {
  const lock = JSON.stringify({ packages: [], 'packages-dev': [], 'content-hash': 'x' });
  const files = { ...INDEX, ...PACKAGE, 'composer.json': composer({ require: { 'acme/greet': '*' } }) };
  expect(await build(write('outdated', { ...files, 'composer.lock': lock }))).toMatchObject({
    failure: {
      stage: 'build',
      reason: 'composer install: Required package "acme/greet" is not present in the lock file.',
    },
  });
});

/** The bundled app of Symfony with the older of the two versions that it allows. */
function copySymfony(): string {
  const app = join(folder, 'symfony-6');
  cpSync(join(root, 'apps/symfony'), app, { recursive: true });
  const file = join(app, 'composer.json');
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('^6.4 || ^7.4', '^6.4'));
  return app;
}

test('Symfony, Laravel and Lumen answer alike on Apache and on nginx, with their caches filled', async () => {
  const run = project.bench(
    'out',
    ...['--app', `symfony,${copySymfony()},laravel,lumen`, '--runtimes', 'apache,nginx-fpm', '--paths', '/'],
    // The first answers of a framework take longer on a busy machine than QUICK waits.
    ...['--wait', '--env', 'APP_NAME=of {variant}', '--timeout', '6s'],
  );
  expect((await run.done).code, run.stderr).toBe(0);
  const { variants, measurements } = project.results('out');
  expect(variants.map(({ failure }) => failure)).toEqual(Array(8).fill(null));
  for (const { requests, okCount } of measurements) expect(okCount).toBe(requests);
  const listed = (id: string, pattern: string) => {
    const image = variantOf(project.results('out'), id).image?.name as string;
    return php(image, `echo implode(' ', array_map('basename', glob('/app/${pattern}')));`);
  };
  const versionOf = (id: string, name: string) =>
    php(
      variantOf(project.results('out'), id).image?.name as string,
      `require '/app/vendor/autoload.php'; echo Composer\\InstalledVersions::getPrettyVersion('${name}');`,
    );
  expect(await versionOf('symfony/apache@8.4', 'symfony/framework-bundle')).toMatch(/^v?7\.4\./);
  expect(await versionOf('symfony-6/apache@8.4', 'symfony/framework-bundle')).toMatch(/^v?6\.4\./);
  expect(await versionOf('laravel/apache@8.4', 'laravel/framework')).toMatch(/^v?13\./);
  expect(await versionOf('lumen/apache@8.4', 'laravel/lumen-framework')).toMatch(/^v?10\./);
  expect(await listed('symfony/apache@8.4', 'var/cache/prod/*Container.php')).toBe(
    'App_KernelProdContainer.php',
  );
  expect(await listed('laravel/apache@8.4', 'bootstrap/cache/*.php')).toBe(
    'config.php events.php packages.php routes-v7.php services.php',
  );
  const laravel = variantOf(project.results('out'), 'laravel/apache@8.4').image?.name as string;
  const name = "echo (require '/app/bootstrap/cache/config.php')['app']['name'];";
  expect(await php(laravel, `putenv('BENCH_DATABASE=b1'); ${name}`)).toBe('of b1');
});

test('the shop can be installed where its database is there already', async () => {
  const again = 'composer dump-autoload --no-interaction --no-ansi';
  const { name } = factsOf(await build(join(root, 'apps/shop'), '--prepare', again));
  const count = `echo (new PDO('sqlite:/app/database/database.sqlite'))->query('SELECT count(*) FROM products')->fetchColumn();`;
  expect(await php(name, count)).toBe('5000');
});

describe('an app that requires two frameworks', () => {
  const framework = (name: string) => ({
    [`packages/${name.replace('/', '-')}/composer.json`]: JSON.stringify({ name, version: '1.0.0' }),
  });
  const files = {
    ...{ ...INDEX, ...PACKAGE, ...framework('symfony/framework-bundle'), ...framework('laravel/framework') },
    'composer.json': composer({ require: { 'symfony/framework-bundle': '*', 'laravel/framework': '*' } }),
    'bin/console': '<?php touch("by-console");',
    artisan:
      '<?php touch("by-artisan"); mkdir("bootstrap/cache", recursive: true); touch("bootstrap/cache/config.php");',
  };

  test.each([
    ['plain', []],
    ['symfony', ['by-console']],
    ['laravel', ['by-artisan']],
  ])('gets the caches of its kind alone: %s', async (kind, made) => {
    const { name } = factsOf(await build(write('frameworks', files), '--kind', kind));
    expect(
      JSON.parse(await php(name, "echo json_encode(array_map('basename', glob('/app/by-*')));")),
    ).toEqual(made);
  });
});

test('commands change what the container of Symfony is compiled from, and keep the pools of the app', async () => {
  const files = {
    ...{ ...INDEX, ...PACKAGE },
    'composer.json': composer({}),
    'bin/console': `<?php
      // As Symfony outside its debug mode: a container that is there is taken.
      is_dir('var/cache/prod') || mkdir('var/cache/prod', recursive: true);
      is_file('var/cache/prod/container') || copy('setting', 'var/cache/prod/container');`,
    setting: 'one',
  };
  const commands = ['php bin/console', 'mkdir -p var/cache/prod/pools/app', 'printf two > setting'];
  const flags = commands.flatMap((command) => ['--prepare', command]);
  const { name } = factsOf(await build(write('compiled', files), '--kind', 'symfony', ...flags));
  const seen =
    "chdir('/app/var/cache/prod'); echo file_get_contents('container'), (int) is_dir('pools/app');";
  expect(await php(name, seen)).toBe('two1');
});

describe('the cached configuration of Laravel', () => {
  const laravel = (artisan: string) => ({
    ...{ ...INDEX, ...PACKAGE },
    'packages/laravel/composer.json': JSON.stringify({ name: 'laravel/framework', version: '1.0.0' }),
    'composer.json': composer({ require: { 'laravel/framework': '*' } }),
    artisan: `<?php ${artisan}`,
  });

  test('is missed where the app ends its own commands, with its words', async () => {
    // The one of this machine is no proof that the build made one.
    const here = { 'bootstrap/cache/config.php': '<?php return [];' };
    const built = await build(write('dies', { ...laravel('die("You are missing php-zip");'), ...here }));
    expect('failure' in built && built.failure).toMatchObject({
      ...{ stage: 'build', reason: 'artisan config:cache made no cache: You are missing php-zip' },
    });
  });
  test('may be in another place, or in none that is known', async () => {
    const artisan = 'echo "Configuration cached successfully.";';
    const { name } = factsOf(await build(write('elsewhere', laravel(artisan))));
    expect(await php(name, "echo (int) file_exists('/app/bootstrap/cache/config.php');")).toBe('0');
  });
  test('may be there without the one of routes: a note in the build, and a warning in the report', async () => {
    // Never the same app: a step from the cache says nothing again.
    const artisan = `
      // ${randomUUID()}
      $argv[1] === 'config:cache' && mkdir('bootstrap/cache', recursive: true) && touch('bootstrap/cache/config.php');
      if ($argv[1] === 'route:cache') { echo 'Two routes are named home.'; exit(1); }`;
    const served = { ...laravel(artisan), 'public/index.php': '<?php echo "served";' };
    const files = Object.entries(served).map(([name, text]) => [`routes/${name}`, text]);
    project.write(Object.fromEntries(files));
    const run = project.bench(
      'out-routes',
      '--app',
      'routes',
      '--runtimes',
      'apache',
      '--paths',
      '/',
      '--wait',
    );
    expect((await run.done).code, run.stderr).toBe(0);
    expect(run.stderr).toContain('served without artisan route:cache: Two routes are named home.');
    const report = readFileSync(join(project.folder, 'out-routes/report.md'), 'utf8');
    expect(report).toContain("served without Laravel's route cache");
  });
});

test('a commit with other packages is compared: both sides are installed anew', async () => {
  const app = {
    ...INDEX,
    ...PACKAGE,
    '.gitignore': 'vendor\nout*\n',
    'composer.json': composer({ require: { 'acme/greet': '1.0.0' } }),
  };
  project.commit(app);
  const two = {
    ...PACKAGE,
    'packages/greet/composer.json': PACKAGE['packages/greet/composer.json'].replace('1.0.0', '2.0.0'),
  };
  project.write({ ...two, 'composer.json': composer({ require: { 'acme/greet': '2.0.0' } }) });
  // A local install for development: with it the page would not answer.
  project.write({ 'vendor/autoload.php': '<?php http_response_code(500);' });
  const run = project.bench(
    'out-two',
    ...['--app', '.', '--runtimes', 'apache', '--paths', '/', '--compare-to', 'HEAD', '--wait'],
  );
  expect((await run.done).code, run.stderr).toBe(0);
  const installed = async (id: string) => {
    const image = variantOf(project.results('out-two'), id).image?.name as string;
    return php(
      image,
      "require '/app/vendor/autoload.php'; echo Composer\\InstalledVersions::getVersion('acme/greet');",
    );
  };
  expect([await installed('apache@8.4'), await installed('apache@8.4:base')]).toEqual(['2.0.0.0', '1.0.0.0']);
});

test('an image without a name that the run takes stays; another one goes after a build', async () => {
  const nameless = (name: string) => {
    const context = write(name, { Dockerfile: `FROM scratch\nCOPY Dockerfile /${name}\n` });
    return docker('build', '--quiet', '--label', `${IMAGE_LABEL}=test`, context);
  };
  const [taken, older] = [await nameless('taken'), await nameless('older')];
  const page = write('beside', { 'public/index.php': '<?php echo 1;' });
  expect(factsOf(await buildBeside(taken, page)).id).not.toBe(taken);
  const left = await docker('image', 'ls', '--quiet', '--no-trunc', '--filter', 'dangling=true');
  expect({ taken: left.includes(taken), older: left.includes(older) }).toEqual({ taken: true, older: false });
  await docker('image', 'rm', taken);
});

test('Composer allows no release after the first of a PHP version that we refuse', async () => {
  const code = `
    copy('/usr/bin/composer', '/tmp/composer.phar');
    $files = iterator_to_array(new RecursiveIteratorIterator(new Phar('/tmp/composer.phar')), false);
    spl_autoload_register(function (string $class) use ($files) {
      $end = strtr(substr($class, strlen('Composer\\\\')), '\\\\', '/');
      require current(preg_grep("~/(?:Composer/$end|" . strtr($end, ['Semver/' => 'semver/src/']) . ")\\.php$~", $files));
    });
    foreach (json_decode($argv[1]) as $constraint) {
      foreach (json_decode($argv[2]) as $version) {
        for ($allowed = false, $patch = 1; $patch < 60 && !$allowed; $patch++) {
          try {
            $allowed = Composer\\Semver\\Semver::satisfies("$version.$patch", $constraint);
          } catch (UnexpectedValueException) {}
        }
        $found[$constraint][] = $allowed ? $version : null;
      }
    }
    echo json_encode(array_map(fn ($all) => array_filter($all), $found));`;
  const [, file] = await findImages();
  const image = (file && parse(readFileSync(file, 'utf8'))['composer:2']) || 'composer:2';
  const constraints = PHP_CONSTRAINTS.map(([constraint]) => constraint);
  const args = [JSON.stringify(constraints), JSON.stringify(PHP_VERSIONS)];
  const found = JSON.parse(await php(image, code, ...args)) as Record<string, Record<string, string>>;
  const refusals = PHP_CONSTRAINTS.map(([constraint, ours]) => [
    constraint,
    Object.values(found[constraint] ?? {}).filter((version) => !ours.split(' ').includes(version)),
  ]);
  expect(refusals).toEqual(constraints.map((constraint) => [constraint, []]));
  expect(Object.values(found['~8.2.0'] ?? {})).toEqual(['8.2']);
});

test('BuildKit leaves out what we expect a .dockerignore to leave out', async () => {
  const context = write('ignorable', Object.fromEntries(IGNORABLE.map((path) => [path, ''])));
  const target = Object.fromEntries(
    DOCKERIGNORES.map(([text], i) => {
      const beside = write(`ignoring-${i}`, { Dockerfile: 'FROM scratch\nCOPY . /\n' });
      writeFileSync(join(beside, 'Dockerfile.dockerignore'), text);
      const output = [`type=local,dest=${join(folder, `left-${i}`)}`];
      return [`t${i}`, { context, dockerfile: join(beside, 'Dockerfile'), output }];
    }),
  );
  const file = JSON.stringify({ group: { default: { targets: Object.keys(target) } }, target });
  const { code, stderr } = await realHost.exec('docker', ['buildx', 'bake', '--file', '-'], {
    input: file,
    env: { BUILDX_BAKE_ENTITLEMENTS_FS: '0' },
  });
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
  const left = DOCKERIGNORES.map(([text], i) => [
    text,
    IGNORABLE.filter((path) => existsSync(join(folder, `left-${i}`, path))),
  ]);
  expect(left).toEqual(DOCKERIGNORES);
});
