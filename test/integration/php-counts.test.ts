// Counts by PHP in a pass of its own: each notice, warning and deprecation, whatever the app does with it.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Results } from '../../src/results/results.ts';
import { leftovers, makeProject, type Project, root } from './bench.ts';
import { COUNTED, countsOf, LIMIT_MS } from './count-databases.ts';

/** Bedrock Streaming's number, in the example of the issue that asked for these counts. */
const DEPRECATIONS = 8591;
const PHP = ['--paths', '/', ...COUNTED, '--count', 'php'];
const ERRORS = ['notices', 'warnings', 'deprecations'];

const CONTROLLER = 'symfony/src/Controller/JsonController.php';

/** Hides all that it raises: 2 notices, 3 warnings, and so many deprecations. Whatever comes later throws. */
const pageOf = (deprecations: number, first: string) => `<?php
${first}
error_reporting(0);
set_error_handler(null);
trigger_error('before the handler');
set_error_handler(static fn (): bool => true);
trigger_error('silent');
@trigger_error('silent', E_USER_WARNING);
echo @file_get_contents('/absent'), @$undefined;
try {
    new DirectoryIterator('/absent');
} catch (UnexpectedValueException) {
    // No warning: PHP throws in its place.
}
for ($i = 0; $i < ${deprecations}; $i++) {
    trigger_error('old', E_USER_DEPRECATED);
}
set_error_handler(static fn (int $level, string $text) => throw new ErrorException($text));
`;

/** Throws without the file that the app loads in front of each script. */
const FIRST = 'FIRST;';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  cpSync(join(root, 'apps/symfony'), join(project.folder, 'symfony'), { recursive: true });
  project.commit({ '.gitignore': '/out-*\n', ...plainApp(0, FIRST) });
  const controller = readFileSync(join(project.folder, CONTROLLER), 'utf8');
  const changed = controller.replace(
    /\): JsonResponse\s*\{/,
    `$&for ($i = 0; $i < ${DEPRECATIONS}; $i++) { @trigger_error('old', E_USER_DEPRECATED); }`,
  );
  expect(changed).not.toBe(controller);
  project.write({ ...plainApp(DEPRECATIONS, FIRST), [CONTROLLER]: changed });
});
afterAll(() => project?.remove());
afterEach(async () => expect(await leftovers()).toEqual([]));

/** One app, for servers that start it for each request and for those that keep it. */
function plainApp(deprecations: number, first = ''): Record<string, string> {
  return {
    'plain/first.php': '<?php const FIRST = true;',
    'plain/page.php': pageOf(deprecations, first),
    'plain/public/index.php': `<?php
require __DIR__ . '/../page.php';
header('Content-Type: text/plain;charset=UTF-8');
echo 'done';
`,
    'plain/handler.php': `<?php
// That of a server which keeps the app is back before the counting ends.
set_error_handler(static fn (int $level, string $text) => throw new ErrorException($text));
return static function (): array {
    include __DIR__ . '/page.php';
    return ['status' => 200, 'headers' => ['Content-Type' => ['text/plain;charset=UTF-8']], 'body' => 'done'];
};
`,
  };
}

/** Of one runtime: the numbers that PHP counts of errors, by side. */
function errorsOf({ counts }: Results, runtime: string) {
  const own = counts.filter(({ variant }) => variant.startsWith(`${runtime}@`));
  const sides = Object.entries(countsOf({ counts: own })).map(([side, values]) => [
    side,
    ERRORS.map((name) => values[name]),
  ]);
  return Object.fromEntries(sides);
}

test(
  'an app that hides all errors from PHP: each counts, on servers of both kinds',
  async () => {
    const runtimes = 'apache,nginx-fpm,resident';
    const ini = ['--ini', 'auto_prepend_file=/app/first.php'];
    const flags = [
      '--app',
      'plain',
      '--runtimes',
      runtimes,
      ...PHP,
      ...ini,
      '--fail-on',
      'deprecations more',
    ];
    const { code, stdout, stderr } = await project.run('out-plain', ...flags).done;
    const results = project.results('out-plain');
    expect(results.warnings.filter(({ code }) => code === 'count')).toEqual([]);
    for (const runtime of runtimes.split(','))
      expect(errorsOf(results, runtime), stderr).toEqual({
        base: [[2], [3], [0]],
        head: [[2], [3], [DEPRECATIONS]],
      });
    expect(code, stdout).toBe(1);
    expect(stdout).toContain('0 → 8,591 per request');
    expect(stdout).not.toMatch(/(notices|warnings) \d+ →/i);
    for (const { facts } of results.variants) expect(facts?.extensions).not.toContain('bench_errors');
  },
  LIMIT_MS,
);

test(
  'Symfony, whose error handler is its own: deprecations 0 → 8,591 per request',
  async () => {
    const flags = ['--app', 'symfony', '--runtimes', 'apache,nginx-fpm', ...PHP];
    const { code, stdout, stderr } = await project.run('out-symfony', ...flags).done;
    const results = project.results('out-symfony');
    for (const runtime of ['apache', 'nginx-fpm'])
      expect(errorsOf(results, runtime), stderr).toMatchObject({
        base: [[0], expect.any(Array), [0]],
        head: [[0], expect.any(Array), [DEPRECATIONS]],
      });
    // Not even Composer's own files are compiled again.
    for (const values of Object.values(countsOf(results)))
      expect(values['opcache-misses'], stderr).toEqual([0]);
    expect([code, stdout]).toEqual([0, expect.stringContaining('0 → 8,591 per request')]);
  },
  LIMIT_MS,
);

test(
  'a file that OPcache does not keep is compiled in each request, and the run warns of it',
  async () => {
    const files = {
      'old/public/index.php': "<?php include '../part.php';",
      'old/part.php': '<?php echo "done";',
    };
    const handler =
      "<?php return static fn (): array => ['status' => 200, 'headers' => [], 'body' => 'done'];";
    const runtimes = ['apache', 'nginx-fpm', 'resident'];
    project.write({ ...files, 'old/handler.php': handler });
    const load = [
      '--paths',
      '/',
      '--load',
      'requests(20, 1)',
      '--warmup',
      '0s',
      '--blocks',
      '1',
      '--instances',
      '1',
    ];
    const flags = ['--app', 'old', '--runtimes', runtimes.join(','), ...load];
    for (const [prepare, files] of [
      // BuildKit does not copy a file again of which the time alone differs.
      ['echo "// old" >>part.php; touch --date=@0 part.php', 1],
      ['echo "// new" >>part.php', 0],
    ] as const) {
      const { code, stdout, stderr } = await project.run(`out-${files}`, ...flags, '--prepare', prepare).done;
      expect(code, stderr).toBe(0);
      const { variants } = project.results(`out-${files}`);
      expect(variants.map(({ recompiled }) => recompiled)).toEqual([files, files, undefined]);
      const printed = stdout.replaceAll(/\s+/g, ' ');
      if (files === 0) expect(printed).not.toContain('recompiled');
      else expect(printed).toContain('in each request: 1 on apache@8.4, 1 on nginx-fpm@8.4.');
    }
  },
  LIMIT_MS,
);

test(
  'an app whose shutdown function calls exit is counted, as are its destructors and output buffers',
  async () => {
    // Like phpMyAdmin: no shutdown function behind it is called.
    const page = (deprecations: number) => `<?php
// As Piwigo's installer does: nobody may enter a folder that is made now.
umask(0111);
register_shutdown_function(static function (): void { exit; });
final class Late {
    public function __destruct() { @trigger_error('late'); }
}
$late = new Late();
ob_start(static function (string $text): string { @trigger_error('late', E_USER_WARNING); return $text; });
for ($i = 0; $i < ${deprecations}; $i++) @trigger_error('old', E_USER_DEPRECATED);
include __DIR__ . '/../part.php';
`;
    const [index, part] = ['exits/public/index.php', 'exits/part.php'];
    project.commit({ [index]: page(0), [part]: '<?php echo "done";' });
    project.write({ [index]: page(5) });
    const { code, stderr } = await project.run(
      'out-exits',
      ...['--app', 'exits', '--runtimes', 'apache,nginx-fpm', ...PHP],
    ).done;
    expect(code, stderr).toBe(0);
    const results = project.results('out-exits');
    expect(results.warnings.filter(({ code }) => code === 'count')).toEqual([]);
    for (const runtime of ['apache', 'nginx-fpm'])
      expect(errorsOf(results, runtime), stderr).toEqual({
        base: [[1], [1], [0]],
        head: [[1], [1], [5]],
      });
    const names = [...ERRORS, 'included-files', 'peak-memory', 'opcache-misses', 'response-bytes'];
    for (const values of Object.values(countsOf(results))) {
      expect(Object.keys(values).toSorted()).toEqual(names.toSorted());
      expect(values['included-files']).toEqual([2]);
    }
  },
  LIMIT_MS,
);

test(
  'without the extension, a warning before the run, and no count of what the app hides',
  async () => {
    const own = await makeProject({ own: true });
    try {
      const runtimes = join(own.folder, '../package/runtimes');
      rmSync(runtimes);
      cpSync(join(root, 'runtimes'), runtimes, { recursive: true });
      writeFileSync(join(runtimes, '_profile/errors/bench_errors.c'), '#error no compiler today\n');
      const work = 'for ($i = 0; $i < 7; $i++) @trigger_error("old", E_USER_DEPRECATED);';
      const silent = {
        'silent/public/index.php': `<?php\nheader('Content-Type: text/plain;charset=UTF-8');\n${work}\n`,
        'silent/handler.php': `<?php
return static function (): array {
    ${work}
    return ['status' => 200, 'headers' => ['Content-Type' => ['text/plain;charset=UTF-8']], 'body' => ''];
};
`,
      };
      own.write({ ...plainApp(DEPRECATIONS), ...silent });
      const load = ['--paths', '/', '--load', 'requests(20, 1)', '--warmup', '0s', '--blocks', '1'];
      const flags = [
        '--app',
        'plain,silent',
        '--runtimes',
        'apache,resident',
        ...load,
        '--instances',
        '1',
        '--count',
        'php',
      ];
      const { code, stderr } = await own.run('out', ...flags).done;
      expect(code, stderr).toBe(0);
      const { counts, warnings } = own.results('out');
      for (const runtime of ['apache', 'resident']) {
        const valuesOf = (app: string) =>
          counts
            .filter(({ variant }) => variant.startsWith(`${app}/${runtime}`))
            .flatMap(({ values }) => values);
        const deprecations = valuesOf('silent').find(({ name }) => name === 'deprecations');
        expect(deprecations?.perRequest, stderr).toEqual([7, 7, 7]);
        const names = valuesOf('plain').map(({ name }) => name);
        expect(names).not.toContain('deprecations');
        expect(names).toContain('included-files');
      }
      const [before, after] = stderr.split('count of PHP') as [string, string];
      expect(before).toMatch(
        /only if the app sets no error handler: .*could not be compiled on php:8\.4-apache: .*no compiler today/,
      );
      expect(after).toContain('the app sets an error handler of its own');
      expect(warnings.filter(({ code }) => code === 'count')).toHaveLength(6);
    } finally {
      own.remove();
    }
  },
  LIMIT_MS,
);
