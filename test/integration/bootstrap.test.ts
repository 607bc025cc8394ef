// script/bootstrap on this machine, which is set up already: script/test has just seen to it.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolder } from '../fixtures/temporary.ts';

const scripts = resolve(import.meta.dirname, '../../script');
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'php-runtime-bench');
const installers = [
  'apt-get',
  'npm',
  'pip',
  'pip3',
  'go',
  'python3',
  'curl',
  'wget',
  'systemctl',
  'dockerd',
  'mmdebstrap',
];

let folder: string;
beforeEach(() => {
  folder = makeFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs bootstrap, or the script `of`, with these commands replaced by ones that write down how they were called, and fail. */
function start(
  args: string[],
  {
    of = 'bootstrap',
    from = scripts,
    without = [] as string[],
    env = {},
    as = [] as string[],
    cwd = '.',
  } = {},
) {
  const calls = join(folder, 'calls');
  for (const name of without) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho "${name} $*" >>'${calls}'\nexit 1\n`);
    chmodSync(join(folder, name), 0o755);
  }
  const [program, ...rest] = [...as, join(from, of), ...args] as [string, ...string[]];
  const { status, stdout, stderr } = spawnSync(program, rest, {
    encoding: 'utf8',
    cwd,
    env: { ...process.env, PATH: `${folder}:${process.env.PATH}`, ...env },
  });
  const called = existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : [];
  return { status, stderr, lines: stdout.split('\n').filter(Boolean), called };
}

describe.each(['bench', 'test'])('a second start for %s', (purpose) => {
  it('installs nothing and says next to nothing', () => {
    const images = listImages();
    const { status, lines, called } = start(['--for', purpose], { without: installers });
    expect(called).toEqual([]);
    expect(status).toBe(0);
    // A registry that did not answer is asked again after an hour.
    const known = /using stand-ins from Debian packages|pulling grafana\/k6/;
    expect(lines.filter((line) => !known.test(line))).toEqual([]);
    expect(listImages()).toEqual(images);
  });
});

it.each(['unit', 'static'])('the layer %s needs no engine and no images', (layer) => {
  const env = { DOCKER_HOST: `unix://${folder}/no.sock` };
  const { status, lines, called } = start(['--for', 'test', layer], {
    without: [...installers, 'docker'],
    env,
  });
  expect({ status, lines, called }).toEqual({ status: 0, lines: [], called: [] });
});

it('installs what engines of tests are made with, or says that their tests are skipped', () => {
  // All commands but one, the first of a name.
  const others = join(folder, 'others');
  mkdirSync(others);
  const known = new Set(['mkfs.ext4']);
  for (const from of (process.env.PATH ?? '').split(':').filter(existsSync)) {
    for (const name of readdirSync(from).filter((one) => !known.has(one))) {
      known.add(name);
      symlinkSync(join(from, name), join(others, name));
    }
  }
  const { stderr, called, lines } = start(['--for', 'test', 'faults'], {
    without: ['apt-get'],
    env: { PATH: `${folder}:${others}` },
  });
  if (process.getuid?.() === 0) {
    expect(
      called.some((call) => /install .*e2fsprogs/.test(call)),
      called.join('\n'),
    ).toBe(true);
    expect(stderr).toContain('bootstrap: failed: installing e2fsprogs: tests start engines of their own');
  } else {
    expect(lines).toContain(
      'bootstrap: no e2fsprogs here: the tests of engines of their own will be skipped',
    );
  }
});

it('tries a failing download twice, then says in one line what failed, and where the log is', () => {
  const home = join(folder, 'cache/php-runtime-bench');
  spawnSync('mkdir', ['-p', home]);
  for (const entry of readdirSync(cache)) {
    if (!/^(bin|actionlint-.*|bootstrap\.log|lock)$/.test(entry))
      symlinkSync(join(cache, entry), join(home, entry));
  }
  const { status, stderr, called } = start(['--for', 'test'], {
    without: ['npm'],
    env: {
      XDG_CACHE_HOME: join(folder, 'cache'),
      GOPROXY: 'off',
      GOFLAGS: '-mod=mod',
      GOMODCACHE: join(folder, 'mod'),
    },
  });
  expect(called).toEqual([]);
  expect(status).toBe(1);
  expect(stderr.trimEnd().split('\n')).toEqual([
    'bootstrap: failed: building actionlint 1.7.12: it checks the workflows',
    `bootstrap: see ${home}/bootstrap.log`,
  ]);
  expect(readFileSync(join(home, 'bootstrap.log'), 'utf8').match(/^== .*actionlint/gm)).toHaveLength(2);
});

it('says so when the engine asked for does not answer, and starts no other', () => {
  const { status, stderr, called } = start([], {
    without: installers,
    env: { DOCKER_HOST: `unix://${folder}/no.sock` },
  });
  expect(called).toEqual([]);
  expect(stderr).toContain(`DOCKER_HOST=unix://${folder}/no.sock does not answer`);
  expect(status).toBe(2);
});

it('says who is in the wrong group', (test) => {
  if (process.getuid?.() !== 0) test.skip('only root can become a user without rights');
  if (process.env.DOCKER_HOST) test.skip('the engine has no socket of a group');
  const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  spawnSync('chmod', ['755', folder]);
  // The checkout may lie where that user cannot look.
  cpSync(scripts, join(folder, 'script'), { recursive: true });
  spawnSync('install', ['-d', '-o', '65534', join(folder, 'cache')]);
  const own = join(folder, 'script');
  const { status, stderr } = start([], {
    as: nobody,
    from: own,
    env: { XDG_CACHE_HOME: join(folder, 'cache') },
  });
  expect(stderr).toContain('may not use its socket');
  expect(stderr).toContain('usermod -aG docker');
  expect(status).toBe(2);
});

it.each([['--for', 'fun'], ['--for'], ['now']])('refuses %s %s', (...args) => {
  const { status, stderr } = start(args.filter((arg) => arg !== undefined));
  expect(status).toBe(2);
  expect(stderr).toMatch(/^bootstrap: /);
});

it("is the first half of script/bench, which hands on arguments and the run's exit code", () => {
  const { status, stderr } = start(['--runtimes', 'apachee'], { of: 'bench' });
  expect(stderr).toContain("'apachee'");
  expect(status).toBe(2);
});

it.each([
  [['plan', '--app', 'plain', '--runtimes', 'apache'], /^variants: {2}apache@8\.4\n/m],
  [['list'], /^runtimes\n {2}apache/m],
])('script/bench %j is that command, not a run of it', (args, says) => {
  const { status, lines, stderr } = start(args, { of: 'bench' });
  expect(status, stderr).toBe(0);
  expect(lines.join('\n')).toMatch(says);
});

describe('docker compose, where there is none', () => {
  const NO_COMPOSE = `#!/bin/sh\n[ "$1" = compose ] && exit 1\nexec ${whereIs('docker')} "$@"\n`;
  const bench = (yaml: string, ...args: string[]) => {
    writeFileSync(join(folder, 'docker'), NO_COMPOSE);
    chmodSync(join(folder, 'docker'), 0o755);
    mkdirSync(join(folder, 'app'));
    writeFileSync(join(folder, 'app/index.php'), '<?php');
    writeFileSync(join(folder, 'app/.bench.yml'), yaml);
    writeFileSync(join(folder, 'app/compose.yml'), 'services:\n  db:\n    image: mariadb:11\n');
    return start(args, { of: 'bench', without: installers, cwd: join(folder, 'app') });
  };

  it.each([
    ['in the configuration', 'runtimes: apache\nservices: compose.yml\n', []],
    ['with only an image', 'runtimes: apache\nservices: { image: mariadb:11 }\n', []],
    ['on the command line', 'runtimes: apache\n', ['--services=compose.yml']],
  ])('is installed for services %s; without it nothing is built', (_, yaml, flags) => {
    const { status, stderr, called } = bench(yaml, '--paths', '/', ...flags);
    if (process.getuid?.() === 0) {
      expect(called.filter((call) => /^apt-get .*install .*docker-compose/.test(call))).toHaveLength(1);
    }
    expect(stderr).toMatch(/^docker compose is missing, and services need it$/m);
    expect(stderr).not.toContain('No such file');
    for (const system of ['Debian 12', 'Debian 13', 'Ubuntu', 'Fedora', 'macOS'])
      expect(stderr).toContain(system);
    expect(stderr).not.toContain('building');
    expect(status).toBe(2);
  });

  it('is not, where nothing needs it', () => {
    const { called, status } = bench('runtimes: apache\n', 'plan', '--paths', '/');
    expect({ called, status }).toEqual({ called: [], status: 0 });
  });
});

function whereIs(name: string): string {
  return spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim();
}

function listImages(): string[] {
  const reference = 'reference=php-runtime-bench-standin/*';
  const args = [
    'images',
    '--no-trunc',
    '--filter',
    reference,
    '--format',
    '{{.Repository}}:{{.Tag}} {{.ID}}',
  ];
  return spawnSync('docker', args, { encoding: 'utf8' }).stdout.split('\n').sort();
}
