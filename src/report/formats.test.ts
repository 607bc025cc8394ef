import { expect, test } from 'vitest';
import { fixtures } from '../../test/fixtures/results/make.ts';
import { analyse } from '../analyse/analyse.ts';
import type { Results } from '../results/results.ts';
import { renderMarkdown } from './format/markdown.ts';
import { renderTable } from './format/terminal.ts';
import * as formats from './formats.ts';

const terminal = { width: 80, color: true };
const [quick, journey] = ['quick', 'journey'].map((name) => fixtures[name]?.()) as [Results, Results];
const renderAs = (...asked: Parameters<typeof formats.renderAs>) => [...formats.renderAs(...asked)].join('');

test('each form stands alone, to its last line break', () => {
  const summary = analyse(quick);
  expect(renderAs('table', [quick], terminal)).toBe(renderTable(summary, terminal));
  expect(renderAs('md', [quick], terminal)).toBe(renderMarkdown(summary));
  expect(renderAs('html', [quick], terminal)).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/);
  expect(renderAs('json', [quick], terminal)).toBe(`${JSON.stringify(quick)}\n`);
  expect(renderAs('csv', [quick], terminal)).toMatch(/^run,[^\n]*\n(r-20260131-090000,[^\n]*\n){6}$/);
});

test('only a table is coloured', () => {
  const isColoured = (format: 'table' | 'md' | 'csv') =>
    renderAs(format, [quick], terminal).includes('\u001b[');
  expect(isColoured('table')).toBe(true);
  expect([isColoured('md'), isColoured('csv')]).toEqual([false, false]);
});

test('several groups: one list, one head of columns', () => {
  const groups = [quick, journey];
  expect(JSON.parse(renderAs('json', groups, terminal))).toEqual(groups);
  expect(renderAs('csv', groups, terminal).match(/^run,/gm)).toHaveLength(1);
  expect(renderAs('md', groups, terminal)).toContain('# Group 2 of 2');
  expect(renderAs('table', groups, terminal)).toContain('Register and log in');
});

test('several groups in a terminal: each under its title, below a warning', () => {
  const text = renderAs('table', [quick, journey], { width: 200, color: false });
  const places = ['do not compare across them', 'Group 1 of 2: ', 'Hello, server', 'Group 2 of 2: '].map(
    (part) => text.indexOf(part),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual([...places].sort((a, b) => a - b));
});
