import type { Summary } from '../../../analyse/summary.ts';
import { MOST } from '../../../analyse/why/functions.ts';
import type { Culprit, FunctionName, Why } from '../../../analyse/why/why-model.ts';
import { listNames, plural } from '../../../text/plain.ts';
import { explainUnlike } from '../../../text/unlike-rows.ts';
import { findVariant } from '../../words/verdicts.ts';
import type { ChangeRow } from '../answer/changerows.ts';
import type { Medium } from '../medium.ts';
import { callName, placeName, signedTime } from './function-names.ts';
import { joinMoved } from './moved.ts';
import { tellOverhead } from './overhead.ts';

/** Which functions a change comes from, in a sentence, and how much of it they are. */
export interface Cause {
  label: '' | 'Most of it' | 'Part of it' | 'Functions that changed';
  text: string;
}

/** Variants whose causes are shown; the report has all of them. */
const VARIANTS = 3;
/** Functions in a sentence. */
const FUNCTIONS = 3;
/** A function with this share of the largest one is named beside it: of two alike, chance does not choose one. */
const ALIKE = 0.5;

/** The cause for each variant that was compared with its base, in the order of the rows. */
export function tellCauses(rows: readonly ChangeRow[], summary: Summary, medium: Medium): Cause[] {
  const found = rows.flatMap(({ comparison: { variant, scenario } }) =>
    summary.why.filter(
      (one) => one.against === 'base' && one.variant === variant && one.scenario === scenario,
    ),
  );
  const whys = [...new Set(found)];
  const causes = whys.flatMap((why) => {
    const cause = tellCause(why, summary, medium, whys.length > 1);
    return cause ? [cause] : [];
  });
  const left = causes.length - VARIANTS;
  const more: Cause = { label: '', text: `${plural(left, 'more profile')} in the results.` };
  return [...causes.slice(0, VARIANTS), ...(left > 0 ? [more] : [])];
}

function tellCause(why: Why, summary: Summary, medium: Medium, several: boolean): Cause | null {
  const { changeUs, isSure } = why;
  const culprits = joinMoved(why.culprits);
  const variant = medium.name(findVariant(summary, why.variant)?.label ?? why.variant);
  const scenario = summary.scenarios.length > 1 ? ` in ${medium.name(why.scenario)}` : '';
  const where = several ? ` with ${variant}${scenario}` : '';
  if (culprits.length === 0) {
    if (!isSure) return null;
    const text =
      why.tests > 0
        ? `No single function${where} changed by a sure amount: the change is spread over many, or the profile is too short to show one.`
        : `Too few samples${where} to name functions that it comes from.`;
    return { label: '', text };
  }
  const same = culprits.filter(({ change }) => change.us > 0 === changeUs > 0);
  if (!isSure || same.length === 0) {
    const named = culprits.slice(0, FUNCTIONS);
    const opposed = isSure
      ? ` The whole request changed by ${signedTime(changeUs)}: no single function is known for that.`
      : '';
    return { label: 'Functions that changed', text: `${tellAll(named, medium, '')}${where}.${opposed}` };
  }
  const named = same.slice(0, countNeeded(same, changeUs));
  const share = named.reduce((sum, { change }) => sum + change.us, 0) / changeUs;
  const label = share >= MOST ? 'Most of it' : 'Part of it';
  const [against] = culprits.filter(({ change }) => change.us > 0 !== changeUs > 0);
  const whole = signedTime(changeUs);
  if (share <= 1.05) return { label, text: `${tellAll(named, medium, ` of ${whole}`)}${where}.` };
  // More than all of it: something else became cheaper by the rest, or the samples are too few to be exact.
  const all = against ? [...named.slice(0, FUNCTIONS - 1), against] : named;
  return { label, text: `${tellAll(all, medium, `, in all ${whole}`, against === undefined)}${where}.` };
}

/** Two rows of one version, whose functions were compared or could not be: not a change that anybody made. Empty: no two rows. */
export function tellRows(scenario: string, summary: Summary, medium: RowMedium): string {
  const why = summary.why.find((one) => one.against === 'row' && one.scenario === scenario);
  if (!why) return tellUnlike(scenario, summary, medium);
  const [second, first] = [why.variant, why.base ?? ''].map((id) =>
    medium.name(findVariant(summary, id)?.label ?? id),
  );
  const rest = [tellOverhead([why])].filter(Boolean).map((text) => ` ${text}`);
  const start = `Functions of ${second} compared with ${first}`;
  if (why.culprits.length > 0)
    return `${start}: ${tellAll(why.culprits.slice(0, FUNCTIONS), medium, '')}.${rest}`;
  const none = why.tests > 0 ? 'none surely takes more or less CPU' : 'too few samples to find a difference';
  return `${start}: ${none}.${rest}`;
}

/** Two rows that were profiled and not compared with each other. Empty: there are none, or more. */
export function tellUnlike(scenario: string, summary: Summary, medium: Pick<Medium, 'name'>): string {
  const own = summary.why.filter((one) => one.scenario === scenario);
  const [first, second, ...others] = own.map((one) => findVariant(summary, one.variant));
  if (!first || !second || others.length > 0 || own.some(({ against }) => against !== null)) return '';
  const [one, other] = [first, second].map((variant) => ({ ...variant, label: medium.name(variant.label) }));
  const cause = one && other ? explainUnlike(one, other) : null;
  return cause === null ? '' : `Functions of ${one?.label} and ${other?.label} are not compared: ${cause}.`;
}

type RowMedium = Pick<Medium, 'name' | 'call' | 'place'>;

/** As few as make up most of the change, and all that are about as large as the largest. The largest stands first. */
function countNeeded(culprits: readonly Culprit[], changeUs: number): number {
  let sum = 0;
  const least = (culprits[0]?.change.us ?? 0) * ALIKE;
  const isNeeded = ({ change: { us } }: Culprit) => {
    const isMost = sum / changeUs >= MOST;
    sum += us;
    return !isMost || us / least >= 1;
  };
  const rest = culprits.findIndex((culprit) => !isNeeded(culprit));
  return rest < 0 ? FUNCTIONS : Math.min(FUNCTIONS, rest);
}

/** `A::b()` +1.9 ms of +2.3 ms CPU per request (src/A.php:41, changed here) */
function tellAll(culprits: readonly Culprit[], medium: RowMedium, of: string, ranges = false): string {
  const amounts = culprits.map(({ function: own, change: { us, low, high } }) => {
    const range = ranges ? ` (${signedTime(low)} to ${signedTime(high)})` : '';
    return `${own ? medium.call(callName(own)) : 'autoloading'} ${signedTime(us)}${range}`;
  });
  const places = culprits.map((culprit) => tellPlace(culprit, medium)).filter(Boolean);
  return `${listNames(amounts)}${of} CPU per request${places.length > 0 ? ` (${places.join('; ')})` : ''}`;
}

function tellPlace({ function: own, caller, within, isSpread }: Culprit, medium: RowMedium): string {
  if (!own) return '';
  const place = placeName(own);
  return [
    place && medium.place(place),
    own.changed ? 'changed here' : '',
    caller ? `called by ${tellCaller(caller, medium)}, changed here` : '',
    within ? `in ${tellCallee(within, medium)}` : '',
    isSpread ? 'in many functions that it calls' : '',
  ]
    .filter(Boolean)
    .join(', ');
}

function tellCaller(caller: FunctionName, medium: RowMedium): string {
  const place = placeName(caller);
  return `${medium.call(callName(caller))}${place && ` in ${medium.place(place)}`}`;
}

function tellCallee(within: FunctionName, medium: RowMedium): string {
  return `${medium.call(callName(within))}, which it calls${within.changed ? ' and which changed here' : ''}`;
}
