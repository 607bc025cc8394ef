import type { Across } from '../../analyse/judge/across-shards.ts';
import { cleanLine, clip, listAs, listNames, plural } from '../../text/plain.ts';
import { acrossLegend, acrossTables, shortLabel } from '../view/sections/across.ts';
import { code, escapeMarkdown } from './escape.ts';
import { chooseColumns, coloured, gridColumns, layOutTable, textPlain, uncoloured, wrap } from './layout.ts';
import { gridMarkdown, textMarkdown } from './markup.ts';
import { drawBars } from './mermaid.ts';
import type { TableOptions } from './terminal.ts';

/** A shard as it was planned, where that is known: what is missing can be named then. */
export interface WantedShard {
  index: number;
  /** Labels. */
  variants: readonly string[];
}

/** So that the table stays within a comment. */
const ROWS = 60;

/** Variants of several machines in one table, each by its ratio to the reference on its own machine, as Markdown. */
export function renderAcross(across: Across): string {
  const tables = acrossTables(across, code).map(({ title, verdict, grid, bars, apart }) => {
    const shown = { ...grid, rows: grid.rows.slice(0, ROWS) };
    const left = grid.rows.length - shown.rows.length + Math.max(0, apart.length - ROWS);
    return [
      `## ${escapeMarkdown(title)}`,
      `**${verdict}**`,
      shown.rows.length > 0 ? gridMarkdown(shown) : '',
      drawBars(bars.title, bars.values),
      apart
        .slice(0, ROWS)
        .map((text) => `- ${textMarkdown(text)}`)
        .join('\n'),
      left > 0 ? `${plural(left, 'more variant')} in the results of each machine.` : '',
    ];
  });
  return [...tables.flat(), `<sub>${escapeMarkdown(acrossLegend(across))}</sub>`]
    .filter(Boolean)
    .join('\n\n');
}

/** Which machines gave no results. It comes first: without them an answer is not complete, and a ranking is another one. */
export function renderMissing(
  { missing, of }: Pick<Across, 'missing' | 'of'>,
  wanted: readonly WantedShard[] = [],
): string {
  if (missing.length === 0) return '';
  const names = listAs('machine', missing, (index) => {
    const { variants = [] } = wanted.find((shard) => shard.index === index) ?? {};
    const labels = listNames(variants, (label) => code(shortLabel(label)));
    return `${index} of ${of}${labels && ` (${labels})`}`;
  });
  const rest =
    missing.length === 1
      ? 'Its variants are missing in the tables. See the log of its job.'
      : 'Their variants are missing in the tables. See the logs of their jobs.';
  return `**No results of ${names}.** ${rest}`;
}

/** The same for a terminal. */
export function renderAcrossTable(across: Across, { width, color }: TableOptions): string {
  const styles = color ? coloured : uncoloured;
  const tables = acrossTables(across, cleanLine).map(({ title, verdict, grid, apart }) => {
    const columns = chooseColumns(gridColumns(grid), grid.rows, width, ['shard', 'first']);
    const [head = '', ...cells] = layOutTable(columns, grid.rows, width, styles);
    return [
      styles.bold(clip(cleanLine(title), width)),
      wrap(verdict, width, ''),
      '',
      ...(cells.length > 0 ? [styles.dim(head), ...cells] : []),
      ...apart.map((text) => styles.warn(wrap(`  ${textPlain(text)}`, width, '    '))),
    ].join('\n');
  });
  return [...tables, styles.dim(wrap(cleanLine(acrossLegend(across)), width, '  '))].join('\n\n');
}

/** Which machines gave no results, for a terminal. */
export function renderMissingLine(
  { missing }: Pick<Across, 'missing'>,
  { width, color }: TableOptions,
): string {
  if (missing.length === 0) return '';
  const text = wrap(`No results of ${listAs('machine', missing)}.`, width, '  ');
  return color ? text.split('\n').map(coloured.warn).join('\n') : text;
}
