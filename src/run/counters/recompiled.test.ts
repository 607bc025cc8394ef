import { expect, test } from 'vitest';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import type { Question } from '../load/probe.ts';
import type { Server } from '../servers/servers.ts';
import type { World } from '../world.ts';
import { countRecompiled } from './recompiled.ts';

/** Counts on a server whose pages compile so many files each, its facts page one; how many questions each k6 asks. */
async function count(filesOfPage: number) {
  const asked: number[] = [];
  let misses = 100;
  const docker = {
    async try(_: unknown, { input }: { input: string }) {
      const { requests } = JSON.parse(input);
      asked.push(requests.length);
      // k6 sends those of a turn in any order.
      const inTurn = requests.reverse().sort((a: Question, b: Question) => (a.turn ?? 0) - (b.turn ?? 0));
      const answers = inTurn.map(({ id, url }: Question) => {
        misses += url.endsWith('/facts') ? 1 : filesOfPage;
        return [id, { status: 200, body: JSON.stringify({ opcache: { misses } }) }];
      });
      return { code: 0, stdout: JSON.stringify(Object.fromEntries(answers)), stderr: '' };
    },
  };
  const scenarios = [scenarioOf('quick', 'vus(1, 1s)', { journey: { kind: 'paths', paths: ['/', '/b'] } })];
  const world = {
    engine: { docker, arena: { name: 'arena' }, signal: new AbortController().signal },
    job: { config: { host: 'app.test', scenarios } },
  } as unknown as World;
  const variant = { id: 'apache', runtime: { model: 'per-request', options: {} }, options: {} };
  const found = await countRecompiled(world, [{ variant, port: 18080 } as unknown as Server]);
  return { files: found.get('apache'), asked };
}

test('files that each request compiles, without those of the facts page: one k6 a count', async () => {
  expect(await count(0)).toEqual({ files: 0, asked: [5] });
  expect(await count(3)).toEqual({ files: 3, asked: [5, 5] });
});
