import { isMore, isTail } from '../../../analyse/judge/rank.ts';
import type { Row, ScenarioSummary, Summary, Tuned } from '../../../analyse/summary.ts';
import { digits, estimated, held, points } from '../numbers.ts';
import { type Name, ofUnknownTail } from '../ranked.ts';

/**
 * Results of `--tune`, a sentence for each runtime. It gives the best value and its gain over the chosen one, or that
 * none is surely better. The limits of a single start follow. Empty if nothing was tuned.
 */
export function tuned({ tuned, rows }: ScenarioSummary, { variants }: Summary, name: Name): string[] {
  const find = (id: string) => rows.find(({ variant }) => variant === id) as Row;
  const said = tuned.map((one) => {
    const asked = (id: string) => variants.find((variant) => variant.id === id)?.options[one.option];
    return `${name(find(one.own).label)}: ${say(one, find, asked)}`;
  });
  return [...said, ...sayOnce(tuned)];
}

function say(
  { option, measure, own, best, gain, tried }: Tuned,
  find: (id: string) => Row,
  asked: (id: string) => unknown,
): string {
  const of = (id: string) => find(id)[measure]?.value as number;
  const amount = (id: string) => {
    const row = find(id);
    if (measure === 'capacity' || measure === 'holds') return `${held(row[measure])} rps`;
    return `${estimated(row[measure])} ${measure === 'rps' ? 'rps' : 'ms'}`;
  };
  const values = tried.map((id) => Number(asked(id))).sort((a, b) => a - b);
  const range = `${option} from ${values[0]} to ${values.at(-1)}`;
  const way = measure === 'capacity' ? ' by capacity' : '';
  if (best === null) return `of ${range} none is surely better${way} than ${asked(own)} (${amount(own)}).`;
  const isUp = measure === 'capacity' || isMore(measure);
  const ratio = gain ?? 1;
  const better = ratio >= 2 ? `${digits(ratio)} times as good as` : `${points(ratio - 1)} better than`;
  // The percentage of times is that of the ranking.
  const by = isUp ? better : `${points(1 - 1 / ratio)} below`;
  // The numbers over all starts can point the other way where a start lacks one of the two.
  const pairs = (isUp ? of(best) < of(own) : of(best) > of(own)) ? 'in paired starts ' : '';
  return `of ${range} the best${way} is ${asked(best)} (${amount(best)}), ${pairs}${by} ${asked(own)} (${amount(own)}).`;
}

/** Nobody should take the best number of one start for what it is every time. */
function sayOnce(tuned: readonly Tuned[]): string[] {
  const once = tuned.filter(({ starts }) => starts === 1);
  const [first] = once;
  if (!first) return [];
  if (isTail(first.measure))
    return [`Each value was tried on one start only, ${ofUnknownTail(first.measure)}.`];
  const most = Math.max(...once.map(({ tried }) => tried.length));
  const luck = once.some(({ best }) => best !== null)
    ? `, and the best of ${most} numbers owes something to chance`
    : '';
  return [`Each value was tried on one start only: another start may differ by about 1 %${luck}.`];
}
