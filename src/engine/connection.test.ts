import { expect, test } from 'vitest';
import { type ExecOptions, realHost } from '../host.ts';
import { hostAt } from './connection.ts';

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
