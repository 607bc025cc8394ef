import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runParts } from '../fixtures/bootstrap.ts';
import { folder, useFolder } from '../fixtures/folder.ts';

useFolder();

/** Root with apt and none of the programs, where packages without a candidate cannot be installed. */
const machine = (candidate: string) => `
has() { [[ $1 == apt-get ]]; }
is_root() { true; }
dpkg() { :; }
apt-get() { case $* in *' install '*) [[ '${candidate}' != '(none)' ]] ;; esac; }
apt-cache() { printf '%s:\\n  Installed: (none)\\n  Candidate: %s\\n' "$2" '${candidate}'; }
sleep() { :; }
`;

const PARTS = [
  ['chromium', 'no Chromium here: the tests that open report.html will be skipped'],
  ['hyperfine', 'no hyperfine here: --cold-start will not work until it is installed'],
  ['registry', 'no docker-registry here: the tests of a registry will be skipped'],
];

test.each(PARTS)('%s is left out if apt knows its name, but has no package', (part, message) => {
  const { status, stdout, stderr } = runParts(folder, `${machine('(none)')}ensure_${part}`);
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: `bootstrap: ${message}\n`, stderr: '' });
});

test.each(PARTS.slice(0, 2))('%s is installed if apt has it', (part) => {
  const { status, stdout } = runParts(folder, `${machine('1.18.0-1')}ensure_${part}`);
  expect(status).toBe(0);
  expect(stdout).toMatch(new RegExp(`^bootstrap: installing ${part}: `));
});

test.each(['hyperfine', 'compose'])(
  'an installation that was interrupted is ended before that of %s',
  (part) => {
    const interrupted = `${machine('(none)')}
is_bookworm() { false; }
has_candidate() { [[ $1 == hyperfine ]]; }
docker() { [[ \${installed:-} == yes ]]; }
dpkg() { [[ $* == '--configure -a' ]] && configured=yes; }
apt-get() { case $* in *' install '*) [[ \${configured:-} == yes ]] && installed=yes ;; esac; }
ensure_${part}`;
    const { status, stdout } = runParts(folder, interrupted);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^bootstrap: installing .*\n$/);
  },
);

test.each([
  ['24.0.7', 0],
  ['29.1', 0],
  // As Docker Desktop and Podman print it.
  ['master', 0],
  ['5.4.2', 0],
  ['20.10.24', 1],
])('an engine of version %s: exit code %i, as the tool takes it', (version, code) => {
  const docker = `engine_version() { echo '${version}'; }\ndocker() { :; }\nensure_buildx`;
  const { status, stderr } = runParts(folder, docker);
  expect(status === 0 ? 0 : 1, stderr).toBe(code);
  if (code !== 0) expect(stderr).toContain('need 23 or newer');
});

const PIN = 'preferences.d/php-runtime-bench';
const SOURCE = 'sources.list.d/php-runtime-bench-trixie.sources';

/** Debian 12 whose apt has its files in `folder`, in these folders. */
function addTrixie(folders: string, code: string) {
  const debian = `${machine('(none)')}apt_folder='${folder}'
is_bookworm() { true; }
dpkg() { false; }
apt-get() { case $1 in indextargets) echo http://deb.debian.org/debian ;; esac; }
mkdir ${folders}`;
  return runParts(folder, `cd '${folder}'\n${debian}\n${code}`);
}

test('Debian 13 is no source of packages until it is pinned', () => {
  addTrixie('sources.list.d', 'offer_buildx || true');
  expect(existsSync(join(folder, SOURCE))).toBe(false);
});

test('nor where apt knows no mirror of Debian', () => {
  addTrixie('sources.list.d preferences.d', 'apt-get() { :; }\noffer_buildx || true');
  expect(existsSync(join(folder, SOURCE))).toBe(false);
});

test('the mirror is one of Debian, although others name their packages after the same release', () => {
  const indextargets = `apt-get() {
  [[ $1 == indextargets ]] || return 0
  [[ $* == *'Origin: Debian'* ]] || echo http://azure.example/azure-cli
  echo http://deb.debian.org/debian
}`;
  addTrixie('sources.list.d preferences.d', `${indextargets}\nadd_trixie`);
  expect(readFileSync(join(folder, SOURCE), 'utf8')).toContain('URIs: http://deb.debian.org/debian\n');
});

test.each(['offer_buildx', 'install_compose'])(
  '%s pins all packages that may come from Debian 13',
  (first) => {
    const { stderr } = addTrixie('sources.list.d preferences.d', `${first} >/dev/null || true`);
    expect(readFileSync(join(folder, SOURCE), 'utf8'), stderr).toContain(
      'URIs: http://deb.debian.org/debian\n',
    );
    expect(readFileSync(join(folder, PIN), 'utf8')).toMatch(
      /^Package: docker\.io docker-cli docker-buildx docker-compose containerd\n.*trixie\n.* 990\n$/m,
    );
  },
);

/** An engine that does not answer, in the context of this name. */
const lost = (context: string, system = 'Linux') => `${machine('26.1')}
has() { [[ $1 == apt-get || $1 == docker ]]; }
uname() { echo ${system}; }
unset DOCKER_HOST
step() { echo "step: $1"; exit; }
docker() { case $1 in context) echo '${context}' ;; *) echo 'Cannot connect' >&2; return 1 ;; esac; }
bounded() { "\${@:2}"; }
ensure_engine`;

test('an engine on another machine that does not answer is no reason to install one here', () => {
  const { status, stdout, stderr } = runParts(folder, lost('lab'));
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(
    /^bootstrap: The Docker engine of the context lab does not answer\.\n.*Cannot connect\n/,
  );
});

test.each([
  ['in the context that is there without others', 'default', 'Linux'],
  ['of a client that is too old to show its context', '', 'Linux'],
  ['on macOS, with a context of its own', 'desktop-linux', 'Darwin'],
])('but %s, one is looked for as before', (_, context, system) => {
  const { stdout, stderr } = runParts(folder, lost(context, system));
  expect({ stdout, stderr }).toEqual({
    stdout: expect.stringMatching(/^step: installing the Docker engine/),
    stderr: '',
  });
});

test('an engine that hangs is given up by the clock, not after so many questions of 30 s', () => {
  // There is a dockerd, so none is started.
  const hung = `runs_dockerd() { :; }
systemctl() { :; }
sleep() { :; }
engine_version() { asked=$((asked + 1)) SECONDS=$((SECONDS + 30)); return 1; }
asked=0
start_engine || echo "given up after $asked"`;
  expect(runParts(folder, hung).stdout).toMatch(/^given up after [12]\n$/);
});

test.each([
  ['(dockerd) S', true],
  ['(dockerd) Z', false],
  ['(dockerd-shim) S', false],
  ['(bash) S', false],
])('a process `7 %s` is a dockerd on its way up: %s', (stat, expected) => {
  mkdirSync(join(folder, '7'));
  writeFileSync(join(folder, '7/stat'), `7 ${stat} 1 7 7 0 -1\n`);
  expect(runParts(folder, `runs_dockerd '${folder}'`).status === 0).toBe(expected);
});

/** Installs a server while `apt-get` does this. The policy in `folder` keeps servers from starting on the machine. */
const unstarted = (apt: string) => `policy='${folder}/policy'
systemctl() { :; }
dpkg() { :; }
apt-get() { ${apt}; }
install_unstarted ssh.service openssh-server`;

test('servers do not start while packages are installed, and do afterwards', () => {
  expect(runParts(folder, unstarted('tail -n 1 "$policy"')).stdout).toMatch(/^(exit 101\n)+$/);
  expect(existsSync(join(folder, 'policy'))).toBe(false);
});

test.each([
  ['return 100', 100],
  ['kill -TERM $BASHPID', 143],
])('so they do if apt ends with `%s`', (end, code) => {
  expect(runParts(folder, unstarted(end)).status).toBe(code);
  expect(existsSync(join(folder, 'policy'))).toBe(false);
});

test('a start that is killed meanwhile leaves that to the next one', () => {
  expect(runParts(folder, unstarted('kill -KILL $$ $BASHPID')).status).not.toBe(0);
  expect(existsSync(join(folder, 'policy'))).toBe(true);
  expect(runParts(folder, unstarted(':'))).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(existsSync(join(folder, 'policy'))).toBe(false);
});

test('the policy of a machine is not touched', () => {
  const file = join(folder, 'policy');
  writeFileSync(file, '#!/bin/sh\nexit 0\n');
  expect(runParts(folder, unstarted('cat "$policy"')).stdout).not.toContain('101');
  expect(readFileSync(file, 'utf8')).toBe('#!/bin/sh\nexit 0\n');
});

test('a test layer that there is not needs nothing, and is refused', () => {
  const script = resolve(import.meta.dirname, '../../script/bootstrap');
  const { status, stderr } = spawnSync(script, ['--for', 'test', 'unitt'], {
    encoding: 'utf8',
    env: { ...process.env, XDG_CACHE_HOME: folder },
  });
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: "bootstrap: --for test 'unitt' is not one of static unit integration faults e2e\n",
  });
});
