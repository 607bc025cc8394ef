import { expect, test } from 'vitest';
import { realHost } from '../host.ts';
import type { ComposeFile } from './compose.ts';
import type { Docker } from './docker.ts';
import { readCompose, startServices } from './services.ts';

const FILE: ComposeFile = { services: { db: { image: 'mysql:5.7', platform: 'linux/amd64' } } };

/** An engine without images, whose compose knows FILE; the commands that it gets. */
function engineOf() {
  const asked: (readonly string[])[] = [];
  const docker: Docker = {
    async run(args) {
      asked.push(args);
      return '';
    },
    async try(args) {
      asked.push(args);
      if (args[0] === 'image') return { code: 1, stdout: '', stderr: 'no such image' };
      return { code: 0, stdout: args.includes('config') ? JSON.stringify(FILE) : '', stderr: '' };
    },
  };
  const world = { docker, run: 'r1', signal: new AbortController().signal, say: () => {} };
  return { world, asked };
}

/** Reads and starts the services. */
async function start(wanted: Parameters<typeof readCompose>[1]) {
  const { world, asked } = engineOf();
  const file = await readCompose(world, wanted);
  const cpus = { server: [0], load: [1], system: [], services: [] } as never;
  const around = { ...world, host: realHost, config: { images: {} }, arena: 'arena', cpus, variants: [] };
  await startServices(around, file, wanted);
  return asked;
}

test('each command of compose reads the .env beside the file, whose profiles and secrets it needs', async () => {
  const asked = await start({ file: '/shop/docker/compose.yaml', reset: {} });
  const commands = asked.filter((args) => args[0] === 'compose' && args[1] !== 'version');
  expect(commands.map((args) => args.find((arg) => /^(config|build|create|up)$/.test(arg)))).toEqual([
    ...['config', 'build', 'create', 'up'],
  ]);
  for (const args of commands)
    expect(args).toEqual(expect.arrayContaining(['--project-directory', '/shop/docker']));
});

test('a database that has no compose file has no folder', async () => {
  const asked = await start({ file: 'mysql:5.7', compose: '{}', reset: {} });
  expect(asked.flat()).not.toContain('--project-directory');
});

test('an image is pulled for the platform of its service', async () => {
  const asked = await start({ file: '/shop/compose.yaml', reset: {} });
  expect(asked).toContainEqual(['image', 'pull', '--quiet', '--platform=linux/amd64', 'mysql:5.7']);
});
