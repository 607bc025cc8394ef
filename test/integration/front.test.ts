// An nginx before a variant, for real: requests pass through it, and what it uses is counted with the variant.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  docker,
  during,
  findContainers,
  hasHyperfine,
  leftovers,
  makeProject,
  noteColdStarts,
  ourContainers,
  type Project,
  signalContainers,
  slicesOf,
  told,
  variantOf,
} from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());
noteColdStarts();

const FRONT = 'apache@8.4[front=nginx,workers=2]';
const PATH = '/io?ms=50';
/** A machine that stands still for half a second is no matter of the front; a kept connection is freed after 5 s. */
const LOAD = ['--wait', '--load', 'vus(2, 2s)', '--timeout', '4s', '--instances', '1', '--blocks', '1'];

test('nginx in front has CPUs of its own, and is counted with what it stands before', async () => {
  const cpus = ['--server-cpus', '0', '--front-cpus', '1', '--load-cpus', '1'];
  const choices = 'apache[workers=2],apache[workers=2,front=nginx]';
  const cold = hasHyperfine ? ['--cold-start'] : [];
  const paths = ['--paths', PATH];
  const run = project.bench('front', '--runtimes', choices, ...paths, ...LOAD, ...cpus, ...cold);
  const name = async () => (await ourContainers()).find((one) => one.endsWith('-front'));
  await during(run, async () => (await name()) !== undefined);
  const front = (await name()) ?? '';
  const cpusetOf = (one: string) => docker('inspect', '--format', '{{.HostConfig.CpusetCpus}}', one);
  expect([await cpusetOf(front), await cpusetOf(front.replace('-front', ''))]).toEqual(['1', '0']);
  if (hasHyperfine) {
    await told(run, `cold start of ${FRONT}`);
    await during(run, async () => {
      const names = await ourContainers();
      return names.some((one) => /-cold-\d+$/.test(one)) && names.some((one) => /-cold-\d+-front$/.test(one));
    });
  }
  const { code, stdout, stderr } = await run.done;
  expect(code, stderr).toBe(0);

  const results = project.results('front');
  expect(variantOf(results, FRONT)).toMatchObject({
    ...{ failure: null, options: { front: 'nginx' }, facts: { sapi: 'apache2handler' } },
    front: { bases: [{ name: 'nginx:stable' }] },
  });
  const [plain, behind] = ['apache@8.4[workers=2]', FRONT].map((id) => slicesOf(results, id)[0]);
  for (const slice of [plain, behind]) expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
  // Apache's parent and two children; nginx's master and its one worker, for one CPU.
  expect([plain?.processes?.max, behind?.processes?.max]).toEqual([3, 5]);
  expect(results.plan.cpus.front).toEqual([1]);
  const starts = results.variants.map(({ coldStart }) => coldStart?.timesMs.length);
  expect(starts).toEqual(hasHyperfine ? [10, 10] : [undefined, undefined]);
  for (const { coldStart } of results.variants) {
    if (!coldStart) continue;
    expect(coldStart).toMatchObject({ tool: expect.stringMatching(/^hyperfine \d/), path: PATH });
    // The answer alone takes 50 ms.
    for (const ms of coldStart.timesMs) expect(ms).toBeGreaterThan(50);
    expect(stdout).toContain('cold starts');
  }
  if (hasHyperfine) {
    const file = join(project.folder, 'front/raw/cold-start/apache@8.4_workers=2_.json');
    expect(JSON.parse(readFileSync(file, 'utf8')).results[0].times).toHaveLength(10);
  }
  expect(results.warnings.filter(({ code }) => code === 'cold-start')).toEqual([]);
  expect(await leftovers()).toEqual([]);
});

test('a variant whose front ends has failed', async () => {
  const run = project.bench(
    'ended',
    '--runtimes',
    'apache[workers=2,front=nginx]',
    ...LOAD,
    '--warmup',
    '5s',
  );
  const front = await findContainers(run, /-front$/);
  await told(run, 'instance 1/1: paths');
  await signalContainers(front, 'SIGKILL');
  expect((await run.done).code).toBe(3);
  expect(variantOf(project.results('ended'), FRONT).failure).toMatchObject({
    ...{
      stage: 'run',
      reason: expect.stringMatching(/^nginx in front of it: its container ended with exit code 137/),
    },
  });
});
