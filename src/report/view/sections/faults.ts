import type { ErrorRow, ScenarioSummary, Summary } from '../../../analyse/summary.ts';
import { cut } from '../../../text/plain.ts';
import { answerText, logText } from '../../words/evidence.ts';
import { count } from '../../words/numbers.ts';
import { type Column, grid, left, type Part, right, type Section, section, variantColumn } from '../model.ts';

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

/** How often what went wrong, and the first answer of each kind. */
export function errorSection({ rows, bases }: ScenarioSummary): Section[] {
  const own = [...rows, ...bases].map(({ variant, label, errors }) =>
    errors.map((error): Line => ({ ...error, variant, label })),
  );
  const lines = own.flat();
  if (lines.length === 0) return [];
  const samples = own.flatMap((errors) =>
    errors
      .filter(({ sample, answer, log }) => sample || answer || log)
      .slice(0, SAMPLES)
      .flatMap(sampleOf),
  );
  return section('Errors', [grid('Errors', ERRORS, lines), ...samples], true);
}

function sampleOf({ variant, label, kind, endpoint, sample, answer, log }: Line): Part[] {
  const text = answer ? answerText(answer) : cut(sample ?? '', SAMPLE_CHARACTERS);
  const title = ['First ', { name: kind }, ' of ', { name: label }, ' at ', { name: endpoint }, ':'];
  return [
    { kind: 'line', text: title, variant },
    { kind: 'log', text, variant },
    ...(log
      ? ([
          { kind: 'line', text: 'Logged meanwhile:', variant },
          { kind: 'log', text: logText(log), variant },
        ] as const)
      : []),
  ];
}

/** Answers and logs of the variants that failed. */
export function logSection({ variants }: Summary): Section[] {
  const parts = variants.flatMap(({ id: variant, label, failure }): Part[] => {
    if (!failure?.answer && !failure?.log.trim()) return [];
    const lines = logText(failure.log, true);
    const line = (text: string): Part => ({ kind: 'line', text: [{ name: label }, text], variant });
    const log = (text: string): Part => ({ kind: 'log', text, variant });
    return [
      ...(failure.answer ? [line(' answered:'), log(answerText(failure.answer))] : []),
      ...(lines.trim() ? [line(' logged:'), log(lines)] : []),
    ];
  });
  return section('Answers and logs of what failed', parts, true);
}
