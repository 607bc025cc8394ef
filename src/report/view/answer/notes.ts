import type { Summary } from '../../../analyse/summary.ts';
import type { CompareMetric } from '../../../results/results.ts';
import { tellOverhead } from '../why/overhead.ts';
import { hasNumber } from './amounts.ts';
import type { ChangeRow } from './changerows.ts';

/** A medium that leaves out the column of RPS leaves it out, too. */
export const RPS_NOTE = 'RPS (requests per second) is for information.';

/** How to read the numbers of the table, in a few sentences. */
export function notesOf(rows: readonly ChangeRow[], { why }: Summary): string[] {
  const shown = rows.filter((row) => hasNumber(row, row.comparison));
  if (shown.length === 0) return [];
  const metrics = [...new Set(shown.map(({ comparison }) => comparison.metric))];
  const [only] = metrics;
  const isOne = metrics.length === 1 && only !== undefined;
  return [
    isOne ? SENSE[only] : 'More CPU, memory or response time is worse; more RPS is better.',
    isOne ? (WHY[only] ?? '') : '',
    showsRate(shown) && !metrics.includes('rps') ? RPS_NOTE : '',
    tellOverhead(why),
  ].filter(Boolean);
}

/** Whether RPS has a column for information. */
export function showsRate(rows: readonly ChangeRow[]): boolean {
  return rows.some((row) => row.rps?.values && hasNumber(row, row.rps));
}

const longer = 'Plus means a longer response time, which is worse.';
const SENSE: Record<CompareMetric, string> = {
  cpu: 'Plus means more CPU per request, which is worse.',
  services: 'Plus means more CPU of services per request, which is worse.',
  memory: 'Plus means more memory, which is worse.',
  rps: 'Minus means fewer requests per second, which is worse.',
  ...{ p50: longer, p95: longer, p99: longer },
};

const WHY: Partial<Record<CompareMetric, string>> = {
  cpu: 'CPU per request decides, because other work on the machine disturbs it least.',
  rps: 'RPS decides, because each client waits for its answer before it sends the next request.',
  p50: 'The median response time (p50) decides, because the rate of requests is fixed.',
};
