// An ejected runtime is built and served with nothing but Docker, as somebody does who deploys it.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { realHost } from '../../src/host.ts';
import {
  askOnce,
  basesIn,
  docker,
  processes,
  removeAll,
  root,
  type Server,
  serve,
  startArena,
  stop,
} from './docker.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-eject-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await removeAll();
});

const eject = (...argv: string[]) =>
  realHost.exec(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'src/cli.ts'), 'eject', ...argv],
    {
      cwd: folder,
    },
  );

const build = (...flags: string[]) =>
  docker(
    'buildx',
    'build',
    '--quiet',
    '--load',
    ...basesIn('nginx-fpm', '8.4'),
    ...flags,
    join(folder, 'server'),
  );

/** Names in a folder of its container, sorted. */
async function namesIn({ container }: Server, path: string): Promise<string[]> {
  const names = await docker('exec', container, 'ls', '-A', path);
  return names.split('\n').sort();
}

it('writes a folder, but over none', async () => {
  const choice = ['nginx-fpm[workers=3]', '--out', 'server'];
  expect(await eject(...choice)).toMatchObject({
    code: 0,
    stdout: `written to ${folder}/server: see README.md there\n`,
  });
  expect(await eject(...choice)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('the folder is not empty'),
  });
  expect(await eject('apache,nginx-fpm')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('takes exactly one runtime'),
  });
  expect(await eject('nginx')).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown runtime') });
});

it('serves what is in its folder app, with its options', async () => {
  const arena = await startArena();
  mkdirSync(join(folder, 'server/app/public/.git'));
  writeFileSync(join(folder, 'server/app/public/.git/config'), 'secret');
  writeFileSync(join(folder, 'server/app/auth.json'), '{}');
  const server = await serve(arena, await build());
  expect(await namesIn(server, '/app')).toEqual(['handler.php', 'public']);
  expect(await namesIn(server, '/app/public')).toEqual(['index.php']);
  expect((await askOnce(server, '/')).body).toBe('Put your app instead of the folder app.\n');
  expect((await processes(server)).filter((line) => line.startsWith('php-fpm: pool'))).toHaveLength(3);
  await stop(server);

  // An app by its own folder, and another number of workers.
  rmSync(join(folder, 'server/app'), { recursive: true });
  cpSync(join(root, 'apps/plain'), join(folder, 'my-app'), { recursive: true });
  writeFileSync(join(folder, 'my-app/.dockerignore'), 'notes.txt\n');
  writeFileSync(join(folder, 'my-app/notes.txt'), '');
  const image = await build('--build-context', `app=${join(folder, 'my-app')}`);
  const other = await serve(arena, image, { WORKERS: '2' });
  expect(await namesIn(other, '/app')).not.toContain('notes.txt');
  expect(JSON.parse((await askOnce(other, '/')).body)).toMatchObject({ type: 'nginx-fpm' });
  expect((await processes(other)).filter((line) => line.startsWith('php-fpm: pool'))).toHaveLength(2);
  await stop(other);
  // Nothing was left but images without a name.
  await docker('rmi', '--force', image);
});
