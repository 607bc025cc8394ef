import { expect, test } from 'vitest';
import type { Instance } from '../../plan/instances.ts';
import type { Engine } from '../world.ts';
import { keepLogs } from './logs.ts';

test.each([
  ['nothing', undefined, ['raw/logs/0/apache.log']],
  ['nginx', 'nginx', ['raw/logs/0/apache.log', 'raw/logs/0/apache-front.log']],
])('with %s in front of a variant: a command for each log', async (_, front, files) => {
  const asked: unknown[] = [];
  const docker = {
    async try(args: readonly string[]) {
      asked.push(args.at(-1));
      return { code: 0, stdout: 'ready', stderr: '' };
    },
  };
  const kept: string[] = [];
  const keepRaw = async (file: string) => void kept.push(file);
  const instance = { index: 0, ports: { apache: 18080 } } as unknown as Instance;
  const engine = { docker, run: 'r1' } as unknown as Engine;
  await keepLogs(engine, { keepRaw }, instance, { id: 'apache', ...(front && { front }) });
  expect(kept).toEqual(files);
  const names = ['php-runtime-bench-r1-0-18080', 'php-runtime-bench-r1-0-18080-front'];
  expect(asked).toEqual(names.slice(0, files.length));
});
