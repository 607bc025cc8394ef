import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../../test/fixtures/folder.ts';
import type { Config } from '../../config/types.ts';
import type { Docker } from '../../engine/docker.ts';
import { MachineError } from '../../errors.ts';
import { type Finished, type Host, realHost } from '../../host.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Failure, Warning } from '../../results/results.ts';
import type { VariantOutcome, World } from '../world.ts';
import { measureColdStarts } from './cold.ts';

useFolder();

test('the client of a cold start sends Host and headers, each as one argument: to no shell and to no proxy', async () => {
  // `docker container exec ARENA timeout 60 sh …` runs here, and its client writes what it was given.
  writeFileSync(join(folder, 'docker'), '#!/bin/sh\nif [ "$2" = exec ]; then shift 3; exec "$@"; fi\n');
  writeFileSync(join(folder, 'wget'), '#!/bin/sh\nprintf "%s\\n" "$@" $http_proxy >"$WROTE"\n');
  for (const name of ['docker', 'wget']) chmodSync(join(folder, name), 0o755);
  // A pattern would become its name.
  writeFileSync(join(folder, 'X-Any: file'), '');
  const wrote = join(folder, 'wrote');
  const { world, variant, created } = makeWorld({
    headers: { Accept: 'text/html, */*', 'X-Any': '*', 'X-Hostile': '$(touch x) `id` "\'; * ?' },
    async exec(_, args, options) {
      const env = {
        ...options?.env,
        WROTE: wrote,
        http_proxy: 'http://proxy:3128',
        PATH: `${folder}:${process.env.PATH}`,
      };
      return realHost.exec('sh', ['-c', args.at(-1) as string], { env, cwd: folder });
    },
  });
  await measureColdStarts(world, 'hyperfine 1.19', '/nowhere');
  expect(created).toHaveLength(11);
  // With it, servers would look up their versions first, as none does in production.
  for (const args of created) expect(args).not.toContain('--env=BENCH_FACTS=1');
  expect(readFileSync(wrote, 'utf8').split('\n').slice(0, -1)).toEqual([
    ...['-q', '-T', '10', '-O', '/dev/null'],
    ...[
      '--header',
      'Accept: text/html, */*',
      '--header',
      'X-Any: *',
      '--header',
      'X-Hostile: $(touch x) `id` "\'; * ?',
    ],
    ...['--header', 'Host: app.test', `http://127.0.0.1:${variant.port}/`],
  ]);
});

test.each([
  [
    'a full disk',
    { keepRaw: () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })) },
    0,
  ],
  ['an arena that has ended', {}, 1],
])('%s ends the run: the variant is not at fault', async (_, sink, code) => {
  const { world, warned } = makeWorld({
    headers: {},
    exec: async () => ({ code: 1, stdout: '', stderr: 'Error: it did not answer' }),
    arena: { code, stdout: '', stderr: 'is not running' },
  });
  Object.assign(world.sink, sink);
  await expect(measureColdStarts(world, 'hyperfine 1.19', '/nowhere')).rejects.toThrow(MachineError);
  expect(warned).toEqual([]);
});

interface ColdRun extends Pick<Config, 'headers'> {
  exec: Host['exec'];
  /** Of a command in the arena. */
  arena?: Finished;
}

/** A run with one variant, whose cold starts are timed by `exec`. */
function makeWorld({ exec, arena = { code: 0, stdout: '', stderr: '' }, ...config }: ColdRun) {
  const variant = {
    id: 'a',
    label: 'a',
    image: 'a',
    app: { root: '.', kind: 'plain' },
    env: {},
    port: 18080,
  };
  const created: (readonly string[])[] = [];
  const warned: string[] = [];
  const docker: Docker = {
    async run(args) {
      created.push(args);
      return '';
    },
    try: async (args) => (args[0] === 'exec' ? arena : { code: 0, stdout: '', stderr: '' }),
  };
  const world = {
    engine: {
      ...{ docker, run: 'r', arena: { name: 'arena' }, signal: new AbortController().signal },
      host: { ...realHost, exec },
    },
    job: {
      outcomes: new Map([['a', { facts: null, coldStartMs: [], failure: null }]]),
      config: { env: {}, host: 'app.test', ...config },
      plan: {
        ...{ variants: [variant], scenarios: [], cpus: { server: [0], load: [1] } },
        instances: [{ index: 0, ports: { a: variant.port } }],
      },
      images: new Map([['a', { facts: { name: 'a' } }]]),
    },
    sink: {
      ...{ at: () => {}, keepRaw: async () => {}, appendRaw: async () => {} },
      warn: ({ message }: Warning) => warned.push(message),
    },
  } as unknown as World;
  return { world, variant, created, warned };
}

test('a variant whose starts cannot be timed costs no other, and leaves nothing', async () => {
  const variants = ['gone', 'slow', 'failed', 'base-of-failed'].map((id) => {
    const base = id === 'failed' ? 'base-of-failed' : null;
    const app = { root: '.', kind: 'plain' };
    return { id, label: id, base, image: id, app, env: {} } as unknown as PlannedVariant;
  });
  const failed: Failure = { stage: 'start', reason: 'x', log: '' };
  const outcomes = new Map<string, VariantOutcome>(
    variants.map(({ id }) => [
      id,
      { facts: null, coldStartMs: [], failure: id === 'failed' ? failed : null },
    ]),
  );
  const removed: string[] = [];
  const docker: Docker = {
    async run(args) {
      if (args.includes('gone')) throw new Error('no such image');
      return '';
    },
    async try(args) {
      if (args[1] === 'rm') removed.push(...args.filter((arg) => arg.startsWith('id-')));
      return {
        code: 0,
        stdout: args[1] === 'ls' ? `id-${args.at(-1)?.replace(/.*-/, '')}\n` : '',
        stderr: '',
      };
    },
  };
  const warned: string[] = [];
  await measureColdStarts(
    {
      engine: {
        ...{ docker, run: 'r', arena: { name: 'arena' }, signal: new AbortController().signal },
        host: {
          ...realHost,
          exec: async () => ({ code: 1, stdout: '', stderr: 'Error: it did not answer' }),
        } satisfies Host,
      },
      job: {
        outcomes,
        config: { env: {}, host: 'app.test' } as unknown as Config,
        plan: {
          ...{ variants, scenarios: [], cpus: { server: [0], load: [1] } },
          instances: [{ index: 0, ports: { gone: 18080, slow: 18081 } }],
        },
        images: new Map(variants.map(({ id }) => [id, { facts: { name: id } }])),
      },
      sink: {
        at: () => {},
        warn: ({ message }: { message: string }) => warned.push(message),
        keepRaw: async () => {},
        appendRaw: async () => {},
      },
    } as unknown as World,
    'hyperfine 1.19',
    '/nowhere',
  );
  expect(warned).toEqual([
    'gone: no cold start: no such image',
    'slow: no cold start: Error: it did not answer',
  ]);
  expect(removed).toEqual(['id-18080', 'id-18081']);
  expect([...outcomes.values()].map(({ failure, coldStart }) => [failure, coldStart])).toEqual([
    [null, undefined],
    [null, undefined],
    [failed, undefined],
    [null, undefined],
  ]);
});
