import type { Summary } from '../../analyse/summary.ts';
import type { Headline } from '../view/answer/headline.ts';
import type { Medium } from '../view/medium.ts';
import { tellCount } from './count-words.ts';

/** `Database queries 3 → 14 per request on apache (limit: queries more)`; null where no gate on counts failed. */
export function headlineOfCounts(summary: Summary, medium: Medium, found: Headline): Headline | null {
  for (const { gate, counts } of summary.gates) {
    const [check] = counts.filter(({ failed }) => failed);
    if (!check) continue;
    const many = summary.scenarios.length > 1 ? ` in ${medium.name(check.scenario)}` : '';
    const where = ` on ${medium.name(check.row.label)}${many}`;
    const headline = `${tellCount(check.row, medium)}${where} (limit: ${medium.name(gate.source)})`;
    return { mark: 'bad', headline, sure: [`${found.headline}.`, ...found.sure] };
  }
  return null;
}
