import { percentileOf } from '../../analyse/rows/pool.ts';
import { passedRatio } from '../../analyse/rows/script-rows.ts';
import type { Limit, Row, ScenarioSummary } from '../../analyse/summary.ts';
import { percentOf, QUANTILES, type Quantile } from '../../results/quantiles.ts';
import type { Estimate } from '../../stats/estimate.ts';
import { hasHolds } from '../words/legends.ts';
import { hasCapacity } from '../words/loads/capacity.ts';
import { checked, hasChecks, hasFailedChecks } from '../words/loads/scripted.ts';
import { decay, growth, hasSoak } from '../words/loads/soak.ts';
import { atLeast, bytes, digits, held, ms, NOTHING, share, withHalf } from '../words/numbers.ts';

/** A column of the ranking: what it shows, and what it is sorted by. */
export interface RankColumn {
  key: string;
  title: string;
  unit?: string;
  /** Title and unit for a terminal, where the full ones are too wide. */
  short?: string;
  /** Explanation of the column, for pages that show one. */
  help?: string;
  isText?: boolean;
  /** The ranking goes by this column. */
  isMain?: boolean;
  cell: (row: Row) => RankCell;
  sort: (row: Row) => number | string | null;
}

export interface RankCell {
  text: string;
  /** Half of the interval; empty where it has none. */
  half?: string;
  isBad?: boolean;
  /** The surely best variant, in the columns that show it. */
  isBest?: boolean;
  /** k6 may have added to it. */
  isDoubtful?: boolean;
}

/** The place of a row; shared places begin with `=`. */
export function placeColumn({ best }: ScenarioSummary): RankColumn {
  return {
    ...{ key: 'rank', title: '#', help: 'place' },
    cell: ({ state, variant }) =>
      state.kind === 'ranked'
        ? { text: `${state.shared ? '=' : ''}${state.rank}`, isBest: variant === best }
        : { text: '' },
    sort: ({ state }) => (state.kind === 'ranked' ? state.rank : null),
  };
}

export function labelColumn({ best }: ScenarioSummary): RankColumn {
  return {
    ...{ key: 'label', title: 'Variant', isText: true },
    cell: ({ label, variant }) => ({ text: label, isBest: variant === best }),
    sort: ({ label }) => label,
  };
}

/** The numbers, in their order: those for which something was measured. */
export function numberColumns(scenario: ScenarioSummary): RankColumn[] {
  const { metric, best } = scenario;
  return NUMBERS.filter(({ when }) => when === undefined || when(scenario)).map((column) => {
    const isMain = column.key === metric;
    const cell = (row: Row) => ({
      ...column.cell(row, isMain),
      ...(isMain && { isBest: row.variant === best }),
    });
    return { ...column, cell, ...(isMain && { isMain }) };
  });
}

/** The same as columns of the CSV, whose names never change. */
export function rankFields(): RankFields {
  const fields = NUMBERS.map(({ key, sort, csv = key, beside }) => ({
    ...(csv !== null && { [csv]: sort }),
    ...beside,
  }));
  return Object.assign({}, ...fields);
}

type RankFields = Readonly<Record<string, (row: Row) => string | number | null | undefined>>;

interface RankNumber extends Omit<RankColumn, 'isMain' | 'cell'> {
  cell: (row: Row, isMain: boolean) => RankCell;
  /** Whether a scenario has it; else all have. */
  when?: (scenario: ScenarioSummary) => boolean;
  /** Name in the CSV, else its key; null: endpoints have the number as well, so the CSV has it anyway. */
  csv?: string | null;
  /** Further fields of the CSV beside it. */
  beside?: RankFields;
}

function estimate(found: Estimate | null): RankCell {
  if (!found) return { text: NOTHING };
  const { value, half } = withHalf(found);
  return { text: value, half };
}

function limitColumn(key: 'holds' | 'capacity', beside: RankFields) {
  const cell = (limit: Limit | null) => (limit?.kind === 'found' ? estimate(limit) : { text: held(limit) });
  return {
    ...{ key, unit: 'rps', csv: `${key}Rps` },
    cell: (row: Row) => cell(row[key]),
    sort: (row: Row) => row[key]?.value ?? null,
    beside: {
      [`${key}Half`]: (row: Row) => row[key]?.half,
      [`${key}Kind`]: (row: Row) => row[key]?.kind,
      ...beside,
    },
  };
}

function latencyColumn(key: Quantile): RankNumber {
  return {
    ...{ key, title: key, unit: 'ms', csv: null },
    cell: (row, isMain) => ({
      ...(isMain ? estimate(row[key]) : { text: ms(row[key]?.value) }),
      isDoubtful: row.doubtful.includes(key),
    }),
    sort: (row) => row[key]?.value ?? null,
  };
}

const heldLatency =
  (key: Quantile) =>
  ({ holds }: Row) =>
    percentileOf(holds?.upTo?.latency, percentOf(key));

const NUMBERS: readonly RankNumber[] = [
  {
    ...limitColumn('holds', {
      holdsOkRatio: ({ holds }) => holds?.upTo?.okRatio,
      ...Object.fromEntries(QUANTILES.map((key) => [`holds${key.toUpperCase()}Ms`, heldLatency(key)])),
    }),
    ...{ title: 'Sustained', help: 'the highest rate of the ramp that was answered in time', when: hasHolds },
  },
  {
    ...limitColumn('capacity', { capacityProbes: ({ capacity }) => capacity?.probes.length }),
    ...{ title: 'Capacity', help: 'the highest constant rate that was answered in time', when: hasCapacity },
  },
  {
    ...{ key: 'rps', title: 'RPS', csv: null },
    cell: ({ rps, state }, isMain) => {
      if (!rps) return { text: NOTHING };
      if (state.kind === 'generator-bound') return { text: atLeast(rps.value) };
      return isMain ? estimate(rps) : { text: digits(rps.value) };
    },
    sort: ({ rps }) => rps?.value ?? null,
  },
  ...QUANTILES.map(latencyColumn),
  {
    ...{ key: 'ok', title: 'OK', help: 'share of right answers', csv: null },
    cell: ({ okRatio }) => ({ text: share(okRatio), isBad: okRatio !== null && okRatio < 1 }),
    sort: ({ okRatio }) => okRatio,
  },
  {
    ...{ key: 'checks', title: 'Checks', help: 'how often the check that failed most passed' },
    when: hasChecks,
    cell: (row) => ({ text: checked(row), isBad: hasFailedChecks(row) }),
    sort: ({ checks: [worst] }) => (worst ? passedRatio(worst) : null),
    csv: 'checksRatio',
    beside: {
      thresholdsMissed: ({ script }) => script?.thresholds.filter(({ state }) => state === 'missed').length,
    },
  },
  {
    ...{ key: 'cpu', title: 'CPU', unit: 'ms/request', short: 'CPU ms/req' },
    cell: ({ cpuMsPerRequest }) => estimate(cpuMsPerRequest),
    sort: ({ cpuMsPerRequest }) => cpuMsPerRequest?.value ?? null,
    csv: 'cpuMsPerRequest',
    beside: { cpuMsPerRequestHalf: ({ cpuMsPerRequest }) => cpuMsPerRequest?.half },
  },
  {
    ...{ key: 'memory', title: 'Memory' },
    cell: ({ memory }) => ({ text: memory ? bytes(memory.medianBytes) : NOTHING }),
    sort: ({ memory }) => memory?.medianBytes ?? null,
    csv: 'memoryMedianBytes',
    beside: { memoryMaxBytes: ({ memory }) => memory?.maxBytes },
  },
  {
    ...{ key: 'growth', title: 'Memory', unit: 'per 1,000 requests', short: 'memory/1,000 req' },
    when: hasSoak,
    cell: ({ soak }) => ({ text: growth(soak), isBad: soak?.leaks === true }),
    sort: ({ soak }) => soak?.bytesPerThousand.value ?? null,
    csv: 'memoryBytesPerThousand',
    beside: {
      memoryBytesPerThousandHalf: ({ soak }) => soak?.bytesPerThousand.half,
      leaks: ({ soak }) => (soak ? String(soak.leaks) : null),
    },
  },
  {
    ...{ key: 'decay', title: 'RPS', unit: 'start to end', short: 'RPS, end' },
    when: hasSoak,
    cell: ({ soak }) => ({ text: decay(soak) }),
    sort: ({ soak }) => soak?.decay?.value ?? null,
    csv: 'rpsDecay',
    beside: { rpsDecayHalf: ({ soak }) => soak?.decay?.half },
  },
];
