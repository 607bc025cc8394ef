import type { CountChange, CountRow, CountSide } from '../../analyse/counted.ts';
import type { ScenarioSummary, Summary } from '../../analyse/summary.ts';
import { describeCount } from '../../results/count-names.ts';
import { listNames } from '../../text/plain.ts';
import type { Names } from '../words/changes.ts';
import { levelOf } from '../words/changes.ts';
import { bytes, bytesOfBoth, count, digitsOfBoth, digitsWithTenths } from '../words/numbers.ts';
import { contradictCpu, millions, tellWork } from './instruction-words.ts';

/** So many changes are shown in sentences; the table has all of them. */
const TOLD = 4;

/** `14`, `8,591`, `8,591.3`, `2.10 MiB`: whole numbers as they are. A mean has a decimal, so it lies in its range. */
export function countAmount(value: number, name: string): string {
  if (describeCount(name).unit === 'bytes') return bytes(value);
  if (name === 'instructions') return millions(value);
  return Number.isInteger(value) ? count(value) : digitsWithTenths(value);
}

/** `14`, or `13.8…14.3` where repeats differ. */
export function sideAmount(side: CountSide, name: string): string {
  if (side.constant || side.low === side.high) return countAmount(side.perRequest, name);
  return `${countAmount(side.perRequest, name)} (${countAmount(side.low, name)}…${countAmount(side.high, name)})`;
}

/** `3 → 14`: a small change shows, too. */
export function bothAmounts(from: number, to: number, name: string): string {
  if (describeCount(name).unit === 'bytes') return bytesOfBoth(from, to, digitsOfBoth);
  const isWhole = Number.isInteger(from) && Number.isInteger(to);
  if (name === 'instructions' || isWhole) return `${countAmount(from, name)} → ${countAmount(to, name)}`;
  return digitsOfBoth(from, to);
}

/** Both sides of a change. */
export function bothCounts({ perRequest }: CountSide, { from }: CountChange, name: string): string {
  return bothAmounts(from.perRequest, perRequest, name);
}

/** `+11`, `+2.1 MiB`, `−3`; `0` where the two differ by an error of floating point. */
export function countDelta(
  { perRequest }: CountSide,
  { from, difference }: CountChange,
  name: string,
): string {
  const least = 1e-9 * Math.max(Math.abs(perRequest), Math.abs(from.perRequest));
  return differenceOf(Math.abs(difference) <= least ? 0 : difference, name);
}

function differenceOf(value: number, name: string): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return sign + countAmount(Math.abs(value), name);
}

/** `+9.8…+12.4`; empty where both sides are constant. */
export function countRange({ interval }: CountChange, name: string): string {
  return interval ? `${differenceOf(interval.low, name)}…${differenceOf(interval.high, name)}` : '';
}

/** `Database queries 3 → 14 per request`; with an interval that stands behind it. */
export function tellCount(row: CountRow, medium: Names): string {
  const { name, endpoint, side, change } = row;
  if (change === null) return '';
  if (name === 'instructions') return tellWork(row, bothCounts(side, change, name), medium);
  const where = endpoint === null ? '' : ` on ${medium.name(endpoint)}`;
  const range = change.interval ? ` (${countRange(change, name)}, ${levelOf(change.interval)})` : '';
  return `${medium.text(describeCount(name).title)}${where} ${bothCounts(side, change, name)} per request${range}`;
}

/**
 * The counts that surely changed: more first, the largest first. A path is among them only if nothing is known of the
 * whole scenario.
 */
function changedCounts({ scenarios }: Summary): { scenario: ScenarioSummary; row: CountRow }[] {
  const changed = scenarios.flatMap((scenario) =>
    scenario.counts.flatMap((row) => {
      const { verdict } = row.change ?? {};
      if (verdict !== 'more' && verdict !== 'fewer') return [];
      return isPart(row, scenario.counts) ? [] : [{ scenario, row }];
    }),
  );
  const size = ({ change }: CountRow) => Math.log(change?.ratio ?? Number.MAX_VALUE);
  return changed.sort((a, b) => size(b.row) - size(a.row));
}

/** A path whose scenario has a number for the same count. */
function isPart({ endpoint, name, variant }: CountRow, counts: readonly CountRow[]): boolean {
  return (
    endpoint !== null &&
    counts.some((row) => row.endpoint === null && row.name === name && row.variant === variant)
  );
}

/**
 * All that surely changed, in sentences: what is alike on several variants once. Empty where nothing did.
 *
 * @param headline what it states of one variant is left out
 */
export function tellCounts(summary: Summary, medium: Names, headline = ''): string {
  const told = new Map<string, { labels: Set<string>; of: Set<string> }>();
  for (const { scenario, row } of changedCounts(summary)) {
    if (row.change?.against !== 'base') continue;
    const where = summary.scenarios.length > 1 ? ` in ${medium.name(scenario.facts.name)}` : '';
    const change = tellCount(row, medium);
    const text = change + contradictCpu(row, scenario) + where;
    if (headline.startsWith(`${change} on ${medium.name(row.label)}${where} (`)) continue;
    const same = ({ name, endpoint }: CountRow) => name === row.name && endpoint === row.endpoint;
    const of = new Set(scenario.counts.filter(same).map(({ label }) => label));
    const known = told.get(text) ?? { labels: new Set(), of };
    told.set(text, { labels: known.labels.add(row.label), of });
  }
  const sentences = [...told].map(([text, { labels, of }]) =>
    labels.size === of.size ? text : `${text} (${listNames([...labels], medium.name)})`,
  );
  const left = sentences.length - TOLD;
  const shown = sentences.slice(0, TOLD).join('; ');
  return left > 0 ? `${shown}; ${left} more in the table of counts.` : shown && `${shown}.`;
}

/**
 * Without another version: `Counts per request of apache: queries 3, rows-read 12.`, a line for each variant. Counts that only
 * its paths have are in a line for each path: `… of apache on /cart: …`.
 */
export function countLines({ counts }: Pick<ScenarioSummary, 'counts'>, medium: Names): string[] {
  if (counts.some(({ change }) => change?.against === 'base')) return [];
  const shown = counts.filter((row) => !isPart(row, counts));
  return [...Map.groupBy(shown, lineOf).values()].map((own) => {
    const [{ label, endpoint }] = own as [CountRow, ...CountRow[]];
    const where = endpoint === null ? '' : ` on ${medium.name(endpoint)}`;
    const told = own.map((row) => `${medium.text(row.name)} ${sideAmount(row.side, row.name)}`);
    const failed = own.some(({ side }) => side.failures > 0) ? ' Some requests of this count failed.' : '';
    return `Counts per request of ${medium.name(label)}${where}: ${told.join(', ')}.${failed}`;
  });
}

const lineOf = ({ variant, endpoint }: CountRow) => JSON.stringify([variant, endpoint]);
