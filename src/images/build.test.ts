import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appOf } from '../../test/fixtures/app.ts';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import type { Docker } from '../engine/docker.ts';
import type { Host } from '../host.ts';
import type { PlannedImage } from '../plan/variants.ts';
import { makeRunId } from '../stages/desk.ts';
import { buildImages } from './build.ts';

useFolder(() => writeFileSync(join(folder, 'composer.json'), '{}'));

const imageOf = (name: string) =>
  ({
    ...{ key: name, ref: null, ready: null, php: '8.4', install: true, args: {} },
    ...{ app: appOf('shop', folder), runtime: { name, folder: `/${name}`, base: ['php:8.4'] } },
  }) as unknown as PlannedImage;

/**
 * Builds three images of one app, of which these targets cannot be built. Gives the targets of each bake, the reasons, and how
 * often their base is asked for.
 */
async function build(broken: RegExp, buildCache?: 'gha') {
  const bakes: string[][] = [];
  let lookups = 0;
  const docker: Docker = {
    run: async () => '',
    async try(args, { input } = {}) {
      if (args.at(-1) === 'php:8.4') lookups++;
      if (args[1] !== 'bake') return { code: args[0] === 'version' ? 0 : 1, stdout: '[]', stderr: '' };
      const targets = args.slice(args.indexOf('plain') + 1);
      bakes.push(targets);
      const { target } = JSON.parse(input as string);
      const needed = targets.flatMap((one) => [one, target[one].contexts.app?.slice('target:'.length)]);
      const failing = needed.find((one) => broken.test(one));
      return { code: failing ? 1 : 0, stdout: '', stderr: failing ? `ERROR: ${failing} is broken` : '' };
    },
  };
  const built = await buildImages(
    { elapsed: () => 0 } as unknown as Host,
    docker,
    ['apache', 'caddy', 'nginx'].map(imageOf),
    {
      ...{
        run: makeRunId(Date.now()),
        otherFiles: null,
        signal: new AbortController().signal,
        say: () => {},
      },
      folders: { shared: '/shared', recipe: join(import.meta.dirname, '../../runtimes/_app') },
      config: { apps: [], ...(buildCache && { buildCache }), env: {}, images: {}, out: '/out', prepare: [] },
    },
  );
  const reasons = [...built].flatMap(([key, one]) => ('failure' in one ? [[key, one.failure.reason]] : []));
  return { bakes, reasons: Object.fromEntries(reasons), lookups };
}

test('an app that cannot be built is tried once more by itself, not with each of its images', async () => {
  const { bakes, reasons } = await build(/^app_/, 'gha');
  expect(bakes).toEqual([['apache', 'caddy', 'nginx'], ['app_shop_8_4_1']]);
  const reason = 'app_shop_8_4_1 is broken';
  expect(reasons).toEqual({ apache: reason, caddy: reason, nginx: reason });
});

test('one image that cannot be built takes no other with it', async () => {
  const { bakes, reasons } = await build(/^caddy$/, 'gha');
  expect(bakes.slice(1)).toEqual([['app_shop_8_4_1'], ['apache'], ['caddy'], ['nginx']]);
  expect(reasons).toEqual({ caddy: 'caddy is broken' });
});

test('all that can be built is built at once', async () => {
  const { bakes, reasons } = await build(/^$/, 'gha');
  expect({ bakes, reasons }).toEqual({ bakes: [['apache', 'caddy', 'nginx']], reasons: {} });
});

test.each([
  ['a build cache: the registry, once', 'gha', 1],
  ['none: the engine, before the build and once after it', undefined, 2],
] as const)('the base of all images is asked for with %s', async (_, buildCache, lookups) => {
  expect((await build(/^$/, buildCache)).lookups).toBe(lookups);
});
