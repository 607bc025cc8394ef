import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { judgeInstructions } from '../../src/analyse/judge/instructions.ts';
import { EQUAL, INJECTED, PAGES, writeApp } from './pages.ts';

const [, ...lines] = readFileSync(join(import.meta.dirname, 'data/pages.tsv'), 'utf8')
  .trim()
  .split('\n');
const recorded = new Map(
  lines.map((line) => {
    const [path = '', instructions, percent] = line.split('\t');
    return [path, { instructions: Number(instructions), ratio: 1 + Number(percent) / 100 }];
  }),
);

test('of the recorded pages all with 0.2 % more work are named, and none of the others', () => {
  const verdicts = PAGES.map(({ path, isInjected }) => {
    const { instructions, ratio } = recorded.get(path) ?? { instructions: 0, ratio: 0 };
    const from = instructions / ratio;
    return { isInjected, verdict: judgeInstructions(instructions - from, from) };
  });
  const named = (wanted: boolean) =>
    verdicts.filter(({ isInjected, verdict }) => isInjected === wanted && verdict !== 'same').length;
  expect([recorded.size, named(true), named(false)]).toEqual([INJECTED + EQUAL, INJECTED, 0]);
});

test('sides differ in the text of every page, and in the work of those that are meant to', () => {
  const [base, head] = [writeApp(0), writeApp(1)];
  const units = (text = '') => Number(/\$i < (\d+)/.exec(text)?.[1]);
  for (const { path, isInjected } of PAGES) {
    const [a, b] = [base.get(`pages${path}.php`), head.get(`pages${path}.php`)];
    expect(a).not.toBe(b);
    expect(units(b) / units(a)).toBeCloseTo(isInjected ? 1.002 : 1, 6);
  }
});
