// Files of services, as an engine sees them that may be on another machine.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ComposeFile } from '../../src/engine/compose.ts';
import { connectDocker } from '../../src/engine/docker.ts';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import { refuseUnseenFiles } from '../../src/engine/services.ts';
import { MachineError, UserError } from '../../src/errors.ts';
import { realHost } from '../../src/host.ts';
import { removeTemporary } from '../../src/temporary.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import { leftovers, root } from './bench.ts';
import { imageFor } from './docker.ts';

let folder: string;
const said: string[] = [];
beforeAll(() => {
  folder = makeFolder();
  mkdirSync(join(folder, 'data'));
  for (const name of ['app.sql', 'a,b "c".sql']) writeFileSync(join(folder, name), '');
});
afterEach(async () => {
  await removeTemporary('unseen-files');
  expect(await leftovers()).toEqual([]);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The error that refuses a service with these files of the folder; null: it is accepted. */
async function refusal(...names: string[]): Promise<unknown> {
  const volumes = names.map((name) => ({ type: 'bind', source: join(folder, name) }));
  const file: ComposeFile = { services: { db: { image: 'mariadb:11', volumes } } };
  const wanted = { file: 'services.yml', reset: {} };
  said.length = 0;
  const world = {
    ...{ docker: connectDocker(realHost), run: 'unseen-files', signal: new AbortController().signal },
    say: (line: string) => void said.push(line),
    isRemote: true,
  };
  const asked = refuseUnseenFiles(world, imageFor(K6_IMAGE), file, wanted);
  return asked.then(
    () => null,
    (error: unknown) => error,
  );
}

test('files and folders that the engine sees are taken, whatever their names', async () => {
  expect(await refusal('app.sql', 'data', 'a,b "c".sql')).toBeNull();
  expect(said).toEqual([]);
});

test('one that it does not see is refused, also beside one that it sees', async () => {
  const error = await refusal('app.sql', 'none.sql');
  expect(error).toBeInstanceOf(UserError);
  expect(error).toMatchObject({
    message: 'an engine on another machine does not have this file',
    detail: { where: { name: 'services.yml' }, found: `db: volumes: ${join(folder, 'none.sql')}` },
  });
});

test('files of another machine are named where the engine does not see our temporary folder', async ({
  skip,
}) => {
  if (process.getuid?.() !== 0) skip('a temporary folder that the engine does not see takes root');
  const own = join(folder, 'own');
  mkdirSync(own);
  const code = `
    import { writeFileSync } from 'node:fs';
    import { connectDocker } from '${root}/src/engine/docker.ts';
    import { refuseUnseenFiles } from '${root}/src/engine/services.ts';
    import { realHost } from '${root}/src/host.ts';
    const volumes = [{ type: 'bind', source: '/etc/hostname' }];
    const { signal } = new AbortController();
    const world = { docker: connectDocker(realHost), run: 'unseen-files', signal, say: console.log, isRemote: true };
    const file = { services: { db: { image: 'mariadb:11', volumes } } };
    await refuseUnseenFiles(world, '${imageFor(K6_IMAGE)}', file, { file: 'services.yml', reset: {} });
    // The same, as if the engine were on this machine: a file that only we have.
    writeFileSync(process.env.TMPDIR + '/own.sql', '');
    volumes[0].source = process.env.TMPDIR + '/own.sql';
    const local = { ...world, isRemote: false };
    await refuseUnseenFiles(local, '${imageFor(K6_IMAGE)}', file, { file: 'services.yml', reset: {} })
      .catch(({ message }) => console.log(message));`;
  const script = 'mount -t tmpfs none "$TMPDIR" && exec "$0" --input-type=module --eval "$1"';
  const args = ['--mount', 'sh', '-c', script, process.execPath, code];
  const { stdout, stderr } = await realHost.exec('unshare', args, { env: { TMPDIR: own } });
  const [remote, local] = stdout.split('\n');
  expect(remote, stderr).toBe("services use the engine's own files: /etc/hostname");
  expect(local).toMatch(/^the Docker engine does not see this file/);
});

test('any other failure is reported in the words of the engine', async () => {
  const path = join(folder, 'app.sql/below-a-file');
  const error = await refusal('app.sql/below-a-file');
  expect(error).toBeInstanceOf(MachineError);
  expect(error).toMatchObject({
    message: 'the engine could not bind this file',
    detail: { found: expect.stringMatching(`^db: volumes: ${path}: .*not a directory$`) },
  });
});
