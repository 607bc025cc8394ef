import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { MachineError, UserError } from '../errors.ts';
import { type ExecOptions, type Finished, realHost } from '../host.ts';
import {
  askEngine,
  awaitClient,
  connectDocker,
  type Docker,
  DockerError,
  expectEngine,
  inspectContainers,
  lastLines,
} from './docker.ts';

// Messages of Docker's client are simulated: a user who runs the tests has access to the engine.
const SOCKET = 'the Docker daemon socket at unix:///var/run/docker.sock';

test.each([
  [
    `permission denied while trying to connect to ${SOCKET}`,
    /^permission denied for the Docker engine\n.*\n.*group docker/,
  ],
  [`Cannot connect to ${SOCKET}. Is it running?`, /^no Docker engine answers\n.*\n.*engine\/install/],
])('an engine that refuses: %s', async (error, message) => {
  const answer = { code: 0, stdout: JSON.stringify({ ServerErrors: [error] }), stderr: '' };
  const docker: Docker = { try: async () => answer, run: async () => '' };
  const refusal = await askEngine(docker).catch((thrown: unknown) => thrown);
  expect(refusal).toBeInstanceOf(UserError);
  expect((refusal as UserError).format()).toMatch(message);
});

test.each([
  [[['Backing Filesystem', 'extfs']], 'graph driver'],
  [[['driver-type', 'io.containerd.snapshotter.v1']], 'containerd'],
  [undefined, undefined],
])('the image store of an engine with the driver status %j', async (DriverStatus, imageStore) => {
  const answer = { code: 0, stdout: JSON.stringify({ DriverStatus }), stderr: '' };
  const docker: Docker = { try: async () => answer, run: async () => '' };
  expect((await askEngine(docker)).imageStore).toBe(imageStore);
});

test.each([
  [{ CPUSet: false, MemoryLimit: false }, false],
  [{ CPUSet: true, MemoryLimit: true }, true],
  [{}, true],
])('an engine that shows %j', async (info, enforces) => {
  const answer = { code: 0, stdout: JSON.stringify(info), stderr: '' };
  const docker: Docker = { try: async () => answer, run: async () => '' };
  expect(await askEngine(docker)).toMatchObject({ pinsCpus: enforces, limitsMemory: enforces });
});

test.each([
  ['20.10.24+dfsg1', '29.0.1', 'engine 20.10.24+dfsg1'],
  ['29.0.1', '19.03.15', 'client 19.03.15'],
  ...['23.0.0', '4.9.3', '5.2.0', '22.06.0-beta.0', 'dev', '0.0.0-20260101-dev', 'Docker Desktop 4.20.1'].map(
    (version) => [version, version, null] as const,
  ),
  [undefined, '', null],
] as const)('an engine %s with a client %s', async (ServerVersion, client, found) => {
  const answer = (stdout: string) => ({ code: 0, stdout, stderr: '' });
  const info = answer(JSON.stringify({ ServerVersion }));
  const docker: Docker = {
    try: async ([verb]) => (verb === 'info' ? info : answer(JSON.stringify({ Client: { Version: client } }))),
    run: async () => '',
  };
  const refusal = await askEngine(docker).catch((thrown: unknown) => thrown);
  if (found === null) expect(refusal).not.toBeInstanceOf(Error);
  else expect(refusal).toMatchObject({ message: 'Docker is too old', detail: { found } });
});

test.each([
  [
    'as the engine',
    { ServerVersion: '5.4.2' },
    { Server: { Components: [{ Name: 'Podman Engine', Version: '5.4.2' }, { Name: 'Conmon' }] } },
  ],
  ['as the client, under the name docker', { host: {}, version: { Version: '5.4.2' } }, { Client: {} }],
])('Podman is refused %s', async (_, info, version) => {
  const answer = (found: object) => ({ code: 0, stdout: JSON.stringify(found), stderr: '' });
  const docker: Docker = {
    try: async ([verb]) => answer(verb === 'info' ? info : verb === 'version' ? version : {}),
    run: async () => '',
  };
  await expect(askEngine(docker)).rejects.toMatchObject({
    message: 'Podman is not supported',
    detail: { found: 'Podman 5.4.2' },
  });
});

describe('Docker from a snap', () => {
  useFolder(() => {
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/snap'), '', { mode: 0o755 });
    vi.stubEnv('PATH', join(folder, 'bin'));
    vi.stubEnv('HOME', folder);
  });
  afterEach(() => vi.unstubAllEnvs());

  const answer = { code: 0, stdout: '{}', stderr: '' };
  const docker: Docker = { try: async () => answer, run: async () => '' };

  it.each(['/tmp', '.cache/tmp'])('is refused where it does not see %s', async (temporary) => {
    symlinkSync('snap', join(folder, 'bin/docker'));
    vi.stubEnv('TMPDIR', resolve(folder, temporary));
    await expect(askEngine(docker)).rejects.toMatchObject({
      message: 'Docker from a snap cannot read the files of a run',
      detail: { found: `${folder}/bin/docker, which does not see ${resolve(folder, temporary)}` },
    });
  });

  it('is used where it sees TMPDIR, and any other Docker is', async () => {
    vi.stubEnv('TMPDIR', join(folder, 'tmp'));
    symlinkSync('snap', join(folder, 'bin/docker'));
    await askEngine(docker);
    vi.stubEnv('TMPDIR', '/tmp');
    rmSync(join(folder, 'bin/docker'));
    await askEngine(docker);
    writeFileSync(join(folder, 'bin/docker'), '', { mode: 0o755 });
    await askEngine(docker);
  });
});

test.each([
  ["docker: 'buildx' is not a docker command.", "\nSee 'docker --help'\n"],
  ['docker: unknown command: docker compose', "\n\nRun 'docker --help' for more information\n"],
  ['docker: Error response from daemon: no such network.', "\nSee 'docker run --help'.\n"],
  ['docker: Error: no such network', "\n\nRun 'docker container run --help' for more information\n"],
])('the last line of an error is its cause: %s', (cause, help) => {
  expect(lastLines(`Unable to find image\n${cause}${help}`, 1)).toBe(cause);
});

/** An engine whose client is a shell script; what it was given, and how many of it ran at once. */
function engineOf(script: string) {
  const seen = { limits: [] as (number | undefined)[], most: 0 };
  let running = 0;
  const exec = async (_: string, args: readonly string[], options: ExecOptions = {}): Promise<Finished> => {
    seen.limits.push(options.timeoutMs);
    seen.most = Math.max(seen.most, ++running);
    // For what hangs the minute is a fraction of a second here.
    const timeoutMs = args[0] === 'hangs' ? 300 : 60_000;
    return realHost.exec('sh', ['-c', script, ...args], { ...options, timeoutMs }).finally(() => running--);
  };
  return { docker: connectDocker({ exec }), seen };
}

describe('the docker client', () => {
  it('runs eight commands at once at most, and all of them', async () => {
    const { docker, seen } = engineOf('sleep 0.2; echo done');
    const all = await Promise.all(Array.from({ length: 30 }, () => docker.run(['version'])));
    expect(all).toEqual(Array.from({ length: 30 }, () => 'done\n'));
    expect(seen.most).toBe(8);
  });

  it('is ended when the engine hangs, which is reported, and not waited for as long again', async () => {
    const { docker, seen } = engineOf('case $0 in hangs) sleep 60 ;; esac');
    const error = await docker.run(['hangs']).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(DockerError);
    expect((error as Error).message).toMatch(/^docker hangs did not end: no answer within /);
    await docker.run(['build'], { timeoutMs: 7_200_000 });
    await expect(docker.run(['hangs'])).rejects.toThrow(DockerError);
    await docker.run(['info']);
    await docker.run(['info']);
    expect(seen.limits).toEqual([60_000, 7_200_000, 10_000, 5000, 60_000]);
  });

  it('separates an engine that is gone from a container that is gone', async () => {
    const gone = engineOf("echo 'Cannot connect to the Docker daemon' >&2; exit 1").docker;
    await expect(expectEngine(gone)).rejects.toThrow(MachineError);
    await expectEngine(engineOf('echo 29').docker);
  });

  it('reads the states of many containers by one command, and leaves out those that are gone', async () => {
    const state = (id: string, name: string, running: boolean) =>
      `{"id":"${id}","name":"/${name}","state":{"Running":${running},"Pid":7,"StartedAt":"2026-01-01T00:00:00Z"},"memory":0}`;
    const { docker, seen } = engineOf(
      `echo '${state('aa11', 'one', true)}'; echo '${state('bb22', 'two', false)}'; echo 'no such container' >&2; exit 1`,
    );
    const states = await inspectContainers(docker, ['one', 'bb22', 'gone']);
    expect([...states].map(([name, { running }]) => [name, running])).toEqual([
      ['one', true],
      ['bb22', false],
    ]);
    expect(seen.limits).toHaveLength(1);
  });
});

test('a client whose engine hangs is ended', async () => {
  const client = realHost.start('sleep', ['600']);
  expect(await awaitClient({ sleep: (_, signal) => realHost.sleep(50, signal) }, client)).toMatchObject({
    code: 137,
  });
  const ends = realHost.start('true', []);
  expect(await awaitClient(realHost, ends)).toMatchObject({ code: 0 });
});
