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
import { makeFolder } from '../fixtures/temporary.ts';
import { leftovers } from './bench.ts';
import { imageFor } from './docker.ts';

let folder: string;
beforeAll(() => {
  folder = makeFolder();
  mkdirSync(join(folder, 'data'));
  for (const name of ['app.sql', 'a,b "c".sql']) writeFileSync(join(folder, name), '');
});
afterEach(async () => expect(await leftovers()).toEqual([]));
afterAll(() => rmSync(folder, { recursive: true }));

/** What a service that wants these files of the folder is refused with; null: it is not. */
async function refusal(...names: string[]): Promise<unknown> {
  const volumes = names.map((name) => ({ type: 'bind', source: join(folder, name) }));
  const file: ComposeFile = { services: { db: { image: 'mariadb:11', volumes } } };
  const wanted = { file: 'services.yml', reset: {} };
  const world = { docker: connectDocker(realHost), run: 'unseen-files' };
  const asked = refuseUnseenFiles(world, imageFor(K6_IMAGE), file, wanted);
  return asked.then(
    () => null,
    (error: unknown) => error,
  );
}

test('files and folders that the engine sees are taken, whatever their names', async () => {
  expect(await refusal('app.sql', 'data', 'a,b "c".sql')).toBeNull();
});

test('one that it does not see is refused, also beside one that it sees', async () => {
  const error = await refusal('app.sql', 'none.sql');
  expect(error).toBeInstanceOf(UserError);
  expect(error).toMatchObject({
    message: 'an engine on another machine does not have this file',
    detail: { where: { name: 'services.yml' }, found: `db: volumes: ${join(folder, 'none.sql')}` },
  });
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
