/** The folders that NGINX Unit is given by configure.php, in the PHP of the command line, without Unit. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeFolder } from '../fixtures/temporary.ts';
import { imageFor, root, runToEnd } from './docker.ts';

test('folders with an index.php are named, also behind links, and a link to a folder above ends there', async () => {
  const app = makeFolder();
  chmodSync(app, 0o755);
  try {
    for (const folder of [
      'public',
      'public/inner/deep',
      'public/.well-known/a',
      'public/none',
      'public/node_modules/package',
      'packages/blog/admin',
    ]) {
      mkdirSync(join(app, folder), { recursive: true });
    }
    for (const folder of [
      '',
      '/inner/deep',
      '/.well-known/a',
      '/node_modules/package',
      '/../packages/blog',
      '/../packages/blog/admin',
    ]) {
      writeFileSync(join(app, `public${folder}`, 'index.php'), '');
    }
    symlinkSync('../packages/blog', join(app, 'public/blog'));
    symlinkSync('../nothing', join(app, 'public/broken'));
    for (const name of ['self', 'again']) symlinkSync('.', join(app, 'public', name));
    symlinkSync('../../public', join(app, 'packages/blog/up'));
    const { code, stdout, stderr } = await runToEnd(
      ...['--entrypoint', 'php', '--volume', `${app}:/app:ro`, '--volume', `${root}/runtimes/unit:/unit:ro`],
      ...Object.entries({ DOCROOT: 'public', WORKERS: '1', PM: 'static', LISTEN: '*:8080' }).flatMap(
        ([name, value]) => ['--env', `${name}=${value}`],
      ),
      ...[imageFor('php:8.4-cli'), '/unit/configure.php'],
    );
    expect([code, stderr]).toEqual([0, '']);
    const uris: string[] = JSON.parse(stdout).routes[2].match.uri;
    const [, , ...folders] = uris;
    expect(folders).toEqual([
      ...['/.well-known/a/', '/again/', '/blog/', '/blog/admin/', '/blog/up/', '/inner/deep/', '/self/'],
    ]);
  } finally {
    rmSync(app, { recursive: true });
  }
});
