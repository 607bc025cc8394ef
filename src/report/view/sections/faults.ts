import type { ErrorRow, ScenarioSummary, Summary } from '../../../analyse/summary.ts';
import { cut } from '../../../text/plain.ts';
import { answerText, groupAlike, logText } from '../../words/evidence.ts';
import { count } from '../../words/numbers.ts';
import {
  type Column,
  grid,
  left,
  namesText,
  type Part,
  right,
  type Section,
  section,
  variantColumn,
} from '../model.ts';

/** The number of errors of each variant that are shown with a body, and the characters a body is cut to. */
const SAMPLES = 5;
const SAMPLE_CHARACTERS = 500;

type Line = ErrorRow & { variant: string; label: string };

const ERRORS: Column<Line>[] = [
  variantColumn,
  left('Endpoint', ({ endpoint }) => ({ name: endpoint })),
  left('Kind', ({ kind }) => ({ name: kind })),
  right('Count', (line) => count(line.count)),
];

/** How often what went wrong, and the first answer of each kind: one for all variants that gave the same. */
export function errorSection({ rows, bases }: ScenarioSummary): Section[] {
  const own = [...rows, ...bases].map(({ variant, label, errors }) =>
    errors.map((error): Line => ({ ...error, variant, label })),
  );
  const lines = own.flat();
  if (lines.length === 0) return [];
  const samples = own.flatMap((errors) =>
    errors.filter(({ sample, answer, log }) => sample || answer || log).slice(0, SAMPLES),
  );
  const groups = groupAlike(
    samples,
    ({ kind, endpoint }) => `${kind} ${endpoint}`,
    ({ answer, sample, log }) => [answer ?? cut(sample ?? '', SAMPLE_CHARACTERS), log],
  );
  return section('Errors', [grid('Errors', ERRORS, lines), ...groups.flatMap(sampleOf)], true);
}

function sampleOf(alike: readonly [Line, ...Line[]]): Part[] {
  const [{ kind, endpoint, log, ...line }] = alike;
  const variants = alike.map(({ variant }) => variant);
  const title = ['First ', { name: kind }, ' of ', namesText(alike), ' at ', { name: endpoint }, ':'];
  return [
    { kind: 'line', text: title, variants },
    { kind: 'log', text: sampleText(line), variants },
    ...(log
      ? ([
          { kind: 'line', text: 'Logged meanwhile:', variants },
          { kind: 'log', text: logText(log), variants },
        ] as const)
      : []),
  ];
}

function sampleText({ answer, sample }: Pick<Line, 'answer' | 'sample'>): string {
  return answer ? answerText(answer) : cut(sample ?? '', SAMPLE_CHARACTERS);
}

/** Answers and logs of the variants that failed, once for those that failed alike. */
export function logSection({ variants }: Summary): Section[] {
  const failed = variants.flatMap(({ id, label, failure }) => (failure ? [{ id, label, failure }] : []));
  const groups = groupAlike(
    failed,
    ({ failure: { stage, reason } }) => `${stage} ${reason}`,
    ({ failure: { answer, log } }) => [answer, log],
  );
  const parts = groups.flatMap((alike): Part[] => {
    const [{ failure }] = alike;
    const ids = alike.map(({ id }) => id);
    const lines = logText(failure.log, true);
    const line = (text: string): Part => ({ kind: 'line', text: [namesText(alike), text], variants: ids });
    const log = (text: string): Part => ({ kind: 'log', text, variants: ids });
    return [
      ...(failure.answer ? [line(' answered:'), log(answerText(failure.answer))] : []),
      ...(lines.trim() ? [line(' logged:'), log(lines)] : []),
    ];
  });
  return section('Answers and logs of what failed', parts, true);
}
