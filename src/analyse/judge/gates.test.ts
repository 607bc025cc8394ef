import { describe, expect, test } from 'vitest';
import { deviation, find, make, pair, quiet, setExactly } from '../../../test/fixtures/results/compared.ts';
import type { Comparison, Gate, Results } from '../../results/results.ts';
import { analyse } from '../analyse.ts';
import { compare } from './compare.ts';
import { checkGates } from './gates.ts';

describe('gates', () => {
  const gate: Gate = { source: 'slower > 3%', metric: null, above: 0.03, scenario: null, variant: null };
  /** Head needs 1 + `more` times the CPU, to within ± 0.3 %. */
  const withCpu = (more: number, gates: Gate[]) => {
    const results = pair({}, {}, { gates });
    setExactly(results, (slice) => ({
      busy: 0.99,
      rps: 100,
      cpuUs: slice.variant === 'a' ? 400 * (1 + more) * (1 + deviation(slice)) : 400,
    }));
    return results;
  };
  const failed = (results: Results) => analyse(results).gates.map((result) => result.failed);

  test('fail only on what is surely slower by more', () => {
    expect(failed(withCpu(0.05, [gate]))).toEqual([true]);
    // Slower, surely, and likely by more than 3 %, but not surely.
    expect(find(withCpu(0.031, [gate]), 'cpu').verdict).toBe('slower');
    expect(failed(withCpu(0.031, [gate]))).toEqual([false]);
    expect(failed(withCpu(-0.05, [gate]))).toEqual([false]);
    expect(failed(withCpu(0, [gate]))).toEqual([false]);
  });
  test('look at the metric, scenario and variant that they name', () => {
    const look = (gates: Gate[]) =>
      analyse(withCpu(0.05, gates)).gates.map((result) => [result.failed, result.checks.length]);
    expect(
      look([
        { ...gate, metric: 'cpu' },
        { ...gate, metric: 'rps' },
      ]),
    ).toEqual([
      [true, 1],
      [false, 1],
    ]);
    const general: Gate[] = [
      { ...gate, scenario: 'other' },
      { ...gate, variant: 'other' },
      { ...gate, scenario: 'quick', variant: 'a' },
    ];
    expect(look(general)).toEqual([
      [false, 0],
      [false, 0],
      [true, 1],
    ]);
  });
  test('a gate on the metric of one variant takes it from the general one for that variant alone', () => {
    const primary = (variant: string, reference: string, metric: Comparison['metric']): Comparison => ({
      ...(compare(pair({}, {}, { gates: [gate] })) as [Comparison])[0],
      ...{ variant, reference, metric, primary: true, verdict: 'slower', ratio: 1.1 },
      interval: { low: 1.08, high: 1.12, level: 0.99 },
    });
    const own: Gate = { ...gate, metric: 'cpu', variant: 'other', above: 0.5 };
    const results = pair({}, {}, { gates: [gate, own] });
    const { variant, reference } = (compare(results) as [Comparison])[0];
    const both = (['rps', 'cpu'] as const).map((metric) => primary(variant, reference, metric));
    const metrics = (gates: Gate[]) =>
      checkGates({ ...results, plan: { ...results.plan, gates } }, both)[0]?.checks.map(
        ({ comparison }) => comparison.metric,
      );
    expect(metrics([gate, own])).toEqual(['rps', 'cpu']);
    expect(metrics([gate, { ...own, variant }])).toEqual(['rps']);
    expect(metrics([gate, { ...own, variant, scenario: 'other' }])).toEqual(['rps', 'cpu']);
  });
  test('a gate on the metric that leads allows more of it than the general one, which may have none left', () => {
    const own: Gate = { ...gate, source: 'cpu slower > 10%', metric: 'cpu', above: 0.1 };
    const { gates } = analyse(withCpu(0.05, [gate, own]));
    expect(gates.map(({ failed, unjudged, checks }) => [failed, unjudged, checks.length])).toEqual([
      [false, false, 0],
      [false, false, 1],
    ]);
    expect(gates.map(({ isCovered = false }) => isCovered)).toEqual([true, false]);
  });
  test('less RPS is slower', () => {
    const results = pair({}, {}, { gates: [{ ...gate, metric: 'rps' }] });
    setExactly(results, (slice) => ({
      rps: slice.variant === 'a' ? 94 * (1 + deviation(slice)) : 100,
    }));
    expect(failed(results)).toEqual([true]);
    // Slower, surely, but perhaps by less than 3 %.
    setExactly(results, (slice) => ({ rps: slice.variant === 'a' ? 96.9 * (1 + deviation(slice)) : 100 }));
    expect(find(results, 'rps').verdict).toBe('slower');
    expect(failed(results)).toEqual([false]);
    setExactly(results, (slice) => ({ rps: slice.variant === 'a' ? 106 * (1 + deviation(slice)) : 100 }));
    expect(failed(results)).toEqual([false]);
  });
  test('are judged by an interval within what is allowed, too, and not at all without one', () => {
    const comparison = {
      ...(compare(pair({}, {}, { gates: [gate] })) as [Comparison])[0],
      metric: 'cpu' as const,
      verdict: 'inconclusive' as const,
    };
    const results = pair({}, {}, { gates: [{ ...gate, metric: 'cpu' }] });
    const unjudged = (high: number, detectable: number | null = 0.02) =>
      checkGates(results, [{ ...comparison, detectable, interval: { low: 0.97, high, level: 0.99 } }]).map(
        (result) => result.unjudged,
      );
    expect(unjudged(1.029)).toEqual([false]);
    expect(unjudged(1.031)).toEqual([true]);
    expect(unjudged(1.029, null)).toEqual([true]);
    expect(checkGates(results, [{ ...comparison, interval: null }])[0]?.unjudged).toBe(true);
  });
  test('of the reference itself is not missing a verdict, also if it is not the first', () => {
    const failure = { stage: 'build' as const, reason: 'no network', log: '' };
    const servers = [{ id: 'a', rps: 1, failure }, ...['b', 'c'].map((id) => ({ id, ...quiet }))];
    const unjudged = (variant: string) =>
      analyse(make(servers, { gates: [{ ...gate, variant }] })).gates.map((result) => result.unjudged);
    expect(unjudged('b')).toEqual([false]);
    expect(unjudged('a')).toEqual([true]);
  });
  test('count against the reference only where no other ref was asked for', () => {
    const two = [
      { id: 'a', ...quiet, rps: 80 },
      { id: 'b', ...quiet, rps: 60 },
    ];
    expect(failed(make(two, { gates: [gate] }))).toEqual([true]);
    const missing = make(two, { gates: [gate], compareTo: { reason: 'no such commit' } });
    expect(analyse(missing).gates).toEqual([
      { gate, checks: [], counts: [], failed: false, unjudged: false },
    ]);
  });
});
