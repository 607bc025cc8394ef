import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder as cwd, useFolder } from '../../test/fixtures/folder.ts';
import { realHost } from '../host.ts';
import { ejectRuntime } from './eject-command.ts';
import { listParts } from './list-command.ts';

const packageRoot = resolve(import.meta.dirname, '../..');

useFolder(() => {
  write('.bench.yml', 'app: [plain, shop=backend]\n');
  write(
    'backend/.bench/runtimes/mine/runtime.yaml',
    'extends: apache\ntitle: Ours\ndefaults: { workers: 4 }\n',
  );
  write('backend/.bench/scenarios/ours.yaml', 'title: Ours\npaths: [/]\n');
});

function write(path: string, text: string): void {
  mkdirSync(join(cwd, path, '..'), { recursive: true });
  writeFileSync(join(cwd, path), text);
}

const shell = () => ({ argv: [], host: realHost, packageRoot, cwd, print: () => {} });
const list = () => {
  const { runtimes, scenarios } = JSON.parse(listParts(shell(), true));
  return { runtimes: runtimes.map(({ name }: { name: string }) => name), scenarios };
};

test('`list` and `eject` have the runtimes and scenarios of the apps in the configuration', async () => {
  const { runtimes, scenarios } = list();
  expect(runtimes).toContain('mine');
  expect(scenarios).toContain('ours');
  await ejectRuntime({ command: 'eject', runtime: 'mine', out: 'docker' }, shell());
  expect(readFileSync(join(cwd, 'docker/Dockerfile'), 'utf8')).toMatch(/^ENV .*WORKERS=4/m);
});

test('a configuration that cannot be read stops neither', async () => {
  write('.bench.yml', 'apps: backend\n');
  expect(list().runtimes).toEqual(expect.arrayContaining(['apache']));
  expect(list().runtimes).not.toContain('mine');
  await ejectRuntime({ command: 'eject', runtime: 'apache', out: 'docker' }, shell());
});
