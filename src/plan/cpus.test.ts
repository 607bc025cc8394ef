import { describe, expect, test } from 'vitest';
import { messageOf } from '../../test/fixtures/memory-files.ts';
import { UserError } from '../errors.ts';
import { type Cpu, formatCpus, layOutCpus } from './cpus.ts';

/** n cores of k threads, numbered as Linux does: first threads of all cores, then second threads. */
function machine(cores: number, threads = 1): Cpu[] {
  return Array.from({ length: cores * threads }, (_, cpu) => ({ cpu, core: cpu % cores }));
}

describe('layOutCpus', () => {
  test.each<
    [
      string,
      Cpu[],
      Parameters<typeof layOutCpus>[1],
      { server: string; load: string; system: string },
      string[],
    ]
  >([
    [
      '1 CPU shares it',
      machine(1),
      {},
      { server: '0', load: '0', system: '' },
      ['shared-cores', 'no-system-core'],
    ],
    [
      '2 threads of one core',
      machine(1, 2),
      {},
      { server: '0', load: '1', system: '' },
      ['sibling-cores', 'no-system-core'],
    ],
    ['2 cores', machine(2), {}, { server: '0', load: '1', system: '' }, ['no-system-core']],
    [
      '2 cores of 2 threads keep siblings together',
      machine(2, 2),
      {},
      { server: '0,2', load: '1,3', system: '' },
      ['no-system-core'],
    ],
    ['3 cores', machine(3), {}, { server: '0-1', load: '2', system: '' }, ['no-system-core']],
    ['4 cores leave one to the system', machine(4), {}, { server: '1-2', load: '3', system: '0' }, []],
    ['8 cores of 2 threads', machine(8, 2), {}, { server: '1-4,9-12', load: '5-7,13-15', system: '0,8' }, []],
    ['given', machine(4), { server: [0], load: [2, 3] }, { server: '0', load: '2-3', system: '1' }, []],
    ['only the servers given', machine(4), { server: [1, 2] }, { server: '1-2', load: '3', system: '0' }, []],
    [
      'only the servers given, on threads of their own cores',
      machine(8, 2),
      { server: [1, 2, 3, 4] },
      { server: '1-4', load: '5-7,13-15', system: '0,8-12' },
      [],
    ],
    [
      'only the load generator given',
      machine(8, 2),
      { load: [6, 7, 14, 15] },
      { server: '1-5,9-13', load: '6-7,14-15', system: '0,8' },
      [],
    ],
    [
      'all but one core given',
      machine(2),
      { server: [0] },
      { server: '0', load: '1', system: '' },
      ['no-system-core'],
    ],
    [
      'a thread of each core given',
      machine(2, 2),
      { server: [0, 1] },
      { server: '0-1', load: '2-3', system: '' },
      ['sibling-cores', 'no-system-core'],
    ],
    [
      'given and overlapping',
      machine(2),
      { server: [0, 1], load: [1] },
      { server: '0-1', load: '1', system: '' },
      ['shared-cores', 'no-system-core'],
    ],
    [
      'a thread given to the front: its core is for nothing else',
      machine(4, 2),
      { front: [3] },
      { server: '0-1,4-5', load: '2,6', system: '7' },
      [],
    ],
    [
      'a thread given to the front, another to the servers',
      machine(4, 2),
      { front: [3], server: [1] },
      { server: '1', load: '2,6', system: '0,4-5,7' },
      [],
    ],
    [
      'a thread given to the front, with too few other cores',
      machine(2, 2),
      { front: [1] },
      { server: '0,2', load: '3', system: '' },
      ['sibling-cores', 'no-system-core'],
    ],
    [
      'nothing but a thread beside the front left',
      machine(4, 2),
      { front: [3], server: [0, 1, 2, 4, 5, 6] },
      { server: '0-2,4-6', load: '7', system: '' },
      ['sibling-cores', 'no-system-core'],
    ],
    [
      'the front on CPUs of the servers',
      machine(4, 2),
      { front: [1], server: [1, 5] },
      { server: '1,5', load: '2-3,6-7', system: '0,4' },
      [],
    ],
    [
      'given across siblings',
      machine(2, 2),
      { server: [0], load: [2] },
      { server: '0', load: '2', system: '1,3' },
      ['sibling-cores'],
    ],
  ])('%s', (_, cpus, given, expected, codes) => {
    const { layout, warnings } = layOutCpus(cpus, given);
    const { server, load, system } = layout;
    expect({ server: formatCpus(server), load: formatCpus(load), system: formatCpus(system) }).toEqual(
      expected,
    );
    expect(warnings.map((w) => w.code)).toEqual(codes);
  });

  test.each<[string, Cpu[], Parameters<typeof layOutCpus>[1], Record<string, string>, string[]]>([
    [
      '2 cores: services share the servers’',
      machine(2),
      {},
      { server: '0', load: '1', services: '', system: '' },
      ['no-system-core', 'shared-services'],
    ],
    [
      '3 cores: one each',
      machine(3),
      {},
      { server: '0', load: '1', services: '2', system: '' },
      ['no-system-core'],
    ],
    ['4 cores', machine(4), {}, { server: '1', load: '2', services: '3', system: '0' }, []],
    [
      '8 cores of 2 threads keep siblings together',
      machine(8, 2),
      {},
      { server: '1-3,9-11', load: '4-5,12-13', services: '6-7,14-15', system: '0,8' },
      [],
    ],
    [
      'given: services get the rest',
      machine(4),
      { server: [0, 1], load: [2] },
      { server: '0-1', load: '2', services: '3', system: '' },
      ['no-system-core'],
    ],
    [
      'only the servers given',
      machine(4),
      { server: [0] },
      { server: '0', load: '2', services: '3', system: '1' },
      [],
    ],
    [
      'only the servers given, on threads of their own cores',
      machine(8, 2),
      { server: [1, 2, 3, 4] },
      { server: '1-4', load: '5-6,13-14', services: '7,15', system: '0,8-12' },
      [],
    ],
    [
      'given: the first core of the rest is the system’s',
      machine(8),
      { server: [0, 1, 2], load: [3, 4] },
      { server: '0-2', load: '3-4', services: '6-7', system: '5' },
      [],
    ],
    [
      'given: services on the other threads',
      machine(2, 2),
      { server: [0], load: [1] },
      { server: '0', load: '1', services: '2-3', system: '' },
      ['sibling-cores', 'no-system-core'],
    ],
  ])('with services, %s', (_, cpus, given, expected, codes) => {
    const { layout, warnings } = layOutCpus(cpus, given, true);
    const found = Object.keys(expected).map((key) => [key, formatCpus(layout[key as 'server'])]);
    expect(Object.fromEntries(found)).toEqual(expected);
    expect(warnings.map((w) => w.code)).toEqual(codes);
  });

  test.each<[string, Cpu[], Parameters<typeof layOutCpus>[1], string]>([
    ['nothing', machine(2), {}, 'use a machine with four cores or more for steadier numbers'],
    [
      'the servers',
      machine(4),
      { server: [0, 1, 2] },
      'leave a core out of --server-cpus, or use a machine with more cores',
    ],
    [
      'both',
      machine(4),
      { server: [0, 1], load: [2, 3] },
      'leave a core out of --server-cpus and --load-cpus, or use a machine with more cores',
    ],
  ])('with no core for the system, the advice is about what is given: %s', (_, cpus, given, remedy) => {
    const found = layOutCpus(cpus, given).warnings.map(({ code, remedy }) => [code, remedy]);
    expect(found).toEqual([['no-system-core', remedy]]);
  });

  test('services without cores of their own: the advice is about what is given', () => {
    const found = layOutCpus(machine(4), { server: [0, 1, 2] }, true).warnings;
    expect(found.find(({ code }) => code === 'shared-services')?.remedy).toBe(
      'leave a core out of --server-cpus, or use a machine with more cores',
    );
  });

  test('what stands in front on the other thread of a core', () => {
    const messageOfSplit = (cpus: Cpu[], given: Parameters<typeof layOutCpus>[1]) =>
      layOutCpus(cpus, given).warnings.find(({ code }) => code === 'sibling-cores');
    expect(messageOfSplit(machine(2, 2), { front: [1] })).toMatchObject({
      message: 'a core has one thread in the load set and one in the front set',
      remedy: 'keep the threads of one core together in --server-cpus, --load-cpus and --front-cpus',
    });
    expect(messageOfSplit(machine(2, 2), { front: [1, 3] })?.message).toMatch(
      /^servers and load generator run/,
    );
  });

  test('services on threads beside those of the servers', () => {
    const { warnings } = layOutCpus(machine(4, 2), { server: [0], load: [1, 5] }, true);
    expect(warnings).toEqual([]);
    const [split] = layOutCpus(machine(2, 2), { server: [0], load: [1, 3] }, true).warnings;
    expect(split?.message).toBe('a core has one thread in the server set and one in the services set');
  });

  test('refuses CPUs that the machine has not', () => {
    expect(() => layOutCpus(machine(2), { load: [1, 7] })).toThrow(UserError);
  });
});

test.each<[string, Cpu[], Parameters<typeof layOutCpus>[1], boolean, string[]]>([
  ['1 core', machine(1), {}, false, ['no-system-core']],
  ['1 core of 2 threads', machine(1, 2), {}, false, []],
  ['2 cores', machine(2), {}, false, []],
  ['2 cores with services', machine(2), {}, true, ['shared-services']],
  ['all given to the servers', machine(4), { server: [0, 1, 2, 3] }, false, ['no-system-core']],
  ['1 of 2 given to the servers, with services', machine(2), { server: [0] }, true, ['shared-services']],
  ['load beside services', machine(4), { server: [0, 1], load: [2, 3] }, true, ['shared-services']],
])('load from other machines takes no CPU of the servers: %s', (_, cpus, given, hasServices, codes) => {
  const { layout, warnings } = layOutCpus(cpus, { ...given, elsewhere: true }, hasServices);
  expect(warnings.map(({ code }) => code)).toEqual(codes);
  expect(layout).toEqual(layOutCpus(cpus, given, hasServices).layout);
});

describe('cores of several kinds', () => {
  const kinds = (...speeds: number[]): Cpu[] => speeds.map((speed, cpu) => ({ cpu, core: cpu, speed }));
  /** 4 cores of 2 threads, CPUs 0-7, and 8 slower ones with one thread. */
  const mixed = Array.from({ length: 16 }, (_, cpu) =>
    cpu < 8 ? { cpu, core: cpu - (cpu % 2), speed: 4_400_000 } : { cpu, core: cpu, speed: 3_300_000 },
  );
  const mixes = (...asked: Parameters<typeof layOutCpus>) =>
    layOutCpus(...asked).warnings.filter(({ code }) => code === 'mixed-cores');

  test('for the servers: a warning, with those of one kind', () => {
    expect(mixes(mixed, {})).toEqual([
      {
        code: 'mixed-cores',
        message:
          'cores of the servers differ in speed: CPU 8-10 is slower than CPU 2-7, so latency depends on the core',
        remedy: 'give the servers cores of one speed, such as --server-cpus 2-7',
        variant: null,
      },
    ]);
    const { layout, warnings } = layOutCpus(mixed, { server: [2, 3, 4, 5, 6, 7] });
    expect([layout.load, layout.system]).toEqual([
      [8, 9, 10, 11, 12, 13, 14, 15],
      [0, 1],
    ]);
    expect(warnings).toEqual([]);
  });

  test.each<[string, Cpu[], Parameters<typeof layOutCpus>[1], string]>([
    ['slow ones first', kinds(530, 530, 530, 530, 1024, 1024, 1024, 1024), {}, '4-7'],
    [
      'not those of a given load',
      kinds(530, 530, 530, 530, 1024, 1024, 1024, 1024),
      { server: [3, 4], load: [5, 6] },
      '4,7',
    ],
    [
      'not those in front',
      kinds(530, 530, 530, 530, 1024, 1024, 1024, 1024),
      { server: [3, 4], front: [5] },
      '4,6-7',
    ],
    ['three kinds', kinds(300, 300, 300, 300, 760, 760, 760, 1024), {}, '4-6'],
  ])('the advice has %s', (_, cpus, given, advised) => {
    expect(mixes(cpus, given)[0]?.remedy).toMatch(new RegExp(`--server-cpus ${advised}$`));
  });

  test.each<[string, Cpu[], Parameters<typeof layOutCpus>[1]]>([
    ['servers on one kind', mixed, { server: [2, 3], load: [8, 9] }],
    ['turbo for one core', kinds(5_000_000, 5_000_000, 5_700_000, 5_000_000), {}],
    ['speeds that are not known', machine(8), {}],
  ])('no warning: %s', (_, cpus, given) => expect(mixes(cpus, given)).toEqual([]));
});

test('on an engine that cannot pin, all use all CPUs, whatever is given', () => {
  const { layout, warnings } = layOutCpus(machine(4), { server: [1], front: [2] }, true, false);
  const all = [0, 1, 2, 3];
  expect(layout).toEqual({ server: all, load: all, services: [], system: [], source: 'found' });
  expect(warnings).toEqual([]);
  expect(() => layOutCpus(machine(2), { load: [7] }, false, false)).toThrow('this machine has no CPU 7');
});

test('what stands before servers has the CPUs that it is given to itself', () => {
  const { layout, warnings } = layOutCpus(machine(5), { front: [1] });
  expect(layout).toEqual({
    server: [2, 3],
    load: [4],
    system: [0],
    services: [],
    front: [1],
    source: 'found',
  });
  expect(warnings).toEqual([]);
  expect(layOutCpus(machine(2), { front: [1], load: [1] }).warnings.map(({ code }) => code)).toContain(
    'shared-cores',
  );
  expect(() => layOutCpus(machine(1), { front: [0] })).toThrow('no CPU is left');
  expect(() => layOutCpus(machine(2), { front: [7] })).toThrow('this machine has no CPU 7');
  // A file or an input may have set it: no flag is named.
  expect(messageOf(() => layOutCpus(machine(2), { front: [7] }))).toMatch(/^front-cpus: /);
  expect(messageOf(() => layOutCpus(machine(2), { server: [7] }))).toMatch(/^server-cpus: /);
  expect(messageOf(() => layOutCpus(machine(2), { load: [7] }))).toMatch(/^load-cpus: /);
});
