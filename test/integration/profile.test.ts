/** The pass after the verdict that samples where CPU time goes, on real servers. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { explainCpu } from '../../src/analyse/why/why.ts';
import type { Profile, Results } from '../../src/results/results.ts';
import { leftovers, makeProject, type Project } from './bench.ts';
import { findMissingBase } from './docker.ts';

const SHORT = Array.from({ length: 10 }, (_, i) => `short${i}`);
/** A function that works four times as long as one whose names are as hostile as PHP lets them be. */
const APP = String.raw`<?php
namespace App;
require_once __DIR__ . "/<script>;\n😀.php";
${SHORT.map((name) => `function ${name}(): int { for ($x = $i = 0; $i < 12000; $i++) { $x += $i & 3; } return $x; }`).join('\n')}
const SHORT = [${SHORT.map((name) => `'App\\${name}'`).join(', ')}];
final class Cart
{
    public static function total(int $n): float
    {
        $sum = 0.0;
        for ($i = 0; $i < $n; $i++) {
            $sum += sqrt($i);
        }
        return $sum;
    }
}
/** Only this server does more. */
function more(): float
{
    for ($sum = $i = 0; $i < 100000; $i++) {
        $sum += sqrt($i);
    }
    return $sum;
}
/** A request of a third of a millisecond: each of its ten functions does the same. */
function short(): string
{
    return 'done ' . array_sum(array_map(static fn (string $name): int => $name(), SHORT));
}
/** The nice values of this process's threads. */
function nice(): array
{
    // A thread of one tick may end meanwhile.
    $read = static fn (string $file): string => explode(' ', (string) @file_get_contents($file))[18] ?? '0';
    return array_map($read, glob('/proc/self/task/*/stat'));
}
function run(string $path): string
{
    static $requests = 0;
    if (extension_loaded('excimer') && ++$requests === 20) {
        error_log('nice: ' . implode(' ', nice()));
    }
    if ($path === '/short') {
        return short();
    }
    // The server of one variant ends where the sampler is loaded.
    if (extension_loaded('excimer') && getenv('WORKERS') === '3') {
        exec('kill -TERM 1');
    }
    $more = PHP_SAPI === 'fpm-fcgi' ? more() : 0;
    return 'done ' . (int) (Cart::total(200000) + \work😀() + 0 * $more);
}
`;
const FILES = {
  'src/app.php': APP,
  'src/<script>;\n😀.php':
    '<?php\nfunction work😀(): float { $sum = 0.0; for ($i = 0; $i < 50000; $i++) { $sum += sqrt($i); } return $sum; }\n',
  'public/index.php':
    "<?php\nrequire_once __DIR__ . '/../src/app.php';\nheader('Content-Type: text/plain');\necho App\\run($_SERVER['REQUEST_URI']);\n",
  'handler.php': `<?php
require_once __DIR__ . '/src/app.php';
return static fn (array $request): array =>
    ['status' => 200, 'headers' => ['Content-Type' => ['text/plain;charset=UTF-8']], 'body' => App\\run($request['path'])];
`,
};

const PER_REQUEST = ['apache', 'nginx-fpm'];
/** Servers of other kinds: one of the tests' own with worker.php, and those of the bundled whose base images are available. */
const BUNDLED = ['reactphp', 'workerman', 'swoole', 'roadrunner', 'frankenphp'].map((runtime) => ({
  ...{ runtime, missing: findMissingBase(runtime, '8.4') },
}));
const OTHERS = ['resident', ...BUNDLED.flatMap(({ runtime, missing }) => (missing ? [] : runtime))];

let project: Project;
let results: Results;
let stderr: string;
beforeAll(async () => {
  project = await makeProject();
  const app = join(project.folder, 'slow');
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(app, name)), { recursive: true });
    writeFileSync(join(app, name), text);
  }
  // With one slice of each variant, one that other work spoils would leave a variant unmeasured: exit code 3.
  const flags = [
    '--app',
    app,
    '--paths',
    '/,/short',
    '--timeout',
    '3s',
    '--blocks',
    '3',
    '--profile',
    'true',
  ];
  const run = project.bench(
    'profile',
    ...flags,
    '--runtimes',
    [...PER_REQUEST, ...OTHERS, 'ends=apache[workers=3]'].join(','),
  );
  const finished = await run.done;
  stderr = finished.stderr;
  expect(finished.code, `${finished.stdout}\n${stderr}`).toBe(0);
  results = project.results('profile');
}, 900_000);
afterAll(() => project?.remove());

/** Samples by the function that was at work. */
function selfOf({ frames, tree }: Profile): Map<string, number> {
  const self = new Map<string, number>();
  for (const [, frame, samples] of tree) {
    const name = frames[frame]?.name ?? '';
    self.set(name, (self.get(name) ?? 0) + samples);
  }
  return self;
}

const profilesOf = (runtime: string) =>
  results.profiles.filter(({ variant }) => variant.startsWith(`${runtime}@`));

for (const { runtime, missing } of BUNDLED.filter(({ missing }) => missing))
  test(`${runtime} is profiled, too`, ({ skip }) => skip(`base image ${missing} is not available here`));

test('a server that keeps the app is sampled in its requests, and its own code with them', () => {
  const names = profilesOf('resident').flatMap(({ frames }) => frames.map(({ name }) => name));
  expect(names).toContain('PhpRuntimeBench\\Scope::run');
});

test('the thread that signals ticks goes before the one that works', () => {
  const logs = readdirSync(join(project.folder, 'profile/raw/logs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('resident@8.4.log'))
    .map((name) => readFileSync(join(project.folder, 'profile/raw/logs', name), 'utf8'));
  const found = logs.flatMap((log) => [...log.matchAll(/nice: (.*)/g)].map(([, values]) => values));
  expect(found.length).toBeGreaterThan(0);
  // The kernel may show a thread of one tick, too.
  for (const values of found) expect(values).toMatch(/^10( 0)+$/);
});

test.each([...PER_REQUEST, ...OTHERS])('%s: the slow function has the most samples', (runtime) => {
  const profiles = profilesOf(runtime);
  expect(profiles.map(({ instance }) => instance)).toEqual([0, 1, 2, 3]);
  // The same start without the sampler was measured, too.
  for (const { overheadRatio, every } of profiles) {
    expect(overheadRatio).toBeGreaterThan(-0.9);
    expect(every).toBeGreaterThanOrEqual(1);
  }
  const self = new Map<string, number>();
  for (const profile of profiles)
    for (const [name, n] of selfOf(profile)) self.set(name, (self.get(name) ?? 0) + n);
  const [first] = [...self].sort(([, a], [, b]) => b - a);
  expect(first?.[0]).toBe('App\\Cart::total');
  const frame = profiles.flatMap(({ frames }) => frames).find(({ name }) => name === 'App\\Cart::total');
  expect(frame).toMatchObject({ file: 'src/app.php', line: 17 });
  const [slow, hostile] = [self.get('App\\Cart::total') ?? 0, self.get('work😀') ?? 0];
  // Four times as many rounds; the times of a busy machine blur it.
  expect(slow / hostile).toBeGreaterThan(2);
  expect(slow / hostile).toBeLessThan(8);
});

test('the second of two servers is compared with the first: the function that only one runs is named', () => {
  const ids = PER_REQUEST.map((runtime) => profilesOf(runtime)[0]?.variant);
  const profiles = results.profiles.filter(({ variant }) => ids.includes(variant));
  const why = explainCpu({ ...results, profiles }, []).find(({ against }) => against === 'row');
  expect(why).toMatchObject({ base: ids[0], variant: ids[1] });
  const own = why?.culprits.find(({ function: named }) => named?.name === 'App\\more');
  expect(own).toMatchObject({ function: { file: 'src/app.php' }, us: { base: 0 }, change: { sure: true } });
});

test('functions at the beginning of a request have their samples, too', () => {
  const all = PER_REQUEST.flatMap(profilesOf).flatMap((profile) => [...selfOf(profile)]);
  const counts = SHORT.map((name) =>
    all.reduce((sum, [other, samples]) => sum + (other === `App\\${name}` ? samples : 0), 0),
  );
  const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
  // With a period of 0.2 ms, the first one had a sixth. Counts scatter by their square root.
  expect(counts[0], counts.join(', ')).toBeGreaterThan(mean - 4 * Math.sqrt(mean));
});

test('hostile names of functions and files survive as they are', () => {
  const frames = results.profiles.flatMap((profile) => profile.frames);
  expect(frames.find(({ name }) => name === 'work😀')?.file).toBe('src/<script>;\n😀.php');
  const folder = join(project.folder, 'profile/raw/profiles/paths');
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.folded'))) {
    const lines = readFileSync(join(folder, name), 'utf8').trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/^[^;]+(;[^;]+)* \d+$/);
  }
  const starts = readdirSync(folder).filter((file) => file.startsWith('apache@8.4.'));
  expect(starts.sort()).toEqual([
    ...[1, 2, 3, 4].map((start) => `apache@8.4.${start}.folded`),
    'apache@8.4.speedscope.json',
  ]);
});

test('is in no slice that decides, and leaves nothing behind', async () => {
  for (const { facts } of results.variants) expect(facts?.extensions).not.toContain('excimer');
  expect(await leftovers()).toEqual([]);
  expect(project.temporaryFiles()).toEqual([]);
});

test('a variant that fails in it keeps what was measured, with a warning', () => {
  expect(results.variants.filter(({ failure }) => failure)).toEqual([]);
  const ends = results.variants.find(({ label }) => label === 'ends')?.id as string;
  expect(results.profiles.filter(({ variant }) => variant === ends)).toEqual([]);
  const warnings = results.warnings.filter(({ code }) => code === 'profile');
  expect(warnings.map(({ variant }) => variant)).toEqual([ends]);
  expect(warnings[0]?.message).toContain('ends was left out');
});

test('is announced before it starts', () => {
  expect(stderr).toMatch(/profile: \d variants × 4 starts, once all is measured/);
});
