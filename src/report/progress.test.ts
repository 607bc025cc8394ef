import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { makeProgress } from './progress.ts';

/** A terminal of so many columns that wraps as they do: what stands on it after all was written. */
function screen(columns: number, steps: (progress: ReturnType<typeof makeProgress>) => void): string[] {
  const lines = [''];
  const write = (text: string) => {
    for (const { segment } of new Intl.Segmenter().segment(text.replaceAll('\x1b[K', '\u0007'))) {
      const line = lines.at(-1) ?? '';
      if (segment === '\r') lines[lines.length - 1] = '';
      else if (segment === '\n') lines.push('');
      else if (segment === '\u0007') continue;
      else if (stringWidth(line + segment) > columns) lines.push(segment);
      else lines[lines.length - 1] = line + segment;
    }
  };
  steps(makeProgress(write, () => columns));
  return lines;
}

const WHAT = 'instance 3/12: checkout of a shop that has a long name, 日本語サーバー';

test.each([20, 40, 60, 80, 200])('leaves nothing of itself behind in %i columns', (columns) => {
  const steps = (progress: ReturnType<typeof makeProgress>) => {
    for (const share of [0.1, 0.2, 0.3]) progress.at(WHAT, share, 100);
    progress.say('nginx-fpm failed');
    progress.at(WHAT, 0.4, 90);
    progress.end();
  };
  expect(screen(columns, steps)).toEqual(['nginx-fpm failed', '']);
});

test('shows as much as there is room for', () => {
  const [line = ''] = screen(30, (progress) => progress.at(WHAT, 0.1, 100));
  expect(line).toMatch(/^ 10 % {2}instance 3\/12: .*…$/);
  expect(stringWidth(line)).toBeLessThan(30);
  expect(screen(120, (progress) => progress.at('warm-up', 0.5, 60))).toEqual([
    ' 50 %  warm-up  about 1 min left',
  ]);
});

test('promises no end where more is done than was planned', () => {
  expect(screen(80, (progress) => progress.at('cold start of apache', 1, 0))).toEqual([
    ' 99 %  cold start of apache',
  ]);
});

test('follows a terminal whose width changes, and prints no control characters of others', () => {
  let columns = 80;
  const written: string[] = [];
  const progress = makeProgress(
    (text) => written.push(text),
    () => columns,
  );
  columns = 12;
  progress.at('\u001b[31mred', 0.1, 100);
  expect(written).toEqual([' 10 %  red…']);
});

test('is a line for each thing where there is no terminal', () => {
  const written: string[] = [];
  const progress = makeProgress(
    (text) => written.push(text),
    () => null,
  );
  for (const share of [0.1, 0.2]) progress.at(WHAT, share, 100);
  expect(written).toEqual([` 10 %  ${WHAT}  about 1 min 40 s left\n`]);
});
