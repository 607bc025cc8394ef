import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { MachineError, UserError } from '../errors.ts';
import { realHost } from '../host.ts';
import type { ComposeFile } from './compose.ts';
import { type Docker, earlyFlags } from './docker.ts';
import { readCompose, readLogs, refuseUnseenFiles, startServices } from './services.ts';

useFolder();

const FILE: ComposeFile = { services: { db: { image: 'mysql:5.7', platform: 'linux/amd64' } } };

/** An engine without images, whose compose knows FILE and starts one container in this state; the commands that it gets. */
function engineOf(fail: (args: readonly string[]) => string | null = () => null, state?: object) {
  const asked: (readonly string[])[] = [];
  const docker: Docker = {
    async run(args) {
      asked.push(args);
      if (state === undefined || args[0] !== 'container') return '';
      return args[1] === 'ls' ? '{"container":"c1","service":"migrate"}' : JSON.stringify(state);
    },
    async try(args) {
      asked.push(args);
      if (args[0] === 'image') return { code: 1, stdout: '', stderr: 'no such image' };
      const fault = fail(args);
      if (fault !== null) return { code: 1, stdout: '', stderr: fault };
      return { code: 0, stdout: args.includes('config') ? JSON.stringify(FILE) : '', stderr: '' };
    },
  };
  const world = { docker, run: 'r1', signal: new AbortController().signal, say: () => {} };
  return { world, asked };
}

/** Reads and starts the services. */
async function start(
  wanted: Parameters<typeof readCompose>[1],
  state?: object,
  fail?: Parameters<typeof engineOf>[0],
) {
  const { world, asked } = engineOf(fail, state);
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

test('an error of compose is quoted without its warnings', async () => {
  const warning = (text: string) =>
    `time="2026-11-27T21:25:42Z" level=warning msg="service \\"db\\": ${text}"\n`;
  const cause = 'compose build requires buildx 0.17.0 or later\n';
  const said = `${warning('deploy.placement is only honored by Swarm')}${cause}`;
  const starting = start({ file: '/shop/compose.yaml', reset: {} }, undefined, (args) =>
    args.includes('build') ? said : null,
  );
  await expect(starting).rejects.toMatchObject({ detail: { found: cause.trim() } });
  const killed = start({ file: '/shop/compose.yaml', reset: {} }, undefined, (args) =>
    args.includes('build') ? warning('killed') : null,
  );
  await expect(killed).rejects.toMatchObject({ detail: { found: expect.stringContaining('killed') } });
});

test('a database that has no compose file has no folder', async () => {
  const asked = await start({ file: 'mysql:5.7', compose: '{}', reset: {} });
  expect(asked.flat()).not.toContain('--project-directory');
});

describe('a service that is unhealthy', () => {
  const wanted = { file: '/shop/compose.yaml', reset: {} };
  // Docker sets this health when it stops the check, also of one that has done its work.
  const health = { Health: { Status: 'unhealthy' } };

  test('is fine once it has ended with 0', async () => {
    await expect(start(wanted, { Pid: 0, Status: 'exited', ExitCode: 0, ...health })).resolves.toBeDefined();
  });

  test('ends the run while it runs', async () => {
    const starting = start(wanted, { Pid: 7, Status: 'running', ExitCode: 0, ...health });
    await expect(starting).rejects.toThrow('the services did not start');
  });
});

test('containers are listed once, however often they are looked at until they are healthy', async () => {
  const healths = ['starting', 'starting', 'healthy'];
  const toJSON = () => ({ Pid: 7, Status: 'running', ExitCode: 0, Health: { Status: healths.shift() } });
  const asked = await start({ file: '/shop/compose.yaml', reset: {} }, { toJSON });
  const verbs = asked.flatMap(([noun, verb]) => (noun === 'container' ? verb : []));
  expect(verbs).toEqual(['ls', 'inspect', 'inspect', 'inspect']);
});

test('logs of services need no look at their states', async () => {
  const { world, asked } = engineOf(undefined, {});
  expect([...(await readLogs(world)).keys()]).toEqual(['migrate']);
  expect(asked.map(([, verb]) => verb)).toEqual(['ls', 'logs']);
});

test('an image is pulled for the platform of its service', async () => {
  const asked = await start({ file: '/shop/compose.yaml', reset: {} });
  expect(asked).toContainEqual(['image', 'pull', '--quiet', '--platform=linux/amd64', 'mysql:5.7']);
});

describe('files of services, where the engine is on this machine', () => {
  const refuse = async (isRemote: boolean, fault: string | null, ...names: string[]) => {
    const { world, asked } = engineOf((args) => (args[1] === 'create' ? fault : null));
    const volumes = names.map((name) => ({ type: 'bind', source: join(folder, name) }));
    const file: ComposeFile = { services: { db: { image: 'mysql:8.4', volumes } } };
    const wanted = { file: 'compose.yaml', reset: {} };
    const error = await refuseUnseenFiles({ ...world, isRemote }, 'k6', file, wanted).catch(
      (e: unknown) => e,
    );
    return { error, created: asked.filter(([, verb]) => verb === 'create') };
  };
  const NONE = 'Error: invalid mount config for type "bind": bind source path does not exist: /x';
  beforeEach(() => writeFileSync(join(folder, 'dump.sql'), ''));

  test('one that it does not see is refused, as in a container with the socket of the machine', async () => {
    const { error } = await refuse(false, NONE, 'dump.sql');
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).format()).toMatch(/the Docker engine does not see this file[\s\S]*same path/);
    expect((error as UserError).format()).not.toContain('another machine');
    expect((await refuse(true, NONE, 'dump.sql')).error).toMatchObject({
      message: 'an engine on another machine does not have this file',
    });
  });

  test('each is bound once, and one that is nowhere is left to Docker', async () => {
    const { error, created } = await refuse(false, null, 'dump.sql', 'logs');
    expect(error).toBeUndefined();
    expect(created).toEqual([
      [
        ...['container', 'create', ...earlyFlags('r1')],
        ...[`--mount=type=bind,"source=${join(folder, 'dump.sql')}",target=/seen`, 'k6'],
      ],
    ]);
  });

  test('any other fault is that of the engine', async () => {
    const { error } = await refuse(false, 'mounts denied', 'dump.sql');
    expect(error).toBeInstanceOf(MachineError);
  });
});
