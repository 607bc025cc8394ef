import { UserError } from '../../errors.ts';
import { COUNT_NAMES, COUNTERS, type Counter } from '../../results/count-names.ts';
import { at } from '../document.ts';
import { quote } from '../text.ts';
import type { Config } from '../types.ts';
import { toCheck } from './fail-on.ts';
import { find, type Layer } from './layers.ts';

/**
 * The chosen counters. Without the key: services, if there are any and another version is measured, and the counters
 * that gates need.
 */
export function readCounters(
  layers: readonly Layer[],
  { services, failOn }: Pick<Config, 'services' | 'failOn'>,
): Pick<Config, 'count'> {
  const given = find(layers, 'count');
  const gates = find(layers, 'fail-on');
  const needed = failOn.flatMap(({ count }) => (count === undefined ? [] : (COUNT_NAMES[count]?.by ?? [])));
  const chosen = given?.value.filter((word) => word !== 'none') ?? [];
  if (given && chosen.length > 0 && chosen.length < given.value.length) {
    throw new UserError('`none` cannot be combined', {
      where: given.place(given.value.indexOf('none')),
      allowed: `none, or a list of ${COUNTERS.join(', ')}`,
    });
  }
  if (given && chosen.includes('services') && !services) {
    const hint = 'set `services`, or leave `services` out of `count`';
    throw new UserError('no services to count by', { where: given.place(), found: quote('services'), hint });
  }
  for (const [i, rule] of (gates?.value ?? []).entries()) {
    const where = gates?.place(i);
    if ('metric' in rule && rule.metric === 'services' && !services)
      at(where, () => refuseUnserved(rule.source));
    if (!('count' in rule) || rule.count === undefined) continue;
    const { by } = COUNT_NAMES[rule.count] as { by: Counter };
    // A stronger source may count something else: the rule is then left out of the run.
    const { unchecked } = toCheck(layers, 'fail-on', ['count'], where);
    at(where, () =>
      checkCounted(rule.source, by, unchecked && given ? chosen : null, services !== undefined),
    );
  }
  const standard = services && find(layers, 'compare-to') ? (['services'] as const) : [];
  const wanted = new Set<Counter>(given ? chosen : [...standard, ...needed]);
  return wanted.size > 0 ? { count: COUNTERS.filter((counter) => wanted.has(counter)) } : {};
}

function refuseUnserved(source: string): never {
  const hint = 'set `services` to the compose file of your database, or use another limit';
  throw new UserError('a limit on services, and there are none', { found: quote(source), hint });
}

/** A gate on what nobody counts could never fail. */
function checkCounted(source: string, by: Counter, chosen: readonly Counter[] | null, hasServices: boolean) {
  if (by === 'services' && !hasServices) refuseUnserved(source);
  if (chosen === null || chosen.includes(by)) return;
  throw new UserError('a limit on what is not counted', {
    found: quote(source),
    hint: `add ${by} to \`count\``,
  });
}
