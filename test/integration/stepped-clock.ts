/** A clock of one load engine that is set while a run goes on. Machines in one test share a clock, so the programs there get another. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import type { OwnEngine } from '../faults/engine.ts';
import { imageFor } from './docker.ts';

/** Clocks that differ by more than a second are refused. */
export const STEP_MS = 700;

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
  const ask = (script: string) =>
    docker('container', 'run', '--rm', '--network=none', '--entrypoint=sh', image, '-c', script).trim();
  if (ask('echo "$EPOCHREALTIME"') !== '') return null;
  const context = join(folder, 'stepped-k6');
  mkdirSync(context);
  writeFileSync(join(context, 'date'), DATE, { mode: 0o755 });
  writeFileSync(join(context, 'k6'), K6.replace('PROGRAM', ask('command -v k6')), { mode: 0o755 });
  writeFileSync(join(context, 'Dockerfile'), `FROM ${image}\nCOPY date k6 /usr/local/sbin/\n`);
  docker('build', '--quiet', '--tag', image, context);
  return () => {
    for (const id of docker('container', 'ls', '--quiet').split('\n').filter(Boolean))
      docker('exec', id, 'touch', '/tmp/set');
  };
}
