// An app's extensions take minutes to compile. All images on one base share that step, in one real bake.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { realHost } from '../../src/host.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import { imageFor, root } from './docker.ts';

const INSTALLER = 'mlocati/php-extension-installer:2';
const SHELL = imageFor('grafana/k6:2.2.0');

/** In the place of the installer: each time it really runs, it leaves another text. */
const COUNTED = '#!/bin/sh\nsleep 2\nhead -c 16 /dev/urandom | od -An -tx1 >/installed\n';

/** The base image with PHP, and a Dockerfile that ends with the step that installs extensions. */
function cut(dockerfile: string): { base: string; text: string } {
  const lines = dockerfile.replaceAll(`\${PHP_VERSION}`, '8.4').split('\n');
  const from = lines.findIndex((line) => /^FROM .*8\.4/.test(line));
  const installs = lines.findIndex((line, i) => i > from && /^RUN .*\$EXTENSIONS/.test(line));
  const base = lines[from]?.split(' ')[1] ?? '';
  const steps = lines.slice(from, installs + 1);
  return { base, text: [...steps, 'FROM scratch', 'COPY --from=0 /installed /'].join('\n') };
}

const images = readdirSync(join(root, 'runtimes'))
  .map((name) => ({ name, dockerfile: join(root, 'runtimes', name, 'Dockerfile') }))
  .filter(
    ({ name, dockerfile }) =>
      !['_front', '_profile', '_instructions', '_registry'].includes(name) && existsSync(dockerfile),
  )
  .map(({ name, dockerfile }) => ({ name, ...cut(readFileSync(dockerfile, 'utf8')) }));

it('extensions are compiled once for each base', async () => {
  const folder = makeFolder();
  try {
    const target: Record<string, object> = {};
    const add = (name: string, text: string, more: object = {}) => {
      writeFileSync(join(folder, `${name}.Dockerfile`), text);
      target[name] = { context: folder, dockerfile: `${name}.Dockerfile`, ...more };
    };
    writeFileSync(join(folder, 'install-php-extensions'), COUNTED, { mode: 0o755 });
    add('installer', 'FROM scratch\nCOPY install-php-extensions /usr/bin/');
    const contexts: Record<string, string> = { [INSTALLER]: 'target:installer' };
    const bases = [...new Set(images.map(({ base }) => base))].sort();
    bases.forEach((base, i) => {
      add(`base${i}`, `FROM ${SHELL}\nUSER 0\nENV BASE=${base}\n`);
      contexts[base] = `target:base${i}`;
    });
    // Not from the cache of an earlier run.
    const args = { EXTENSIONS: randomUUID() };
    for (const { name, text } of images)
      add(name, text, { contexts, args, output: [`type=local,dest=${join(folder, name)}`] });
    const { code, stderr } = await realHost.exec(
      'docker',
      ['buildx', 'bake', '--file', '-', '--progress', 'plain', ...images.map(({ name }) => name)],
      { input: JSON.stringify({ target }), env: { BUILDX_BAKE_ENTITLEMENTS_FS: '0' } },
    );
    expect(code, stderr).toBe(0);
    const compiled: Record<string, number> = {};
    for (const base of bases) {
      const those = images.filter((image) => image.base === base);
      const texts = those.map(({ name }) => readFileSync(join(folder, name, 'installed'), 'utf8'));
      compiled[`${base}, ${those.length}`] = new Set(texts).size;
    }
    expect(compiled).toEqual({
      'dunglas/frankenphp:1.12.7-php8.4-trixie, 2': 1,
      'php:8.4-apache, 2': 1,
      'php:8.4-cli, 6': 1,
      'php:8.4-fpm, 3': 1,
      'phpswoole/swoole:6.2-php8.4, 2': 1,
      'unit:1.34.2-php8.4, 1': 1,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
