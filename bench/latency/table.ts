import { mean } from 'simple-statistics';
import { halfInterval } from '../../src/stats/estimate.ts';
import { type Cell, isDisturbed, PERCENTS, readCells } from './rows.ts';

/** Results of the undisturbed rounds of one setting and load. */
export interface Group {
  setting: string;
  load: string;
  cells: readonly Cell[];
  disturbed: number;
  busyRatio: number;
  /** The report's figure less the truth, for each of PERCENTS. */
  addedMs: readonly number[];
}

export function groupCells(cells: readonly Cell[]): Group[] {
  const keys = [...new Set(cells.map(({ setting, load }) => `${setting} ${load}`))];
  return keys.flatMap((key) => {
    const all = cells.filter(({ setting, load }) => `${setting} ${load}` === key);
    const clean = all.filter((cell) => !isDisturbed(cell));
    const [first] = clean;
    if (!first) return [];
    return {
      setting: first.setting,
      load: first.load,
      cells: clean,
      disturbed: all.length - clean.length,
      busyRatio: mean(clean.map((cell) => cell.busyRatio ?? Number.NaN)),
      addedMs: PERCENTS.map((_, i) =>
        mean(clean.map((cell) => (cell.pooledMs[i] as number) - (cell.truthMs[i] as number))),
      ),
    };
  });
}

/** Prints the error of each percentile, in percent and ms, with its 95 % t interval over the rounds, as Markdown. */
export function printTable(files: readonly string[]): void {
  const heads = ['k6', 'load', 'requests/s', 'k6 busy', 'rounds', ...PERCENTS.map((p) => `p${p}`)];
  console.log(`| ${heads.join(' | ')} |\n|${heads.map(() => ' --- |').join('')}`);
  for (const { setting, load, cells, busyRatio, addedMs } of groupCells(readCells(files))) {
    const errors = PERCENTS.map((_, i) => {
      const percents = cells.map(
        (cell) => ((cell.pooledMs[i] as number) / (cell.truthMs[i] as number) - 1) * 100,
      );
      const half = halfInterval(percents);
      const interval = half === null ? '' : ` ± ${half.toFixed(1)}`;
      return `${signed(mean(percents), 1)}${interval} % (${signed(addedMs[i] as number, 2)} ms)`;
    });
    const rps = Math.round(mean(cells.map((cell) => cell.rps)));
    const row = [setting, load, rps, `${Math.round(busyRatio * 100)} %`, cells.length, ...errors];
    console.log(`| ${row.join(' | ')} |`);
  }
}

function signed(n: number, digits: number): string {
  return `${n < 0 ? '−' : '+'}${Math.abs(n).toFixed(digits)}`;
}
