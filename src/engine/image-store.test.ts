import { expect, test } from 'vitest';
import { MachineError } from '../errors.ts';
import type { Finished } from '../host.ts';
import { type Docker, DockerError } from './docker.ts';
import { findImage, lookForImage, pullImage } from './image-store.ts';

// Docker's messages are simulated: no disk is filled here.
const FULL = 'failed to register layer: write /usr/bin/k6: no space left on device';

const world = { say: () => {}, signal: new AbortController().signal };
const failed = (stderr: string): Finished => ({ code: 1, stdout: '', stderr });

/** An engine that has no image, whose pull and version end like this. */
const engineOf = (pull: string, isThere: boolean): Docker => ({
  run: async (args) => {
    throw new DockerError(args, failed(pull));
  },
  try: async ([verb]) =>
    verb === 'version' ? { ...failed('Cannot connect'), code: isThere ? 0 : 1 } : failed(''),
});

test.each([
  ['a full disk', FULL, true, MachineError],
  ['an engine that has died', 'error during connect: EOF', false, MachineError],
  ['a registry without it', 'manifest unknown', true, DockerError],
])('a pull that fails for %s', async (_, stderr, isThere, kind) => {
  const docker = engineOf(stderr, isThere);
  await expect(pullImage(docker, 'shop:1', world)).rejects.toBeInstanceOf(kind);
  const found = findImage(docker, 'shop:1', world);
  if (kind === MachineError) await expect(found).rejects.toBeInstanceOf(MachineError);
  else await expect(found).resolves.toMatchObject({ reason: expect.stringContaining('manifest unknown') });
});

test.each([
  ['amd64', 'arm64', { reason: 'it is for amd64, which this engine would emulate: build it for arm64' }],
  ['arm64', 'amd64', { reason: 'it is for arm64, which this engine would emulate: build it for amd64' }],
  ['arm64', 'arm64', 'here'],
  ['arm', 'arm64', 'here'],
])('an image for %s on an engine on %s', async (Architecture, engine, found) => {
  const image = JSON.stringify({ Id: 'sha256:1', Size: 1, Architecture });
  const answer = ([verb]: readonly string[]) => ({
    ...{ code: 0, stderr: '' },
    stdout: verb === 'version' ? `${engine}\n` : image,
  });
  const docker: Docker = { run: async () => '', try: async (args) => answer(args) };
  expect(await findImage(docker, 'shop:1', world)).toEqual(found);
  expect(await lookForImage(docker, 'shop:1')).toEqual(found);
});
