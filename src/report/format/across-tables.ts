import type { Across, AcrossRow, AcrossScenario, Ratio } from '../../analyse/judge/across-shards.ts';
import { cleanLine, clip, listNames, plural } from '../../text/plain.ts';
import { nounOf } from '../words/changes.ts';
import { change, NOTHING } from '../words/numbers.ts';
import { code, escapeMarkdown } from './escape.ts';
import { chooseColumns, coloured, layOutTable, type TerminalColumn, uncoloured, wrap } from './layout.ts';
import { table } from './markup.ts';
import { drawBars } from './mermaid.ts';
import type { TableOptions } from './terminal.ts';

/** A shard as it was planned, where that is known: what is missing can be named then. */
export interface WantedShard {
  index: number;
  /** Labels. */
  variants: readonly string[];
}

/** So that the table stays within a comment whatever the labels are. */
const ROWS = 60;
const LABEL = 60;

/** Makes a name fit for where it is printed. */
type Name = (label: string) => string;

const label: Name = (text) => code(clip(text, LABEL));

/** Variants of several machines in one table, each by its ratio to the reference on its own machine, as Markdown. */
export function renderAcross(across: Across, wanted: readonly WantedShard[] = []): string {
  return [
    renderMissing(across, wanted),
    ...across.scenarios.map((scenario) => renderScenario(scenario, across)),
    `<sub>${escapeMarkdown(legendOf(across))}</sub>`,
  ]
    .filter(Boolean)
    .join('\n\n');
}

/** Which shards gave no results: said first, since a ranking without them is another ranking. */
export function renderMissing(
  { missing, of }: Pick<Across, 'missing' | 'of'>,
  wanted: readonly WantedShard[],
): string {
  if (missing.length === 0) return '';
  const names = missing.map((index) => {
    const { variants = [] } = wanted.find((shard) => shard.index === index) ?? {};
    return `${index} of ${of}${variants.length > 0 ? ` (${listNames(variants.map(label))})` : ''}`;
  });
  return `**No results of shard ${listNames(names)}.** Its variants are missing in the tables. See the log of its job.`;
}

function renderScenario(scenario: AcrossScenario, across: Across): string {
  const { metric, rows } = scenario;
  const { placed, apart } = part(rows);
  const shown = placed.slice(0, ROWS);
  const columns = columnsOf(metric, across, label).map(({ title, right, cell }) => ({ title, right, cell }));
  return [
    `## ${escapeMarkdown(titleOf(scenario, across))}`,
    `**${verdictOf(scenario, label)}**`,
    shown.length > 0 ? table(columns, shown) : '',
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
  const better = metric === 'rps' ? 'more' : 'less';
  return drawBars(`${nounOf(metric)}, 1 is the reference, ${better} is better`, bars);
}

/** The same for a terminal. */
export function renderAcrossTable(across: Across, { width, color }: TableOptions): string {
  const styles = color ? coloured : uncoloured;
  const plainName: Name = (text) => clip(cleanLine(text), LABEL);
  const scenarios = across.scenarios.map((scenario) => {
    const { metric, rows } = scenario;
    const { placed, apart } = part(rows);
    const columns: TerminalColumn<AcrossRow>[] = columnsOf(metric, across, plainName).map(
      ({ key, title, right, cell }) => ({
        ...{ key, title, cell, align: right ? 'right' : 'left' },
        style: (row) =>
          key === 'label' && row.place?.rank === 1 && !row.place.shared ? styles.best : undefined,
      }),
    );
    const shown = chooseColumns(columns, placed, width, ['shard', 'first']);
    const [head = '', ...cells] = layOutTable(shown, placed, width, styles);
    return [
      styles.bold(clip(cleanLine(titleOf(scenario, across)), width)),
      wrap(verdictOf(scenario, plainName), width, ''),
      '',
      ...(placed.length > 0 ? [styles.dim(head), ...cells] : []),
      ...apart.map((row) =>
        styles.warn(
          wrap(`  ${plainName(row.label)} is not ranked: ${cleanLine(row.why ?? '')}`, width, '    '),
        ),
      ),
    ].join('\n');
  });
  const missing =
    across.missing.length > 0
      ? [styles.warn(`No results of shard ${listNames(across.missing.map(String))}.`)]
      : [];
  return [...missing, ...scenarios, styles.dim(wrap(cleanLine(legendOf(across)), width, '  '))].join('\n\n');
}

/** What could be placed, and what not for a reason of its own. */
export function part(rows: readonly AcrossRow[]): { placed: AcrossRow[]; apart: AcrossRow[] } {
  return {
    placed: rows.filter(({ place }) => place !== null),
    apart: rows.filter(({ place, why }) => place === null && why !== null),
  };
}

export function titleOf({ facts }: AcrossScenario, { shards }: Across): string {
  return `${clip(facts.title || facts.name, 200)}, across ${plural(shards.length, 'machine')}`;
}

/** Who is best, in words. */
export function verdictOf({ metric, isRamp, rows }: AcrossScenario, name: Name): string {
  if (isRamp) {
    return 'No ranking across machines: some variants did not sustain the whole ramp, and the sustained rate depends on the machine. The report of each machine ranks what it measured.';
  }
  const { placed } = part(rows);
  const [first, second] = placed;
  if (!first) return 'No variant could be ranked.';
  if (!second) return `${name(first.label)} alone could be ranked.`;
  const tied = placed.filter(({ place }) => place?.rank === 1);
  if (tied.length > 1) return `No clear best between ${listNames(tied.map((row) => name(row.label)))}.`;
  const { ratio } = second.toFirst ?? { ratio: 1 };
  return `${name(first.label)} is best: ${change(1 / ratio, null).value} ${nounOf(metric)} against ${name(second.label)}.`;
}

interface AcrossColumn {
  key: string;
  title: string;
  right: boolean;
  cell: (row: AcrossRow) => string;
}

export function columnsOf(metric: AcrossScenario['metric'], across: Across, name: Name): AcrossColumn[] {
  const cell = (ratio: Ratio | null) => {
    if (!ratio) return NOTHING;
    const { value, interval } = change(ratio.ratio, ratio.interval);
    return interval ? `${value} (${interval})` : value;
  };
  return [
    {
      ...{ key: 'place', title: '#', right: true },
      cell: ({ place }) => (place ? `${place.shared ? '=' : ''}${place.rank}` : ''),
    },
    { key: 'label', title: 'Variant', right: false, cell: (row) => name(row.label) },
    {
      ...{ key: 'shard', title: 'Machine', right: true },
      cell: ({ shard }) => (shard === null ? 'all' : `${shard}`),
    },
    {
      ...{ key: 'reference', title: `${nounOf(metric)} against ${name(across.reference)}`, right: true },
      cell: (row) => (row.shard === null ? 'reference' : cell(row.toReference)),
    },
    { key: 'first', title: 'against the first', right: true, cell: (row) => cell(row.toFirst) },
  ];
}

export function legendOf({ reference, shards }: Across): string {
  const unlike = new Set(shards.map(({ host, serverCpus }) => `${host.cpuModel} ${serverCpus}`)).size > 1;
  const machines = shards.map(
    ({ index, host, serverCpus }) =>
      `${index}: ${clip(host.cpuModel, 80)}, ${plural(serverCpus, 'CPU')} for the server`,
  );
  return [
    `Every machine measured ${clip(reference, LABEL)} in turn with its own variants. Only ratios to it are compared. Brackets have 99 % intervals. Those against the first variant include the uncertainty of both machines.`,
    unlike
      ? 'The machines differ, and a CPU may suit one runtime more than another, which no interval here covers.'
      : '',
    `Machines: ${machines.join('; ')}.`,
  ]
    .filter(Boolean)
    .join(' ');
}
