/** Runs behind a client of Docker that does something first: at moments that the run alone decides. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { during, type Project, type Run } from './bench.ts';

export interface RunBehind extends Run {
  /** The client, "$0" in its script. What it leaves for the test has a name that begins so. */
  client: string;
}

/** Starts a run with QUICK load. Before each command of docker its client runs this shell script, with the command as "$@". */
export function benchBehind(project: Project, before: string, out: string, ...flags: string[]): RunBehind {
  const folder = join(project.folder, `client-of-${out}`);
  const client = join(folder, 'docker');
  mkdirSync(folder);
  // On its PATH a run has more folders in front of this one.
  const path = `PATH=\${PATH%%"${folder}:"*}\${PATH#*"${folder}:"}`;
  writeFileSync(client, `#!/bin/sh\n${path}\n${before}\nexec docker "$@"\n`, { mode: 0o755 });
  const run = project.benchInShell(`PATH=${folder}:$PATH exec "$@"`, out, ...flags);
  return Object.assign(run, { client });
}

/** Part of such a script: it waits until the test has acted, see `whilePaused`. */
export const PAUSE =
  'touch "$0.paused"; until [ -e "$0.go" ]; do kill -0 $PPID && [ -e "$0" ] || exit 1; sleep 0.05; done';

/** Waits until the client of a run pauses, acts, and lets it go on. */
export async function whilePaused<T>(run: RunBehind, act: () => T): Promise<Awaited<T>> {
  await during(run, () => existsSync(`${run.client}.paused`));
  try {
    return await act();
  } finally {
    writeFileSync(`${run.client}.go`, '');
  }
}
