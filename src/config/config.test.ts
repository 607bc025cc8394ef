import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { Alias } from 'yaml';
import { appOf } from '../../test/fixtures/app.ts';
import { BAD_INPUT, toPattern } from '../../test/fixtures/bad-input.ts';
import { memoryFiles } from '../../test/fixtures/memory-files.ts';
import { UserError } from '../errors.ts';
import { compileLoad } from '../plan/timeline/load-steps.ts';
import { parseCommand } from './command.ts';
import { readYaml } from './document.ts';
import { helpText } from './help.ts';
import { parseConfig, type Sources } from './parse.ts';
import { loadMs } from './parts/load.ts';
import type { Load, Scenario } from './types.ts';

const cwd = '/project';
const packageRoot = fileURLToPath(new URL('../..', import.meta.url));

function parse(files: Record<string, string>, flags: string[] = [], more: Partial<Sources> = {}) {
  return parseConfig({ flags, cwd, packageRoot, files: memoryFiles(cwd, files), random: () => 0.5, ...more });
}

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof UserError) return error.format();
    throw error;
  }
  return 'nothing was refused';
}

describe('bad input', () => {
  test.each(BAD_INPUT)('$name', ({ files = {}, argv, expect: expected }) => {
    const message = messageOf(() => {
      const command = parseCommand(argv);
      if (command.command === 'run') parse(files, [...command.flags]);
    });
    expect(message).toMatch(toPattern(expected, cwd));
  });

  test.each([
    [
      { runtime: 'apache' },
      "input runtime: unknown input\n  found:   'runtime'\n  allowed: app, …\n  hint:    did you mean 'runtimes'?",
    ],
    [
      { load: 'const(1)' },
      "input load: 'const' takes 2 values, not 1\n  found:   'const(1)'\n  allowed: const(rps, time)",
    ],
    [{ env: 'A=1\nB' }, "input env: not a pair\n  found:   'B'\n  allowed: KEY=VALUE"],
    [{ images: 'php:8.4-fpm: x\nphp:8.4-cli: -y' }, 'input images:2: php:8.4-cli: not an image…\n…\n…'],
  ] as [Record<string, string>, string][])('input %j', (inputs, expected) => {
    expect(messageOf(() => parse({}, [], { inputs }))).toMatch(toPattern(expected, cwd));
  });

  test.each([
    ['a: *nope', ".bench.yml:1: unknown alias\n  found:   '*nope'"],
    ['['.repeat(100_000), '.bench.yml:1: not valid YAML: …'],
    [
      Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`).join('\n'),
      '.bench.yml:20000: too large or too deep\n…',
    ],
    [`x: &a 1\nlist:\n${'  - *a\n'.repeat(20_000)}`, '.bench.yml:1: too large or too deep\n…'],
    ['a: &a\n  b: *a', '.bench.yml:2: too large or too deep\n…'],
    ['__proto__: 1', ".bench.yml:1: unknown key '__proto__'"],
    ['? [a]\n: b', '.bench.yml:1: a key must be text'],
  ])('hostile YAML %#', (yaml, expected) => {
    expect(messageOf(() => parse({ '.bench.yml': yaml }))).toMatch(toPattern(expected, cwd));
  });

  test('an alias means the last anchor of its name before it, and none is searched for', () => {
    const search = vi.spyOn(Alias.prototype, 'resolve');
    const { data } = readYaml('x', 'a: &x 1\nb: *x\nc: &x {d: 2}\ne: [*x, *x]');
    expect(data).toEqual({ a: '1', b: '1', c: { d: '2' }, e: [{ d: '2' }, { d: '2' }] });
    expect(search).not.toHaveBeenCalled();
    search.mockRestore();
  });

  test('a name cannot forge lines of a log', () => {
    const files = { '.bench/scenarios/x\n::error::y.yaml': '' };
    expect(messageOf(() => parse(files))).toMatch(
      /^\.bench\/scenarios\/x\\n::error::y\.yaml: not a name of a scenario\n/,
    );
    expect(messageOf(() => parse({ '.bench.yml': '"a\\n::error::b": 1' }))).toContain(
      "unknown key 'a\\n::error::b'",
    );
  });
});

describe('defaults', () => {
  test('nothing given: the bundled demo', () => {
    const config = parse({});
    expect(config).toMatchObject({
      apps: [{ name: 'plain', folder: `${packageRoot}apps/plain`, root: 'public' }],
      php: ['8.4'],
      seed: 2 ** 31,
      images: {},
      env: {},
      out: '/project/bench-results',
      failOn: [],
      wait: false,
    });
    expect(config.runtimes.map(({ runtime, set }) => [runtime.name, set])).toEqual([
      ['apache', {}],
      ['nginx-fpm', { listen: 'tcp' }],
      ['nginx-fpm', { listen: 'unix' }],
    ]);
    expect(config.scenarios.map(({ name }) => name)).toEqual(['quick']);
  });

  test('an app of your own is asked for its start page, and has 2 s for it', () => {
    const { scenarios } = parse({ 'index.php': '' });
    expect(scenarios).toMatchObject([
      {
        name: 'paths',
        journey: { kind: 'paths', paths: ['/'] },
        timeoutMs: 2000,
        load: { source: 'vus(8, 1s)' },
      },
    ]);
    expect(parse({ 'index.php': '' }, ['--paths', '/a']).scenarios[0]).toMatchObject({ timeoutMs: 2000 });
    expect(parse({ 'index.php': '' }, ['--scenarios', 'quick']).scenarios[0]).toMatchObject({
      timeoutMs: 500,
    });
  });

  test('answers are compared strictly, with what may differ left out', () => {
    expect(parse({})).not.toHaveProperty('sameAnswers');
    const file = { '.bench.yml': "mask: ['\\d{14}', 'a,b']\nsame-answers: warn" };
    expect(parse(file)).toMatchObject({ mask: ['\\d{14}', 'a,b'], sameAnswers: 'warn' });
    expect(parse(file, ['--mask', 'x{1,2}', '--mask', 'y', '--same-answers', 'strict'])).toMatchObject({
      mask: ['x{1,2}', 'y'],
    });
    expect(parse({}, [], { inputs: { mask: 'x{1,2}\n\ny' } })).toMatchObject({ mask: ['x{1,2}', 'y'] });
  });

  test.each([
    ['public/index.php', 'public'],
    ['web/index.php', 'web'],
    ['index.php', '.'],
  ])('the current folder is the app when it has %s', (file, root) => {
    expect(parse({ [file]: '' }).apps).toEqual([appOf('project', cwd, root)]);
  });
});

test('the demo does not stand in for an app that is there but not found', () => {
  expect(messageOf(() => parse({ 'composer.json': '{}' }))).toMatch(/^no index.php in the app\n/);
  expect(messageOf(() => parse({ 'old/index.php': '' }))).toContain("'root: old'");
  expect(messageOf(() => parse({ 'x/a/web/index.php': '' }, ['--app', 'shop=x']))).toContain("'app: x/a'");
  const none = { 'vendor/index.php': '', '.cache/index.php': '', 'docs/a.md': '' };
  expect(parse(none).apps[0]?.name).toBe('plain');
});

describe('precedence', () => {
  const file = 'instances: 4\nphp: 8.2\nenv: { A: file, B: file, C: file }\nslo: { p99: 1s, ok: 99% }\n';
  const inputs = { instances: '5', env: 'B=input\nC=input\n', php: '' };

  test('flag over input over file over default', () => {
    const files = { '.bench.yml': file };
    expect(parse({}).instances).toBeUndefined();
    expect(parse(files).instances).toBe(4);
    expect(parse(files, [], { inputs }).instances).toBe(5);
    expect(parse(files, ['--instances', '6'], { inputs }).instances).toBe(6);
  });

  test('an empty input counts as not given', () => {
    expect(parse({ '.bench.yml': file }, [], { inputs }).php).toEqual(['8.2']);
  });

  test('maps are merged by key', () => {
    const config = parse({ '.bench.yml': file }, ['--env', 'C=flag', '--slo', 'p99=2s'], { inputs });
    expect(config.env).toEqual({ A: 'file', B: 'input', C: 'flag' });
    expect(config.scenarios[0]?.slo).toEqual({ p99Ms: 2000, okRatio: 0.99 });
  });

  test('what to run is set by the strongest source that has any of it', () => {
    const files = { '.bench.yml': 'scenarios: [quick, json]\n' };
    expect(parse(files).scenarios.map(({ name }) => name)).toEqual(['quick', 'json']);
    expect(parse(files, ['--paths', '/']).scenarios.map(({ name }) => name)).toEqual(['paths']);
    const both = parse(files, ['--scenarios', 'json', '--paths', '/,/api/x']);
    expect(both.scenarios.map(({ name }) => name)).toEqual(['json', 'paths']);
  });

  test('budget, instances and blocks: the strongest source that says any of them decides', () => {
    const files = { '.bench.yml': 'budget: 5m\n' };
    expect(parse(files).budgetMs).toBe(300_000);
    expect(parse(files, ['--blocks', '2']).budgetMs).toBeUndefined();
    expect(parse(files, [], { inputs: { instances: '2' } }).budgetMs).toBeUndefined();
    expect(parse({ '.bench.yml': 'instances: 9\n' }, ['--budget', '6h']).budgetMs).toBe(21_600_000);
  });

  test('paths start at the file that has them, or at the current folder', () => {
    const files = {
      'ci/bench.yml': 'app: ../shop\nout: here\n',
      'shop/web/index.php': '',
      'web/index.php': '',
    };
    expect(parse(files, ['--config', 'ci/bench.yml'])).toMatchObject({
      apps: [{ name: 'shop', folder: '/project/shop', root: 'web' }],
      out: '/project/ci/here',
    });
    expect(parse(files, ['--config', 'ci/bench.yml', '--app', '.', '--out', 'there'])).toMatchObject({
      apps: [{ folder: cwd }],
      out: '/project/there',
    });
  });
});

describe('values', () => {
  test('lists: repeated, with commas, on lines, as YAML', () => {
    const runtimes = (config: ReturnType<typeof parse>) =>
      config.runtimes.map(({ as, runtime, set }) => [as, runtime.name, set]);
    const expected = [
      [undefined, 'apache', { workers: 4 }],
      ['sock', 'nginx-fpm', { workers: 8, listen: 'unix' }],
    ];
    const text = 'apache[workers=4],sock=nginx-fpm[listen=unix,workers=8]';
    expect(runtimes(parse({}, ['--runtimes', text]))).toEqual(expected);
    expect(
      runtimes(
        parse(
          {},
          text
            .replace(',sock', '|sock')
            .split('|')
            .flatMap((t) => ['--runtimes', t]),
        ),
      ),
    ).toEqual(expected);
    expect(runtimes(parse({}, [], { inputs: { runtimes: `${text.replace(',sock', '\nsock')}\n` } }))).toEqual(
      expected,
    );
    const yaml =
      'runtimes:\n  - apache[workers=4]\n  - { runtime: nginx-fpm, as: sock, options: { workers: 8, listen: unix } }\n';
    expect(runtimes(parse({ '.bench.yml': yaml }))).toEqual(expected);
  });

  test('options become canonical', () => {
    const flags = [
      '--runtimes',
      'apache[gzip=on,keep-alive=1m30s,memory-limit=1024m],nginx-fpm[keep-alive=1500ms]',
    ];
    expect(parse({}, flags).runtimes.map(({ set }) => set)).toEqual([
      { 'keep-alive': '90s', gzip: true, 'memory-limit': '1G' },
      { 'keep-alive': '1500ms' },
    ]);
  });

  test('YAML scalars are what the user wrote', () => {
    const config = parse({ '.bench.yml': 'env: { A: 1.10, B: yes, C: ~, D: "x\\ny", E: 0x1F }\n' });
    expect(config.env).toEqual({ A: '1.10', B: 'yes', C: '~', D: 'x\ny', E: '0x1F' });
  });

  test('PHP settings of all sources become one text of lines', () => {
    const file =
      "env: { A: b }\nini: { max_input_vars: 5000, include_path: '.:/app/lib', Date.timezone: '' }\n";
    const { env } = parse({ '.bench.yml': file }, ['--ini', 'max_input_vars=1'], {
      inputs: { ini: 'error_reporting=E_ALL & ~E_NOTICE' },
    });
    const lines = [
      ...['max_input_vars = 1', 'include_path = .:/app/lib', 'Date.timezone = '],
      'error_reporting = E_ALL & ~E_NOTICE',
    ];
    expect(env).toEqual({ A: 'b', BENCH_INI: lines.join('\n') });
  });

  test('CPUs, memory, switches', () => {
    const flags = ['--server-cpus', '8,0-2,1', '--memory', '512M', '--wait', '--no-reuse', '--seed', '7'];
    const config = parse({ '.bench.yml': 'load-cpus: [4, 6-7]\n' }, flags);
    expect(config).toMatchObject({
      serverCpus: [0, 1, 2, 8],
      loadCpus: [4, 6, 7],
      memoryBytes: 2 ** 29,
      wait: true,
      seed: 7,
    });
    expect(config.scenarios[0]?.reuse).toBe(false);
  });

  test('a switch that takes a value, too, is switched off by a flag', () => {
    const file = 'profile: true\ncompare-to: HEAD\n';
    expect(parse({ '.bench.yml': file }, []).profile).toBeTruthy();
    expect(parse({ '.bench.yml': file }, ['--no-profile']).profile).toBeUndefined();
    expect(() => parse({}, ['--no-php'])).toThrow("unknown flag '--no-php'");
  });

  test('images: a file, single ones over it, text in an input', () => {
    const files = { 'images.yml': "'php:8.4-fpm': a/fpm\n'php:8.4-cli': a/cli\n" };
    expect(parse(files, ['--images', 'images.yml', '--image', 'php:8.4-cli=b/cli']).images).toEqual({
      'php:8.4-fpm': 'a/fpm',
      'php:8.4-cli': 'b/cli',
    });
    expect(parse({}, [], { inputs: { images: 'php:8.4-fpm: c/fpm' } }).images).toEqual({
      'php:8.4-fpm': 'c/fpm',
    });
    expect(parse({ '.bench.yml': 'images:\n  php:8.4-fpm: d/fpm\n' }).images).toEqual({
      'php:8.4-fpm': 'd/fpm',
    });
  });

  test('several apps, named', () => {
    const files = { 'a/app/index.php': '', 'b/app/public/index.php': '' };
    expect(parse(files, ['--app', 'base=a/app,head=b/app']).apps).toEqual([
      appOf('base', '/project/a/app', '.'),
      appOf('head', '/project/b/app'),
    ]);
  });

  describe('what an app is', () => {
    const [INDEX, HANDLER] = [{ 'public/index.php': '' }, { 'handler.php': '' }];
    const composer = (...names: string[]) => ({
      'composer.json': JSON.stringify({ require: Object.fromEntries(names.map((name) => [name, '*'])) }),
    });
    test.each([
      [{}, [], { kind: 'plain', handler: false, extensions: [] }],
      [HANDLER, [], { kind: 'plain', handler: true }],
      [composer('symfony/framework-bundle', 'symfony/console'), [], { kind: 'symfony' }],
      [composer('laravel/framework', 'symfony/framework-bundle'), [], { kind: 'laravel' }],
      [composer('laravel/lumen-framework'), [], { kind: 'lumen' }],
      [composer('symfony/console'), [], { kind: 'plain' }],
      [{ ...composer('psr/http-server-handler'), ...HANDLER }, [], { kind: 'psr15' }],
      [composer('psr/http-server-handler'), [], { kind: 'plain' }],
      [composer('laravel/framework'), ['--kind', 'plain'], { kind: 'plain' }],
      [
        composer('ext-intl', 'ext-json', 'ext-PDO_mysql', 'ext-../x'),
        [],
        { extensions: ['intl', 'pdo_mysql'] },
      ],
      [
        composer('ext-intl'),
        ['--extensions', 'Redis,xdebug-3.4.0'],
        { extensions: ['redis', 'xdebug-3.4.0'] },
      ],
      [{ 'composer.json': '{' }, [], { kind: 'plain' }],
      [{ 'composer.json': '{"require": null}' }, [], { kind: 'plain' }],
    ] as const)('%j %j', (files, flags, expected) => {
      expect(parse({ ...INDEX, ...files }, [...flags]).apps[0]).toMatchObject(expected);
    });

    test('its commands may hold commas; in an input each line is one', () => {
      const flags = ['--prepare', 'a, b', '--prepare', 'c'];
      expect(parse(INDEX, flags).prepare).toEqual(['a, b', 'c']);
      expect(parse(INDEX, [], { inputs: { prepare: 'a, b\n\nc\n' } }).prepare).toEqual(['a, b', 'c']);
      expect(parse({ ...INDEX, '.bench.yml': 'prepare: ["a, b", c]\n' }).prepare).toEqual(['a, b', 'c']);
    });

    test('lines of an input may end as in a form of the web', () => {
      // So a variable of the repository comes that was written into the settings there.
      const inputs = { prepare: 'a b\r\nc\r\n', env: 'A=1\r\nB=2' };
      expect(parse(INDEX, [], { inputs })).toMatchObject({ prepare: ['a b', 'c'], env: { A: '1', B: '2' } });
    });

    const manifest = `title: T
model: long-lived
base: ["x:1"]
php: ["8.4"]
options: {}
apps: [plain, laravel]
stop: { signal: SIGTERM, timeout: 1s, in-flight: no }
status: mine
docs: https://example.org
`;
    const worker = {
      '.bench/runtimes/worker/runtime.yaml': manifest,
      '.bench/runtimes/worker/Dockerfile': 'FROM x:1',
    };
    const told = (files: Record<string, string>, ...flags: string[]) =>
      messageOf(() => parse({ ...INDEX, ...worker, ...files }, ['--runtimes', 'worker', ...flags]));

    test('has to fit a runtime that keeps it in memory', () => {
      expect(told({})).toMatch(/^--runtimes: .* do not fit\n.*worker needs a handler.php/);
      expect(told(composer('symfony/framework-bundle'))).toMatch(
        /worker is for plain, laravel, and .* is symfony/,
      );
      const fits = { ...INDEX, ...worker, ...HANDLER };
      expect(parse(fits, ['--runtimes', 'worker']).runtimes).toHaveLength(1);
    });

    test('has to require what the runtime cannot serve without', () => {
      const wants = (list: string) => ({
        '.bench/runtimes/worker/runtime.yaml': `${manifest}requires: ${list}\n`,
      });
      const octane = composer('laravel/framework', 'laravel/octane');
      expect(told({ ...wants('laravel/octane'), ...composer('laravel/framework') })).toMatch(
        /worker needs apps that require laravel\/octane, and .* does not: composer require laravel\/octane\n/,
      );
      expect(told({ ...wants('laravel/octane'), ...octane })).toBe('nothing was refused');
      expect(told({ ...wants('[laravel/octane, spiral/roadrunner-http]'), ...octane })).toMatch(
        /require laravel\/octane and spiral\/roadrunner-http, and .* does not: composer require spiral\/roadrunner-http\n/,
      );
    });

    test('has to fit one that keeps it in memory when an option says so', () => {
      const either = `${manifest
        .replace('long-lived', 'per-request')
        .replace(
          'options: {}',
          'options: { mode: { type: enum, values: [a, b], default: a, at: run, env: MODE, about: Mode } }',
        )}long-lived: { when: { mode: [b] }, apps: [symfony] }\n`;
      const [laravel, symfony] = [composer('laravel/framework'), composer('symfony/framework-bundle')];
      const told = (mode: string, files: Record<string, string>, text = either) =>
        messageOf(() =>
          parse({ ...INDEX, ...worker, ...files, '.bench/runtimes/worker/runtime.yaml': text }, [
            ...['--runtimes', `worker${mode}`],
          ]),
        );
      expect(told('', laravel)).toBe('nothing was refused');
      expect(told('[mode=b]', symfony)).toBe('nothing was refused');
      expect(told('[mode=b]', laravel)).toMatch(
        /worker\[mode=b\] is for symfony, and .* is laravel\n {2}hint: {4}octane-swoole, /,
      );
      const unknown = either.replace('{ mode: [b]', '{ made: [b]');
      expect(told('', laravel, unknown)).toMatch(/unknown option\n.*'made'|no such option/);
    });

    test('and in one table one of them', () => {
      const apps = { 'a/index.php': '', 'b/index.php': '', 'b/handler.php': '' };
      const both = ['--runtimes', 'worker,apache', '--app', 'a,b'];
      expect(parse({ ...worker, ...apps }, both).apps).toHaveLength(2);
      const message = messageOf(() =>
        parse({ ...worker, ...apps }, ['--runtimes', 'worker', '--app', 'a,b']),
      );
      expect(message).toMatch(/do not fit\n.*the app 'a' has none/);
    });

    test('is refused with an extension that does not load beside those of the runtime', () => {
      const clashes = { ...HANDLER, '.bench/runtimes/worker/Dockerfile': 'FROM x:1\nARG EXTENSIONS' };
      const text = `${worker['.bench/runtimes/worker/runtime.yaml']}conflicts: [ftp]\n`;
      const asked = (...extensions: string[]) =>
        messageOf(() =>
          parse({ ...INDEX, ...worker, ...clashes, '.bench/runtimes/worker/runtime.yaml': text }, [
            ...['--runtimes', 'worker', '--extensions', extensions.join(',')],
          ]),
        );
      expect(asked('intl')).toBe('nothing was refused');
      expect(asked('intl', 'FTP-1.0')).toMatch(
        /do not fit\n.*worker does not start with the extension ftp of the app 'project'\n.*another runtime/,
      );
    });

    test('gets its extensions, or a warning that it cannot', () => {
      expect(told(HANDLER, '--extensions', 'intl')).toMatch(/'worker' installs no PHP extensions\n.*'intl'/);
      const takes = { ...HANDLER, '.bench/runtimes/worker/Dockerfile': 'FROM x:1\nARG EXTENSIONS' };
      const asked = ['--runtimes', 'worker', '--extensions', 'intl'];
      expect(parse({ ...INDEX, ...worker, ...takes }, asked).apps[0]?.extensions).toEqual(['intl']);
    });
  });

  test('a document root that is given', () => {
    expect(parse({ 'html/index.php': '' }, ['--app', '.', '--root', './html/']).apps[0]?.root).toBe('html');
  });
});

describe('scenarios', () => {
  test('paths without k6: all but the requests and their timeout are those of quick', () => {
    const [quick] = parse({}).scenarios;
    const journey = { kind: 'paths', paths: ['/', '/api/x?n=1'] };
    expect(parse({}, ['--paths', '/,/api/x?n=1']).scenarios).toEqual([
      { ...quick, name: 'paths', title: '/ /api/x?n=1', journey, timeoutMs: 2000 },
    ]);
  });

  test('a plain k6 script declares its own load, unless one is given', () => {
    const files = { 'k6/my shop.js': '' };
    expect(parse(files, ['--journey', 'k6/my shop.js']).scenarios).toMatchObject([
      { name: 'my-shop', journey: { kind: 'script', file: '/project/k6/my shop.js' }, load: null, blocks: 1 },
    ]);
    expect(parse(files, ['--journey', 'k6/my shop.js', '--load', 'vus(2, 4s)']).scenarios).toMatchObject([
      { load: { segments: [{ kind: 'vus', vus: 2, ms: 4000 }] }, blocks: 2 },
    ]);
  });

  test('shortened loads keep their blocks', () => {
    const { scenarios, durationScale } = parse({}, ['--load', 'const(8, 10s)', '--duration-scale', '0.1']);
    expect(scenarios).toMatchObject([{ load: { source: 'const(8, 1s)' }, blocks: 1 }]);
    expect(durationScale).toBe(0.1);
  });

  /** The loads of the articles: seconds, requests that are offered, cap on concurrency, timeout, cold or warm. */
  test.each([
    ['standard', 350, 5 * 10 * 210 + 100 * 150, 1000, 2000, 'cold'],
    ['stress', 600, 500.5 * 600, 1000, 2000, 'cold'],
    ['rps-100', 600, 50.5 * 60 + 100 * 540, 1000, 11_000, 'cold'],
    ['rps-500', 600, 250.5 * 60 + 500 * 540, 1000, 11_000, 'cold'],
    ['rps-1000', 120, 500.5 * 60 + 1000 * 60, 1000, 11_000, 'cold'],
    ['rps-10000', 60, 5000.5 * 30 + 10_000 * 30, 1000, 11_000, 'cold'],
    ['shop', 120, 155 * 60 + 100 * 60, 300, 11_000, 'warm'],
  ])('%s is the load of its article', (name, seconds, requests, maxVus, timeoutMs, state) => {
    const [scenario] = parse({}, ['--scenarios', name]).scenarios as [Scenario];
    const steps = compileLoad(scenario.load as Load, scenario);
    expect(loadMs(scenario.load as Load)).toBe(seconds * 1000);
    expect(
      steps.reduce((sum, { rps, durationMs }) => sum + ((rps ?? 0) * (durationMs ?? 0)) / 1000, 0),
    ).toBeCloseTo(requests);
    expect(scenario).toMatchObject({ maxVus, timeoutMs, reuse: false, blocks: 1 });
    expect(scenario.warmupMs === 0).toBe(state === 'cold');
    expect(new Set(steps.map(({ vus }) => vus))).toEqual(new Set([maxVus]));
  });

  test.each([10, 50, 100, 200])('ab-%d opens a connection for each of a count of requests', (vus) => {
    expect(parse({}, ['--scenarios', `ab-${vus}`]).scenarios).toMatchObject([
      { load: { segments: [{ kind: 'requests', requests: 10_000, vus }] }, reuse: false, blocks: 5 },
    ]);
  });

  test('a bundled scenario gives way to one’s own of that name', () => {
    const files = { '.bench/scenarios/quick.yaml': 'title: Mine\npaths: [/]\nload: vus(1, 1s)\n' };
    expect(parse(files).scenarios).toMatchObject([{ title: 'Mine' }]);
  });

  test('a scenario of one’s own, its script beside it', () => {
    const files = {
      '.bench/scenarios/shop.yaml':
        'title: Shop\njourney: ./shop.js\nload: const(10, 30s)\nmax-vus: 20\nslo: { p95: 300ms }\n',
      '.bench/scenarios/shop.js': '',
    };
    expect(parse(files, ['--scenarios', 'shop']).scenarios).toMatchObject([
      {
        journey: { kind: 'script', file: '/project/.bench/scenarios/shop.js' },
        maxVus: 20,
        blocks: 1,
        timeoutMs: 2000,
        slo: { p95Ms: 300 },
      },
    ]);
  });

  test.each([
    [[], 8],
    [['--load', 'vus(8, 3s)'], 2],
    [['--load', 'const(8, 30s)'], 1],
    [['--load', 'requests(1000, 10)'], 3],
    [['--load', 'vus(8, 3s)', '--blocks', '2'], 2],
  ])('blocks with %j', (flags, blocks) => {
    const files = { '.bench/scenarios/own.yaml': 'title: x\npaths: [/]\nload: vus(8, 1s)\nblocks: 8\n' };
    expect(parse(files, ['--scenarios', 'own', ...flags]).scenarios[0]?.blocks).toBe(blocks);
  });

  test('all bundled ones are valid', () => {
    expect(parse({}, ['--scenarios', 'quick,json']).scenarios).toHaveLength(2);
  });
});

test('a runtime of the user’s own works like a bundled one', () => {
  const runtime = `title: Mine
model: long-lived
base: ['php:{php}-cli']
php: ['8.4']
options:
  pace: { type: enum, values: [slow, fast], default: slow, at: build, env: PACE, about: how }
apps: [plain]
stop: { signal: SIGTERM, timeout: 3s, in-flight: dropped }
status: maintained
docs: https://example.org
`;
  const files = {
    '.bench/runtimes/mine/runtime.yaml': runtime,
    '.bench/runtimes/mine/Dockerfile': 'FROM scratch',
  };
  const [choice] = parse(files, ['--runtimes', 'mine[pace=fast]']).runtimes;
  expect(choice).toMatchObject({
    set: { pace: 'fast' },
    runtime: {
      name: 'mine',
      folder: '/project/.bench/runtimes/mine',
      model: 'long-lived',
      stop: { signal: 'SIGTERM', timeoutMs: 3000, inFlight: 'dropped' },
      options: {
        pace: {
          type: 'enum',
          values: ['slow', 'fast'],
          default: 'slow',
          at: 'build',
          env: 'PACE',
          about: 'how',
        },
      },
    },
  });
});

test('a .htaccess file with rules of its own is found in the document root or at the top', () => {
  const app = (more: Record<string, string>) => parse({ 'public/index.php': '', ...more }).apps[0];
  expect(app({})).not.toHaveProperty('htaccess');
  const own = 'Header set X-Own yes';
  expect(app({ 'public/.htaccess': own, '.htaccess': own })?.htaccess).toBe('public/.htaccess');
  expect(app({ '.htaccess': own })?.htaccess).toBe('.htaccess');
  expect(app({ 'public/.htaccess': 'RewriteEngine On' })).not.toHaveProperty('htaccess');
});

test('packages for development are found in vendor/, where that is used', () => {
  const installed = (more: object) => JSON.stringify({ packages: [], ...more });
  const app = (text: string, more: Record<string, string> = {}) =>
    parse({
      ...{ 'public/index.php': '', 'vendor/autoload.php': '', 'vendor/composer/installed.json': text },
      ...more,
    }).apps[0];
  const dev = installed({ dev: true, 'dev-package-names': ['phpunit/phpunit', 7, '<b>/x'] });
  expect(app(dev)?.devPackages).toEqual(['phpunit/phpunit']);
  expect(app(dev, { '.dockerignore': '/vendor\n' })).not.toHaveProperty('devPackages');
  for (const other of [
    installed({ dev: true, 'dev-package-names': [] }),
    installed({ dev: false, 'dev-package-names': ['phpunit/phpunit'] }),
    ...['[]', installed({ dev: true }), 'no JSON'],
  ]) {
    expect(app(other)).not.toHaveProperty('devPackages');
  }
});

describe('a runtime that extends another', () => {
  const written = (text: string, more: Record<string, string> = {}) => ({
    '.bench/runtimes/many/runtime.yaml': text,
    ...more,
  });
  const many = 'extends: nginx-fpm\ntitle: Many\ndefaults: { workers: 100, keep-alive: 1m }\n';

  test('is that one with other defaults', () => {
    const { runtimes } = parse(written(many), ['--runtimes', 'nginx-fpm,many[listen=tcp]']);
    const [base, own] = runtimes.map(({ runtime }) => runtime);
    expect(own).toMatchObject({
      ...{ name: 'many', title: 'Many', extends: 'nginx-fpm', folder: base?.folder, model: 'per-request' },
      options: { workers: { default: 100, max: 4096 }, 'keep-alive': { default: '60s' } },
    });
    expect(base?.options.workers?.default).toBe(16);
    // The base runtime was seen serving, the derived one was not.
    expect(own).not.toHaveProperty('tried');
    expect(runtimes[1]?.set).toEqual({ listen: 'tcp' });
  });

  test.each([
    [`${many}base: ['x:1']\n`, {}, /:4: unknown key 'base'/],
    [many.replace('nginx-fpm', 'nginx'), {}, /:1: unknown runtime to extend\n.*'nginx'/],
    [many.replace('nginx-fpm', 'php-fpm-80'), {}, /:1: unknown runtime to extend/],
    [many.replace('workers', 'threads'), {}, /:3: unknown option of 'nginx-fpm'/],
    [many.replace('100', '0'), {}, /:3: option 'workers': number out of bounds/],
    [many, { '.bench/runtimes/many/Dockerfile': 'FROM scratch' }, /:1: .* both a Dockerfile and 'extends'/],
  ])('%j is refused', (text, more, message) => {
    expect(messageOf(() => parse(written(text, more), ['--runtimes', 'many']))).toMatch(message);
  });

  test('is the same variant as the one in brackets', () => {
    const choices = 'many,nginx-fpm[workers=100,keep-alive=60s]';
    expect(messageOf(() => parse(written(many), ['--runtimes', choices]))).toMatch(/the same variant twice/);
  });
});

describe('comparing', () => {
  test('what with, and where that starts if it is a path', () => {
    const where = { name: '--compare-to' };
    expect(parse({}, ['--compare-to', 'old/results.json']).compareTo).toEqual({
      ...{ given: 'old/results.json', path: '/project/old/results.json', where },
    });
    const files = { 'ci/bench.yml': 'compare-to: HEAD~1\nreference: quick\n' };
    expect(parse(files, ['--config', 'ci/bench.yml'])).toMatchObject({
      compareTo: { given: 'HEAD~1', path: '/project/ci/HEAD~1', where: { name: 'ci/bench.yml', line: 1 } },
      reference: { name: 'quick', unchecked: { name: 'ci/bench.yml', line: 2 } },
    });
    expect(parse({})).not.toHaveProperty('compareTo');
  });

  test.each([
    ['slower > 3%', { metric: null, above: 0.03, scenario: null, variant: null }],
    ['slower>2.5%', { metric: null, above: 0.025 }],
    [
      'p99  slower >  10% in quick on apache',
      { metric: 'p99', above: 0.1, scenario: 'quick', variant: 'apache' },
    ],
    [
      'cpu slower > 7% on nginx-fpm@8.4[listen=unix,workers=4]',
      { variant: 'nginx-fpm@8.4[listen=unix,workers=4]' },
    ],
    ['memory slower > 1000% in quick', { metric: 'memory', above: 10, scenario: 'quick' }],
  ])('gate %s', (text, gate) => {
    const [read, ...more] = parse({}, ['--fail-on', text]).failOn;
    expect(read).toMatchObject({ ...gate, source: text.replaceAll(/ +/g, ' ') });
    expect(more).toEqual([]);
  });

  test('among the gates stands what becomes of a run that cannot judge them', () => {
    const both = parse({}, ['--fail-on', 'slower > 3%', '--fail-on', 'unjudged=pass']);
    expect(both).toMatchObject({ unjudged: 'pass', failOn: [{ source: 'slower > 3%' }] });
    expect(parse({ '.bench.yml': 'fail-on: [slower > 3%, unjudged = fail]\n' }).unjudged).toBe('fail');
    expect(parse({}, ['--fail-on', 'slower > 3%'])).not.toHaveProperty('unjudged');
    const refused =
      (...rules: string[]) =>
      () =>
        parse(
          {},
          rules.flatMap((rule) => ['--fail-on', rule]),
        );
    expect(refused('unjudged = maybe')).toThrow('not a valid value for unjudged');
    expect(refused('unjudged = pass', 'slower > 3%', 'unjudged = fail')).toThrow('gate given twice');
  });

  test('a gate or reference of the file is no mistake when a flag asks for something else', () => {
    const files = { '.bench.yml': 'scenarios: json\nreference: x\nfail-on: slower > 3% in json on x\n' };
    const where = { name: '.bench.yml' };
    const unchecked = expect.objectContaining(where);
    expect(parse(files)).toMatchObject({ reference: { unchecked }, failOn: [{ unchecked }] });
    expect(parse(files, ['--paths', '/']).failOn).toMatchObject([{ scenario: 'json', unchecked }]);
    for (const flags of [
      ['--runtimes', 'apache'],
      ['--php', '8.3'],
      ['--app', 'plain'],
    ]) {
      expect(parse(files, flags).reference).toEqual({ name: 'x' });
      expect(parse(files, flags).failOn[0]).not.toHaveProperty('unchecked');
    }
  });

  test('a gate of the file on a count is no mistake when a flag chooses other counts', () => {
    const services = { 'db.yml': 'services: { db: { image: "mariadb:11" } }\n' };
    const files = { ...services, '.bench.yml': 'services: db.yml\nfail-on: queries more\n' };
    const counted = { failOn: [{ source: 'queries more' }] };
    expect(parse(files, ['--count', 'instructions'])).toMatchObject({ ...counted, count: ['instructions'] });
    expect(parse(files, ['--count', 'none'])).not.toHaveProperty('count');
    const refused = 'a gate on what is not counted';
    const both = { ...files, '.bench.yml': `${files['.bench.yml']}count: php\n` };
    expect(() => parse(both)).toThrow(refused);
    const flags = ['--count', 'instructions', '--fail-on', 'queries more'];
    expect(() => parse(services, [...flags, '--services', 'db.yml'])).toThrow(refused);
    const file = { ...services, '.bench.yml': 'services: db.yml\ncount: php\n' };
    expect(() => parse(file, ['--fail-on', 'queries more'])).toThrow(refused);
  });

  test('several gates, in a list, on lines of an input and as flags', () => {
    const sources = (config: ReturnType<typeof parse>) => config.failOn.map(({ source }) => source);
    const both = ['slower > 3%', 'p99 slower > 9%'];
    expect(sources(parse({ '.bench.yml': `fail-on: [${both.join(', ')}]\n` }))).toEqual(both);
    expect(sources(parse({}, [], { inputs: { 'fail-on': both.join('\n') } }))).toEqual(both);
    expect(
      sources(
        parse(
          {},
          both.flatMap((gate) => ['--fail-on', gate]),
        ),
      ),
    ).toEqual(both);
  });
});

test('the help lists every exit code that docs/cli.md lists', () => {
  const page = readFileSync(fileURLToPath(new URL('../../docs/cli.md', import.meta.url)), 'utf8');
  const rows = [...page.matchAll(/^\|\s*(\d+(?:,? (?:and|or)? ?\d+)*)\s*\|/gm)].flatMap(([, codes = '']) =>
    codes.match(/\d+/g),
  );
  expect(rows).toEqual(expect.arrayContaining(['0', '1', '2', '3', '70']));
  const [, listed = ''] = /Exit codes:([\s\S]*)$/.exec(helpText()) ?? [];
  expect(rows.filter((code) => !new RegExp(`\\b${code}\\b`).test(listed))).toEqual([]);
});
