import { expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import { profileOf } from '../../../test/fixtures/results/stacks.ts';
import type { Frame, Profile, Results } from '../../results/results.ts';
import { ENTRY } from './frame-groups.ts';
import { explainCpu } from './why.ts';
import type { Why } from './why-model.ts';

type Stack = [names: string[], samples: number];
const [FPM, LOOP] = ['nginx-fpm@8.4', 'workerman@8.4'];

const FILES: Record<string, string | null> = {
  'public/index.php': 'public/index.php',
  '/opt/server.php': '/opt/server.php',
  'Server::run': '/opt/server.php',
  '{closure}': 'handler.php',
  'App::boot': 'src/Boot.php',
  'Kernel::handle': 'vendor/framework/Kernel.php',
  'App::find': 'src/Repository.php',
  'Loader::load': 'vendor/composer/ClassLoader.php',
};
const frameOf = (name: string): Frame => ({ name, file: FILES[name] ?? null, line: null });

/** Four starts of each, which differ by what counting does. */
function resultsOf(sides: Record<string, readonly Stack[]>, more: string[] = []): Results {
  const ids = [...Object.keys(sides), ...more];
  const results = makeResults({ servers: ids.map((id) => ({ id, rps: 1 })), instances: 1 });
  const profiles = Object.entries(sides).flatMap(([variant, stacks], side) =>
    [0.5, -0.5, 0.8, -0.8].map((by, instance): Profile => {
      const wobbly = stacks.map(([stack, samples], i): Stack => {
        const sign = (i + side) % 2 === 0 ? 1 : -1;
        return [stack, samples + Math.round(sign * by * Math.sqrt(samples))];
      });
      return profileOf({ variant, scenario: 'quick', instance }, wobbly, frameOf, 1000);
    }),
  );
  return { ...results, profiles };
}
const between = (results: Results): Why | undefined =>
  explainCpu(results, []).find(({ against }) => against === 'row');

const app = (way: string[], extra: Stack[] = []): Stack[] => [
  [way, 100],
  [[...way, 'Kernel::handle'], 300],
  [[...way, 'Kernel::handle', 'App::find', 'strlen'], 600],
  ...extra,
];
const fpm = app(['public/index.php'], [[['public/index.php', 'App::boot', 'Loader::load'], 500]]);
const loop = app(
  ['/opt/server.php', 'Server::run', 'Server::run', '{closure}'],
  [[['/opt/server.php', 'Server::run'], 150]],
);

test('the second of two rows is compared with the first, beside what each has by itself', () => {
  const whys = explainCpu(resultsOf({ [FPM]: fpm, [LOOP]: loop }), []);
  expect(whys.map(({ variant, base, against }) => [variant, base, against])).toEqual([
    [FPM, null, null],
    [LOOP, null, null],
    [LOOP, FPM, 'row'],
  ]);
});

test('calls of the app meet their likes, whichever way a server reaches it', () => {
  const why = between(resultsOf({ [FPM]: fpm, [LOOP]: loop })) as Why;
  const calls = why.tree.calls.map(([caller, frame, variant, base]) => ({
    ...{ caller, name: why.tree.frames[frame]?.name },
    sides: [variant, base].map((us) => Math.round(us / 10) / 100),
  }));
  expect(calls).toEqual([
    { caller: -1, name: ENTRY.name, sides: [0.25, 0.1] },
    { caller: 0, name: 'Kernel::handle', sides: [0.3, 0.3] },
    { caller: 1, name: 'App::find', sides: [0, 0] },
    { caller: 2, name: 'strlen', sides: [0.6, 0.6] },
    // Boot code of the app stays: the other server spares it.
    { caller: 0, name: 'App::boot', sides: [0, 0] },
    { caller: 4, name: 'Loader::load', sides: [0, 0.5] },
  ]);
  expect(
    why.culprits.map((one) => [one.function?.name ?? 'autoloading', Math.round(one.change.us / 50)]),
  ).toEqual([
    ['autoloading', -10],
    [ENTRY.name, 3],
  ]);
  expect(why.culprits[1]?.function?.group).toBe('outside');
});

test('nothing is taken together that both have, and none of it counts as changed', () => {
  const results = resultsOf({ [FPM]: fpm, 'apache@8.4': app(['public/index.php']) });
  const why = between({ ...results, plan: { ...results.plan } }) as Why;
  const names = why.tree.frames.map(({ name }) => name);
  expect(names).toContain('public/index.php');
  expect(names).not.toContain(ENTRY.name);
  expect(why.functions.filter(({ changed }) => changed)).toEqual([]);
});

test.each([
  ['one row', resultsOf({ [FPM]: fpm })],
  ['three rows', resultsOf({ [FPM]: fpm, [LOOP]: loop, 'apache@8.4': fpm })],
])('%s: no difference', (_, results) => expect(between(results)).toBeUndefined());

test('a row that was not profiled does not count', () => {
  expect(between(resultsOf({ [FPM]: fpm, [LOOP]: loop }, ['apache@8.4']))?.base).toBe(FPM);
});

test('a server that keeps the app is not compared with one that does not', () => {
  const results = resultsOf({ [FPM]: fpm, [LOOP]: loop });
  const variants = results.variants.map((one) => ({
    ...one,
    model: one.id === LOOP ? ('long-lived' as const) : one.model,
  }));
  expect(between({ ...results, variants })).toBeUndefined();
});
