import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { realHost } from '../host.ts';
import { connectDocker, LABEL } from './docker.ts';
import { removeAll, standBy } from './standby.ts';

let engine: string;

useFolder(() => {
  engine = join(folder, 'docker');
});

/** A client of an engine with a container and a network of the run. Their ids are files. */
function makeEngine(rm = 'rm "$@"') {
  for (const name of ['container', 'network']) writeFileSync(join(folder, `${name}-1`), '');
  const script = `#!/bin/sh
cd ${folder}
echo "$*" >>asked
kind=$1 verb=$2
shift 2
case $verb in
  ls) ls | grep "^$kind-"; exit 0 ;;
  rm) while [ "\${1#--}" != "$1" ]; do shift; done; ${rm} ;;
esac
`;
  writeFileSync(engine, script, { mode: 0o755 });
  return standBy(realHost, { command: [engine] }, '1-a');
}

/** Of a process that can start nothing. */
const refused = connectDocker({ exec: () => Promise.reject(new Error('spawn docker EAGAIN')) });
/** Of one that can. */
const allowed = () => connectDocker({ exec: (_, args, options) => realHost.exec(engine, args, options) });
const isThere = (name: string) => existsSync(join(folder, name));

test('removes what the run has left where this process cannot start docker', async () => {
  expect(await removeAll(refused, '1-a', makeEngine())).toBe(true);
  expect([isThere('container-1'), isThere('network-1')]).toEqual([false, false]);
  expect(readFileSync(join(folder, 'asked'), 'utf8')).toContain(`--filter label=${LABEL}=1-a`);
});

test('fails where the shell cannot remove it either', async () => {
  expect(await removeAll(refused, '1-a', makeEngine('exit 1'))).toBe(false);
});

test('fails where only a network is left', async () => {
  const rm = '[ "$kind" = container ] && rm "$@"';
  expect(await removeAll(refused, '1-a', makeEngine(rm))).toBe(false);
  expect([isThere('container-1'), isThere('network-1')]).toEqual([false, true]);
});

test('is not asked where this process can, and ends with it', async () => {
  expect(await removeAll(allowed(), '1-a', makeEngine())).toBe(true);
  expect(isThere('container-1')).toBe(false);
  const asked = readFileSync(join(folder, 'asked'), 'utf8').split('\n').filter(Boolean);
  expect(asked.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
    ...['container ls', 'container rm', 'network ls', 'network rm', 'volume ls', 'container ls'],
  ]);
});

test('removes nothing when the run is gone', async () => {
  await makeEngine().close();
  expect([isThere('container-1'), isThere('asked')]).toEqual([true, false]);
});

test('without a shell nothing is removed', async () => {
  const host = { ...realHost, start: () => realHost.start(join(folder, 'no-shell'), []) };
  expect(await removeAll(refused, '1-a', standBy(host, { command: [engine] }, '1-a'))).toBe(false);
});
