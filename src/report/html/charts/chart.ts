/** Charts that the page's script draws. `charts.ts` makes them with the report, `page/` reads them in the browser. */

import type { Flame } from '../flame/flame.ts';

/** How numbers are written, and what they are. */
export type Unit =
  | 'ms'
  | 'seconds'
  | 'minutes'
  | 'rps'
  | 'vus'
  | 'bytes'
  | 'cores'
  | 'share'
  | 'count'
  | 'perSecond'
  /** −log10(1 − p): 0 is the median of nothing, 1 is p90, 2 is p99. */
  | 'nines';

export interface Axis {
  label: string;
  unit: Unit;
  log?: boolean;
}

/** Lines over a number. */
export interface LineChart {
  kind: 'lines';
  id: string;
  title: string;
  /** Hint on how to read the chart, in a sentence. */
  note: string;
  x: Axis;
  /** Dots that nothing connects: slices in random order. */
  dotted?: boolean;
  /** Draws y = x: what is offered is done. */
  diagonal?: boolean;
  /** Each list of x that some line uses. */
  xs: number[][];
  views: LineView[];
  /** Upright marks: the knee of a variant. */
  marks?: { variant: number; x: number; text: string }[];
}

export interface LineView {
  name: string;
  y: Axis;
  lines: Line[];
}

export interface Line {
  /** Number of the variant; null: of none, drawn in grey. */
  variant: number | null;
  /** Label that distinguishes it from other lines of the variant: `start 2`. */
  name: string;
  dash?: boolean;
  /** Index in `xs`. */
  x: number;
  y: (number | null)[];
}

/** A row of dots for each variant, with the interval. */
export interface DotChart {
  kind: 'dots';
  id: string;
  title: string;
  note: string;
  views: DotView[];
}

export interface DotView {
  name: string;
  axis: Axis;
  rows: DotRow[];
}

export interface DotRow {
  variant: number;
  /** One list per fresh start. */
  starts: number[][];
  /** Number of the fresh start of each list, from 0: one without a value is missing. Empty for values of no measured start. */
  instances: number[];
  value: number | null;
  half: number | null;
  /** `1,234 ± 12`, as the tables have it. */
  text: string;
}

export type Chart = LineChart | DotChart;

export interface PageVariant {
  label: string;
  app: string;
  php: string;
  runtime: string;
  model: string;
}

/** All that the page's script reads. */
export interface PageData {
  groups: {
    /** In the order of the first scenario's ranking, which is that of the colours. */
    variants: PageVariant[];
    charts: Chart[];
    scenarios: { charts: Chart[] }[];
    /** One for each profile; the page refers to each by its index. */
    flames?: Flame[];
  }[];
}
