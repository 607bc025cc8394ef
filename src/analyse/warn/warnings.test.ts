import { describe, expect, test } from 'vitest';
import { codes, server } from '../../../test/fixtures/results/analysed.ts';
import { fixtures, makeResults } from '../../../test/fixtures/results/make.ts';
import type { Results } from '../../results/results.ts';
import { analyse } from '../analyse.ts';

describe('warnings', () => {
  const quiet = codes(fixtures.quick?.() as Results);
  test('a quiet run has none', () => {
    expect(quiet).toEqual([]);
  });

  test('a run that measured nothing has none about numbers', () => {
    const results = structuredClone(fixtures.quick?.() as Results);
    results.plan.instances = 2;
    results.warnings = ['no-system-core', 'dev-packages', 'shortened', 'htaccess'].map((code) => ({
      ...{ code, message: '', remedy: '', variant: null },
    }));
    expect(codes(results)).toEqual(['htaccess', 'no-system-core', 'dev-packages', 'shortened']);
    expect(codes({ ...results, measurements: [], duets: [] })).toEqual(['htaccess']);
  });

  test('the load generator shares no CPU with servers on another machine', () => {
    const results = structuredClone(fixtures.quick?.() as Results);
    results.plan.cpus.load.push(...results.plan.cpus.server);
    expect(codes(results)).toContain('shared-cores');
    results.plan.elsewhere = { kind: 'engines', target: '10.0.0.5', generators: [] };
    expect(codes(results)).not.toContain('shared-cores');
  });

  const cases: [code: string, change: (results: Results) => void][] = [
    ['shared-cores', ({ plan }) => plan.cpus.load.push(0)],
    ['stopped', ({ run }) => Object.assign(run, { stopped: 'SIGINT' })],
    [
      'steal',
      ({ measurements: [slice] }) =>
        Object.assign((slice as never as { guards: object }).guards, { stealRatio: 0.02 }),
    ],
    [
      'busy-when-idle',
      ({ measurements }) => {
        const [first] = measurements;
        for (const { variant, cpu } of measurements)
          if (cpu && variant === first?.variant) cpu.idleUsPerSecond = 50_000;
      },
    ],
    [
      'busy-when-idle',
      ({ measurements }) => {
        const [first] = measurements;
        for (const slice of measurements)
          if (first && slice.variant !== first.variant)
            slice.idle = [{ variant: first.variant, usPerSecond: 50_000 }];
      },
    ],
    [
      'foreign-cpu',
      ({ measurements: [slice] }) =>
        Object.assign((slice as never as { guards: object }).guards, { foreignCpuRatio: 0.2 }),
    ],
    [
      'stalls',
      ({ measurements: [slice] }) =>
        Object.assign((slice as never as { guards: object }).guards, { stallMs: 80 }),
    ],
    ['void-slices', ({ measurements: [slice] }) => Object.assign(slice as object, { outcome: 'void' })],
    [
      'failed-slices',
      ({ measurements: [slice] }) =>
        Object.assign(slice as object, { outcome: 'failed', requests: 0, okCount: 0 }),
    ],
    ['dropped-iterations', ({ measurements: [slice] }) => Object.assign(slice as object, { dropped: 1 })],
    ['interrupted', ({ measurements: [slice] }) => Object.assign(slice as object, { interrupted: 1 })],
    ['opcache-off', ({ variants: [variant] }) => Object.assign(variant?.facts as object, { opcache: false })],
    [
      'debug-on',
      ({ variants: [variant] }) =>
        Object.assign(variant?.facts as object, { settings: { debug: 'on', queue: 'sync' } }),
    ],
    [
      'uncached',
      ({ variants: [variant] }) => Object.assign(variant?.facts as object, { uncached: ['config', 'route'] }),
    ],
    ['recompiled', ({ variants: [variant] }) => Object.assign(variant as object, { recompiled: 0.5 })],
    ['php-differs', ({ variants: [variant] }) => Object.assign(variant?.facts as object, { php: '8.4.1' })],
    [
      'connections-exceed-workers',
      ({ variants: [variant] }) => Object.assign(variant?.options as object, { workers: 4 }),
    ],
    [
      'body-size',
      ({ measurements }) => {
        for (const slice of measurements.filter(({ variant }) => variant === 'apache@8.4')) {
          for (const endpoint of slice.endpoints) endpoint.bytesPerResponse = 42_000;
        }
      },
    ],
    ['slo-missed', ({ plan }) => Object.assign(plan.scenarios[0]?.slo as object, { p95Ms: 0.1 })],
    [
      'generator-busy',
      ({ measurements }) => {
        for (const slice of measurements) slice.generator.busyRatio = 0.6;
      },
    ],
  ];
  test.each(cases)('%s', (code, change) => {
    const results = fixtures.quick?.() as Results;
    change(results);
    const { warnings } = analyse(results);
    expect(warnings.map((warning) => warning.code)).toEqual([code]);
    expect(warnings[0]?.remedy).not.toBe('');
  });

  test('pages of two apps, or of two versions of one, may differ in size', () => {
    const large = { bytes: 80_000 };
    const change = ({ variants }: Results) => {
      for (const variant of variants) if (variant.id.startsWith('b')) variant.app = 'large';
    };
    expect(codes(makeResults({ servers: [server('a'), server('b', large)], change }))).toEqual([]);
    const servers = [server('a', { base: large }), server('c', { base: large })];
    expect(codes(makeResults({ servers, compareTo: {} }))).not.toContain('body-size');
    const one = [server('a', { base: large }), server('c', { base: {} })];
    const { warnings } = analyse(makeResults({ servers: one, compareTo: {} }));
    expect(warnings.find(({ code }) => code === 'body-size')?.message).toBe(
      'scenario quick: answers differ in size: /: 412 bytes from c (base), 80000 from a (base)',
    );
    const both = [server('a', { ...large, base: {} }), server('c', { base: {} })];
    const { warnings: once } = analyse(makeResults({ servers: both, compareTo: {} }));
    expect(once.find(({ code }) => code === 'body-size')?.message).toBe(
      'scenario quick: answers differ in size: /: 412 bytes from c, 80000 from a',
    );
  });

  test.each([
    ['debug', 'the debug mode of the app is on in', 'turn it off with `env`: APP_DEBUG=false'],
    ['telescope', 'the package telescope is on in', 'turn it off with `env`: TELESCOPE_ENABLED=false'],
    ['xdebug', 'the extension xdebug is on in', 'turn it off with `env`: XDEBUG_MODE=off'],
    ['pcov', 'the extension pcov is on in', 'turn it off with `ini`: pcov.enabled=0'],
  ])('%s is on: how to turn it off', (name, message, remedy) => {
    const results = fixtures.quick?.() as Results;
    const [variant] = results.variants;
    Object.assign(variant?.facts as object, { settings: { [name]: 'on' } });
    expect(analyse(results).warnings).toMatchObject([
      { code: 'debug-on', message: expect.stringContaining(`${message} ${variant?.label}`), remedy },
    ]);
  });

  test('a server that was busy once while others were loaded is no warning', () => {
    const results = fixtures.quick?.() as Results;
    const [first] = results.measurements;
    if (first?.cpu) first.cpu.idleUsPerSecond = 50_000;
    expect(analyse(results).warnings).toEqual([]);
  });

  test('servers that are busy while others are loaded go by their labels', () => {
    const found = (busy: number) => {
      const results = fixtures.quick?.() as Results;
      const ids = results.variants.map(({ id }) => id).slice(0, busy);
      for (const { variant, cpu } of results.measurements)
        if (cpu && ids.includes(variant)) cpu.idleUsPerSecond = 50_000;
      return analyse(results).warnings.find(({ code }) => code === 'busy-when-idle');
    };
    expect(found(1)).toMatchObject({
      message: expect.stringContaining(' used by apache while '),
      remedy: 'measure that variant in a separate run',
    });
    expect(found(2)).toMatchObject({
      message: expect.stringContaining(' used by apache and nginx-fpm (tcp) while '),
      remedy: 'measure each of those variants in a separate run',
    });
  });

  test('few starts: as many as there were, whatever was planned', () => {
    const results = fixtures.quick?.() as Results;
    results.measurements = results.measurements.filter(({ instance }) => instance === 0);
    const { warnings, scenarios } = analyse(results);
    expect(scenarios[0]?.starts).toBe(1);
    expect(warnings).toMatchObject([
      { code: 'few-instances', message: expect.stringMatching(/^one fresh start of each server/) },
    ]);
    const whole = fixtures.quick?.() as Results;
    whole.plan.instances = 1;
    expect(analyse(whole).warnings).toEqual([]);
    // A comparison needs more of them.
    const compared = makeResults({ servers: [server('a', { base: {} })], compareTo: {}, instances: 3 });
    expect(analyse(compared).warnings.find(({ code }) => code === 'few-instances')).toMatchObject({
      ...{ message: '3 fresh starts of each server: a verdict needs 4', remedy: '--instances 4 or more' },
    });
  });

  test.each([
    [1000, /engine/],
    [150, /use slices of half a second/],
  ])('counters that were not read in slices of %i ms', (durationMs, remedy) => {
    const change = ({ measurements }: Results) => {
      for (const slice of measurements) {
        slice.durationMs = durationMs;
        slice.generator.busyRatio = null;
      }
    };
    const { warnings } = analyse(makeResults({ servers: [server('a')], change }));
    expect(warnings.find(({ code }) => code === 'no-samples')?.remedy).toMatch(remedy);
  });
  test('p99 of too few requests', () => {
    expect(codes(makeResults({ servers: [server('a', { rps: 80 })] }))).toContain('few-samples');
  });

  test.each([
    [{ errorKind: 'timeout', okRatio: 0.1 }, {}, 'fewer than 8 clients'],
    [{ errorKind: 'timeout', okRatio: 0.1 }, { clients: 1 }, 'what the app waits for'],
    [{ errorKind: 'timeout', okRatio: 0.1 }, { offeredRps: 300 }, 'which is const(300, 1s)'],
    [{ interrupted: 900 }, {}, 'fewer than 8 clients'],
  ])('most answers too late: %j %j', (more, setup, fewer) => {
    const change = ({ measurements }: Results) => {
      for (const { cpu } of measurements) if (cpu) cpu.busyRatio = 0.9;
    };
    const results = makeResults({ servers: [server('a', more), server('b')], change, ...setup });
    const found = analyse(results).warnings.find(({ code }) => code === 'timeouts');
    expect(found?.message).toMatch(
      /^scenario quick: most requests had no answer within 2 s: a [\d,]+ of [\d,]+$/,
    );
    expect(found?.remedy).toContain('--timeout 10s');
    expect(found?.remedy).toContain(fewer);
    expect(found?.variant).toBe('a');
  });
  test.each([
    { errorKind: 'http 500', okRatio: 0.1 },
    { errorKind: 'timeout', okRatio: 0.6 },
  ])('what failed otherwise needs no other timeout: %j', (more) => {
    expect(codes(makeResults({ servers: [server('a', more)] }))).not.toContain('timeouts');
  });

  test('some answers too late although the CPUs were idle: the app waited', () => {
    const late = { errorKind: 'timeout', okRatio: 0.9 };
    const waits = (more: object, busyRatio: number) => {
      const change = ({ measurements }: Results) => {
        for (const { cpu } of measurements) if (cpu) cpu.busyRatio = busyRatio;
      };
      const { warnings } = analyse(makeResults({ servers: [server('a', more), server('b')], change }));
      expect(warnings.filter(({ code }) => code === 'timeouts' || code === 'app-waits').length).toBeLessThan(
        2,
      );
      return warnings.find(({ code }) => code === 'app-waits');
    };
    expect(waits({ ...late, okRatio: 0.1 }, 0.08)?.remedy).toContain('--timeout 10s');
    expect(waits(late, 0.08)?.message).toMatch(
      /^scenario quick: requests without an answer within 2 s: a [\d,]+ of [\d,]+; their servers used at most 8 % of their CPUs/,
    );
    expect(waits(late, 0.08)?.variant).toBe('a');
    // Busy ones had too much to do; and what failed otherwise was not waited for.
    expect(waits(late, 0.9)).toBeUndefined();
    expect(waits({ errorKind: 'http 500', okRatio: 0.9 }, 0.08)).toBeUndefined();
  });

  test('what the run itself warned of is not repeated', () => {
    const results = fixtures.quick?.() as Results;
    results.plan.cpus.load.push(0);
    const own = { code: 'shared-cores', message: 'own words', remedy: 'own', variant: null };
    results.warnings.push(own);
    expect(analyse(results).warnings).toEqual([own]);
  });

  test('what the run itself warned of in one scenario is found in another', () => {
    const results = fixtures.quick?.() as Results;
    Object.assign(results.variants[0]?.options as object, { workers: 4 });
    const code = 'connections-exceed-workers';
    const own = {
      code,
      message: 'scenario rps-1000: its rate has up to 101 clients',
      remedy: '',
      variant: null,
    };
    results.warnings.push(own);
    expect(analyse(results).warnings).toMatchObject([
      own,
      {
        code,
        // Clients of a journey may pause, so nobody knows how long they wait.
        message: expect.stringMatching(/^scenario quick: 8 clients, but fewer workers .*: requests may wait/),
      },
    ]);
  });

  test.each([
    ['vus (9, 1s)', ' 9 clients'],
    ['vus( 3 , 1s ) , requests (100, 7)', ' 7 clients'],
    ['const(1000, 1s)', null],
  ])('clients of a load written as %s', (load, expected) => {
    const results = fixtures.quick?.() as Results;
    Object.assign(results.variants[0]?.options as object, { workers: 2 });
    for (const scenario of results.plan.scenarios) Object.assign(scenario, { load });
    const found = analyse(results).warnings.find(({ code }) => code === 'connections-exceed-workers');
    expect(found?.message.match(/ \d+ clients/)?.[0] ?? null).toBe(expected);
  });
});
