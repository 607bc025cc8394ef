import { isMore } from '../analyse/rank.ts';
import type { Limit, Row, ScenarioSummary, Summary } from '../analyse/summary.ts';
import type { Variant } from '../results.ts';
import { hasCapacity } from './capacity.ts';
import { digits, estimated, held, points } from './numbers.ts';
import type { Name } from './words.ts';

/**
 * What came of `--tune`: of each runtime the value with the best number (the capacity where it was searched for, else what
 * ranks), and by how much it is better than the one that was chosen; or that none surely is. Empty where nothing was
 * tuned.
 */
export function tuned(scenario: ScenarioSummary, { plan, variants }: Summary, name: Name): string[] {
  const { tune } = plan;
  if (!tune) return [];
  const measure = hasCapacity(scenario) ? 'capacity' : scenario.metric;
  const groups = new Map<string, Variant[]>();
  for (const variant of variants.filter(({ ref, options }) => ref === null && Object.hasOwn(options, tune))) {
    const { app, php, runtime, options } = variant;
    const key = JSON.stringify([app, php, runtime, { ...options, [tune]: null }]);
    groups.set(key, [...(groups.get(key) ?? []), variant]);
  }
  return [...groups.values()].flatMap((group) => {
    const tried = group.flatMap((variant) => {
      const row = scenario.rows.find((found) => found.variant === variant.id);
      return row?.state.kind === 'ranked' && row[measure] ? [{ row, value: variant.options[tune] }] : [];
    });
    // As it was chosen comes first in the plan.
    const own = tried.find(({ row }) => row.variant === group[0]?.id);
    if (!own || tried.length < 2) return [];
    return [`${name(own.row.label)}: ${judge(measure, own, tried, tune)}`];
  });
}

type Measure = ScenarioSummary['metric'] | 'capacity';

interface Tried {
  row: Row;
  value: unknown;
}

function judge(measure: Measure, own: Tried, tried: readonly Tried[], tune: string): string {
  const sign = measure === 'capacity' || isMore(measure) ? 1 : -1;
  const of = ({ row }: Tried) => row[measure]?.value as number;
  const limitOf = ({ row }: Tried): Limit | null =>
    measure === 'holds' || measure === 'capacity' ? row[measure] : null;
  // Of a bound there is no half: what was held to the end is at least that. Of a single measurement nobody knows.
  const isBound = (one: Tried, kind: 'beyond' | 'below') => limitOf(one)?.kind === kind;
  const half = (one: Tried) =>
    one.row[measure]?.half ?? (isBound(one, 'beyond') || isBound(one, 'below') ? 0 : Infinity);
  const amount = (one: Tried) => {
    const limit = limitOf(one);
    return limit
      ? `${held(limit)} rps`
      : `${estimated(one.row[measure])} ${measure === 'rps' ? 'rps' : 'ms'}`;
  };
  const values = tried.map(({ value }) => Number(value)).sort((a, b) => a - b);
  const range = `${tune} from ${values[0]} to ${values.at(-1)}`;
  const [best] = [...tried].sort((a, b) => sign * (of(b) - of(a)));
  const isSure =
    best &&
    best !== own &&
    !isBound(best, 'below') &&
    !isBound(own, 'beyond') &&
    sign * (of(best) - of(own)) > half(best) + half(own);
  const way = measure === 'capacity' ? ' by capacity' : '';
  if (!best || !isSure) return `of ${range} none is surely better${way} than ${own.value} (${amount(own)}).`;
  const ratio = sign > 0 ? of(best) / of(own) : of(own) / of(best);
  const by = ratio >= 2 ? `${digits(ratio)} times as good as` : `${points(ratio - 1)} better than`;
  return `of ${range} the best${way} is ${best.value} (${amount(best)}), ${by} ${own.value} (${amount(own)}).`;
}
