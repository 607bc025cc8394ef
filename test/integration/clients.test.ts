// The clients of a load stay the same: a server with as many workers as there are clients answers all of them.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { leftovers, makeProject, type Project } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  project.commit({ '.gitignore': '/out*\n', 'public/index.php': '<?php // one\necho str_repeat("a", 600);' });
  project.commit({ 'public/index.php': '<?php // two\necho str_repeat("a", 600);' });
});
afterAll(async () => {
  project.remove();
  expect(await leftovers()).toEqual([]);
});

/** Apache gives a worker to each connection, and keeps an idle one for 5 s. Other clients in each block would wait for that. */
const FOUR = ['--runtimes', 'apache[workers=4],gzip=apache[workers=4,gzip=true]', '--paths', '/'];
const CLOSED = ['--load', 'vus(4, 1s)'];
const OPEN = ['--load', 'const(100, 1s)', '--max-vus', '4'];
const RAMP = ['--load', 'step(40, 80, 40, 1s)', '--max-vus', '4'];
const DUETS = ['--blocks', '2', '--compare-to', 'HEAD~1'];

it.each([
  ['in turns', [...CLOSED, '--blocks', '3'], 6],
  ['in turns and duets, which halve the clients', [...CLOSED, ...DUETS], 8],
  ['at a rate', [...OPEN, '--blocks', '3'], 6],
  ['at a rate, and duets, which halve it', [...OPEN, ...DUETS], 8],
  ['at rates of a ramp', [...RAMP, '--blocks', '2'], 4],
])('no block has clients that find no worker: %s', async (_, flags, slices) => {
  const { code, stderr } = await project.bench(
    'out',
    ...FOUR,
    '--warmup',
    '1s',
    '--timeout',
    '4500ms',
    ...flags,
  ).done;
  expect(code, stderr).toBe(0);
  const { measurements, duets } = project.results('out');
  expect(measurements).toHaveLength(slices);
  // Four clients miss an arrival where the machine stands still for 40 ms. One that finds no worker waits for the timeout.
  for (const { outcome, requests, okCount, latency } of measurements) {
    expect({ outcome, wrong: requests - okCount }).toEqual({ outcome: 'ok', wrong: 0 });
    expect(latency?.maxMs).toBeLessThan(4500);
  }
  const halves = duets.flatMap(({ sides, guards }) =>
    [sides.variant, sides.base].map((side) => ({ ...side, stallMs: guards.stallMs ?? 0 })),
  );
  expect(halves.filter(({ failures }) => failures > 0)).toEqual([]);
  // A machine that stands still for most of a window makes no request in it.
  expect(halves.filter(({ requests, stallMs }) => requests === 0 && stallMs < 500)).toEqual([]);
  expect(halves.length > 0).toBe(flags.includes('--compare-to'));
  const inTurns = measurements.filter(({ turnMs }) => turnMs !== null).length;
  // Where a request takes long, there are none.
  const isSlow = measurements.some(({ latency }) => (latency?.p50Ms ?? 0) > 20);
  if (!flags.includes('vus(4, 1s)')) expect(inTurns).toBe(0);
  else if (!isSlow) expect(inTurns).toBe(slices);
});

it('a page that waits longer than a tenth of a second gets clients enough for its rate', async () => {
  project.write({ 'public/slow.php': '<?php usleep(400_000); echo "late";' });
  const slow = [
    '--runtimes',
    'nginx-fpm,apache[workers=16]',
    '--paths',
    '/slow.php',
    '--load',
    'const(20, 3s)',
  ];
  const { code, stderr } = await project.bench('out-slow', ...slow, '--warmup', '1s', '--timeout', '10s')
    .done;
  expect(code, stderr).toBe(0);
  const { measurements, warnings } = project.results('out-slow');
  expect(measurements).toHaveLength(2);
  expect(measurements.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
  // With the three clients of a fast page, 37 of 60 would never begin. Behind a stall, all clients are busy at once.
  for (const { dropped, guards } of measurements)
    if ((guards.stallMs ?? 0) < 300) expect(dropped).toBeLessThan(6);
  expect(warnings.map(({ code }) => code)).not.toContain('connections-exceed-workers');
});

it('so does a bundled journey, which makes several requests', async () => {
  project.write({ 'public/index.php': AUTH });
  const auth = ['--runtimes', 'nginx-fpm[workers=24]', '--scenarios', 'auth', '--load', 'const(5, 3s)'];
  const { code, stderr } = await project.bench('out-auth', ...auth, '--warmup', '2s', '--timeout', '10s')
    .done;
  expect(code, stderr).toBe(0);
  const [slice] = project.results('out-auth').measurements;
  expect(slice?.outcome).toBe('ok');
  // An iteration takes 1.2 s. With the two clients of fast answers, 10 of 15 would never begin.
  if ((slice?.guards.stallMs ?? 0) < 300) expect(slice?.dropped).toBeLessThan(3);
});

/** The requests of scenarios/journeys/auth.js, each of 0.3 s. */
const AUTH = `<?php
usleep(300_000);
header('Content-Type: application/json');
$email = json_decode(file_get_contents('php://input'), true)['email'] ?? '';
$token = substr($_SERVER['HTTP_AUTHORIZATION'] ?? '', strlen('Bearer '));
echo json_encode(match ($_SERVER['REQUEST_URI']) {
    '/register', '/login' => ['token' => base64_encode($email)],
    '/user' => ['email' => base64_decode($token)],
    default => [],
});
`;
