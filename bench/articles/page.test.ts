import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { makeProfile } from '../../test/fixtures/results/profile.ts';
import { requireOctane } from './apps.ts';
import { commandOf, NAMES } from './articles.ts';
import { condense } from './condense.ts';
import { PAGE, readData, renderPage } from './page.ts';
import { bestOf, renderTables } from './tables.ts';

const page = readFileSync(PAGE, 'utf8');

test('the page has what the data say; else run: bench/articles/run --page', () => {
  expect(renderPage(page, readData)).toBe(page);
});

test.each(NAMES)('the command of %s is the one that gave its numbers; else run it again', (name) => {
  expect(readData(name)?.run.command ?? commandOf(name)).toBe(commandOf(name));
});

test('a page without the markers of an article is refused', () => {
  expect(() => renderPage(page.replace('<!-- shop -->', ''), readData)).toThrow('<!-- shop -->');
});

test('what was not run says so, with its command and claims', () => {
  const bare = renderPage(page, () => null);
  expect(bare.match(/^Not run here\.$/gm)).toHaveLength(NAMES.length);
  for (const name of NAMES) expect(bare).toContain(commandOf(name));
  expect(bare).not.toMatch(/\*\*(confirmed|refuted)\*\*/);
});

describe('tables', () => {
  const ramp = (label: string, capacity: number) => ({ id: label, label, rps: capacity, capacity });

  test('a ramp has a line up to the saturation point and one of all, one that was sustained has one', () => {
    const results = makeProfile({
      servers: [ramp('laravel/fpm', 300), ramp('lumen/Unit', 2000)],
      seconds: 40,
    });
    const lines = renderTables('octane', condense('octane', results, 'abc1234'));
    const names = lines.filter((line) => /^\| (?!:)/.test(line)).map((line) => line.split(' | ')[0]);
    expect(names).toEqual([
      '| stress',
      expect.stringMatching(/^\| \\\* fpm \+ laravel to [23]\d\d ± \d+ rps$/),
      '| fpm + laravel',
      '| Unit + lumen, sustains ≥ 987 rps',
    ]);
    const columns = lines.filter((line) => line.startsWith('|')).map((line) => line.split('|').length);
    expect(new Set(columns).size).toBe(1);
  });

  test.each(NAMES)('%s: each line has as many cells as its head, and text of others does nothing', (name) => {
    const hostile = '<b>|`x`</b>';
    const failure = { stage: 'run', reason: hostile, log: '' } as const;
    const results = makeProfile({
      servers: [{ ...ramp(hostile, 300), failure }, ramp('b', 600)],
      seconds: 20,
    });
    const lines = renderTables(name, condense(name, results, 'abc1234'));
    expect(lines.join('\n')).not.toMatch(/<b>|`x`/);
    lines.forEach((line, i) => {
      if (line.startsWith('|') && lines[i + 1]?.startsWith('|'))
        expect(line.split('|').length).toBe(lines[i + 1]?.split('|').length);
    });
  });

  test('what was disturbed says so first', () => {
    const data = condense('octane', makeProfile({ servers: [ramp('laravel/fpm', 300)], seconds: 20 }), '');
    const { guards } = data.run;
    const disturbed = { ...data.run, guards: { ...guards, foreignCpu: guards.slices } };
    expect(renderTables('octane', data)[0]).toMatch(/^\| stress/);
    expect(renderTables('octane', { ...data, run: disturbed })[0]).toMatch(/^\*\*Disturbed/);
  });

  test('the best three of five', () => {
    expect(bestOf([5, 1, 3, 2, 4])).toBe(4);
    expect(bestOf([2])).toBe(2);
  });
});

test('an app with Octane keeps what it had', () => {
  const { require, name } = JSON.parse(requireOctane('{"name": "x/y", "require": {"php": ">=8.2"}}'));
  expect({ require, name }).toMatchObject({
    name: 'x/y',
    require: { php: '>=8.2', 'laravel/octane': '^2.3' },
  });
});
