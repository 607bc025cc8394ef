import { expect, test } from 'vitest';
import { make, quiet } from '../../../../test/fixtures/results/compared.ts';
import type { Server } from '../../../../test/fixtures/results/make.ts';
import { analyse } from '../../../analyse/analyse.ts';
import { type Medium, PLAIN_MARKS, THIS_CHANGE } from '../medium.ts';
import { answerOf } from './answer.ts';

const same = (text: string) => text;
const medium: Medium = {
  ...{ name: same, text: same, code: same, commit: same, call: same, place: same, ...THIS_CHANGE },
  marks: PLAIN_MARKS,
};
const answer = (base: Partial<Server>) => {
  const servers = ['apache', 'caddy'].map((id) => ({ id, ...quiet, base }));
  const found = answerOf(analyse(make(servers, { compareTo: {} })), medium);
  const textOf = (kind: string) => found?.points.find((point) => point.kind === kind)?.text;
  return { headline: found?.headline, sure: textOf('sure'), todo: textOf('todo') };
};

test('a base that fails for all: the reason once, and the step', () => {
  const failure = { stage: 'build', reason: 'composer install failed', log: '' } as const;
  expect(answer({ failure })).toEqual({
    headline: 'Not compared with main',
    sure: 'Reason: main failed to build: composer install failed.',
    todo: 'Fix main, or set compare-to to a commit that works: the full report has the log.',
  });
});

test('a base that answers wrongly for all: the reason once', () => {
  expect(answer({ okRatio: 0.7 }).sure).toMatch(
    /^Cannot tell for apache and caddy: in main: only [\d.]+ % of answers OK, [^.]*\.$/,
  );
});
