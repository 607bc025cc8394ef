import type { Across, AcrossRow, AcrossScenario, Ratio } from '../analyse/across.ts';
import { nounOf } from './changes.ts';
import { code, escapeMarkdown } from './escape.ts';
import { table } from './markup.ts';
import { drawBars } from './mermaid.ts';
import { change, NOTHING } from './numbers.ts';
import { clip, list, plural } from './text.ts';

/** A shard as it was planned, where that is known: what is missing can be named then. */
export interface Wanted {
  index: number;
  /** Labels. */
  variants: readonly string[];
}

/** So that the table stays within a comment whatever the labels are. */
const ROWS = 60;
const LABEL = 60;

const label = (text: string) => code(clip(text, LABEL));

/** Variants of several machines in one table, each by its ratio to the reference on its own machine, as Markdown. */
export function renderAcross(across: Across, wanted: readonly Wanted[] = []): string {
  const unlike =
    new Set(across.shards.map(({ host, serverCpus }) => `${host.cpuModel} ${serverCpus}`)).size > 1;
  return [
    renderMissing(across, wanted),
    ...across.scenarios.map((scenario) => renderScenario(scenario, across)),
    `<sub>${escapeMarkdown(legend(across, unlike))}</sub>`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Which shards gave no results: said first, since a ranking without them is another ranking. */
export function renderMissing(
  { missing, of }: Pick<Across, 'missing' | 'of'>,
  wanted: readonly Wanted[],
): string {
  if (missing.length === 0) return '';
  const names = missing.map((index) => {
    const { variants = [] } = wanted.find((shard) => shard.index === index) ?? {};
    return `${index} of ${of}${variants.length > 0 ? ` (${list(variants.map(label))})` : ''}`;
  });
  return `**No results of shard ${list(names)}.** What it was to measure is not in the tables; its job's log says why.`;
}

function renderScenario({ facts, metric, rows }: AcrossScenario, across: Across): string {
  const placed = rows.filter(({ place }) => place !== null);
  const apart = rows.filter(({ place }) => place === null);
  const shown = placed.slice(0, ROWS);
  return [
    `## ${escapeMarkdown(clip(facts.title || facts.name, 200))}, across ${plural(across.shards.length, 'machine')}`,
    `**${verdict(placed, metric)}**`,
    shown.length > 0 ? table(columns(metric, across), shown) : '',
    chart(placed, metric),
    placed.length > shown.length
      ? `${plural(placed.length - shown.length, 'more variant')} in results.json.`
      : '',
    apart
      .slice(0, ROWS)
      .map((row) => `- ${label(row.label)} is not ranked: ${escapeMarkdown(clip(row.why ?? '', 200))}`)
      .join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Ratios, not absolute numbers: those of different machines have no place in one picture. */
function chart(placed: readonly AcrossRow[], metric: AcrossScenario['metric']): string {
  const bars = placed.flatMap((row) => {
    const value = row.shard === null ? 1 : row.toReference?.ratio;
    return value === undefined ? [] : [{ label: row.label, value }];
  });
  return drawBars(`${nounOf(metric)}, 1 is the reference`, bars);
}

function verdict(placed: readonly AcrossRow[], metric: AcrossScenario['metric']): string {
  const [first, second] = placed;
  if (!first) return 'No variant could be ranked.';
  if (!second) return `${label(first.label)} alone could be ranked.`;
  const tied = placed.filter(({ place }) => place?.rank === 1);
  if (tied.length > 1) return `No clear best between ${list(tied.map((row) => label(row.label)))}.`;
  const { ratio } = second.toFirst ?? { ratio: 1 };
  return `${label(first.label)} is best: ${change(1 / ratio, null).value} ${nounOf(metric)} against ${label(second.label)}.`;
}

function columns(metric: AcrossScenario['metric'], across: Across): Parameters<typeof table<AcrossRow>>[0] {
  const cell = (ratio: Ratio | null) => {
    if (!ratio) return NOTHING;
    const { value, interval } = change(ratio.ratio, ratio.interval);
    return interval ? `${value} (${interval})` : value;
  };
  return [
    {
      title: '#',
      right: true,
      cell: ({ place }) => (place ? `${place.shared ? '=' : ''}${place.rank}` : ''),
    },
    { title: 'Variant', cell: (row) => label(row.label) },
    { title: 'Machine', right: true, cell: ({ shard }) => (shard === null ? 'all' : `${shard}`) },
    {
      title: `${nounOf(metric)} against ${label(across.reference)}`,
      right: true,
      cell: (row) => (row.shard === null ? 'reference' : cell(row.toReference)),
    },
    { title: 'against the first', right: true, cell: (row) => cell(row.toFirst) },
  ];
}

function legend({ reference, shards }: Across, unlike: boolean): string {
  const machines = shards.map(
    ({ index, host, serverCpus }) =>
      `${index}: ${clip(host.cpuModel, 80)}, ${plural(serverCpus, 'CPU')} for the server`,
  );
  return [
    `Every machine measured ${clip(reference, LABEL)} in turn with its own variants, and only ratios to it are compared: in brackets 99 % intervals, against the first with the uncertainty of both machines added.`,
    unlike
      ? 'The machines differ, and a CPU may suit one runtime more than another, which no interval here covers.'
      : '',
    `Machines: ${machines.join('; ')}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
