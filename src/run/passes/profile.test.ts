import { expect, test } from 'vitest';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Profile } from '../../results/results.ts';
import type { World } from '../world.ts';
import { planProfiles } from './profile.ts';
import type { ReadyPass } from './run-pass.ts';

/** One start of a script with its own load: the profiles that are kept, and why a variant has none. */
async function sampleStart(given: { id?: string; requests?: number; okCount?: number; okRatio?: number }) {
  const { id = 'apache@8.4', requests = 1000, okCount = requests, okRatio } = given;
  const kept: Profile[] = [];
  const files: string[] = [];
  const failed: string[] = [];
  const variant = { id, label: id } as PlannedVariant;
  const scenario = { name: 'page', load: null, slo: okRatio === undefined ? {} : { okRatio } };
  const world = {
    engine: { docker: { try: async () => ({ code: 0, stdout: '', stderr: '' }) } },
    job: { config: {}, plan: { scenarios: [scenario], variants: [variant], cpus: { server: [0, 1] } } },
    sink: {
      keepProfile: async (profile: Profile) => kept.push(profile),
      keepRaw: async (file: string) => files.push(file),
    },
  } as unknown as World;
  const [pass] = planProfiles(world, [variant], {
    folder: '',
    excimer: new Map([[id, { image: 'x' }]]) as never,
  });
  const samples = 'aaaaaaaa\n'.repeat(5);
  const ready = {
    ...{ world, start: 1, servers: new Map([[id, { container: 'c', facts: null, variant }]]) },
    load: async () => [
      { variant: id, scenario: 'page', requests, okCount, cpu: { usedUs: 1e6 }, outcome: 'ok', reason: null },
    ],
    read: async (_: unknown, file: string) =>
      file.endsWith('samples.txt') ? samples : 'aaaaaaaa [null,null,"/app/index.php",null]\n',
    fail: (_: string, reason: string) => failed.push(reason),
  } as unknown as ReadyPass;
  await pass?.visit(ready);
  return { kept, files, failed };
}

test('a start is kept with its files', async () => {
  const { kept, files, failed } = await sampleStart({ okCount: 995 });
  expect(kept).toMatchObject([{ variant: 'apache@8.4', requests: 1000, failures: 5, samples: 5 }]);
  expect(files).toEqual([
    'raw/profiles/page/apache@8.4.2.folded',
    'raw/profiles/page/apache@8.4.speedscope.json',
  ]);
  expect(failed).toEqual([]);
});

test('an id of any length makes files that every file system can keep', async () => {
  const { files } = await sampleStart({ id: `apache@8.4[${'a=1,'.repeat(100)}]:base` });
  expect(files).toHaveLength(2);
  for (const file of files) expect(file.split('/').at(-1)?.length).toBeLessThan(256);
});

test('a start whose requests failed is left out: it shows where error pages spend their time', async () => {
  expect(await sampleStart({ okCount: 980 })).toEqual({
    ...{ kept: [], files: [], failed: ['20 of 1000 requests failed'] },
  });
  expect((await sampleStart({ okCount: 980, okRatio: 0.95 })).kept).toHaveLength(1);
  expect((await sampleStart({ okCount: 995, okRatio: 0.999 })).kept).toHaveLength(1);
});
