import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runParts } from '../fixtures/bootstrap.ts';
import { folder, useFolder } from '../fixtures/folder.ts';

const LIMIT = 'Error response from daemon: toomanyrequests: You have reached your pull rate limit.';

useFolder();

/** Chooses the images where the pull is refused, on a machine that can or cannot build stand-ins. */
function choose(canBuild: boolean, before = '') {
  const machine = `
bounded() { "\${@:2}"; }
docker() { [[ $1 == pull ]] && echo 'Using default tag' && echo '${LIMIT}' >&2; return 1; }
can_build_standins() { ${canBuild}; }
ensure_go() { :; }
${before}
choose_images`;
  const found = runParts(folder, machine);
  return { ...found, standins: existsSync(join(folder, 'php-runtime-bench/standins')) };
}

test('a refused pull makes stand-ins, where they can be built', () => {
  const stdout = 'bootstrap: pulling grafana/k6:2.2.0: it makes the load\n';
  expect(choose(true)).toEqual({ status: 0, stdout, stderr: '', standins: true });
});

test('elsewhere it ends bootstrap with the error of the pull, and the next start pulls again', () => {
  const { status, stderr, standins } = choose(false);
  expect({ status, standins }).toEqual({ status: 1, standins: false });
  expect(stderr.trimEnd().split('\n')).toEqual([
    `bootstrap: could not pull grafana/k6:2.2.0: ${LIMIT}`,
    "bootstrap: Check the network, Docker's proxy or `docker login`, then start again.",
  ]);
  expect(choose(false, 'touch "$cache/standins"').status).toBe(1);
});

test('stand-ins that do not build come with the error of the pull', () => {
  const code = `choose_images
build_standins() { false; }
ensure_standins`;
  const { status, stderr } = choose(true, code);
  expect(status).toBe(1);
  expect(stderr).toContain(`bootstrap: could not pull grafana/k6:2.2.0: ${LIMIT}\n`);
});

test.each([
  ['without apt and mmdebstrap', 'can_apt() { false; }\nhas() { false; }', 'no'],
  ['as root with apt', 'can_apt() { true; }', 'yes'],
  ['with mmdebstrap', 'can_apt() { false; }\nhas() { [[ $1 == mmdebstrap ]]; }', 'yes'],
])('%s: whether stand-ins can be built', (_, machine, can) => {
  const code = `${machine}\nif can_build_standins; then echo yes; else echo no; fi`;
  expect(runParts(folder, code).stdout).toBe(`${can}\n`);
});
