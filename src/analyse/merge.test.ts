import { expect, test } from 'vitest';
import { makeResults } from '../../test/fixtures/results/make.ts';
import { renderMarkdown } from '../report/format/markdown.ts';
import type { Results } from '../results/results.ts';
import { analyse } from './analyse.ts';
import { mergeResults } from './merge.ts';
import { compareEarlier } from './warn/earlier.ts';

const run = (id: string, change?: (results: Results) => void) =>
  makeResults({
    servers: [{ id, rps: 500 }],
    change(results) {
      results.run.id = `run-${id}`;
      change?.(results);
    },
  });

test('runs on one machine become one table, which says that it was put together', () => {
  const merged = mergeResults([run('a'), run('b')]);
  expect(merged).toHaveLength(1);
  const summary = analyse(merged[0] as Results);
  expect(summary.scenarios[0]?.rows.map((row) => row.variant).sort()).toEqual(['a', 'b']);
  expect(summary.run.id).toBe('run-a + run-b');
  expect(summary.warnings[0]?.code).toBe('merged-runs');
});

const again = (change?: (results: Results) => void) =>
  run('a', (results) => {
    results.run.id = 'run-a-again';
    change?.(results);
  });

test('runs of one commit keep it, whichever apps of the checkout each has measured', () => {
  const of = (id: string, apps?: Record<string, string>) =>
    run(id, ({ run }) => {
      run.head = { commit: 'abc', uncommitted: 0, files: [], ...(apps && { apps }) };
    });
  const headOf = (...runs: Results[]) => mergeResults(runs)[0]?.run.head;
  expect(headOf(of('a', { a: 'apps/a' }), of('b', { b: 'apps/b' }))).toMatchObject({
    commit: 'abc',
    apps: { a: 'apps/a', b: 'apps/b' },
  });
  expect(headOf(of('a'), of('b', { b: '.' }))).toMatchObject({ commit: 'abc', apps: { b: '.' } });
  expect(headOf(of('a'), run('b'))).toBeUndefined();
});

const loadedFrom = (kind: 'engines' | 'cluster', names: readonly string[]) => (results: Results) => {
  const way = { share: '0:1', roundTripMs: 0.2, hops: 1, mtu: 1500, skewMs: 0 };
  const generators = names.map((name) => ({ name, ...way }));
  results.plan.elsewhere = { kind, target: '10.0.0.5', generators };
};

test('runs that were loaded from other machines are tables of their own, pods of a cluster are not separated', () => {
  const groups = (...changes: ((results: Results) => void)[]) =>
    mergeResults(changes.map((change, i) => run(`${i}`, change))).length;
  expect(groups(loadedFrom('engines', ['b']), loadedFrom('engines', ['c']))).toBe(2);
  expect(groups(loadedFrom('engines', ['b']), loadedFrom('engines', ['b']))).toBe(1);
  expect(groups(loadedFrom('cluster', ['p-1']), loadedFrom('cluster', ['p-2']))).toBe(1);
  expect(groups(loadedFrom('engines', ['b']), () => {})).toBe(2);
});

const marked = (variant: string, settings: string | undefined) =>
  run(variant, (results) => {
    results.run.id = `run-${variant}-${settings}`;
    for (const one of results.variants) one.settings = settings;
  });

test('runs of one variant with other settings are tables of their own', () => {
  const groups = (...marks: (string | undefined)[]) =>
    mergeResults(marks.map((settings) => marked('a', settings))).length;
  expect(groups('0a1b', 'ffff')).toBe(2);
  // An older version did not note them.
  expect(groups('0a1b', undefined)).toBe(1);
  // Other variants are what the user has put beside each other.
  expect(mergeResults([marked('a', '0a1b'), marked('b', 'ffff')])).toHaveLength(1);
});

test('what was put together keeps the settings of each variant', () => {
  for (const other of [marked('b', 'ffff'), marked('a', undefined)]) {
    for (const list of [
      [marked('a', '0a1b'), other],
      [other, marked('a', '0a1b')],
    ]) {
      const [both] = mergeResults(list) as [Results];
      expect(mergeResults([both, marked('a', 'ffff')])).toHaveLength(2);
      expect(
        mergeResults([both, again(({ variants }) => Object.assign(variants[0] ?? {}, { settings: '0a1b' }))]),
      ).toHaveLength(1);
    }
  }
});

test('the starts of two runs of one variant are different instances', () => {
  const [merged] = mergeResults([run('a'), again()]);
  const { scenarios, warnings } = analyse(merged as Results);
  expect(scenarios[0]?.rows[0]?.rps).toMatchObject({ over: 'instances', n: 6 });
  expect(scenarios[0]?.starts).toBe(6);
  expect(warnings.map(({ code }) => code)).toEqual(['merged-runs']);
  expect(merged?.variants).toHaveLength(1);
  expect(merged?.variants[0]?.coldStartMs).toHaveLength(6);
});

test('a run that is given twice counts once', () => {
  expect(mergeResults([run('a'), run('a')])).toEqual([run('a')]);
  const [merged] = mergeResults([run('a'), again(), run('a')]);
  expect(merged?.run.id).toBe('run-a + run-a-again');
  expect(merged?.measurements).toHaveLength(2 * run('a').measurements.length);
});

test('what was checked is one line for each path, of all variants', () => {
  const page = { endpoint: '/', journey: null, status: 200, type: 'text/html', location: '', title: 'A' };
  const [one, two] = [run('a'), again()];
  one.checked = [{ ...page, variants: ['a'], bytes: [5, 7] }];
  two.checked = [
    { ...page, variants: ['a', 'b'], bytes: [6, 9] },
    { ...page, variants: ['b'], title: 'B', endpoint: '/b', bytes: [1, 1] },
  ];
  expect(mergeResults([one, two])[0]?.checked).toEqual([
    { ...page, variants: ['a', 'b'], bytes: [5, 9] },
    { ...page, variants: ['b'], title: 'B', endpoint: '/b', bytes: [1, 1] },
  ]);
});

const third = () => again(({ run }) => Object.assign(run, { id: 'run-third' }));

test('a run that is part of what was put together before counts once', () => {
  const [both] = mergeResults([run('a'), again()]) as [Results];
  const count = run('a').measurements.length;
  for (const list of [
    [both, run('a')],
    [run('a'), both],
    [run('a'), both, again()],
    [both, both],
  ]) {
    const merged = mergeResults(list);
    expect(merged.map(({ measurements }) => measurements.length)).toEqual([2 * count]);
  }
  const [whole] = mergeResults([both, third()]) as [Results];
  expect(whole.measurements).toHaveLength(3 * count);
  expect(mergeResults([both, run('a'), whole])).toEqual([whole]);
  // If runs overlap in part, nobody knows which starts belong to which run.
  const [other] = mergeResults([again(), third()]) as [Results];
  expect(mergeResults([both, other]).map(({ run }) => run.id)).toEqual([both.run.id, other.run.id]);
});

test('what is put together in two steps has each start once', () => {
  const [both] = mergeResults([run('a'), again()]) as [Results];
  const [merged] = mergeResults([both, third()]);
  expect(analyse(merged as Results).scenarios[0]?.starts).toBe(9);
});

const two = (seed: number, ids = ['a', 'b']) =>
  makeResults({
    servers: ids.map((id) => ({ id, rps: 60 })),
    seed,
    // The image of a variant is the same in both.
    change: ({ run, variants }) => {
      run.id = `run-${seed}`;
      for (const { image, id } of variants) if (image) image.id = `sha256:${id}`;
    },
  });

test('comparisons are made anew, within the starts of each run', () => {
  const [merged] = mergeResults([two(1), two(2)]);
  const [comparison] = analyse(merged as Results).scenarios[0]?.comparisons ?? [];
  expect(comparison).toMatchObject({ variant: 'b', reference: 'a', pairs: 6, slices: 24, reasons: [] });
});

test('variants that never were in one run are not compared', () => {
  const [merged] = mergeResults([two(1, ['a', 'c']), two(2, ['b', 'c'])]);
  const comparisons = analyse(merged as Results).scenarios[0]?.comparisons ?? [];
  const of = (id: string) => comparisons.find(({ variant, metric }) => variant === id && metric === 'rps');
  expect(of('b')).toMatchObject({ pairs: 0, ratio: null, reasons: ['not measured side by side'] });
  expect(of('c')).toMatchObject({ pairs: 3, reasons: ['3 pairs of fresh starts, 4 needed'] });
});

const mergedTable = (...runs: Results[]) => {
  const [merged, ...others] = mergeResults(runs);
  expect(others).toEqual([]);
  const comparisons = analyse(merged as Results).scenarios[0]?.comparisons ?? [];
  return comparisons.flatMap(({ variant, reference, metric, pairs }) =>
    metric === 'rps' ? [`${variant} vs ${reference}: ${pairs}`] : [],
  );
};

test('a second run keeps the reference and every comparison of the first', () => {
  expect(mergedTable(two(1), two(2, ['a']))).toEqual(['b vs a: 3']);
  expect(mergedTable(two(1), two(2, ['a', 'c']))).toEqual(['b vs a: 3', 'c vs a: 3']);
});

test('the reference is the one that most runs have measured', () => {
  expect(mergedTable(two(1, ['b', 'a']), two(2, ['a', 'c']), two(3, ['a', 'c']))).toEqual([
    'b vs a: 3',
    'c vs a: 6',
  ]);
});

test('a variant that failed in one of the runs is not the reference', () => {
  const failing = two(2);
  Object.assign(failing.variants[0] as object, { failure: { stage: 'run', reason: 'died', log: '' } });
  expect(mergedTable(two(1, ['a', 'b', 'c']), failing)).toEqual(['a vs b: 6', 'c vs b: 3']);
});

test('a variant that failed under load alone is not the reference', () => {
  const broken = (seed: number) => {
    const results = two(seed, ['a', 'b', 'c']);
    for (const slice of results.measurements)
      if (slice.variant === 'a')
        Object.assign(slice, { okRatio: 0.1, outcome: 'failed', reason: 'http 503' });
    return results;
  };
  expect(mergedTable(broken(1), broken(2)).filter((row) => !row.startsWith('a '))).toEqual(['c vs b: 6']);
});

test('a reference that was asked for stays, whichever run asked', () => {
  const asked = (results: Results, reference: string) => {
    results.plan.reference = reference;
    return results;
  };
  expect(mergedTable(two(1, ['a', 'c']), asked(two(2, ['a', 'c']), 'c'))).toEqual(['a vs c: 6']);
});

test('one run and the same run in two parts give the same numbers', () => {
  const whole = makeResults({
    servers: [
      { id: 'a', rps: 60, base: { rps: 62 } },
      { id: 'b', rps: 66 },
      { id: 'c', rps: 54 },
    ],
    compareTo: { given: 'base' },
    instances: 6,
    change: ({ variants }) => {
      for (const { image, id } of variants) if (image) image.id = `sha256:${id}`;
    },
  });
  const part = (id: string, from: number): Results => {
    const own = <T extends { instance: number }>(list: readonly T[]) =>
      list.flatMap((item) =>
        item.instance >= from && item.instance < from + 3
          ? [{ ...item, instance: item.instance - from }]
          : [],
      );
    return {
      ...whole,
      run: { ...whole.run, id },
      plan: { ...whole.plan, instances: 3 },
      measurements: own(whole.measurements),
      duets: own(whole.duets),
    };
  };
  const [merged] = mergeResults([part('one', 0), part('two', 3)]);
  const [expected, found] = [analyse(whole), analyse(merged as Results)];
  expect(found.scenarios[0]?.comparisons).toEqual(expected.scenarios[0]?.comparisons);
  expect(found.scenarios[0]?.rows).toEqual(expected.scenarios[0]?.rows);
  expect(found.scenarios[0]?.comparisons.length).toBeGreaterThan(0);
});

test('a comparison with an earlier run that two runs carry is there once', () => {
  const compared = two(1);
  compared.comparisons = compareEarlier(compared, two(9));
  const other = { ...two(2), comparisons: compareEarlier(two(2), two(9)) };
  const count = ({ comparisons }: Results) =>
    comparisons.filter(({ against }) => against === 'earlier').length;
  const [merged] = mergeResults([compared, other]);
  expect(count(compared)).toBeGreaterThan(0);
  expect(count(merged as Results)).toBe(count(compared));
});

test('gates of all runs hold', () => {
  const gate = (source: string) => ({ source, metric: null, above: 0.03, scenario: null, variant: null });
  const gated = (id: string, ...sources: string[]) =>
    run(id, ({ plan }) => Object.assign(plan, { gates: sources.map(gate) }));
  const [merged] = mergeResults([gated('a', 'x'), gated('b', 'x', 'y')]);
  expect(merged?.plan.gates.map(({ source }) => source)).toEqual(['x', 'y']);
});

test.each([
  [['pass', 'pass'], 'pass'],
  [['pass', undefined], undefined],
  [['fail', 'pass'], undefined],
  [[undefined, undefined], undefined],
] as const)('a gate that is not judged fails unless all runs let it pass: %j', (given, expected) => {
  const gate = { source: 'x', metric: null, above: 0.03, scenario: null, variant: null };
  const gated = given.map((unjudged, i) =>
    run(`${i}`, ({ plan }) => Object.assign(plan, { gates: [gate], ...(unjudged && { unjudged }) })),
  );
  expect(mergeResults(gated)[0]?.plan.unjudged).toBe(expected);
  // Without a gate it does not count.
  expect(mergeResults([...gated, run('c')])[0]?.plan.unjudged).toBe(expected);
});

test.each<[string, (results: Results) => void]>([
  ['other Host header', ({ plan }) => Object.assign(plan, { host: 'www.example.com' })],
  ['other request headers', ({ plan }) => Object.assign(plan, { headers: ['Accept'] })],
  ['other machine', ({ host }) => Object.assign(host, { cpuModel: 'other' })],
  ['other CPU layout', ({ plan }) => Object.assign(plan.cpus, { server: [0] })],
  [
    'other load under the same name',
    ({ plan }) => Object.assign(plan.scenarios[0] as object, { load: 'vus(9, 1s)' }),
  ],
  [
    'other image under the same name',
    ({ variants }) => Object.assign(variants[0]?.image as object, { id: 'sha256:0' }),
  ],
])('%s: kept apart', (_, change) => {
  expect(mergeResults([run('a'), again(change)])).toHaveLength(2);
});

const storing = (id: string, imageStore: Results['host']['imageStore']) =>
  run(id, ({ host }) => Object.assign(host, { imageStore }));

test('another image store of Docker keeps runs apart, one that an older version did not note does not', () => {
  const [old, graph, containerd] = [run('a'), storing('b', 'graph driver'), storing('c', 'containerd')];
  expect(mergeResults([graph, containerd])).toHaveLength(2);
  const merged = mergeResults([old, graph]);
  expect(merged).toHaveLength(1);
  expect(merged[0]?.host.imageStore).toBe('graph driver');
});

test('runs with a budget have as many blocks as fitted, under the same load', () => {
  const blocks = (count: number) => (results: Results) =>
    Object.assign(results.plan.scenarios[0] as object, { blocks: count });
  expect(mergeResults([run('a', blocks(3)), again(blocks(5))])).toHaveLength(1);
});

test('one run stays what it is', () => {
  const results = run('a');
  expect(mergeResults([results])).toEqual([results]);
});

test('the seed and the command of each run are kept, so that it can be repeated', () => {
  const given = (seed: number, app: string) => {
    const results = two(seed);
    results.run.command = ['run', '--app', app];
    return results;
  };
  const inTwoSteps = mergeResults([...mergeResults([given(1, 'a'), given(2, 'b')]), given(3, 'a')]);
  const [merged] = inTwoSteps as [Results];
  expect(merged.run.merged?.map(({ seed }) => seed)).toEqual([1, 2, 3]);
  expect(merged.run.merged?.map(({ command }) => command.at(-1))).toEqual(['a', 'b', 'a']);
  const text = renderMarkdown(analyse(merged));
  expect(text).toContain('random order (seeds 1, 2, 3)');
  expect(text).toMatch(/^run --app a\nrun --app b$/m);
  expect(renderMarkdown(analyse(two(1)))).toContain('random order (seed 1)');
});

test('a run of fewer starts beside one of more is not cut short, and a budget is that of all runs or none', () => {
  const of = (name: string, instances: number, budgetSeconds: number | null) =>
    makeResults({
      ...{ servers: [{ id: 'a', rps: 500 }], instances, scenario: { name } },
      change(results) {
        results.run.id = `run-${name}`;
        results.plan.budgetSeconds = budgetSeconds;
        for (const variant of results.variants) variant.image = null;
      },
    });
  const [merged] = mergeResults([of('quick', 6, 600), of('soak', 3, null)]);
  expect(merged?.plan).toMatchObject({ instances: 3, budgetSeconds: null });
  const text = renderMarkdown(analyse(merged as Results));
  expect(text).toContain('6 fresh starts');
  expect(text).not.toMatch(/\d of \d+ fresh starts|budget/);
});

test('a run that was cut short beside one of fewer starts lacks some', () => {
  const of = (name: string, planned: number, made: number) =>
    makeResults({
      ...{ servers: [{ id: 'a', rps: 500 }], instances: made, scenario: { name } },
      change(results) {
        results.run.id = `run-${name}`;
        results.plan.instances = planned;
        if (made < planned) results.run.stopped = 'SIGINT';
        for (const variant of results.variants) variant.image = null;
      },
    });
  const [merged] = mergeResults([of('quick', 6, 4), of('soak', 3, 3)]);
  expect(renderMarkdown(analyse(merged as Results))).toContain('4 of 6 fresh starts');
});

test('cold starts of several runs are put together', () => {
  const of = (id: string, timesMs: number[]) =>
    run('a', (results) => {
      results.run.id = id;
      for (const variant of results.variants)
        variant.coldStart = { tool: 'hyperfine 1.19.0', path: '/', timesMs };
    });
  const [merged] = mergeResults([of('run-1', [1, 2]), of('run-2', [3])]);
  expect(merged?.variants[0]?.coldStart?.timesMs).toEqual([1, 2, 3]);
});
