/** A clock of one load engine that is set while a run goes on. Machines in one test share a clock, so the programs there get another. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import type { OwnEngine } from '../faults/engine.ts';
import { imageFor } from './docker.ts';

/** Clocks that differ by more than a second are refused. */
export const STEP_MS = 700;

/** Exit code of a shell that asks `date` for the time. */
const NO_CLOCK = 7;

const DATE = `#!/bin/sh
if [ -e /tmp/set ]; then exec /bin/date --date '${STEP_MS / 1000} seconds' "$@"; fi
exec /bin/date "$@"
`;
/** All that the scripts of a load know of the clock. */
const K6 = `#!/bin/sh
if [ -e /tmp/set ]; then
  rm -rf /tmp/stepped && cp -r . /tmp/stepped && cd /tmp/stepped || exit 1
  sed -i '
    s/Date\\.now()/(Date.now() + ${STEP_MS})/g
    s/const { startTime } = exec\\.scenario;/const startTime = exec.scenario.startTime;/
    s/exec\\.scenario\\.startTime/(exec.scenario.startTime + ${STEP_MS})/g' lib/*.js
fi
exec PROGRAM "$@"
`;

/** Gives k6 on an engine such programs. Returns what sets the clock; null: the sampler there does not ask \`date\`. */
export function makeStep({ docker, host }: OwnEngine, folder: string): (() => void) | null {
  const image = imageFor(K6_IMAGE);
  const load = `docker image save ${image} | docker --host ${host} image load --quiet`;
  execFileSync('sh', ['-c', load], { stdio: ['ignore', 'ignore', 'inherit'] });
  const inside = (script: string) =>
    spawnSync(
      'docker',
      ['--host', host, 'run', '--rm', '--network=none', '--entrypoint=sh', image, '-c', script],
      { encoding: 'utf8' },
    );
  // By the exit code: a busy engine may lose the output of a container that ends at once.
  const { status, stderr } = inside(`[ -n "$EPOCHREALTIME" ] || exit ${NO_CLOCK}`);
  if (status === 0) return null;
  if (status !== NO_CLOCK) throw new Error(`the shell of ${image} did not run: ${stderr}`);
  const program = inside('command -v k6').stdout.trim();
  if (program === '') throw new Error(`where k6 is in ${image} was not printed`);
  const context = join(folder, 'stepped-k6');
  mkdirSync(context);
  writeFileSync(join(context, 'date'), DATE, { mode: 0o755 });
  writeFileSync(join(context, 'k6'), K6.replace('PROGRAM', program), { mode: 0o755 });
  writeFileSync(join(context, 'Dockerfile'), `FROM ${image}\nCOPY date k6 /usr/local/sbin/\n`);
  docker('build', '--quiet', '--tag', image, context);
  return () => {
    for (const id of docker('container', 'ls', '--quiet').split('\n').filter(Boolean))
      docker('exec', id, 'touch', '/tmp/set');
  };
}
