import type { Row, ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { cleanLine } from '../../text/plain.ts';
import { countLines } from '../counts/count-words.ts';
import type { Names } from '../words/changes.ts';
import { doubt } from '../words/doubt.ts';
import { DOUBTFUL_LEGEND, hasDoubtful, holdsLegend, intervalLegend } from '../words/legends.ts';
import { capacityLegend } from '../words/loads/capacity.ts';
import { thresholdsLine } from '../words/loads/scripted.ts';
import { soakLegend } from '../words/loads/soak.ts';
import { tuned } from '../words/loads/tune.ts';
import { type Name, tradeOffs, verdict } from '../words/ranked.ts';
import { conditions } from '../words/run-facts.ts';
import { exceptions } from '../words/unranked.ts';
import { type Deltas, deltaLegend, deltasOf, findable } from '../words/verdicts.ts';
import type { Medium } from './medium.ts';
import { labelColumn, numberColumns, placeColumn, type RankColumn } from './ranking.ts';
import { tellRows } from './why/cause.ts';

/** Content of the report on a scenario, made once from the summary. A format only decides how it looks. */
export interface ScenarioView {
  title: string;
  /** The result in a sentence; then results of `--tune`, variants that are better otherwise, and missing variants. */
  verdict: string;
  tuned: readonly string[];
  others: readonly string[];
  /** The columns of the ranking, in their order: the place, the variant, the numbers. */
  place: RankColumn;
  label: RankColumn;
  numbers: readonly RankColumn[];
  deltas: Deltas | null;
  ranked: readonly Row[];
  /** Measured rows without a place, each kind with its title. */
  apart: readonly { title: string; rows: readonly Row[] }[];
  failed: readonly Row[];
  /** Variants that were left out. */
  left: number;
  /** Which load, how often. */
  conditions: string;
  /** Meaning of Δ, if it is shown. */
  delta: string;
  /** Meaning of the numbers and signs, and notes that apply to all of them. */
  legend: readonly string[];
  /** Counts and profiles in sentences, for formats that have no section on them. */
  counts: readonly string[];
  functions: string;
}

interface Wording {
  medium: Medium;
  /** How labels stand in sentences, if otherwise. */
  name?: Name;
  /** How texts of others stand in the legend, if otherwise. */
  legend?: Names;
  /** So many variants at most. */
  most?: number;
}

export function viewScenario(
  scenario: ScenarioSummary,
  summary: Summary,
  { medium, name = medium.name, legend = medium, most = Infinity }: Wording,
): ScenarioView {
  const { facts, rows } = scenario;
  const bases = scenario.bases.slice(0, most);
  const shown = rows.slice(0, most);
  const of = (kind: Row['state']['kind'], among = shown) => among.filter(({ state }) => state.kind === kind);
  const deltas = deltasOf(scenario);
  const hasChange = scenario.comparisons.some((one) => one.against !== 'reference' && one.ratio !== null);
  return {
    title: cleanLine(facts.title || facts.name),
    verdict: known([doubt(summary, medium.text), verdict(scenario, name)]).join(' '),
    tuned: tuned(scenario, summary, name),
    others: known([tradeOffs(scenario, name), exceptions(scenario, name)]),
    place: placeColumn(scenario),
    label: labelColumn(scenario),
    numbers: numberColumns(scenario),
    deltas,
    ranked: of('ranked'),
    apart: [
      { title: 'The load generator was the limit', rows: of('generator-bound') },
      { title: 'Not ranked', rows: of('unranked') },
    ].filter((group) => group.rows.length > 0),
    failed: [...of('failed'), ...of('failed', bases)],
    left: rows.length - shown.length + of('failed', scenario.bases.slice(bases.length)).length,
    conditions: cleanLine(conditions(scenario, summary)),
    delta: deltas ? deltaLegend(deltas, summary, legend) : '',
    legend: known([
      deltas || hasChange ? findable(scenario) : '',
      intervalLegend(scenario),
      holdsLegend(scenario),
      capacityLegend(scenario),
      soakLegend(scenario),
      thresholdsLine(scenario, legend),
      hasDoubtful(scenario) ? DOUBTFUL_LEGEND : '',
    ]),
    counts: countLines(scenario, medium),
    functions: tellRows(facts.name, summary, medium),
  };
}

const known = (texts: readonly string[]) => texts.filter((text) => text !== '');
