/** runtimes/_profile/files/profile.php in the PHP of the command line, as a server that keeps the app calls it. */
import { chmodSync, cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../fixtures/temporary.ts';
import { docker, imageFor, root, runToEnd } from './docker.ts';

const PHP = 'php:8.4-cli';
const INSTALLER = 'mlocati/php-extension-installer:2';
const REQUESTS = 12;
const EVERY = '/tmp/php-runtime-bench/profile/every';

/**
 * Each request works for several ticks of the machine and, if it is sampled, until it has a sample: on a busy machine a tick
 * may be lost or late. The last one waits for longer than the sampler keeps its samples.
 * Each has a function on a line of its own: excimer takes two functions on one line of one file for the same.
 */
const DRIVER = `
require '/pass/profile.php';
function cpuUs(): int {
  $used = getrusage();
  return 1000000 * ($used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec']) + $used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec'];
}
$taken = Closure::bind(
  static fn(): int => self::$isOn ? count(self::$profiler->getLog()) : PHP_INT_MAX, null, PhpRuntimeBench\\Profile::class
);
function work(): void {
  [$before, $start] = [$GLOBALS['taken'](), cpuUs()];
  do {
    $used = cpuUs() - $start;
  } while ($used < 40000 || ($used < 5000000 && $before === $GLOBALS['taken']() && $before < PHP_INT_MAX));
}
for ($i = 0; $i <= ${REQUESTS}; $i++) { eval(str_repeat("\\n", $i) . "function request$i(): void { usleep(20000); work(); }"); }
$app = PhpRuntimeBench\\watch(static function (array $request): array { "request$request[0]"(); return []; });
@mkdir(dirname('${EVERY}'), 0777, true);
foreach (json_decode($argv[1]) as $every) {
  $every === null || file_put_contents('${EVERY}', str_repeat('.', $every));
  for ($i = 0; $i < ${REQUESTS}; $i++) { $app([$i]); }
  usleep(250000);
  $app([${REQUESTS}]);
  echo @file_get_contents('/tmp/php-runtime-bench/profile/samples.txt'), "--\\n";
  @unlink('/tmp/php-runtime-bench/profile/samples.txt');
}
echo file_get_contents('/tmp/php-runtime-bench/profile/names.txt');
// PHP may crash if it ends while a thread of excimer still passes on a tick.
file_put_contents('${EVERY}', '');
$app([0]);
usleep(500000);
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

/** A request that has samples: are they the first since a start of the sampler, and how many are in its work? */
interface Sampled {
  isFresh: boolean;
  inWork: number;
}

/** Requests of each phase, in which one of so many requests is to be sampled; null: nobody says so. */
async function sample(phases: readonly (number | null)[]): Promise<Map<string, Sampled>[]> {
  const php = ['php', '-d', 'extension=/pass/excimer.so', '-r', DRIVER, JSON.stringify(phases)];
  const mount = ['--volume', `${pass}:/pass:ro`, '--user', '33:33'];
  const { stdout } = await runToEnd(...mount, imageFor(PHP), ...php);
  const printed = stdout.split('--\n');
  const names = new Map(
    (printed.pop() ?? '').split('\n').map((line): [string, string] => [line.slice(0, 8), line.slice(9)]),
  );
  return printed.map((lines) => {
    const requests = new Map<string, Sampled>();
    let isFresh = false;
    for (const line of lines.trim().split('\n')) {
      const calls = line.split(' ').map((id) => names.get(id) ?? '');
      // A busy machine may have a tick in a request before its work, or between two requests.
      isFresh ||= line.startsWith('-');
      const request = /"(request\d+)"/.exec(calls.join(' '))?.[1];
      if (request !== undefined) {
        const sampled = requests.get(request) ?? { isFresh, inWork: 0 };
        sampled.inWork += calls.some((call) => call.startsWith('[null,"work"')) ? 1 : 0;
        requests.set(request, sampled);
        isFresh = false;
      }
    }
    return requests;
  });
}

const ALL = Array.from({ length: REQUESTS + 1 }, (_, index) => `request${index}`);

test('its count begins anew with each request, so what the server did between two is in no sample of the app', async () => {
  const [requests = new Map<string, Sampled>()] = await sample([null]);
  expect([...requests.keys()]).toEqual(ALL);
  expect([...requests].filter(([, { isFresh }]) => !isFresh)).toEqual([]);
  expect([...requests].filter(([, { inWork }]) => inWork === 0)).toEqual([]);
});

test('it samples none, all or one of so many requests, and looks at each how many', async () => {
  const [none, all, some, again] = await sample([0, 1, 8, 0]);
  expect([none?.size, all?.size, again?.size]).toEqual([0, ALL.length, 0]);
  // All of them: once in 8 ^ 13 times.
  expect(some?.size).toBeLessThan(ALL.length);
});
