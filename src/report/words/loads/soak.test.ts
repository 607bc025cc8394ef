import { expect, test } from 'vitest';
import { makeResults } from '../../../../test/fixtures/results/make.ts';
import { analyse } from '../../../analyse/analyse.ts';
import type { Results } from '../../../results/results.ts';
import { renderAs } from '../../formats.ts';

/** The same value; `seen` is called for everything that is read from it, however deep. */
function watch<T extends object>(value: T, seen: (key: string | symbol) => void): T {
  const known = new WeakMap<object, object>();
  const wrap = (inner: unknown): unknown => {
    if (typeof inner !== 'object' || inner === null) return inner;
    const made =
      known.get(inner) ??
      new Proxy(inner, {
        get(target, key, receiver) {
          seen(key);
          return wrap(Reflect.get(target, key, receiver));
        },
      });
    known.set(inner, made);
    return made;
  };
  return wrap(value) as T;
}

/** Each with its other ref, so that there are comparisons; one start, as tests of all against all are quadratic by nature. */
const make = (variants: number): Results =>
  makeResults({
    servers: Array.from({ length: variants }, (_, i) => ({ id: `s${i}@8.4`, rps: 20 + (i % 50), base: {} })),
    ...{ instances: 1, compareTo: {}, scenario: { blocks: 2 } },
  });

function countAnalysis(variants: number) {
  const found = { all: 0, histograms: 0 };
  analyse(
    watch(make(variants), (key) => {
      found.all++;
      if (key === 'histogram') found.histograms++;
    }),
  );
  return { ...found, slices: variants * 4 };
}

test('four times the variants are four times the work to analyse', () => {
  const [few, many] = [countAnalysis(50), countAnalysis(200)];
  expect(many.all / few.all).toBeLessThan(4.2);
  // Histograms of slices and of endpoints are read for the row, and merged for the comparisons with base and reference.
  expect(many.histograms / many.slices).toBeLessThan(12);
});

test.each(['table', 'md', 'html', 'csv'] as const)(
  'four times the variants are four times the work to render: %s',
  (format) => {
    const count = (variants: number) => {
      const results = make(variants);
      let reads = 0;
      const summary = watch(analyse(results), () => reads++);
      for (const _ of renderAs(format, [results], { width: 200, color: false }, () => summary));
      return reads;
    };
    expect(count(200) / count(50)).toBeLessThan(4.4);
  },
);
