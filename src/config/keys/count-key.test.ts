import { describe, expect, test } from 'vitest';
import { parseGate } from './compare-key.ts';

const all = { scenario: null, variant: null, metric: null };

describe('gates on counts', () => {
  test.each([
    ['queries more', { count: 'queries', above: 0, more: 0 }],
    ['queries  more > 2', { count: 'queries', above: 0, more: 2 }],
    ['queries more>0.5', { count: 'queries', above: 0, more: 0.5 }],
    ['queries > 20%', { count: 'queries', above: 0.2 }],
    ['instructions more > 0.5%', { count: 'instructions', above: 0.005 }],
    ['temporary-tables-on-disk more', { count: 'temporary-tables-on-disk', above: 0, more: 0 }],
    [
      'deprecations more in paths on apache@8.4[a=b]',
      { count: 'deprecations', above: 0, more: 0, scenario: 'paths', variant: 'apache@8.4[a=b]' },
    ],
  ])('%s', (text, gate) => {
    expect(parseGate(text)).toEqual({ ...all, ...gate, source: text.replaceAll(/ +/g, ' ') });
  });

  test.each([
    ['queries', 'not a limit'],
    ['queries less', 'not a limit'],
    ['more', 'not a limit'],
    ['query more', 'unknown count'],
    ['queries more > x', 'not a number'],
    ['queries > 0%', 'not a percentage'],
    ['queries > 20', 'it is not clear whether this is a number or a share'],
    ['queries slower > 3%', 'a count is more or fewer, not slower'],
    ['__proto__ more', 'unknown count'],
  ])('%s is refused: %s', (text, message) => {
    expect(() => parseGate(text)).toThrow(message);
  });
});
