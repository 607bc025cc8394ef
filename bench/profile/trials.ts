import type { Why } from '../../src/analyse/why/why-model.ts';

/** Result of the profile of a trial, or why there is none. */
export type Found =
  | { failed: string }
  | (Pick<Why, 'starts' | 'samples' | 'perRequestUs' | 'overhead' | 'every' | 'changeUs' | 'isSure'> & {
      named: { function: string; us: number }[];
      /** Whether the function that does more was named before all others. */
      first: boolean;
      /** Its change, named or not. */
      seenUs?: number;
    });

/** A line of a file: one function does `share` of a request more, none where that is 0. */
export type Trial = Found & {
  at: string;
  runtime: string;
  app: string;
  seed: number;
  share: number;
  function: string;
  seconds: number;
};

/** A trial that has a profile. */
type Shown = Extract<Trial, { named: unknown }>;

/** Largest distance between the time of the verdict and the sum of the named functions, as a share of that time. */
const NEAR = 0.2;

/** A row for each app and runtime. Pure. */
export function formatTrials(trials: readonly Trial[]): string {
  const shown = trials.flatMap((trial): Shown[] => ('named' in trial ? [trial] : []));
  const shares = [...new Set(shown.map(({ share }) => share))]
    .filter((share) => share > 0)
    .sort((a, b) => a - b);
  const rows = new Map<string, Shown[]>();
  for (const trial of shown) {
    const name = `${trial.app} | \`${trial.runtime}\``;
    rows.set(name, [...(rows.get(name) ?? []), trial]);
  }
  const header = [
    ...['app', 'runtime', ...shares.map((share) => `${100 * share} % more: first`), 'equal: anything named'],
    ...[`sum within ${100 * NEAR} % of the verdict`, 'sum ÷ verdict, middle', 'cost of sampling, median'],
  ];
  return [
    `| ${header.join(' | ')} |`,
    `|${' --- |'.repeat(header.length)}`,
    ...[...rows].map(([name, all]) => `| ${name} | ${formatRow(all, shares).join(' | ')} |`),
    ...(shown.length < trials.length ? [`\nWithout a profile: ${trials.length - shown.length}`] : []),
  ].join('\n');
}

function formatRow(all: readonly Shown[], shares: readonly number[]): string[] {
  const of = (some: readonly Shown[], isTrue: (trial: Shown) => boolean) =>
    `${some.filter(isTrue).length} of ${some.length}`;
  const equal = all.filter(({ share }) => share === 0);
  // If the verdict is not sure, there is nothing to compare with.
  const sure = all.filter(({ share, isSure, named }) => share > 0 && isSure && named.length > 0);
  const ratioOf = ({ named, changeUs }: Shown) => named.reduce((sum, { us }) => sum + us, 0) / changeUs;
  return [
    ...shares.map((share) => {
      const some = all.filter((trial) => trial.share === share);
      return of(some, ({ first }) => first);
    }),
    of(equal, ({ named }) => named.length > 0),
    of(sure, (trial) => Math.abs(ratioOf(trial) - 1) <= NEAR),
    middleOf(sure.map(ratioOf))?.toFixed(2) ?? '–',
    formatCost(middleOf(all.flatMap(({ overhead }) => overhead ?? []))),
  ];
}

const formatCost = (cost: number | null) => (cost === null ? '–' : `${(100 * cost).toFixed(1)} %`);

function middleOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a - b);
  const at = (place: number) => sorted[Math.floor(place)] as number;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}
