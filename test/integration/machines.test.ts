// Machines of unlike speed: what their shards say together against what one machine says of the same. The slow one is this
// one, with containers that get a part of the CPU's time.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mean } from 'simple-statistics';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AcrossRow, compareAcross } from '../../src/analyse/judge/across-shards.ts';
import { logRatios, pairSlices } from '../../src/analyse/judge/pairs.ts';
import { realHost } from '../../src/host.ts';
import type { Results } from '../../src/results/results.ts';
import { type PairedTest, testPairs } from '../../src/stats/verdict.ts';
import { findImages, leftovers, makeProject, needQuiet, type Project, slicesOf } from './bench.ts';

/** How often each app does the same: large differences, so that few starts are enough. */
const WORK = { one: 5_000, two: 10_000, three: 15_000 };
type App = keyof typeof WORK;
const idOf = (app: App) => `${app}/leaky@8.4`;

const appThat = (times: number) => `<?php
namespace App;
function handle(array $request): array
{
    for ($i = 0, $hash = ''; $i < ${times}; $i++) {
        $hash = md5($hash);
    }
    return ['status' => 200, 'headers' => ['content-type' => 'text/plain'], 'body' => 'done'];
}
`;

/** A client of Docker whose containers get 8 of each 20 ms, so that a turn of 200 ms meets ten of these. */
const slowClient = (docker: string) => `#!/bin/sh
case "$1 $2" in
'container create' | 'container run') ;;
*) exec ${docker} "$@" ;;
esac
what=$2
shift 2
exec ${docker} container "$what" --cpu-period=20000 --cpu-quota=8000 "$@"
`;

let project: Project;
let slow: string;
beforeAll(async () => {
  project = await makeProject();
  const write = (path: string, text: string) => {
    mkdirSync(join(project.folder, path, '..'), { recursive: true });
    writeFileSync(join(project.folder, path), text);
  };
  for (const [app, times] of Object.entries(WORK)) {
    write(`${app}/app.php`, appThat(times));
    for (const file of ['handler.php', 'public/index.php']) write(`${app}/${file}`, '');
  }
  const real = (await realHost.exec('sh', ['-c', 'command -v docker'])).stdout.trim();
  write('slow/docker', slowClient(real));
  slow = join(project.folder, 'slow');
  chmodSync(join(slow, 'docker'), 0o755);
});
afterAll(async () => {
  project.remove();
  expect(await leftovers()).toEqual([]);
});

/** Measures all that the flags leave, or a shard of it; `path` is searched first for programs. */
async function run(out: string, flags: readonly string[] = [], path?: string): Promise<Results> {
  const { code, stderr } = await project.cli(
    [
      ...['run', ...(await findImages()), '--app', 'one=one,two=two,three=three', '--runtimes', 'leaky'],
      ...['--reference', idOf('two'), '--paths', '/', '--load', 'vus(2, 1s)', '--warmup', '0s'],
      ...['--timeout', '500ms', '--instances', '4', '--blocks', '1', '--wait', '--out', out, ...flags],
    ],
    path === undefined ? {} : { env: { PATH: `${path}:${process.env.PATH}` } },
  );
  expect(code, stderr).toBe(0);
  return project.results(out);
}

const rps = (results: Results, app: App) =>
  mean(slicesOf(results, idOf(app)).map(({ achievedRps }) => achievedRps));

test('shards of two machines, one of which has 40 % of the speed, say together what one machine says', async (test) => {
  const whole = await run('whole');
  const first = await run('first', ['--shard', '1/2']);
  const second = await run('second', ['--shard', '2/2'], slow);

  needQuiet(
    test,
    [whole, first, second].flatMap(({ measurements }) => measurements),
  );
  const rows = compareAcross([first, second])?.scenarios[0]?.rows ?? [];
  const [one, two, three] = rows as [AcrossRow, AcrossRow, AcrossRow];
  expect(rows.map(({ label, shard }) => [label, shard])).toEqual([
    [idOf('one'), 1],
    [idOf('two'), null],
    [idOf('three'), 2],
  ]);
  const alone = (app: App, reference: App) =>
    testPairs(
      logRatios(pairSlices(slicesOf(whole, idOf(app)), slicesOf(whole, idOf(reference))), 'rps'),
    ) as PairedTest;
  for (const [together, { mean, interval }] of [
    [one.toReference, alone('one', 'two')],
    [three.toReference, alone('three', 'two')],
    [two.toFirst, alone('two', 'one')],
    [three.toFirst, alone('three', 'one')],
  ] as const) {
    const width = Math.log((together?.interval?.high ?? 0) / (together?.interval?.low ?? 1));
    expect(Math.abs(Math.log(together?.ratio ?? 0) - mean)).toBeLessThan(Math.max(0.15, width / 2));
    expect(together?.interval?.low).toBeLessThan(interval?.high ?? 0);
    expect(together?.interval?.high).toBeGreaterThan(interval?.low ?? Infinity);
  }
  // The numbers themselves would have said something else.
  expect(rps(first, 'two') / rps(second, 'two')).toBeGreaterThan(1.3);
  const bare = Math.log(rps(second, 'three') / rps(first, 'one'));
  expect(bare).toBeLessThan(alone('three', 'one').mean - 0.3);

  const { stdout } = await project.cli(['report', 'first', 'second', '--format', 'md']);
  expect(stdout).toContain(', across 2 machines\n');
  expect(stdout).toMatch(
    /^\| \S+ \| `three\/leaky@8\.4` \| 2 \| −\d.* % \(.*….*\) \| −\d.* % \(.*….*\) \|$/m,
  );
});
