import { type Place, UserError } from '../../errors.ts';
import { at } from '../document.ts';
import type { KeyName } from '../keys.ts';
import { quote, unknownWord } from '../text.ts';
import type { Config, Scenario } from '../types.ts';
import { find, type Layer } from './layers.ts';

/** Keys that decide the names of variants. */
export const VARIANT_KEYS = ['runtimes', 'php', 'app'] as const;
const SCENARIO_KEYS = ['scenarios', 'paths', 'journey'] as const;

/**
 * A name is compared with what its own source asks for. A name that nothing bears any more is no mistake if a stronger
 * source asks for something else.
 */
export function toCheck(
  layers: readonly Layer[],
  key: KeyName,
  named: readonly KeyName[],
  where: Place | undefined,
): { unchecked?: Place } {
  const stronger = layers.slice(
    0,
    layers.findIndex(({ values }) => values[key] !== undefined),
  );
  const overridden = stronger.some(({ values }) => named.some((other) => values[other] !== undefined));
  return overridden || !where ? {} : { unchecked: where };
}

export function readGates(
  layers: readonly Layer[],
  scenarios: readonly Scenario[],
): Pick<Config, 'failOn' | 'unjudged'> {
  const given = find(layers, 'fail-on');
  const rules = given?.value ?? [];
  const names = scenarios.map(({ name }) => name);
  rules.forEach(({ source }, i) => {
    const first = rules.findIndex((rule) =>
      'unjudged' in rule ? 'unjudged' in (rules[i] ?? {}) : rule.source === source,
    );
    if (first === i) return;
    at(given?.place(i), () => {
      throw new UserError('limit given twice', { found: quote(source) });
    });
  });
  const failOn = rules.flatMap((gate, i) => {
    if ('unjudged' in gate) return [];
    const where = given?.place(i);
    return at(where, () => {
      const { unchecked } = toCheck(layers, 'fail-on', SCENARIO_KEYS, where);
      if (unchecked && gate.scenario !== null && !names.includes(gate.scenario)) {
        throw unknownWord('scenario in a limit', gate.scenario, names);
      }
      return [{ ...gate, ...toCheck(layers, 'fail-on', VARIANT_KEYS, where) }];
    });
  });
  const choice = rules.find((rule) => 'unjudged' in rule);
  return { failOn, ...(choice && { unjudged: choice.unjudged }) };
}
