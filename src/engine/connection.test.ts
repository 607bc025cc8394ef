import { afterEach, expect, test, vi } from 'vitest';
import { type ExecOptions, type Host, realHost } from '../host.ts';
import { connect, findEngine, hostAt } from './connection.ts';

afterEach(() => vi.unstubAllEnvs());

test.each([
  ['box', { DOCKER_CONTEXT: 'box', DOCKER_HOST: undefined }],
  ['unix:///run/own.sock', { DOCKER_CONTEXT: undefined, DOCKER_HOST: 'unix:///run/own.sock' }],
])(
  'docker, and hyperfine, which calls it, work on the engine %s; others do not hear of it',
  async (engine, env) => {
    const given: Record<string, ExecOptions['env']> = {};
    const host = hostAt(
      {
        ...realHost,
        async exec(program, _, options) {
          given[program] = options?.env;
          return { code: 0, stdout: '', stderr: '' };
        },
      },
      engine,
    );
    for (const program of ['docker', 'hyperfine', 'git']) await host.exec(program, [], { env: { A: 'a' } });
    expect(given).toEqual({ docker: { ...env, A: 'a' }, hyperfine: { ...env, A: 'a' }, git: { A: 'a' } });
  },
);

test('docker does not hear of the default platform of a user', async () => {
  vi.stubEnv('DOCKER_DEFAULT_PLATFORM', 'linux/arm64');
  const print: Host['exec'] = (_, __, options) =>
    realHost.exec('sh', ['-c', 'echo $DOCKER_DEFAULT_PLATFORM'], options);
  for (const engine of [undefined, 'box']) {
    const host = hostAt({ ...realHost, exec: print }, engine);
    expect(await host.exec('docker', [])).toMatchObject({ code: 0, stdout: '\n' });
  }
});

test.each([
  ['the current context', undefined, 'colima\n', ['docker', '--context', 'colima']],
  ['DOCKER_HOST', 'unix:///run/own.sock', 'production\n', ['docker']],
])(
  'a run stays on its engine, by %s, whatever becomes the current context',
  async (_, address, shown, command) => {
    vi.stubEnv('DOCKER_HOST', address);
    vi.stubEnv('DOCKER_CONTEXT', undefined);
    let current = 'colima';
    const exec: Host['exec'] = async (__, [, verb], options) => {
      const used = options?.env?.DOCKER_CONTEXT ?? current;
      return { code: 0, stdout: verb === 'show' ? `${used}\n` : 'unix:///run/own.sock\n', stderr: '' };
    };
    const { signal } = new AbortController();
    const asked = { engine: undefined, run: 'r1', signal, onLost: () => {} };
    const there = await connect({ ...realHost, exec }, asked);
    current = 'production';
    expect((await there.host.exec('docker', ['context', 'show'])).stdout).toBe(shown);
    expect(there.command).toEqual(command);
  },
);

test.each([
  [undefined, undefined, 'docker does not know its current context'],
  [undefined, 'lab', 'no such Docker context'],
  ['lab', undefined, 'no such Docker context'],
])('a context that is gone, as engine %s and DOCKER_CONTEXT %s: %s', async (engine, named, message) => {
  vi.stubEnv('DOCKER_CONTEXT', named);
  const stderr = 'context "colima": context not found: open /home/me/.docker/contexts/meta.json\n';
  const answer = async (_: string, [, verb]: readonly string[]) =>
    verb === 'inspect'
      ? { code: 1, stdout: '', stderr }
      : { code: 0, stdout: 'default\ncolima\n', stderr: '' };
  await expect(findEngine({ ...realHost, exec: answer }, engine)).rejects.toMatchObject({ message });
});
