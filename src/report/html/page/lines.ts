import uPlot from 'uplot';
import type { Axis, Line, LineChart, LineView } from '../charts/chart.ts';
import { cssColor, isDashed, variantColor } from './dom.ts';
import { format, formatTick, ticks } from './format.ts';
import type { Tooltip, TooltipReading } from './tooltip.ts';

const FONT = '12px system-ui, sans-serif';
const HEIGHT = 300;
/** How near the cursor has to be to a line to pick it out, in pixels. */
const NEAR = 24;

/** Draws lines into `target` and shows in `tooltip` what is under the cursor. */
export class LinePlot {
  private readonly plot: uPlot;

  constructor(
    chart: LineChart,
    view: LineView,
    lines: readonly Line[],
    target: HTMLElement,
    tooltip: Tooltip,
    labelOf: (line: Line) => string,
  ) {
    const tables = lines.map(
      (line) => [chart.xs[line.x] as number[], line.y] as unknown as uPlot.AlignedData,
    );
    const data = uPlot.join(tables);
    const read = (u: uPlot) => {
      const { idx } = u.cursor;
      if (idx == null) return tooltip.hide();
      const readings = lines.flatMap((line, i): TooltipReading[] => {
        const at = u.cursor.idxs?.[i + 1];
        const value = at == null ? null : (u.data[i + 1]?.[at] ?? null);
        if (value === null) return [];
        const isNear = (u.series[i + 1] as { _focus?: boolean })._focus === true;
        return [
          { variant: line.variant, name: labelOf(line), value, text: format(value, view.y.unit), isNear },
        ];
      });
      const x = (u.data[0] as number[])[idx] as number;
      tooltip.show(
        format(x, chart.x.unit),
        readings,
        (u.cursor.left ?? 0) + u.bbox.left / devicePixelRatio,
        (u.cursor.top ?? 0) + u.bbox.top / devicePixelRatio,
      );
    };
    const width = Math.max(200, target.clientWidth);
    this.plot = new uPlot(optionsOf(chart, view, lines, width, read), data, target);
  }

  /** Moves to the next value by the keyboard; far: to the first or last. */
  step(by: number): void {
    const xs = this.plot.data[0] as number[];
    const now = this.plot.cursor.idx;
    const from = now ?? (by > 0 ? -1 : xs.length);
    const next = Math.min(xs.length - 1, Math.max(0, from + by));
    const left = this.plot.valToPos(xs[next] as number, 'x');
    this.plot.setCursor({ left, top: this.plot.bbox.height / devicePixelRatio / 2 });
  }

  leave(): void {
    this.plot.setCursor({ left: -10, top: -10 });
  }

  resize(width: number): void {
    if (width > 0 && Math.abs(width - this.plot.width) > 1) this.plot.setSize({ width, height: HEIGHT });
  }

  destroy(): void {
    this.plot.destroy();
  }
}

/** @param read is called when the cursor moves */
function optionsOf(
  chart: LineChart,
  view: LineView,
  lines: readonly Line[],
  width: number,
  read: (u: uPlot) => void,
): uPlot.Options {
  return {
    ...{ width, height: HEIGHT },
    padding: [12, chart.x.unit === 'nines' ? 28 : 16, 0, 0],
    legend: { show: false },
    focus: { alpha: lines.length > 1 ? 0.35 : 1 },
    cursor: {
      focus: { prox: NEAR },
      points: { size: 7 },
      y: false,
      dataIdx: nearestKnown,
    },
    scales: {
      x: { time: false, range: (_, low, high) => (low === high ? [low - 1, high + 1] : [low, high]) },
      y: view.y.log
        ? { distr: 3, range: (_, low, high) => logRange(low, high) }
        : { range: (_, _low, high) => [0, (high || 1) * 1.06] },
    },
    axes: [axisOf(chart.x, 'x'), axisOf(view.y, 'y')],
    series: [{}, ...lines.map((line) => seriesOf(line, chart.dotted === true))],
    hooks: {
      setLegend: [read],
      setCursor: [read],
      drawAxes: [(u) => drawGuides(u, chart, new Set(lines.map(({ variant }) => variant)))],
    },
  };
}

/**
 * Lines have points of their own at other x: of each the nearest to the cursor is read. There it may have no value, which is
 * null and not undefined. Beyond an end, a line is read for as far as its last two points are apart.
 */
export function nearestKnown(
  { data }: Pick<uPlot, 'data'>,
  series: number,
  closest: number,
  x: number,
): number {
  const [xs, ys] = [data[0] as number[], data[series] as (number | null | undefined)[]];
  if (series === 0 || ys[closest] !== undefined) return closest;
  const seek = (from: number, by: number) => {
    let at = from;
    while (at >= 0 && at < ys.length && ys[at] === undefined) at += by;
    return at;
  };
  const [before, after] = [seek(closest, -1), seek(closest, 1)];
  const apart = (one: number, other = x) => Math.abs((xs[one] as number) - other);
  if (before >= 0 && after < ys.length) return apart(before) <= apart(after) ? before : after;
  const [end, by] = before < 0 ? [after, 1] : [before, -1];
  // Not a number where there is no other point.
  return apart(end) <= apart(seek(end + by, by), xs[end]) ? end : closest;
}

function logRange(low: number, high: number): [number, number] {
  const least = low > 0 ? low : 0.001;
  return [least / 1.15, Math.max(high, least * 1.5) * 1.15];
}

const P = [0, -Math.log10(0.5), 1, 2, 3, 4];

function axisOf(axis: Axis, side: 'x' | 'y'): uPlot.Axis {
  const grid = { stroke: cssColor('grid'), width: 1 };
  return {
    stroke: cssColor('muted'),
    font: FONT,
    grid: side === 'x' && axis.unit !== 'nines' ? { show: false } : grid,
    ticks: { ...grid, size: 4 },
    gap: 6,
    ...(axis.unit === 'nines'
      ? { splits: (_u, _axis, _low, high) => P.filter((nines) => nines <= high) }
      : {}),
    values: (_, splits) => splits.map((value) => (value === null ? null : formatTick(value, axis.unit))),
    ...(axis.log
      ? { splits: (_u, _axis, low, high) => logTicks(low, high), filter: (_u, splits) => splits }
      : {}),
    ...(side === 'y'
      ? {
          size: (_, values) =>
            14 + 6.6 * Math.max(2, ...(values ?? []).map((text) => String(text ?? '').length)),
        }
      : { size: 32 }),
  };
}

/** On a log axis 1, 2 and 5 of each power, or the powers alone; where that leaves next to nothing, even steps. */
function logTicks(low: number, high: number): number[] {
  const decades = Math.log10(high / low);
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(decades) + 2 }, (_, i) => 10 ** (first + i));
  const found = powers
    .flatMap((power) => (decades < 3.5 ? [power, 2 * power, 5 * power] : [power]))
    .map((value) => Number(value.toPrecision(3)))
    .filter((value) => value >= low && value <= high);
  return found.length > 2 ? found : ticks(low, high, 5, 'ms');
}

function seriesOf(line: Line, dotted: boolean): uPlot.Series {
  const color = variantColor(line.variant);
  const dash = line.variant === null ? [6, 4] : line.dash ? [3, 3] : isDashed(line.variant) ? [8, 4] : [];
  const isLone = line.y.filter((value) => value !== null).length < 2;
  return {
    stroke: color,
    width: line.variant === null ? 1.25 : 1.75,
    dash,
    spanGaps: false,
    ...(dotted ? { paths: () => null } : {}),
    points: { show: dotted || isLone, size: 6, fill: color, width: 0 },
  };
}

/** Guides behind the lines: y = x, and the knee of each variant. */
function drawGuides(u: uPlot, chart: LineChart, drawn: ReadonlySet<number | null>): void {
  const { ctx, bbox } = u;
  const clip = () => {
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.lineWidth = devicePixelRatio;
  };
  if (chart.diagonal) {
    const { min, max } = u.scales.x as { min: number; max: number };
    clip();
    ctx.strokeStyle = cssColor('faint');
    ctx.beginPath();
    ctx.moveTo(u.valToPos(min, 'x', true), u.valToPos(min, 'y', true));
    ctx.lineTo(u.valToPos(max, 'x', true), u.valToPos(max, 'y', true));
    ctx.stroke();
    ctx.restore();
  }
  for (const { variant, x } of chart.marks ?? []) {
    if (!drawn.has(variant)) continue;
    const [left, top] = [u.valToPos(x, 'x', true), u.valToPos(x, 'y', true)];
    clip();
    ctx.strokeStyle = variantColor(variant);
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(left, bbox.top + bbox.height);
    ctx.lineTo(left, top);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.lineWidth = 2 * devicePixelRatio;
    ctx.beginPath();
    ctx.arc(left, top, 5 * devicePixelRatio, 0, 2 * Math.PI);
    ctx.fillStyle = cssColor('card');
    ctx.fill();
    ctx.stroke();
    ctx.restore();
  }
}
