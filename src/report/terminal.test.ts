import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { fixtures, makeResults } from '../../test/fixtures/results/make.ts';
import { analyse } from '../analyse/analyse.ts';
import type { Summary } from '../analyse/summary.ts';
import { renderTable } from './terminal.ts';

const summaries = new Map(Object.entries(fixtures).map(([name, make]) => [name, analyse(make())]));
const table = (name: string, width = 120, color = false) =>
  renderTable(summaries.get(name) as Summary, { width, color });

describe('as people see it', () => {
  test.each(['quick', 'tie', 'one-start', 'mixed', 'journey', 'hostile'])('%s', async (name) => {
    await expect(table(name)).toMatchFileSnapshot(`__golden__/${name}.txt`);
  });
  test.each([80, 60, 40])('mixed in %i columns', async (width) => {
    await expect(table('mixed', width)).toMatchFileSnapshot(`__golden__/mixed-${width}.txt`);
  });
});

describe('width', () => {
  test.each([200, 120, 100, 80, 72, 60, 50])('no line is wider than %i columns', (width) => {
    for (const name of Object.keys(fixtures)) {
      for (const line of table(name, width).split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width);
    }
  });
  test('colour changes no letter', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colour is made of
    const bare = table('mixed', 120, true).replace(/\u001b\[[\d;]*m/g, '');
    expect(bare).toBe(table('mixed'));
  });
  test('narrow: what matters most stays', () => {
    const head = table('mixed', 50)
      .split('\n')
      .find((line) => line.includes('#'));
    expect(head).toMatch(/variant +RPS/);
    expect(head).toContain('p99 ms');
    expect(head).not.toContain('memory');
  });
});

test('generator-bound: a lower bound, below the ranked ones, without a place', () => {
  const text = table('mixed');
  expect(text).toMatch(/^ +swoole +≥ 5,180 /m);
  expect(text.indexOf('nginx-fpm (unix)  ')).toBeLessThan(text.indexOf('swoole  '));
});

test('one start: the legend says what its interval leaves out', () => {
  expect(table('one-start')).toContain('differences between starts are not in it');
});

test('text of others cannot steer the terminal', () => {
  const text = table('hostile');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(text).toContain('日本語サーバーred');
});

test('nothing measured at all', () => {
  const failure = { stage: 'build' as const, reason: 'no such image', log: '' };
  const text = renderTable(analyse(makeResults({ servers: [{ id: 'a', rps: 1, failure }] })), {
    width: 80,
    color: false,
  });
  expect(text).toContain('No variant could be ranked. Failed: a.');
  expect(text).toContain('a: failed to build: no such image');
});
