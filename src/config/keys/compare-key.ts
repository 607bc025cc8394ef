import { UserError } from '../../errors.ts';
import { CompareMetric, type Gate } from '../../results/comparison.ts';
import { COUNT_NAMES } from '../../results/count-names.ts';
import { HOUR, parseDuration, quote, refuse, SECOND, unknownWord } from '../text.ts';
import type { Shard, Unjudged } from '../types.ts';

/** Values of `compare-to`, `budget` and `fail-on`. Each `parse…` throws a UserError without a place. */

export const COMPARE_TO =
  "'base', a git ref such as main or HEAD~1, an image such as shop:1.2, or an older results.json";

/**
 * `base`, a git ref, an image, or the path of an older results.json: only the machine knows which of them. A text
 * that begins with '-' is refused, as git would take it as a flag.
 */
export function parseCompareTo(text: string): string {
  if (!/^(?!-)\P{C}{1,500}$/u.test(text) || text.trim() !== text) {
    throw refuse('not a valid value for compare-to', text, COMPARE_TO);
  }
  return text;
}

/** Label or id of a variant. */
export function parseVariantName(text: string): string {
  if (!/^[\p{L}\p{N}][^\s\p{Cc}]{0,299}$/u.test(text)) {
    throw refuse('not the name of a variant', text, 'an alias, or a name such as apache@8.4, without spaces');
  }
  return text;
}

/** One machine each is what CI offers; beyond it the reference alone would take most of the time. */
export const MAX_SHARDS = 64;

/** `2/3`: the second of three. */
export function parseShard(text: string): Shard {
  const [, index, of] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).map(Number);
  if (!index || !of || index > of || of > MAX_SHARDS) {
    throw refuse('not a shard', text, `shard and number of shards, such as 2/3, up to ${MAX_SHARDS}`);
  }
  return { index, of };
}

const BUDGET_MS = { min: 30 * SECOND, max: 6 * HOUR };

/** Wall time for the load phase, ms: 30 s to 6 h. */
export function parseBudget(text: string): number {
  return parseDuration(text, { ...BUDGET_MS, unit: 'm', such: '2m30s or 1h' });
}

export const GATE_FORM = '[METRIC] slower > N% [in SCENARIO] [on RUNTIME or VARIANT]';
export const COUNT_GATE_FORM = 'COUNT more [> N or N%]';
const GATE =
  /^(?:(?<metric>\S+)\s+)?slower\s*>\s*(?<above>[^\s%]+)\s*%(?:\s+in\s+(?<scenario>\S+))?(?:\s+on\s+(?<variant>\S+))?$/;
/** Beyond it nobody means a gate. */
const MAX_ABOVE = 1000;

const UNJUDGED = ['fail', 'pass'] as const;

/** `unjudged = pass`: what becomes of a run in which a gate could not be judged; null: it is a gate. */
export function parseUnjudged(text: string): Unjudged | null {
  const [, word] = /^\s*unjudged\s*=\s*(\S+)\s*$/.exec(text) ?? [];
  if (word === undefined) return null;
  const unjudged = UNJUDGED.find((one) => one === word);
  if (!unjudged) throw refuse('not a valid value for unjudged', word, UNJUDGED.join(' or '));
  return { source: `unjudged = ${unjudged}`, unjudged };
}

const COUNT_GATE =
  /^(?<count>\S+?)\s*(?<more>\bmore\b)?(?:\s*>\s*(?<above>[^\s%]+)\s*(?<percent>%)?)?(?:\s+in\s+(?<scenario>\S+))?(?:\s+on\s+(?<variant>\S+))?$/;
const COUNT_NAME_LIST = Object.keys(COUNT_NAMES);

/**
 * `slower > 3%`, `p99 slower > 10% in json on apache`, `queries more`. Whether scenario and variant exist is checked by who
 * knows them.
 */
export function parseGate(text: string): Gate {
  const source = text.trim().replaceAll(/\s+/g, ' ');
  const { metric = null, above = '', scenario = null, variant = null } = GATE.exec(source)?.groups ?? {};
  if (!above) return parseCountGate(source);
  const known = CompareMetric.options.find((name) => name === metric) ?? null;
  if (metric !== null && known === null) {
    if (COUNT_NAME_LIST.includes(metric)) {
      const hint = `write '${metric} more > ${above}%'`;
      throw new UserError('a count is more or fewer, not slower', { found: quote(source), hint });
    }
    throw unknownWord('metric', metric, CompareMetric.options);
  }
  const percent = parseAbove(`${above}%`, above);
  // Nothing does less than no requests: RPS, which may lead where no metric is named, loses 100 % at most.
  if ((known === null || known === 'rps') && percent >= 100) {
    const allowed = 'less than 100%: RPS cannot drop further, so nothing could exceed this limit';
    throw new UserError('nothing can exceed this limit', {
      ...{ found: quote(source), allowed },
      ...(known === null && { hint: `name another metric, such as 'p99 slower > ${percent}%'` }),
    });
  }
  return { source, metric: known, above: shareOf(percent), scenario, variant };
}

/** `queries more`, `queries more > 2`, `queries > 20%`. */
function parseCountGate(source: string): Gate {
  const {
    count = '',
    more,
    above,
    percent,
    scenario = null,
    variant = null,
  } = COUNT_GATE.exec(source)?.groups ?? {};
  const refused = () =>
    refuse(
      'not a limit',
      source,
      `${GATE_FORM}, such as 'slower > 3%', or ${COUNT_GATE_FORM}, such as 'queries more'`,
    );
  if (more === undefined && above === undefined) throw refused();
  if (!COUNT_NAME_LIST.includes(count)) {
    // Words that stand around it show what was meant.
    if (more === undefined || /[>%]/.test(count)) throw refused();
    throw unknownWord('count', count, COUNT_NAME_LIST);
  }
  const gate = { source, metric: null, count, scenario, variant };
  if (above === undefined) return { ...gate, above: 0, more: 0 };
  if (percent !== undefined) return { ...gate, above: shareOf(parseAbove(`${above}%`, above)) };
  if (more === undefined) {
    const hint = `write '${count} > ${above}%' for a share, or '${count} more > ${above}' for a number per request`;
    throw new UserError('it is not clear whether this is a number or a share', {
      found: quote(source),
      hint,
    });
  }
  if (!/^\d{1,12}(\.\d{1,3})?$/.test(above))
    throw refuse('not a number', above, 'a number per request, such as 2 or 0.5');
  return { ...gate, above: 0, more: Number(above) };
}

function parseAbove(written: string, above: string): number {
  const percent = /^\d{1,4}(\.\d{1,3})?$/.test(above) ? Number(above) : Number.NaN;
  if (percent > 0 && percent <= MAX_ABOVE) return percent;
  throw refuse('not a percentage', written, `more than 0% and up to ${MAX_ABOVE}%, such as 3% or 2.5%`);
}

const shareOf = (percent: number) => Number((percent / 100).toPrecision(12));
