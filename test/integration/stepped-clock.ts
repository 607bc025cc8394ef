/** A clock of one load engine that is set while a run goes on. Machines in one test share a clock, so the programs there get another. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import type { OwnEngine } from '../faults/engine.ts';
import { imageFor } from './docker.ts';

/** Clocks that differ by more than a second are refused. */
export const STEP_MS = 700;

/** The time as the shell of the image knows it, or else `date` there, with what the clock was set by, ms. */
const date = (file: string, ms: number) => `#!/bin/sh
now=\${EPOCHREALTIME:-$(/bin/date +%s.%N)}
fraction=\${now#*.}
us=\${now%.*}\${fraction%"\${fraction#??????}"}
if [ -e ${file} ]; then us=$((us + ${1000 * ms})); fi
seconds=\${us%??????}
case $1 in *%N) echo "$seconds.\${us#"$seconds"}000" ;; *) echo "$seconds" ;; esac
`;
/** A shell that has to ask `date` for the time, and does something else before a script. */
const shell = (before: string) => `#!/bin/sh
if [ "$1" = -c ]; then
  script=$2
  shift 2
  exec /bin/sh -c "unset EPOCHREALTIME
${before}
$script" "$@"
fi
exec /bin/sh "$@"
`;

/** Removes the file once the sampler has printed its clock. */
const whenPrinted = (file: string) =>
  `echo() { command echo \\"\\$@\\"; case \\$1 in 'clock '*) rm -f ${file} ;; esac; }`;

/**
 * Writes a clock for the image of k6 into a build context. It is set as long as the file is there.
 *
 * @param once until the sampler has noticed
 * @returns the lines of a Dockerfile
 */
export function writeClock(context: string, file: string, ms: number, once = false): string {
  writeFileSync(join(context, 'date'), date(file, ms), { mode: 0o755 });
  writeFileSync(join(context, 'sh'), shell(once ? whenPrinted(file) : ''), { mode: 0o755 });
  return `FROM ${imageFor(K6_IMAGE)}\nCOPY date sh /usr/local/sbin/\n`;
}

/** All that the scripts of a load know of the clock. */
const K6 = `#!/bin/sh
if [ -e /tmp/set ]; then
  rm -rf /tmp/stepped && cp -r . /tmp/stepped && cd /tmp/stepped || exit 1
  sed -i '
    s/Date\\.now()/(Date.now() + ${STEP_MS})/g
    s/const { startTime } = exec\\.scenario;/const startTime = exec.scenario.startTime;/
    s/exec\\.scenario\\.startTime/(exec.scenario.startTime + ${STEP_MS})/g' lib/*.js
fi
PATH=/usr/local/bin:/usr/bin:/bin
exec k6 "$@"
`;

/** Gives k6 on an engine such programs. Returns what sets the clock. */
export function makeStep({ docker, host }: OwnEngine, folder: string): () => void {
  const image = imageFor(K6_IMAGE);
  const load = `docker image save ${image} | docker --host ${host} image load --quiet`;
  execFileSync('sh', ['-c', load], { stdio: ['ignore', 'ignore', 'inherit'] });
  const context = join(folder, 'stepped-k6');
  mkdirSync(context);
  writeFileSync(join(context, 'k6'), K6, { mode: 0o755 });
  const clock = writeClock(context, '/tmp/set', STEP_MS);
  writeFileSync(join(context, 'Dockerfile'), `${clock}COPY k6 /usr/local/sbin/\n`);
  docker('build', '--quiet', '--tag', image, context);
  return () => {
    for (const id of docker('container', 'ls', '--quiet').split('\n').filter(Boolean))
      docker('exec', id, 'touch', '/tmp/set');
  };
}
