import { passedRatio } from '../../analyse/rows/script-rows.ts';
import type { Limit, Row, ScenarioSummary, Soak } from '../../analyse/summary.ts';
import type { Estimate } from '../../stats/estimate.ts';
import { hasCapacity } from '../words/loads/capacity.ts';
import { checked, hasChecks, hasFailedChecks } from '../words/loads/scripted.ts';
import { decay, growth, hasSoak } from '../words/loads/soak.ts';
import { atLeast, bytes, digits, held, ms, NOTHING, share, withHalf } from '../words/numbers.ts';
import { hasHolds } from '../words/words.ts';

/** A column of the ranking: what it shows, and what it is sorted by. */
export interface RankColumn {
  key: string;
  title: string;
  unit?: string;
  /** Title and unit for a terminal, where the full ones are too wide. */
  short?: string;
  /** What it is, for a page that shows such a thing. */
  help?: string;
  isText?: boolean;
  /** What the ranking is by. */
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
  const columns: (RankColumn | false)[] = [
    hasHolds(scenario) &&
      limitColumn('holds', 'Holds', 'the highest rate of the ramp that was answered in time'),
    hasCapacity(scenario) &&
      limitColumn('capacity', 'Capacity', 'the highest constant rate that was answered in time'),
    rpsColumn(metric === 'rps'),
    ...(['p50', 'p95', 'p99'] as const).map((key) => latencyColumn(key, key === metric)),
    {
      ...{ key: 'ok', title: 'OK', help: 'share of right answers' },
      cell: ({ okRatio }) => ({ text: share(okRatio), isBad: okRatio !== null && okRatio < 1 }),
      sort: ({ okRatio }) => okRatio,
    },
    hasChecks(scenario) && CHECKS,
    {
      ...{ key: 'cpu', title: 'CPU', unit: 'ms/request', short: 'CPU ms/req' },
      cell: ({ cpuMsPerRequest }) => estimate(cpuMsPerRequest),
      sort: ({ cpuMsPerRequest }) => cpuMsPerRequest?.value ?? null,
    },
    {
      ...{ key: 'memory', title: 'Memory' },
      cell: ({ memory }) => ({ text: memory ? bytes(memory.medianBytes) : NOTHING }),
      sort: ({ memory }) => memory?.medianBytes ?? null,
    },
    ...(hasSoak(scenario) ? SOAK : []),
  ];
  return columns
    .filter((column) => column !== false)
    .map((column) => (column.key === metric ? markBest(column, best) : column));
}

function markBest(column: RankColumn, best: string | null): RankColumn {
  return {
    ...column,
    isMain: true,
    cell: (row) => ({ ...column.cell(row), isBest: row.variant === best }),
  };
}

function estimate(found: Estimate | null): RankCell {
  if (!found) return { text: NOTHING };
  const { value, half } = withHalf(found);
  return { text: value, half };
}

function limitColumn(key: 'holds' | 'capacity', title: string, help: string): RankColumn {
  const cell = (limit: Limit | null) => (limit?.kind === 'found' ? estimate(limit) : { text: held(limit) });
  return {
    ...{ key, title, unit: 'rps', help },
    cell: (row) => cell(row[key]),
    sort: (row) => row[key]?.value ?? null,
  };
}

function rpsColumn(isMain: boolean): RankColumn {
  return {
    ...{ key: 'rps', title: 'RPS' },
    cell: ({ rps, state }) => {
      if (!rps) return { text: NOTHING };
      if (state.kind === 'generator-bound') return { text: atLeast(rps.value) };
      return isMain ? estimate(rps) : { text: digits(rps.value) };
    },
    sort: ({ rps }) => rps?.value ?? null,
  };
}

function latencyColumn(key: 'p50' | 'p95' | 'p99', isMain: boolean): RankColumn {
  return {
    ...{ key, title: key, unit: 'ms' },
    cell: (row) => ({
      ...(isMain ? estimate(row[key]) : { text: ms(row[key]?.value) }),
      isDoubtful: row.doubtful.includes(key),
    }),
    sort: (row) => row[key]?.value ?? null,
  };
}

const CHECKS: RankColumn = {
  ...{ key: 'checks', title: 'Checks', help: 'how often the check that failed most passed' },
  cell: (row) => ({ text: checked(row), isBad: hasFailedChecks(row) }),
  sort: ({ checks: [worst] }) => (worst ? passedRatio(worst) : null),
};

const isLeak = (soak: Soak | null) => soak?.leaks === true;

const SOAK: RankColumn[] = [
  {
    ...{ key: 'growth', title: 'Memory', unit: 'per 1,000 requests', short: 'memory/1,000 req' },
    cell: ({ soak }) => ({ text: growth(soak), isBad: isLeak(soak) }),
    sort: ({ soak }) => soak?.bytesPerThousand.value ?? null,
  },
  {
    ...{ key: 'decay', title: 'RPS', unit: 'start to end', short: 'RPS, end' },
    cell: ({ soak }) => ({ text: decay(soak) }),
    sort: ({ soak }) => soak?.decay?.value ?? null,
  },
];
