import type { ScenarioSummary } from '../../analyse/summary.ts';
import { cleanLine, cutMiddle } from '../../text/plain.ts';
import { drawnValue } from '../words/ranked.ts';
import { codeBlock } from './escape.ts';

/** More of them are read in the table. */
const BARS = 12;
const LABEL = 28;
/** Ticks from here on run into each other. */
const MANY = 10_000;

interface Bar {
  label: string;
  value: number;
}

/**
 * The ranked values as bars from zero: a Mermaid chart, which GitHub draws
 * (https://mermaid.js.org/syntax/xyChart.html). Empty where there are no two bars. The table has the intervals.
 */
export function renderChart({ rows, metric }: ScenarioSummary): string {
  const bars = rows
    .filter(({ state }) => state.kind === 'ranked')
    .flatMap((row): Bar[] => {
      const value = drawnValue(metric, row)?.value;
      return value === undefined || !(value >= 0) ? [] : [{ label: row.label, value }];
    });
  const title = TITLES[metric];
  if (title) return drawBars(title, bars);
  if (!bars.some(({ value }) => value >= MANY)) return drawBars(`${metric} in ms, less is better`, bars);
  const inSeconds = bars.map(({ label, value }) => ({ label, value: value / 1000 }));
  return drawBars(`${metric} in s, less is better`, inSeconds);
}

const TITLES: Partial<Record<ScenarioSummary['metric'], string>> = {
  rps: 'RPS, more is better',
  holds: 'sustained RPS, more is better',
};

/** Bars from zero, first on top. */
export function drawBars(title: string, bars: readonly Bar[]): string {
  const shown = bars.slice(0, BARS);
  const highest = Math.max(...shown.map(({ value }) => value));
  const unit = highest >= MANY ? 1000 : 1;
  if (shown.length < 2 || !(highest > 0 && Number.isFinite(highest))) return '';
  const labels = distinct(shown.map(({ label }) => harmless(label)));
  return codeBlock(
    [
      `%%{init: ${JSON.stringify(looksOf(shown.length))}}%%`,
      'xychart-beta horizontal',
      `    title "${unit === 1 ? '' : 'thousand '}${title}"`,
      `    x-axis [${labels.map((label) => `"${label}"`).join(', ')}]`,
      `    y-axis 0 --> ${plain((highest / unit) * 1.05)}`,
      `    bar [${shown.map(({ value }) => plain(value / unit)).join(', ')}]`,
    ].join('\n'),
    'mermaid',
  );
}

/** As high as the bars need, in a colour that shows on light and dark pages; the rest is the page's theme. */
function looksOf(bars: number) {
  return {
    xyChart: { width: 760, height: 90 + 34 * bars, titleFontSize: 16, yAxis: { labelFontSize: 12 } },
    themeVariables: { xyChart: { plotColorPalette: '#5b8def' } },
  };
}

/** Mermaid reads no commas, signs or exponents in numbers. */
function plain(value: number): string {
  return Number(value.toPrecision(4)).toFixed(value < 1 ? 6 : value < 1000 ? 2 : 0);
}

/**
 * Text of others within quotes of Mermaid, which knows no escapes there. Quotes, backticks (Markdown), `#…;`
 * (entities), `%%` (comments and directives), `<` and `&` (HTML) all do something. Only what surely does nothing is
 * kept.
 */
function harmless(label: string): string {
  return cutMiddle(cleanLine(label).replace(/[^\p{L}\p{N} ._@=,:/()[\]+-]/gu, '·'), LABEL) || '·';
}

/** Bars of one name would be drawn over each other. */
function distinct(labels: readonly string[]): string[] {
  return labels.map((label, i) => {
    const before = labels.slice(0, i).filter((other) => other === label).length;
    return before === 0 ? label : `${label} ${before + 1}`;
  });
}
