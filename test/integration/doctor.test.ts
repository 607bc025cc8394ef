// `doctor` in a control group with a limit, as a runner in a pod is: the engine's containers are outside it.
import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findImages, makeProject, type Project } from './bench.ts';

const ROOT = '/sys/fs/cgroup';
const isV2 = existsSync(join(ROOT, 'cgroup.controllers'));
const group = join(isV2 ? ROOT : join(ROOT, 'cpu'), `bench-doctor-${process.pid}`);
/** Half a CPU. */
const limits: readonly (readonly [string, string])[] = isV2
  ? [['cpu.max', '50000 100000']]
  : [['cpu.cfs_quota_us', '50000']];

let project: Project;
let why: string | null = null;
beforeAll(async () => {
  project = await makeProject();
  try {
    mkdirSync(group);
    for (const [file, value] of limits) writeFileSync(join(group, file), value);
  } catch (error) {
    why = `no control group can be made here: ${(error as Error).message}`;
  }
});
afterAll(() => {
  if (existsSync(group)) rmdirSync(group);
  project.remove();
});

const escapes = expect.objectContaining({
  ok: false,
  what: expect.stringMatching(/^containers escape .* 0\.5 CPUs/),
});

it('containers that escape the limits of this process are reported, and only those', async ({ skip }) => {
  if (why !== null) skip(why);
  const args = ['doctor', '--json', ...(await findImages())];
  const shell = `echo $$ >'${group}/cgroup.procs' && exec "$@"`;
  const limited = await project.start(args, { shell }).done;
  expect(JSON.parse(limited.stdout)).toContainEqual(escapes);
  const free = await project.cli(args);
  expect(JSON.parse(free.stdout)).not.toContainEqual(escapes);
});

it('the disturbance of this moment and the needs of the configuration are among the findings', async () => {
  const { stdout } = await project.cli(['doctor', '--json', ...(await findImages())]);
  const findings: { what: string }[] = JSON.parse(stdout);
  for (const what of [/^other programs use \d+ % of one CPU now/, /free on the disk of/])
    expect(findings).toContainEqual(expect.objectContaining({ what: expect.stringMatching(what) }));
});
