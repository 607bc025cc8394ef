/** runtimes/_profile/files/profile.php in the PHP of the command line, as a server that keeps the app calls it. */
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/temporary.ts';
import { docker, imageFor, root } from './docker.ts';

const PHP = 'php:8.4-cli';
const INSTALLER = 'mlocati/php-extension-installer:2';
const REQUESTS = 12;
const EVERY = '/tmp/php-runtime-bench/profile/every';

/** Each request works for several ticks of the machine, and waits for longer than the sampler keeps its samples. */
const DRIVER = `
require '/pass/profile.php';
function cpuUs(): int {
  $used = getrusage();
  return 1000000 * ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
}
function work(): void { for ($until = cpuUs() + 40000; cpuUs() < $until;); }
$app = PhpRuntimeBench\\watch(static function (array $request): array { usleep(20000); work(); return []; });
@mkdir(dirname('${EVERY}'), 0777, true);
foreach (json_decode($argv[1]) as $every) {
  $every === null || file_put_contents('${EVERY}', str_repeat('.', $every));
  for ($i = 0; $i < ${REQUESTS}; $i++) { $app([]); }
  usleep(250000);
  $app([]);
  echo @file_get_contents('/tmp/php-runtime-bench/profile/samples.txt'), "--\\n";
  @unlink('/tmp/php-runtime-bench/profile/samples.txt');
}
echo file_get_contents('/tmp/php-runtime-bench/profile/names.txt');
`;

let pass: string;
beforeAll(async () => {
  pass = makeFolder();
  chmodSync(pass, 0o755);
  cpSync(join(root, 'runtimes/_profile/files'), pass, { recursive: true });
  const contexts = [PHP, INSTALLER].flatMap((base) =>
    imageFor(base) === base ? [] : ['--build-context', `${base}=docker-image://${imageFor(base)}`],
  );
  const build = ['buildx', 'build', '--quiet', '--build-arg', `BASE=${PHP}`, ...contexts];
  await docker(...build, '--output', `type=local,dest=${pass}`, join(root, 'runtimes/_profile'));
}, 300_000);
afterAll(() => rmSync(pass, { recursive: true }));

/** What the sampler wrote in each phase, in which one of so many requests is to be sampled; null: nobody says so. */
async function sample(phases: readonly (number | null)[]): Promise<string[][]> {
  const php = ['php', '-d', 'extension=/pass/excimer.so', '-r', DRIVER, JSON.stringify(phases)];
  const mount = ['--volume', `${pass}:/pass:ro`, '--network', 'none', '--user', '33:33'];
  const printed = (await docker('run', '--rm', ...mount, imageFor(PHP), ...php)).split('--\n');
  const work = /^(\w{8}) \[null,"work"/m.exec(printed.pop() ?? '')?.[1] as string;
  return printed.map((lines) => lines.split('\n').filter((line) => line.includes(` ${work}`)));
}

test('its count begins anew with each request, so what the server did between two is in no sample of the app', async () => {
  const [lines = []] = await sample([null]);
  expect(lines.length).toBeGreaterThan(REQUESTS);
  expect(lines.filter((line) => line.startsWith('-'))).toHaveLength(REQUESTS + 1);
  // It was the only one before.
  expect(lines[0]).toMatch(/^-\d+ /);
});

test('it samples none, all or one of so many requests, and looks at each how many', async () => {
  const [none = [], all = [], some = [], again = []] = await sample([0, 1, 8, 0]);
  const begun = (lines: readonly string[]) => lines.filter((line) => line.startsWith('-')).length;
  expect([none.length, begun(all), again.length]).toEqual([0, REQUESTS + 1, 0]);
  // All of them: once in 8 ^ 13 times.
  expect(begun(some)).toBeLessThan(REQUESTS + 1);
});
