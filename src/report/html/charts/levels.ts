import { offeredBy } from '../../../analyse/rows/knee.ts';
import type { ScenarioSummary } from '../../../analyse/summary.ts';
import type { Quantile } from '../../../results/quantiles.ts';
import type { Measurement, Step } from '../../../results/results.ts';
import { held } from '../../words/numbers.ts';
import type { Axis, Line, LineChart, LineView } from './chart.ts';
import { type Combine, round, thin } from './thin.ts';
import { byVariant, type Numbers } from './variant-numbers.ts';

/** With fewer levels of load there is nothing to draw over them. */
const LEVELS = 3;
/** Points of all lines of a view together, and the fewest of each. */
const POINTS = 6000;
const FEWEST = 40;

export function pointsPerLine(lines: number): number {
  return Math.max(FEWEST, Math.floor(POINTS / Math.max(1, lines)));
}

/** Right answers per second of a step. */
export function answeredIn(step: Step): number {
  return (step.requests - step.failures) / (step.durationMs / 1000);
}

/** Charts of the levels of load, if there were several: steps of a ramp, or numbers of clients. */
export function levelCharts(
  scenario: ScenarioSummary,
  slices: readonly Measurement[],
  numbers: Numbers,
  serverCpus: number,
): LineChart[] {
  const stepped = slices.filter((slice) => new Set(slice.steps.map(levelOf)).size >= LEVELS);
  if (stepped.length === 0) return [];
  const isOpen = stepped.some((slice) => slice.steps.some((step) => step.offeredRps !== null));
  const charts = [acrossLevels(stepped, numbers, serverCpus, isOpen)];
  return isOpen ? [offeredAgainstAnswered(scenario, stepped, numbers), ...charts] : charts;
}

function levelOf(step: Step): number {
  return step.offeredRps ?? step.vus ?? 0;
}

interface Level {
  offered: number;
  answered: number;
}

function offeredAgainstAnswered(
  { rows, bases }: ScenarioSummary,
  slices: readonly Measurement[],
  numbers: Numbers,
): LineChart {
  const knees = new Map([...rows, ...bases].map(({ variant, holds }) => [variant, holds]));
  const xs: number[][] = [];
  const lines: Line[] = [];
  const marks: LineChart['marks'] = [];
  const groups = byVariant(slices);
  for (const [variant, number] of numbers) {
    const levels = poolLevels(groups.get(variant) ?? []);
    if (levels.length === 0) continue;
    const limit = pointsPerLine(numbers.size);
    lines.push({
      variant: number,
      name: '',
      x:
        xs.push(
          thin(
            levels.map(({ offered }) => offered),
            limit,
            'mean',
          ) as number[],
        ) - 1,
      y: thin(
        levels.map(({ answered }) => answered),
        limit,
        'mean',
      ),
    });
    const knee = knees.get(variant) ?? null;
    if (knee?.kind === 'found') {
      marks.push({ variant: number, x: round(knee.value), text: `${held(knee)} rps` });
    }
  }
  return {
    kind: 'lines',
    id: 'offered-answered',
    title: 'Offered and answered',
    note: 'Right answers per second against what was offered. On the thin line all is answered. The mark is the highest sustained rate. Above it requests queue, so response times grow before answers fall behind.',
    x: { label: 'offered, requests per second', unit: 'rps' },
    diagonal: true,
    xs: shareLists(xs, lines),
    views: [{ name: 'Answered', y: { label: 'right answers per second', unit: 'rps' }, lines }],
    marks,
  };
}

/** The slow requests come first, as a chart may show one view at a time. */
export const LATENCY_VIEWS: readonly Quantile[] = ['p95', 'p99', 'p50'];

/** Readings at each level of the load. */
function readingsOf(serverCpus: number): Reading[] {
  const latency = (key: Quantile): Reading => ({
    name: key,
    y: { label: `${key}, ms`, unit: 'ms', log: true },
    combine: 'max',
    of: (_, steps) => most(steps.map((step) => step.latency?.[`${key}Ms`] ?? null)),
  });
  return [
    ...LATENCY_VIEWS.map(latency),
    {
      name: 'CPU in use',
      y: { label: 'share of the servers’ CPUs', unit: 'share' },
      combine: 'mean',
      of: (slice, steps) =>
        cpuPer(slice, steps, ({ durationMs }) => durationMs * 1000 * Math.max(1, serverCpus)),
    },
    {
      name: 'CPU per request',
      y: { label: 'ms of CPU per request', unit: 'ms' },
      combine: 'mean',
      of: (slice, steps) => cpuPer(slice, steps, ({ requests }) => requests * 1000),
    },
    {
      name: 'Memory',
      y: { label: 'memory of the container', unit: 'bytes' },
      combine: 'max',
      of: (slice, steps) => most(steps.map((step) => memoryWithin(slice, step))),
    },
  ];
}

/** Rates may be pooled over starts: answers and times are summed, level by level. */
function poolLevels(slices: readonly Measurement[]): Level[] {
  const levels = new Map<number, { offered: number; answered: number; ms: number }>();
  for (const slice of slices) {
    for (const step of slice.steps) {
      const offered = offeredBy(slice, step);
      if (offered === null) continue;
      const level = levels.get(levelOf(step)) ?? { offered: 0, answered: 0, ms: 0 };
      level.offered += (offered * step.durationMs) / 1000;
      level.answered += step.requests - step.failures;
      level.ms += step.durationMs;
      levels.set(levelOf(step), level);
    }
  }
  return [...levels.values()]
    .map(({ offered, answered, ms }) => ({
      offered: (offered * 1000) / ms,
      answered: (answered * 1000) / ms,
    }))
    .sort((a, b) => a.offered - b.offered);
}

interface Reading {
  name: string;
  y: Axis;
  combine: Combine;
  /** The value of all steps of a level together; null where nothing is known. */
  of: (slice: Measurement, steps: readonly Step[]) => number | null;
}

/** Steps by what they offer: requests per second, or clients. */
type Levels = ReadonlyMap<number, readonly Step[]>;

/** A load that rises and falls again has two steps of a level. Levels that round to one x are one. */
function groupLevels(slice: Measurement): Levels {
  const sorted = [...slice.steps].sort((a, b) => levelOf(a) - levelOf(b));
  return Map.groupBy(sorted, (step) => round(offeredBy(slice, step) ?? step.vus ?? 0));
}

function acrossLevels(
  slices: readonly Measurement[],
  numbers: Numbers,
  serverCpus: number,
  isOpen: boolean,
): LineChart {
  const xs: number[][] = [];
  const limit = Math.ceil(pointsPerLine(slices.length) / 2);
  const grouped = slices.map(groupLevels);
  const several = new Set(slices.map((slice) => `${slice.instance} ${slice.block}`)).size > 1;
  const at = grouped.map((levels) => xs.push(thin([...levels.keys()], limit, 'mean') as number[]) - 1);
  const views = readingsOf(serverCpus).map(
    ({ name, y, combine, of }): LineView => ({
      name,
      y,
      lines: slices.flatMap((slice, i) => {
        const variant = numbers.get(slice.variant);
        const values = thin(
          [...(grouped[i] as Levels).values()].map((steps) => of(slice, steps)),
          limit,
          combine,
        );
        if (variant === undefined || values.every((value) => value === null)) return [];
        return [{ variant, name: several ? sliceName(slice, slices) : '', x: at[i] as number, y: values }];
      }),
    }),
  );
  return {
    kind: 'lines',
    id: 'load-levels',
    title: 'Across load levels',
    note: 'How response time, CPU and memory grow with the load. Each fresh start is a line of its own.',
    x: isOpen
      ? { label: 'offered, requests per second', unit: 'rps' }
      : { label: 'clients at once', unit: 'vus' },
    ...drawViews(xs, views),
  };
}

/** `start 2`, and the block where there are several. */
export function sliceName({ instance, block }: Measurement, slices: readonly Measurement[]): string {
  const blocks = slices.some((slice) => slice.block !== block);
  return `start ${instance + 1}${blocks ? `, block ${block + 1}` : ''}`;
}

export type Drawn = Pick<LineChart, 'xs' | 'views'>;

/** Views without a line are left out. */
export function drawViews(xs: readonly number[][], views: readonly LineView[]): Drawn {
  const lines = views.flatMap((view) => view.lines);
  return { xs: shareLists(xs, lines), views: views.filter((view) => view.lines.length > 0) };
}

/** Lists that are alike are kept once; the lines learn where. */
function shareLists(xs: readonly number[][], lines: readonly Line[]): number[][] {
  const places = new Map<string, number>();
  const kept: number[][] = [];
  const moved = xs.map((list) => {
    const key = list.join();
    const place = places.get(key) ?? kept.push(list) - 1;
    places.set(key, place);
    return place;
  });
  for (const line of lines) line.x = moved[line.x] as number;
  return kept;
}

/** The largest of what is known; null where nothing is. */
function most(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
}

/** CPU µs of the steps whose CPU is known, divided by an amount of the same steps; null where that is nothing. */
function cpuPer(slice: Measurement, steps: readonly Step[], amountOf: (step: Step) => number): number | null {
  let [us, amount] = [0, 0];
  for (const step of steps) {
    const used = cpuWithin(slice, step);
    if (used === null) continue;
    us += used;
    amount += amountOf(step);
  }
  return amount > 0 ? us / amount : null;
}

/** CPU µs that a step used, from samples that do not meet its ends: what lies between two is taken as even. */
function cpuWithin({ series }: Measurement, { offsetMs, durationMs }: Step): number | null {
  const end = offsetMs + durationMs;
  let [us, before, known] = [0, 0, false];
  for (const { atMs, cpuUs } of series) {
    const overlap = Math.min(atMs, end) - Math.max(before, offsetMs);
    if (overlap > 0 && atMs > before) {
      us += (cpuUs * overlap) / (atMs - before);
      known = true;
    }
    before = atMs;
  }
  return known ? us : null;
}

function memoryWithin({ series }: Measurement, { offsetMs, durationMs }: Step): number | null {
  const within = series.filter(({ atMs }) => atMs > offsetMs && atMs <= offsetMs + durationMs);
  return within.length > 0 ? Math.max(...within.map(({ memoryBytes }) => memoryBytes)) : null;
}
