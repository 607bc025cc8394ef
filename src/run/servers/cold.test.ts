import { expect, test } from 'vitest';
import type { Config } from '../../config/types.ts';
import type { Docker } from '../../engine/docker.ts';
import { type Host, realHost } from '../../host.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { VariantOutcome, World } from '../world.ts';
import { measureColdStarts } from './cold.ts';

test('a variant whose starts cannot be timed costs no other, and leaves nothing', async () => {
  const variants = ['gone', 'slow'].map(
    (id) =>
      ({ id, label: id, image: id, app: { root: '.', kind: 'plain' }, env: {} }) as unknown as PlannedVariant,
  );
  const outcomes = new Map<string, VariantOutcome>(
    variants.map(({ id }) => [id, { facts: null, coldStartMs: [], failure: null }]),
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
  ]);
});
