import { offeredBy } from '../../../analyse/rows/knee.ts';
import type { Measurement } from '../../../results/results.ts';
import { cleanLine } from '../../../text/plain.ts';
import type { Axis, Line, LineChart, LineView } from './chart.ts';
import { answeredIn, type Drawn, drawViews, LATENCY_VIEWS, pointsPerLine, sliceName } from './levels.ts';
import { type Combine, round, thin } from './thin.ts';
import { byVariant, type Numbers } from './variant-numbers.ts';

/** From this length on a slice is shown by its samples; shorter ones are a point each. */
const LONG_MS = 5000;

/** A number over time: of points in a slice, or of whole slices. */
interface Reading {
  view: string;
  y: Axis;
  combine: Combine;
  within: (slice: Measurement) => Point[];
  whole: (slice: Measurement) => number | null;
}
type Point = readonly [ms: number, value: number | null];

const latency: Reading[] = LATENCY_VIEWS.map((key) => ({
  view: key,
  y: { label: `${key}, ms`, unit: 'ms', log: true },
  combine: 'max',
  within: (slice) => slice.steps.map((step) => [step.offsetMs, step.latency?.[`${key}Ms`] ?? null]),
  whole: (slice) => slice.latency?.[`${key}Ms`] ?? null,
}));

const rate: Reading = {
  view: 'Answered',
  y: { label: 'right answers per second', unit: 'rps' },
  combine: 'mean',
  within: (slice) => slice.steps.map((step) => [step.offsetMs, answeredIn(step)]),
  whole: (slice) => slice.achievedRps * (slice.requests > 0 ? slice.okCount / slice.requests : 0),
};

const resources: Reading[] = [
  {
    view: 'CPU',
    y: { label: 'CPUs in use', unit: 'cores' },
    combine: 'mean',
    within: ({ series }) =>
      series.map(({ atMs, cpuUs }, i) => {
        const span = atMs - (series[i - 1]?.atMs ?? 0);
        return [atMs, span > 0 ? cpuUs / 1000 / span : null];
      }),
    whole: ({ cpu, durationMs }) => cpu && cpu.usedUs / 1000 / durationMs,
  },
  {
    view: 'Memory',
    y: { label: 'memory of the container', unit: 'bytes' },
    combine: 'max',
    within: ({ series }) => series.map(({ atMs, memoryBytes }) => [atMs, memoryBytes]),
    whole: ({ memory }) => memory?.medianBytes ?? null,
  },
  {
    view: 'Processes',
    y: { label: 'processes', unit: 'count' },
    combine: 'max',
    within: ({ series }) => series.map(({ atMs, processes }) => [atMs, processes]),
    whole: ({ processes }) => processes?.median ?? null,
  },
];

/** Charts over the time of a slice, or over that of the run where a slice is one point. None where there is one time only. */
export function timeCharts(slices: readonly Measurement[], numbers: Numbers): LineChart[] {
  if (slices.length === 0) return [];
  const shown = [...slices].sort((a, b) => a.startedMs - b.startedMs);
  const isStepped = shown.some((slice) => slice.steps.length > 1);
  const byStep = layOut(isStepped);
  const bySample = layOut(isStepped || isSampled(shown));
  const offered = isStepped && shown.some(isOpen) ? ' The dashed line is what was offered.' : '';
  const charts: LineChart[] = [
    {
      ...byStep.base,
      id: 'latency-time',
      title: 'Response time over time',
      ...byStep.draw(shown, numbers, latency),
    },
    {
      ...byStep.base,
      id: 'rate-time',
      title: 'Answers over time',
      note: byStep.base.note + offered,
      ...withOffered(byStep.draw(shown, numbers, [rate]), shown),
    },
    {
      ...byStep.base,
      id: 'errors-time',
      title: 'Errors over time',
      note: errorWords(shown, isStepped),
      ...errorLines(shown, numbers, isStepped),
    },
    {
      ...bySample.base,
      id: 'resources-time',
      title: 'CPU and memory over time',
      ...bySample.draw(shown, numbers, resources),
    },
  ];
  return charts.filter(({ xs, views }) => views.length > 0 && new Set(xs.flat()).size > 1);
}

/** Whether samples show the course of a slice. In turns they also cover those of the other variants. */
function isSampled(slices: readonly Measurement[]): boolean {
  return (
    slices.every(({ turnMs }) => turnMs === null) && slices.some(({ durationMs }) => durationMs >= LONG_MS)
  );
}

/** Lines over the time within each slice, or a dot for each slice over the time of the run. */
function layOut(isWithin: boolean) {
  const base: Pick<LineChart, 'kind' | 'dotted' | 'note' | 'x'> = {
    kind: 'lines',
    dotted: !isWithin,
    note: isWithin
      ? 'Each fresh start is a line of its own.'
      : 'A dot is a slice: what drifts here drifted for all.',
    x: isWithin
      ? { label: 'seconds since the load began', unit: 'seconds' }
      : { label: 'minutes since the first slice', unit: 'minutes' },
  };
  return { base, draw: isWithin ? drawWithin : drawWhole };
}

function drawWithin(slices: readonly Measurement[], numbers: Numbers, readings: readonly Reading[]): Drawn {
  const several = new Set(slices.map(({ instance, block }) => `${instance} ${block}`)).size > 1;
  const limit = pointsPerLine(slices.length);
  const xs: number[][] = [];
  const views = readings.map(
    ({ view, y, combine, within }): LineView => ({
      name: view,
      y,
      lines: slices.flatMap((slice) => {
        const variant = numbers.get(slice.variant);
        const points = within(slice);
        if (variant === undefined || points.every(([, value]) => value === null)) return [];
        const times = thin(
          points.map(([atMs]) => atMs / 1000),
          limit,
          'mean',
        ) as number[];
        const values = thin(
          points.map(([, value]) => value),
          limit,
          combine,
        );
        return [{ variant, name: several ? sliceName(slice, slices) : '', x: xs.push(times) - 1, y: values }];
      }),
    }),
  );
  return drawViews(xs, views);
}

function drawWhole(slices: readonly Measurement[], numbers: Numbers, readings: readonly Reading[]): Drawn {
  const began = slices[0]?.startedMs ?? 0;
  const xs: number[][] = [];
  const groups = byVariant(slices);
  const lines = (whole: Reading['whole']) =>
    [...numbers].flatMap(([id, variant]): Line[] => {
      const own = (groups.get(id) ?? []).filter((slice) => whole(slice) !== null);
      if (own.length === 0) return [];
      const x = xs.push(own.map((slice) => minutes(slice, began))) - 1;
      return [{ variant, name: '', x, y: own.map((slice) => round(whole(slice) as number)) }];
    });
  return drawViews(
    xs,
    readings.map(({ view, y, whole }) => ({ name: view, y, lines: lines(whole) })),
  );
}

function minutes({ startedMs }: Measurement, began: number): number {
  return Number(((startedMs - began) / 60_000).toFixed(3));
}

function isOpen(slice: Measurement): boolean {
  return slice.steps.some((step) => step.offeredRps !== null);
}

/** The offered rate is the same for all, so one line shows it. */
function withOffered({ xs, views }: Drawn, slices: readonly Measurement[]): Drawn {
  const slice = slices.find((found) => isOpen(found) && found.steps.length > 1);
  const [view] = views;
  if (!slice || !view) return { xs, views };
  const limit = pointsPerLine(slices.length);
  const x = thin(
    slice.steps.map((step) => step.offsetMs / 1000),
    limit,
    'mean',
  ) as number[];
  const y = thin(
    slice.steps.map((step) => offeredBy(slice, step)),
    limit,
    'mean',
  );
  const line: Line = { variant: null, name: 'offered', dash: true, x: xs.length, y };
  return { xs: [...xs, x], views: [{ ...view, lines: [line, ...view.lines] }, ...views.slice(1)] };
}

function errorWords(slices: readonly Measurement[], isStepped: boolean): string {
  if (!isStepped) return 'Errors of each slice by kind.';
  // Iterations that could not start are no errors: without others there is no such table.
  const kinds = slices.some(({ errors }) => errors.length > 0)
    ? ' The kinds are counted per slice: see ‘Errors’ below.'
    : '';
  return `Wrong, late and missing answers per second, and iterations that could not start in time.${kinds}`;
}

/** Errors of a variant, a line for each kind; within a slice k6 only separates failed from dropped. */
function errorLines(slices: readonly Measurement[], numbers: Numbers, isStepped: boolean): Drawn {
  const xs: number[][] = [];
  const lines: Line[] = [];
  const add: AddLine = (id, name, x, y) => {
    const variant = numbers.get(id);
    if (variant === undefined || y.every((value) => value === 0)) return;
    lines.push({
      variant,
      name: cleanLine(name),
      dash: name.startsWith('not started'),
      x: xs.push(x) - 1,
      y: y.map(round),
    });
  };
  if (isStepped) addSteps(slices, add);
  else addSlices(slices, add);
  const y: Axis = isStepped
    ? { label: 'per second', unit: 'perSecond' }
    : { label: 'errors in a slice', unit: 'count' };
  return drawViews(xs, [{ name: 'Errors', y, lines }]);
}

type AddLine = (id: string, name: string, x: number[], y: number[]) => void;

/** Over the time within each slice. */
function addSteps(slices: readonly Measurement[], add: AddLine): void {
  const limit = pointsPerLine(slices.length);
  const mean = (values: readonly number[]) => thin(values, limit, 'mean') as number[];
  const several = new Set(slices.map(({ instance, block }) => `${instance} ${block}`)).size > 1;
  for (const slice of slices) {
    const { variant, steps, errors } = slice;
    const times = mean(steps.map((step) => step.offsetMs / 1000));
    const perSecond = (of: 'failures' | 'dropped') =>
      mean(steps.map((step) => step[of] / (step.durationMs / 1000)));
    const kinds = [...new Set(errors.map(({ kind }) => kind))];
    const suffix = several ? `, ${sliceName(slice, slices)}` : '';
    add(variant, `${kinds.length === 1 ? kinds[0] : 'failed'}${suffix}`, times, perSecond('failures'));
    add(variant, `not started in time${suffix}`, times, perSecond('dropped'));
  }
}

/** Slice by slice over the run. */
function addSlices(slices: readonly Measurement[], add: AddLine): void {
  const began = slices[0]?.startedMs ?? 0;
  for (const [id, own] of byVariant(slices)) {
    const x = own.map((slice) => minutes(slice, began));
    const counts = (of: (slice: Measurement) => number) => own.map(of);
    const kinds = new Set(own.flatMap(({ errors }) => errors.map(({ kind }) => kind)));
    for (const kind of kinds)
      add(
        id,
        kind,
        x,
        counts((slice) => countOf(slice, kind)),
      );
    add(
      id,
      'not started in time',
      x,
      counts(({ dropped }) => dropped),
    );
  }
}

function countOf({ errors }: Measurement, kind: string): number {
  return errors.reduce((sum, error) => sum + (error.kind === kind ? error.count : 0), 0);
}
