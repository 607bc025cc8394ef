/** Faults of names that are no text: bytes that are not UTF-8, and control characters. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { slicesOf } from '../integration/bench.ts';
import type { Fault } from './fault.ts';
import type { RunWorld } from './runs.ts';

/** An app in a repository of its own: on a branch, with files and a change whose names are no text. */
const MAKE_APP = `
  odd=$(printf 'b\\377\\376')
  mkdir -p "$1/public/$odd"
  cd "$1"
  # It answers only where its file has come with it.
  printf '<?php http_response_code(is_file(__DIR__ . "/b\\\\xff\\\\xfe/f\\\\xff\\\\e[2J") ? 200 : 500);' >public/index.php
  : >"public/$odd/$(printf 'f\\377\\033[2J')"
  git init --quiet
  git add --all
  git -c user.name=A -c user.email=a@app.test commit --quiet --message 'As it was'
  git checkout --quiet -b "$odd"
  : >"$(printf 'new\\377\\n\\033[2J')"`;

function makeApp({ project }: RunWorld, name: string) {
  execFileSync('sh', ['-ec', MAKE_APP, 'sh', join(project.folder, name)], { stdio: 'pipe' });
}

/** A run that is refused. `flag` and its value are those of a shell. */
const refused = (what: string, message: string, flag: string, app?: string): Fault<RunWorld> => ({
  what: `bytes that are not UTF-8 in the name of ${what}`,
  message,
  exitCode: 2,
  kept: 'there was nothing yet',
  async inject(world) {
    const { project, out } = world;
    if (app) makeApp(world, app);
    const shell = `exec "$@" ${flag}`;
    const argv = ['run', '--out', out, ...(app ? ['--app', app] : [])];
    const { code, stdout, stderr } = await project.cli(argv, { shell });
    expect(existsSync(join(project.folder, out))).toBe(false);
    return { code, printed: stderr + stdout };
  },
});

export const nameFaults: readonly Fault<RunWorld>[] = [
  refused('a variant', '--runtimes: bad alias', `--runtimes "$(printf 'l\\377=faulty')"`),
  refused('a scenario', '--scenarios: not a name', `--scenarios "$(printf 's\\377')"`),
  refused(
    'a branch to compare with',
    '--compare-to: nothing to compare with',
    `--compare-to "$(printf 'b\\377\\376')"`,
    'odd-base',
  ),
  {
    what: "bytes that are not UTF-8, and control characters, in the names of the app's files and branch",
    message: 'the checkout has 1 uncommitted change',
    exitCode: 0,
    kept: 'everything: the files are there on both sides of `compare-to`',
    async inject(world) {
      const { project, out, bench } = world;
      makeApp(world, 'odd-app');
      const flags = ['--app', 'odd-app', '--runtimes', 'faulty', '--compare-to', 'HEAD', '--paths', '/'];
      const { code, stdout, stderr } = await bench(...flags).done;
      const results = project.results(out);
      for (const id of ['faulty@8.4', 'faulty@8.4:base']) {
        expect(slicesOf(results, id).map(({ outcome }) => outcome)).toEqual(['ok']);
      }
      const printed = stderr + stdout;
      expect(printed).not.toContain('\u001b');
      return { code, printed };
    },
  },
];
