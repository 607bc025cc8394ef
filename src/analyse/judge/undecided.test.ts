import { describe, expect, test } from 'vitest';
import { deviation, find, pair, setExactly } from '../../../test/fixtures/results/compared.ts';
import type { Server, Setup } from '../../../test/fixtures/results/make.ts';
import type { CompareMetric, Measurement, Results } from '../../results/results.ts';
import { isCurable, isTooNoisy } from './compare.ts';

describe('what keeps a comparison from a verdict', () => {
  /** 10 % more CPU and fewer RPS, surely. */
  const sure = (setup: Partial<Setup> = {}, more: Partial<Server> = {}) =>
    pair({}, { cpuMs: 0.44, rps: 54, ...more }, setup);
  const reasons = (results: Results, metric: CompareMetric) => {
    const { verdict, reasons } = find(results, metric);
    return [verdict, ...reasons];
  };
  test('nothing here', () => {
    const results = pair({ cpuMs: 0.4, rps: 60 }, { cpuMs: 0.44, rps: 54 });
    expect([find(results, 'cpu').verdict, find(results, 'rps').verdict]).toEqual(['slower', 'slower']);
  });
  test('three starts: the numbers are there, the verdict is not', () => {
    const results = pair({ cpuMs: 0.4 }, { cpuMs: 0.8 }, { instances: 3 });
    expect(find(results, 'cpu')).toMatchObject({
      ...{ verdict: 'inconclusive', reasons: ['3 pairs of fresh starts, 4 needed'] },
      ...{ ratio: expect.closeTo(2, 1), interval: { level: 0.99 }, adjustedP: null, detectable: null },
    });
    expect([isTooNoisy(find(results, 'cpu')), isCurable(find(results, 'cpu'))]).toEqual([false, true]);
  });
  test('more than a quarter of the slices failed', () => {
    const spoil = (count: number) =>
      sure({
        change({ measurements }) {
          const own = measurements.filter(({ variant }) => variant === 'a');
          for (const slice of own.slice(0, count)) slice.outcome = 'void';
        },
      });
    expect(find(spoil(6), 'cpu')).toMatchObject({ reasons: [], slices: 18, dropped: 6 });
    expect(reasons(spoil(7), 'cpu')).toEqual([
      'inconclusive',
      '29.1 % of the pairs of slices failed or were void and were left out',
    ]);
  });
  test('the load generator was the limit: RPS and latency say nothing, CPU does', () => {
    const results = pair({ cpuMs: 0.4 }, { cpuMs: 0.44, bound: 'k6 used 97 % of its CPU' });
    for (const metric of ['rps', 'p50', 'p99'] as const) {
      expect(reasons(results, metric)).toEqual([
        'inconclusive',
        'the load generator was the limit for a: k6 used 97 % of its CPU',
        // The base has a reason of its own, not that of its head.
        'the load generator was the limit for a (base): k6 used 97 % of its CPU',
      ]);
    }
    expect(find(results, 'cpu').verdict).toBe('slower');
  });
  test('k6 was half busy: latency says nothing, RPS does', () => {
    const results = pair({ rps: 60 }, { rps: 50, busyRatio: 0.6 });
    expect(reasons(results, 'p50')[1]).toBe('k6 was 60 % busy with a: part of the latency may be its own');
    expect(find(results, 'rps').verdict).toBe('slower');
  });
  test('wrong answers', () => {
    const results = pair({ okRatio: 1 }, { okRatio: 0.5, rps: 100 });
    expect(reasons(results, 'rps')).toEqual([
      'inconclusive',
      expect.stringMatching(/^a: only 50.* % of answers OK, 99 % needed; mostly http 500 at \/$/),
    ]);
  });
  test('a rate that was missed: latency says nothing, CPU does', () => {
    const results = pair({ cpuMs: 0.4 }, { cpuMs: 0.44, p50Ms: 4, dropped: 0.3 }, { offeredRps: 60 });
    expect(reasons(results, 'p50')[1]).toContain('did not sustain the rate');
    expect(find(results, 'cpu').verdict).toBe('slower');
  });
  test('the other ref did not build', () => {
    const results = pair({ failure: { stage: 'build', reason: 'composer failed', log: '' } });
    expect(reasons(results, 'cpu')[1]).toBe('a (base) failed: composer failed');
    expect(isCurable(find(results, 'cpu'))).toBe(false);
  });
  test('more CPU per request and yet more RPS, with the CPUs full', () => {
    const contradict = (rps: number) => {
      const results = pair({});
      setExactly(results, (slice) => {
        const head = slice.variant === 'a' ? 1 : 0;
        const noise = 1 + head * deviation(slice);
        return { busy: 0.99, cpuUs: 400 * (1 + 0.05 * head) * noise, rps: 100 * (1 + rps * head) * noise };
      });
      return results;
    };
    expect(find(contradict(-0.05), 'cpu').verdict).toBe('slower');
    expect(find(contradict(0), 'cpu').verdict).toBe('slower');
    expect(reasons(contradict(0.05), 'cpu')).toEqual([
      'inconclusive',
      'more CPU per request, but also more RPS',
    ]);
    expect(isCurable(find(contradict(0.05), 'cpu'))).toBe(false);
  });
});

describe('slices that were disturbed', () => {
  const disturb = (which: (slice: Measurement) => boolean) =>
    pair(
      { cpuMs: 0.4 },
      { cpuMs: 0.44 },
      {
        change({ measurements }) {
          for (const slice of measurements) if (which(slice)) slice.guards.stallMs = 99;
        },
      },
    );
  const nth = (slice: Measurement) => 3 * slice.instance + slice.block;

  test('are left out where they are few', () => {
    const few = disturb((slice) => nth(slice) < 6);
    expect(find(few, 'cpu')).toMatchObject({ slices: 18, dropped: 6, disturbed: 0, reasons: [] });
  });
  test('all count where too little would be left, and the verdict says so', () => {
    expect(
      find(
        disturb((slice) => nth(slice) < 7),
        'cpu',
      ),
    ).toMatchObject({
      ...{ slices: 24, dropped: 0, disturbed: 7, verdict: 'slower', pairs: 8 },
      reasons: ['29.1 % of the pairs of slices were disturbed; all count, so the interval is wider'],
    });
    expect(
      find(
        disturb(() => true),
        'cpu',
      ),
    ).toMatchObject({
      ...{ slices: 24, disturbed: 24, verdict: 'slower' },
      reasons: [expect.stringMatching(/^100 % of/)],
    });
  });
  test('explain noise, and more starts help', () => {
    const noisy = pair(
      { cpuMs: 0.4, instanceSd: 0.2 },
      { cpuMs: 0.41, instanceSd: 0.2 },
      {
        change({ measurements }) {
          for (const slice of measurements) slice.guards.stallMs = 99;
        },
      },
    );
    const found = find(noisy, 'cpu');
    expect(found).toMatchObject({ verdict: 'inconclusive', reasons: [expect.stringMatching(/disturbed/)] });
    expect([isTooNoisy(found), isCurable(found)]).toEqual([true, true]);
  });
  test('all count where fewer starts would be left than a verdict needs', () => {
    const { measurements, ...rest } = disturb(({ instance }) => instance === 0);
    const four = { ...rest, measurements: measurements.filter(({ instance }) => instance < 4) };
    expect(find(four, 'cpu')).toMatchObject({ pairs: 4, slices: 12, disturbed: 3, verdict: 'slower' });
    const five = { ...rest, measurements: measurements.filter(({ instance }) => instance < 5) };
    expect(find(five, 'cpu')).toMatchObject({ pairs: 4, slices: 12, disturbed: 0, dropped: 3 });
  });
});
