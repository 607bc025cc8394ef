import { describe, expect, test } from 'vitest';
import { makeResults } from '../../../test/fixtures/results/make.ts';
import { isOwn, makeSampled, nameOfPart, type Truth } from '../../../test/fixtures/results/sampled.ts';
import { profileOf as makeProfile } from '../../../test/fixtures/results/stacks.ts';
import type { Profile, Results } from '../../results/results.ts';
import { mergeResults } from '../merge.ts';
import { MAX_CALLS } from './call-tree.ts';
import { explainCpu, MAX_FUNCTIONS } from './why.ts';
import type { Why } from './why-model.ts';

const IDS = { variant: 'apache@8.4', base: 'apache@8.4:base', scenario: 'quick' };

function resultsWith(profiles: Profile[], changed?: string[]): Results {
  const server = { id: 'apache@8.4', rps: 1, base: {} };
  const results = makeResults({
    servers: [server],
    instances: 1,
    compareTo: changed ? { changed: { plain: changed } } : {},
  });
  return { ...results, profiles };
}

const only = (results: Results): Why => explainCpu(results, [])[0] as Why;

function simulate(truth: Truth) {
  const { profiles, target } = makeSampled(IDS, truth);
  const why = only(resultsWith(profiles));
  // The cost of a library is charged to the own function that calls it.
  const right = isOwn(target) ? nameOfPart(target) : 'App\\Controller::index';
  const [first] = why.culprits;
  const isRight =
    first?.function?.name === right && (isOwn(target) || first.within?.name === nameOfPart(target));
  return { why, isRight, sum: why.culprits.reduce((all, { change }) => all + change.us, 0) };
}

const seeds = Array.from({ length: 30 }, (_, i) => i + 1);

const unsteady = { common: 0.02, own: 0.04, wild: { share: 0.05, sd: 0.2 }, samples: 4000, starts: 3 };

test.each([{}, unsteady])(
  'with known truth, equal sides: nothing is named in at least 29 of 30: %j',
  (world) => {
    const named = seeds.filter((seed) => simulate({ seed, ...world }).why.culprits.length > 0);
    expect(named.length).toBeLessThanOrEqual(1);
  },
);

test.each([
  [0.03, {}],
  [0.05, {}],
  [0.1, {}],
  [0.03, unsteady],
])(
  'with known truth, a loop of %f of a request: the right one first in at least 28 of 30: %j',
  (share, world) => {
    const runs = seeds.map((seed) => simulate({ seed: seed + 1000, added: share * 2000, ...world }));
    expect(runs.filter(({ isRight }) => isRight).length).toBeGreaterThanOrEqual(28);
    if (share < 0.05) return;
    // Starts as such differ by a percent, and so does what was measured.
    const near = runs.filter(({ sum }) => Math.abs(sum - share * 2000) <= 0.2 * share * 2000);
    expect(near.length).toBeGreaterThanOrEqual(28);
  },
);

test('with known truth, the time with all calls has an interval too: it contains what was added, and 0 on equal sides', () => {
  const callers = ({ functions }: Why) => functions.filter(({ name }) => !name.includes('Part'));
  for (const added of [0, 200])
    for (const seed of seeds.slice(0, 10)) {
      const changes = callers(simulate({ seed, added }).why).map(({ inclusiveChange }) => inclusiveChange);
      expect(changes).toHaveLength(3);
      for (const change of changes) {
        expect(change?.low).toBeLessThan(added);
        expect(change?.high).toBeGreaterThan(added);
      }
    }
});

type Stack = [names: string[], samples: number];

const FILES: Record<string, string | null> = {
  'index.php': 'public/index.php',
  'Kernel::handle': 'vendor/framework/Kernel.php',
  'App::find': 'src/Repository.php',
  'App::save': 'src/Repository.php',
  'App::recurse': 'src/Tree.php',
  'App::throw': 'src/Throw.php',
  'App::list': 'src/List.php',
  'Error::make': 'src/Error.php',
  'Orm::hydrate': 'vendor/orm/Orm.php',
  'Orm::convert': 'vendor/orm/Orm.php',
  'ClassLoader::loadClass': 'vendor/composer/ClassLoader.php',
  'src/Repository.php': 'src/Repository.php',
  'tool.php': '/opt/tool.php',
};

/** A profile of stacks as text, 1 µs of CPU per request for each sample. */
function profileOf(variant: string, instance: number, stacks: readonly Stack[]): Profile {
  const frameOf = (name: string) => {
    const file = FILES[name] ?? null;
    return { name: name === 'index.php' ? 'public/index.php' : name, file, line: file === null ? null : 41 };
  };
  const { overheadRatio: _, ...profile } = makeProfile(
    { variant, scenario: 'quick', instance },
    stacks,
    frameOf,
  );
  return { ...profile, cpuUs: profile.samples, periodUs: 1 };
}

/** Four starts of both sides, which differ by what counting does. */
function both(head: readonly Stack[], base: readonly Stack[], changed: string[] = []): Why {
  const wobble = (stacks: readonly Stack[], by: number) =>
    stacks.map(([stack, samples]): Stack => [stack, samples + Math.round(by * Math.sqrt(samples))]);
  const profiles = [0.5, -0.5, 0.8, -0.8].flatMap((by, instance) => [
    profileOf(IDS.variant, instance, wobble(head, by)),
    profileOf(IDS.base, instance, wobble(base, -by)),
  ]);
  return only(resultsWith(profiles, changed));
}

const ROOT = ['index.php', 'Kernel::handle'];
const usual: Stack[] = [
  [ROOT, 400],
  [[...ROOT, 'App::find'], 300],
  [[...ROOT, 'App::save', 'strlen'], 300],
];
const nameOf = ({ function: own }: Why['culprits'][number]) => own?.name;

describe('a change is charged', () => {
  test('to the function whose own time it is, marked where its file changed', () => {
    const why = both([...usual, [[...ROOT, 'App::find'], 500]], usual, ['src/Repository.php']);
    const [first, ...others] = why.culprits;
    expect(first?.function).toEqual({
      ...{ name: 'App::find', file: 'src/Repository.php', line: 41, group: 'own', changed: true },
    });
    expect(first?.change.us).toBeCloseTo(500, -1);
    expect(first).toMatchObject({ within: null, isSpread: false });
    expect(others).toEqual([]);
    expect(why.changeUs).toBeCloseTo(500, -1);
  });

  test('to a function whose file did not change, and names the changed one that calls it more often', () => {
    const by = (name: string, samples: number): Stack => [[...ROOT, name, 'Error::make'], samples];
    const head = [...usual, by('App::throw', 700), by('App::list', 300)];
    const base = [...usual, by('App::throw', 200), by('App::list', 300)];
    const of = (...changed: string[]) => {
      const [first] = both(head, base, changed).culprits;
      return [first?.function?.name, first?.caller?.name ?? null];
    };
    expect(of('src/Throw.php')).toEqual(['Error::make', 'App::throw']);
    // None of it came by this one.
    expect(of('src/List.php')).toEqual(['Error::make', null]);
    expect(of('src/Error.php', 'src/Throw.php')).toEqual(['Error::make', null]);
    // The nearest of several.
    expect(of('public/index.php', 'src/Throw.php')).toEqual(['Error::make', 'App::throw']);
    expect(of('public/index.php')).toEqual(['Error::make', 'public/index.php']);
  });

  test('and only a file of its own app counts as changed', () => {
    const results = resultsWith([profileOf(IDS.variant, 0, usual), profileOf(IDS.base, 0, usual)], []);
    const marked = (changed: Record<string, string[]>) => {
      const compareTo = { given: 'base', ref: 'main', commit: null, reason: null, changed };
      const { functions } = only({ ...results, plan: { ...results.plan, compareTo } });
      return functions.filter((one) => one.changed).map(({ file }) => file);
    };
    expect(marked({ plain: ['src/Repository.php'] })).toContain('src/Repository.php');
    expect(marked({ other: ['src/Repository.php'], plain: [] })).toEqual([]);
    for (const { frames } of results.profiles)
      for (const frame of frames) frame.file &&= `${frame.file}(3) : eval()'d code`;
    expect(marked({ plain: ['src/Repository.php'] })[0]).toContain('src/Repository.php(3)');
  });

  test('to its caller where a function of PHP has it', () => {
    const why = both([...usual, [[...ROOT, 'App::find', 'preg_match'], 500]], usual);
    expect(why.culprits.map(nameOf)).toEqual(['App::find']);
    expect(why.culprits[0]).toMatchObject({ within: null, isSpread: false });
  });

  test('to the own function that calls the library which has it, and names that', () => {
    const why = both([...usual, [[...ROOT, 'App::find', 'Orm::hydrate', 'strlen'], 500]], usual);
    expect(why.culprits.map(nameOf)).toEqual(['App::find']);
    expect(why.culprits[0]?.within?.name).toBe('Orm::hydrate');
  });

  test('to the own function alone where many that it calls share it', () => {
    const more: Stack[] = [
      [[...ROOT, 'App::find', 'Orm::hydrate'], 240],
      [[...ROOT, 'App::find', 'Orm::convert'], 240],
      [[...ROOT, 'App::find'], 100],
    ];
    const why = both([...usual, ...more], usual);
    expect(why.culprits.map(nameOf)).toEqual(['App::find']);
    expect(why.culprits[0]).toMatchObject({ within: null, isSpread: true });
  });

  test('to nobody where parts of an own function change in opposite directions, by about as much', () => {
    const part = (name: string, samples: number): Stack => [[...ROOT, 'App::find', name], samples];
    const head = [...usual, part('Orm::hydrate', 800), part('Orm::convert', 285)];
    const why = both(head, [...usual, part('Orm::hydrate', 300), part('Orm::convert', 800)]);
    expect(why.culprits).toEqual([]);
  });

  test('to the library where nothing of the own code has called it', () => {
    const why = both([...usual, [[...ROOT, 'Orm::hydrate'], 500]], usual);
    expect(why.culprits.map(nameOf)).toEqual(['Orm::hydrate']);
    expect(why.culprits[0]?.function?.group).toBe('vendor');
  });

  test('to autoloading as a whole, whoever began it', () => {
    const load = ['ClassLoader::loadClass', 'src/Repository.php'];
    const why = both([...usual, [[...ROOT, 'App::find', ...load], 500]], usual);
    expect(why.culprits.map(nameOf)).toEqual([undefined]);
    expect(why.culprits[0]?.function).toBeNull();
  });

  test('to nobody where both sides are equal, or where fewer than three starts have both', () => {
    expect(both(usual, usual).culprits).toEqual([]);
    const sides = [0, 1].flatMap((instance) => [
      profileOf(IDS.variant, instance, [...usual, [[...ROOT, 'App::find'], 5000]]),
      profileOf(IDS.base, instance, usual),
    ]);
    expect(only(resultsWith(sides)).culprits).toEqual([]);
  });
});

test('a start whose requests failed is left out, as it shows where error pages spend their time', () => {
  const profiles = [profileOf(IDS.variant, 0, usual), profileOf(IDS.variant, 1, usual)].map(
    (profile, i): Profile => ({ ...profile, requests: 1000, failures: [10, 11][i] as number }),
  );
  expect(only(resultsWith(profiles)).starts).toBe(1);
  const results = resultsWith(profiles);
  const scenarios = results.plan.scenarios.map((one) => ({ ...one, slo: { okRatio: 0.9 } }));
  expect(only({ ...results, plan: { ...results.plan, scenarios } }).starts).toBe(2);
});

test('a function that calls itself counts once in the time with all that it calls', () => {
  const deep = [...ROOT, 'App::recurse', 'App::recurse', 'App::find', 'App::recurse'];
  const why = only(
    resultsWith([
      profileOf(IDS.variant, 0, [
        [deep, 100],
        [ROOT, 100],
      ]),
    ]),
  );
  const times = Object.fromEntries(
    why.functions.map((one) => [one.name, [one.selfUs.variant, one.inclusiveUs.variant]]),
  );
  expect(times).toEqual({
    ...{ 'App::recurse': [100, 100], 'App::find': [0, 100] },
    ...{ 'public/index.php': [0, 200], 'Kernel::handle': [100, 200] },
  });
});

test('a closure and a generated container are the same in both versions', () => {
  const named = (name: string, file: string, variant: string): Profile => {
    const profile = profileOf(variant, 0, [[ROOT, 100]]);
    return { ...profile, frames: profile.frames.map((frame) => ({ ...frame, name, file })) };
  };
  const same = (names: readonly [string, string], files: readonly [string, string]) =>
    only(resultsWith([named(names[0], files[0], IDS.variant), named(names[1], files[1], IDS.base)]))
      .functions;
  expect(
    same(['{closure:App\\A::b():41}', '{closure:App\\A::b():48}'], ['src/A.php', 'src/A.php']),
  ).toHaveLength(1);
  expect(
    same(
      ['class@anonymous/app/src/A.php:4$0::run', 'class@anonymous/app/src/A.php:9$1::run'],
      ['src/A.php', 'src/A.php'],
    ),
  ).toHaveLength(1);
  // Results of older versions have such names.
  expect(
    same(
      [
        'Psr\\Middle@anonymous\0/app/src/A.php:4$0::run::{closure}',
        'Psr\\Middle@anonymous\0/app/src/A.php:9$1f::run::{closure}',
      ],
      ['src/A.php', 'src/A.php'],
    ),
  ).toHaveLength(1);
  expect(same(['Psr\\A@anonymous::run', 'Psr\\B@anonymous::run'], ['src/A.php', 'src/A.php'])).toHaveLength(
    2,
  );
  expect(
    same(
      ['ContainerAbc1234\\get', 'ContainerXyz9876\\get'],
      ['var/cache/prod/ContainerAbc1234/get.php', 'var/cache/prod/ContainerXyz9876/get.php'],
    ),
  ).toHaveLength(1);
  expect(same(['A::b', 'A::c'], ['src/A.php', 'src/A.php'])).toHaveLength(2);
});

test('a line is that of the variant, and none where several closures have one name', () => {
  const profileAt = (variant: string, lines: readonly (number | null)[]): Profile => {
    const profile = profileOf(variant, 0, [[['index.php', 'App::find'], 100]]);
    const [index, found] = profile.frames as [Profile['frames'][0], Profile['frames'][0]];
    const closures = lines.map((line) => ({ ...found, line }));
    const calls = lines.map((_, i): Profile['tree'][0] => [0, i + 1, 50]);
    return { ...profile, frames: [index, ...closures], tree: [[-1, 0, 1], ...calls] };
  };
  const lineOf = (head: readonly (number | null)[], base: readonly (number | null)[]) => {
    const why = only(resultsWith([profileAt(IDS.variant, head), profileAt(IDS.base, base)]));
    return why.functions.find(({ name }) => name === 'App::find')?.line;
  };
  expect(lineOf([12], [10])).toBe(12);
  expect(lineOf([12, null], [10])).toBe(12);
  expect(lineOf([], [10])).toBe(10);
  expect(lineOf([12, 80], [10])).toBeNull();
  expect(lineOf([12], [10, 78])).toBeNull();
});

test('the call tree has both sides, what is new, what is gone, and all of the time', () => {
  const why = both([...usual, [[...ROOT, 'App::new'], 300]], [...usual, [[...ROOT, 'App::gone'], 200]]);
  const of = (name: string) => {
    const found = why.tree.calls.filter(([, frame]) => why.tree.frames[frame]?.name === name);
    return found.map(([, , variant, base]) => [Math.round(variant / 10), Math.round(base / 10)]);
  };
  expect(of('App::new')).toEqual([[30, 0]]);
  expect(of('App::gone')).toEqual([[0, 20]]);
  expect(of('App::find')).toEqual([[30, 30]]);
  const sum = (side: 2 | 3) => why.tree.calls.reduce((all, call) => all + call[side], 0);
  expect(sum(2)).toBeCloseTo(why.perRequestUs.variant, 6);
  expect(sum(3)).toBeCloseTo(why.perRequestUs.base, 6);
  for (const [i, [caller]] of why.tree.calls.entries()) expect(caller).toBeLessThan(i);
});

test('trees and lists are bounded, and no time is lost', () => {
  const wide = Array.from({ length: 20_000 }, (_, i): Stack => [[...ROOT, `f${i % 900}`, `g${i}`], 1]);
  const profile = profileOf(IDS.variant, 0, wide);
  const why = only(resultsWith([profile]));
  expect(why.tree.calls.length).toBeLessThanOrEqual(MAX_CALLS + 1);
  expect(why.tree.calls.reduce((all, [, , us]) => all + us, 0)).toBeCloseTo(why.perRequestUs.variant, 3);
  expect(why.functions.length).toBeLessThanOrEqual(MAX_FUNCTIONS);
});

test('a variant without a base is described by itself; one that was not sampled is left out', () => {
  const results = resultsWith([profileOf('apache@8.4', 0, usual)]);
  expect(only(results)).toMatchObject({ base: null, starts: 1, changeUs: 0, culprits: [], tests: 0 });
  expect(explainCpu(resultsWith([]), [])).toEqual([]);
  expect(explainCpu(resultsWith([{ ...profileOf('apache@8.4', 0, usual), cpuUs: null }]), [])).toEqual([]);
});

test('the change as a whole is that of the verdict where that is sure', () => {
  const { profiles } = makeSampled(IDS, { seed: 1, added: 200 });
  const comparison = {
    ...{ variant: IDS.variant, reference: IDS.base, against: 'base', scenario: 'quick', metric: 'cpu' },
    ...{ values: { variant: 2500, reference: 2200 }, interval: { low: 1.1, high: 1.2, level: 0.99 } },
  } as Parameters<typeof explainCpu>[1][number];
  const [sure] = explainCpu(resultsWith(profiles), [comparison]);
  expect(sure?.changeUs).toBe(300);
  const [open] = explainCpu(resultsWith(profiles), [
    { ...comparison, interval: { low: 0.9, high: 1.2, level: 0.99 } },
  ]);
  expect(open?.changeUs).toBeCloseTo(200, -2);
  // Too many wrong answers, so that nothing is concluded from its interval.
  const [wrong] = explainCpu(resultsWith(profiles), [{ ...comparison, verdict: 'inconclusive' }]);
  expect([sure, open, wrong].map((one) => one?.isSure)).toEqual([true, false, false]);
});

test('profiles of two runs are twice as many starts', () => {
  const run = (seed: number) => {
    const results = resultsWith(makeSampled(IDS, { seed, added: 200, at: 0, functions: 30 }).profiles);
    return { ...results, run: { ...results.run, id: `r-${seed}` } };
  };
  const [merged, ...others] = mergeResults([run(1), run(2)]);
  expect(others).toEqual([]);
  const why = only(merged as Results);
  expect(why.starts).toBe(8);
  const pairs = merged?.profiles.map(({ variant, instance }) => JSON.stringify([variant, instance]));
  expect(new Set(pairs).size).toBe(16);
  expect(why.culprits[0]?.function?.name).toBe(nameOfPart(0));
});
