import type { Across, AcrossRow, AcrossScenario, Ratio } from '../../../analyse/judge/across-shards.ts';
import { clip, clipMiddle, listNames, plural } from '../../../text/plain.ts';
import { nounOf } from '../../words/changes.ts';
import { change, NOTHING } from '../../words/numbers.ts';
import { BEST, gapTowards, withoutBound } from '../../words/ranked.ts';
import { type Column, type Grid, grid, left, right, type Text } from '../model.ts';

/** So that a table stays within a comment whatever the labels are. */
const ACROSS_LABEL = 60;
const REASON = 200;

/** Results of several machines for a scenario: each variant as a ratio to the reference on its own machine. */
export interface AcrossTable {
  title: string;
  /** Fit for the medium. */
  verdict: string;
  grid: Grid;
  /** Ratios, not absolute numbers: those of different machines have no place in one picture. */
  bars: { title: string; values: { label: string; value: number }[] };
  /** Variants that could not be placed, each with its own reason. */
  apart: Text[];
}

type Name = (label: string) => string;

export function shortLabel(label: string): string {
  return clipMiddle(label, ACROSS_LABEL);
}

/** @param name makes a name fit for where it is printed */
export function acrossTables(across: Across, name: Name): AcrossTable[] {
  return across.scenarios.map((scenario) => {
    const { facts, metric, rows } = scenario;
    const placed = rows
      .filter(({ place }) => place !== null)
      .map((row) => ({ ...row, variant: row.label, isBest: row.place?.rank === 1 && !row.place.shared }));
    const title = `${clip(facts.title || facts.name, REASON)}, across ${plural(across.shards.length, 'machine')}`;
    const better = metric === 'rps' ? 'more' : 'less';
    return {
      title,
      verdict: tellBest(scenario, placed, (label) => name(shortLabel(label))),
      grid: { ...grid(title, columnsOf(metric, across, placed), placed), isHeaded: true },
      bars: { title: `${nounOf(metric)}, 1 is the reference, ${better} is better`, values: barsOf(placed) },
      apart: rows
        .filter(({ place, why }) => place === null && why !== null)
        .map(({ label, why }) => [
          { name: shortLabel(label) },
          ' is not ranked: ',
          { text: clip(why ?? '', REASON) },
        ]),
    };
  });
}

function barsOf(placed: readonly AcrossRow[]) {
  return placed.flatMap((row) => {
    const value = row.shard === null ? 1 : row.toReference?.ratio;
    return value === undefined ? [] : [{ label: row.label, value }];
  });
}

/** Names the best variant, in words. */
function tellBest(
  { isRamp, metric, rows }: AcrossScenario,
  placed: readonly AcrossRow[],
  name: Name,
): string {
  if (isRamp) {
    return 'No ranking across machines: some variants did not sustain the whole ramp, and the sustained rate depends on the machine. The report of each machine ranks what it measured.';
  }
  const [first, second] = placed;
  if (!first) return 'No variant could be ranked.';
  if (!second) return `${name(first.label)} alone could be ranked.`;
  const tied = placed.filter(({ place }) => place?.rank === 1);
  if (tied.length > 1) return `No clear best between ${listNames(tied.map(({ label }) => name(label)))}.`;
  const { ratio } = second.toFirst ?? { ratio: 1 };
  const limit = withoutBound(
    rows.filter(({ isBound }) => isBound),
    name,
  );
  return `${limit}${name(first.label)} ${BEST[metric]}: ${gapTowards(metric, 1 / ratio)} ${name(second.label)}.`;
}

function columnsOf(
  metric: AcrossScenario['metric'],
  { reference }: Across,
  placed: readonly AcrossRow[],
): Column<AcrossRow & { variant: string }>[] {
  const cell = (ratio: Ratio | null) => {
    if (!ratio) return NOTHING;
    const { value, interval } = change(ratio.ratio, ratio.interval);
    return interval ? `${value} (${interval})` : value;
  };
  return [
    right('#', ({ place }) => (place ? `${place.shared ? '=' : ''}${place.rank}` : '')),
    left('Variant', ({ label }) => ({ name: shortLabel(label) }), { key: 'label' }),
    { ...right('Machine', ({ shard }) => (shard === null ? 'all' : `${shard}`)), key: 'shard' },
    right([`${nounOf(metric)} against `, { name: shortLabel(reference) }], (row) =>
      row.shard === null ? 'reference' : cell(row.toReference),
    ),
    ...(hasOwnFirst(placed)
      ? [{ ...right('against the first', (row: AcrossRow) => cell(row.toFirst)), key: 'first' }]
      : []),
  ];
}

/** Whether the first is another than the reference. Else its column would repeat the one before. */
function hasOwnFirst([first]: readonly AcrossRow[]): boolean {
  return first !== undefined && first.shard !== null;
}

export function acrossLegend({ reference, shards, scenarios }: Across): string {
  const isBoth = scenarios.some(({ rows }) => hasOwnFirst(rows.filter(({ place }) => place !== null)));
  const unlike = new Set(shards.map(({ host, serverCpus }) => `${host.cpuModel} ${serverCpus}`)).size > 1;
  const machines = shards.map(
    ({ index, host, serverCpus }) =>
      `${index}: ${clip(host.cpuModel, 80)}, ${plural(serverCpus, 'CPU')} for the server`,
  );
  return [
    `Every machine measured ${shortLabel(reference)} in turn with its own variants. Only ratios to it are compared. Brackets have 99 % intervals.`,
    isBoth ? 'Those against the first variant include the uncertainty of both machines.' : '',
    unlike
      ? 'The machines differ, and a CPU may suit one runtime more than another, which no interval here covers.'
      : '',
    `Machines: ${machines.join('; ')}.`,
    unlikeStores(shards),
  ]
    .filter(Boolean)
    .join(' ');
}

/** Nothing where all machines have the same image store, as far as it is known. */
function unlikeStores(shards: Across['shards']): string {
  const known = shards.flatMap(({ index, host: { imageStore: store } }) => (store ? [{ index, store }] : []));
  if (new Set(known.map(({ store }) => store)).size < 2) return '';
  const stores = known.map(({ index, store }) => `${store} on machine ${index}`);
  return `Image sizes are not comparable: Docker has the image store ${listNames(stores)}.`;
}
