import { describe, expect, it } from 'vitest';
import { CUT_STACK, groupOf } from '../../analyse/why/frame-groups.ts';
import { makeRandom } from '../../stats/random.ts';
import { PROFILE_LIMITS, profileLimitsOf, readSamples } from './call-samples.ts';

const readAll = (
  samples: string,
  names: string,
  limits: Parameters<typeof readSamples>[2] = PROFILE_LIMITS,
) => readSamples(samples, names, limits);

const name = (id: string, ...raw: unknown[]) => `${id} ${JSON.stringify(raw)}\n`;
const NAMES =
  name('aaaaaaaa', null, null, '/app/public/index.php', null) +
  name('bbbbbbbb', 'App\\Cart', 'total', '/app/src/Cart.php', 41) +
  name('cccccccc', null, 'App\\run', '/app/src/run.php', 3);

/** The same line so many times. */
const times = (n: number, line: string) => `${line}\n`.repeat(n);

function nameOf(...raw: unknown[]): string | undefined {
  return readAll(times(1, 'dddddddd'), name('dddddddd', ...raw)).frames[0]?.name;
}

/**
 * Samples of a server that keeps the app, at a tick each 4 ms. Requests take about 4 ms, and their last tenth is one function.
 * Waits of 0.6 ms follow. The sampler counts periods of 20 µs from where it started, or from the sample before.
 */
function sampleServer(startsAnew: boolean): string {
  const random = makeRandom(1);
  const lines: string[] = [];
  let [nowMs, usedMs, countedMs, isFirst] = [0, 0, 0, true];
  for (let tick = 4 * random(); lines.length < 20_000; ) {
    const requestMs = 4 * (0.98 + 0.04 * random());
    const startMs = nowMs;
    if (startsAnew) [countedMs, isFirst] = [usedMs, true];
    while (tick < startMs) tick += 4;
    for (; tick < startMs + requestMs; tick += 4) {
      const atMs = usedMs + tick - startMs;
      const periods = Math.max(1, Math.floor((atMs - countedMs) / 0.02));
      const stack = tick - startMs < 0.9 * requestMs ? 'aaaaaaaa cccccccc' : 'aaaaaaaa bbbbbbbb';
      lines.push(`${isFirst ? '-' : '*'}${periods} ${stack}\n`);
      [countedMs, isFirst] = [atMs, false];
    }
    usedMs += requestMs;
    nowMs += requestMs + 0.4 + 0.4 * random();
  }
  return lines.join('');
}

describe('the files of the sampler', () => {
  it('become a call tree whose callers stand before their calls', () => {
    const samples = times(2, 'aaaaaaaa cccccccc bbbbbbbb') + times(1, 'aaaaaaaa cccccccc');
    expect(readAll(samples, NAMES)).toEqual({
      samples: 3,
      frames: [
        { name: 'public/index.php', file: 'public/index.php', line: null },
        { name: 'App\\run', file: 'src/run.php', line: 3 },
        { name: 'App\\Cart::total', file: 'src/Cart.php', line: 41 },
      ],
      tree: [
        [-1, 0, 0],
        [0, 1, 1],
        [1, 2, 2],
      ],
    });
  });

  it('are weighed by the ticks that they represent: in a long function of C there are no samples', () => {
    const usual = times(50, '*200 aaaaaaaa cccccccc') + times(10, '*190 aaaaaaaa cccccccc');
    // The first of a request may come early in a tick, and counts whole.
    const first = times(10, '-30 aaaaaaaa cccccccc');
    const long = times(2, '*2000 aaaaaaaa cccccccc bbbbbbbb') + times(1, '-990 aaaaaaaa cccccccc bbbbbbbb');
    const { samples, tree } = readSamples(usual + first + long, NAMES, PROFILE_LIMITS);
    expect(tree.at(-1)?.[2]).toBe(10 + 10 + 5);
    expect(samples).toBe(70 + 25);
  });

  it('are weighed by the ticks of the machine, as far as there are enough samples to know them', () => {
    const of = (line: string, n: number) =>
      readSamples(times(n, line) + times(1, '-1000 bbbbbbbb'), NAMES, PROFILE_LIMITS).samples - n;
    expect(of('*50 aaaaaaaa', 40)).toBe(20);
    // Ticks of 10 ms.
    expect(of('*500 aaaaaaaa', 40)).toBe(2);
    // Long calls at the beginning of most requests say nothing about ticks.
    expect(of('-1000 aaaaaaaa', 40)).toBe(40 * 4 + 5);
    expect(of('*50 aaaaaaaa', 10)).toBe(5);
    expect(of('aaaaaaaa', 10)).toBe(5);
    expect(readSamples('*999999999 aaaaaaaa\n', NAMES, PROFILE_LIMITS).samples).toBe(10_000);
    expect(
      readSamples('*0 aaaaaaaa\n*99999999999999 aaaaaaaa\n*x aaaaaaaa\n', NAMES, PROFILE_LIMITS).samples,
    ).toBe(3);
  });

  it('weigh a long call alike however many other samples there are', () => {
    const of = (others: number) => {
      const request =
        times(1, '-100 aaaaaaaa') + times(others, '*200 aaaaaaaa') + times(1, '*2500 aaaaaaaa bbbbbbbb');
      const { tree } = readSamples(request.repeat(40), NAMES, PROFILE_LIMITS);
      return tree.at(-1)?.[2];
    };
    expect([of(4), of(2)]).toEqual([40 * 13, 40 * 13]);
  });

  it('weigh a call of two ticks as two, though many gaps are as long as it', () => {
    const request = `-100 aaaaaaaa\n${times(2, '*200 aaaaaaaa')}*400 aaaaaaaa bbbbbbbb\n`;
    const { tree } = readSamples(request.repeat(40), NAMES, PROFILE_LIMITS);
    expect(tree.at(-1)?.[2]).toBe(80);
  });

  it('count alike in short requests on a busy machine, where those of one request lie close together', () => {
    const lines =
      Array.from({ length: 80 }, (_, i) => `-${10 * (i % 9)} aaaaaaaa\n`).join('') +
      times(40, '*30 aaaaaaaa');
    expect(readSamples(lines, NAMES, PROFILE_LIMITS).samples).toBe(120);
  });

  it('have their share wherever in a request a function runs, though ticks come while a server waits', () => {
    const shareOfLast = (startsAnew: boolean) => {
      const { samples, tree, frames } = readAll(sampleServer(startsAnew), NAMES);
      const last = tree.find(([, frame]) => frames[frame]?.name === 'App\\Cart::total');
      return (last?.[2] ?? 0) / samples;
    };
    expect(shareOfLast(true)).toBeCloseTo(0.1, 2);
    // A sampler that goes on from request to request counts a missed tick in its next sample.
    expect(shareOfLast(false)).toBeGreaterThan(0.15);
  });

  it('keep an app that is called through the function that watches it, without that function', () => {
    const watch = name(
      'eeeeeeee',
      null,
      '{closure}',
      '/usr/local/share/php-runtime-bench-pass/profile.php',
      9,
    );
    const read = readAll(times(4, 'aaaaaaaa eeeeeeee bbbbbbbb'), NAMES + watch);
    expect(read.samples).toBe(4);
    expect(read.frames.map((frame) => frame.name)).toEqual(['public/index.php', 'App\\Cart::total']);
  });

  it('leave out what nobody has named, the sampler itself, and a line that was cut', () => {
    const own = name('eeeeeeee', null, '{closure}', '/usr/local/share/php-runtime-bench-pass/profile.php', 9);
    const read = readAll(
      `${times(1, 'aaaaaaaa ffffffff bbbbbbbb')}${times(3, 'eeeeeeee')}aaaaaaaa`,
      NAMES + own,
    );
    expect(read.samples).toBe(1);
    expect(read.frames.map((frame) => frame.name)).toEqual(['public/index.php', 'App\\Cart::total']);
  });

  it('are any text: what is no name is none', () => {
    const broken =
      'bbbbbbbb {"not": "a list"}\nbbbbbbbb [1,2,3,4]\nbbbbbbbb not json\nbbbbbbbb ["App\\\\Cart","total"]\n';
    expect(readAll(times(1, 'bbbbbbbb'), broken)).toEqual({ samples: 0, frames: [], tree: [] });
    const line = readAll(times(1, 'dddddddd'), name('dddddddd', null, 'f', '/app/a.php', -3));
    expect(line.frames[0]?.line).toBeNull();
  });

  it('give calls beyond the limits to their callers, the rarest ones first, and lose no sample', () => {
    const rare = times(1, 'aaaaaaaa bbbbbbbb') + times(9999, 'aaaaaaaa cccccccc');
    expect(readAll(rare, NAMES).tree).toHaveLength(3);
    for (const limits of [
      { nodes: 2, frames: 9 },
      { nodes: 9, frames: 2 },
    ]) {
      const { samples, tree, frames } = readAll(rare, NAMES, limits);
      expect(samples).toBe(10_000);
      expect(frames).toHaveLength(2);
      expect(tree).toEqual([
        [-1, 0, 1],
        [0, 1, 9999],
      ]);
    }
  });

  it('have the same share of a function that many call, whether a start has more or fewer samples', () => {
    const sites = Array.from({ length: 200 }, (_, i) => `s${String(i).padStart(7, '0')}`);
    const names = NAMES + sites.map((id) => name(id, null, id, '/app/a.php', 1)).join('');
    const shareOf = (samples: number) => {
      // 8 % of the time, one sample at most from each place that calls it.
      const called = sites.slice(0, 0.08 * samples).map((id) => `aaaaaaaa ${id} bbbbbbbb\n`);
      const others = times(samples - called.length, 'aaaaaaaa cccccccc');
      const { tree, frames } = readAll(called.join('') + others, names);
      const own = tree.filter(([, frame]) => frames[frame]?.name === 'App\\Cart::total');
      return own.reduce((sum, [, , self]) => sum + self, 0) / samples;
    };
    expect(shareOf(1900)).toBeCloseTo(0.08, 9);
    expect(shareOf(2100)).toBeCloseTo(0.08, 9);
  });

  it('are bounded, however many functions there are', () => {
    const ids = Array.from({ length: 3000 }, (_, i) => String(i).padStart(8, '0'));
    const names = ids.map((id) => name(id, null, 'f'.repeat(300) + id, '/app/a.php', 1)).join('');
    const deep = ids.slice(0, 2500).join(' ');
    const { samples, frames, tree } = readAll(times(4, deep), names);
    expect(frames).toEqual([CUT_STACK, expect.anything()]);
    expect(frames[1]?.name).toHaveLength(PROFILE_LIMITS.name);
    expect(tree.reduce((sum, [, , self]) => sum + self, 0)).toBe(samples);
    const stacks = Array.from({ length: 12 }, (_, i) => ids.slice(i * 250, i * 250 + 250).join(' '));
    const all = ids.map((id) => name(id, null, id, '/app/a.php', 1)).join('');
    const many = readAll(stacks.map((stack) => times(4, stack)).join(''), all);
    expect(many.frames).toHaveLength(PROFILE_LIMITS.frames);
    expect(readAll(times(4, deep), all).tree).toHaveLength(PROFILE_LIMITS.depth);
  });

  it('of stacks beyond the depth limit keep their innermost calls, below one frame that is not of the app', () => {
    const marker = name('eeeeeeee', null, 'excimer_truncated', 'excimer fake file', null);
    const ids = Array.from({ length: 252 }, (_, i) => String(i).padStart(8, '0'));
    const names = marker + ids.map((id) => name(id, null, id, '/app/a.php', 1)).join('');
    const deep = ids.slice(1);
    for (const stack of [['eeeeeeee', ...deep], ids]) {
      const { frames, tree } = readAll(times(4, stack.join(' ')), names);
      expect(frames.map((frame) => frame.name)).toEqual([CUT_STACK.name, ...deep.slice(2)]);
      expect(frames.map(groupOf).slice(0, 2)).toEqual(['outside', 'own']);
      expect(tree).toHaveLength(PROFILE_LIMITS.depth);
      expect(tree.at(-1)?.[2]).toBe(4);
    }
    // Results of older versions have the marker itself.
    expect(groupOf({ name: 'excimer_truncated', file: 'excimer fake file' })).toBe('outside');
  });

  it('are bounded together, as the job that comments reads no larger results', () => {
    const ids = Array.from({ length: 3000 }, (_, i) => String(i).padStart(8, '0'));
    const all = ids.map((id) => name(id, null, id.repeat(25), '/app/a.php'.padEnd(200, 'x'), 1)).join('');
    const stacks = Array.from({ length: 12 }, (_, i) => ids.slice(i * 250, i * 250 + 250).join(' '));
    for (const profiles of [1, 8, 500]) {
      const one = readAll(stacks.map((stack) => times(4, stack)).join(''), all, profileLimitsOf(profiles));
      expect(JSON.stringify(one).length * profiles).toBeLessThan(31 * 2 ** 20);
    }
  });
});

describe('names of functions', () => {
  const IN_ANONYMOUS = 'class@anonymous\0/app/src/a.php:12$0';
  const EVALUATED = "/app/a.php(3) : eval()'d code";
  const IN_CHILD = 'Psr\\Middle@anonymous\0/app/src/a.php:3$1f';
  it.each([
    ['App\\Cart::total::{closure}', 'App\\Cart', '{closure:App\\Cart::total():41}', '/app/a.php', 41],
    ['run::{closure}::{closure}', null, '{closure:{closure:run():3}:5}', '/app/a.php', 5],
    ['{closure}', null, '{closure:/app/public/index.php:3}', '/app/public/index.php', 3],
    ['App\\Cart::{closure}', 'App\\Cart', '{closure}', '/app/a.php', 3],
    ['App\\Cart::{closure}', 'App\\Cart', 'App\\{closure}', '/app/a.php', 3],
    ['class@anonymous::run', 'class@anonymous\0/app/a.php:12$0', 'run', '/app/a.php', 13],
    [
      'class@anonymous::run::{closure}',
      IN_ANONYMOUS,
      `{closure:${IN_ANONYMOUS}::run():14}`,
      '/app/a.php',
      14,
    ],
    ['Psr\\Middle@anonymous::run::{closure}', IN_CHILD, `{closure:${IN_CHILD}::run():5}`, '/app/a.php', 5],
    [
      'Psr\\Middle@anonymous::run::{closure}::{closure}',
      IN_CHILD,
      `{closure:{closure:${IN_CHILD}::run():5}:6}`,
      '/app/a.php',
      6,
    ],
    [
      'A@anonymous::run::{closure}',
      null,
      `{closure:A@anonymous\0${EVALUATED}:1$a::run():5}`,
      '/app/a.php',
      5,
    ],
    ['<script>alert(1)</script>;\n😀', null, '<script>alert(1)</script>;\n😀', '/app/a.php', 1],
  ])('%s has no number of a line in it', (expected, ...raw) => {
    expect(nameOf(...raw)).toBe(expected);
  });
});
