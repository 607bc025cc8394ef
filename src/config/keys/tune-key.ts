import { UserError } from '../../errors.ts';
import { parseInteger, quote, refuse } from '../text.ts';
import type { Runtime, RuntimeChoice, Tune } from '../types.ts';
import { checkDistinct, choose, findTwin } from './choices.ts';

/** Twice as much each time: what lies between two of them hardly differs from both. */
const VALUES = [2, 4, 8, 16, 32, 64, 128];
const MOST = 20;

/** `workers`, or with the values to try: `workers=4,16,64`. */
export function parseTune(text: string): Tune {
  const [, option, list] = /^([a-z][a-z-]*)(?:=(.*))?$/s.exec(text) ?? [];
  if (!option)
    throw refuse('nothing to tune', text, 'an option with numbers, such as workers or workers=4,16,64');
  if (list === undefined) return { option };
  const values = list.split(',').map((value) => parseInteger(value.trim()));
  if (values.length > MOST) throw refuse('too many values to try', text, `up to ${MOST}`);
  return { option, values: [...new Set(values)] };
}

/**
 * Every runtime that has the option with each of its values; as it was chosen comes first, and is what the others are
 * compared with. One that is chosen anyway is there once. Throws a UserError when none has it, for a given value that it does
 * not allow, or where an alias is taken.
 */
export function expandTune(
  choices: readonly RuntimeChoice[],
  { option, values }: Tune,
  runtimes: ReadonlyMap<string, Runtime>,
): RuntimeChoice[] {
  const specOf = ({ runtime }: RuntimeChoice) => {
    const spec = Object.hasOwn(runtime.options, option) ? runtime.options[option] : undefined;
    return spec?.type === 'integer' ? spec : undefined;
  };
  if (!choices.some(specOf)) {
    const numbers = choices.flatMap(({ runtime }) =>
      Object.entries(runtime.options).flatMap(([name, { type }]) => (type === 'integer' ? [name] : [])),
    );
    throw new UserError('no selected runtime has this numeric option', {
      found: quote(option),
      allowed: [...new Set(numbers)].join(', ') || 'none',
    });
  }
  const taken = [...choices];
  return choices.flatMap((choice) => {
    const spec = specOf(choice);
    if (!spec) return [choice];
    const own = choice.set[option] ?? spec.default;
    const { min = 0, max = Number.POSITIVE_INFINITY } = spec;
    const tried = values ?? VALUES.filter((value) => value >= min && value <= max);
    const others = tried.filter((value) => value !== own);
    const { [option]: _, ...rest } = choice.set;
    const set = Object.entries(rest).map(([name, value]) => [name, String(value)] as const);
    const found = others.map((value) => {
      const as = choice.as && `${choice.as}-${value}`;
      return choose(choice.runtime.name, as, [...set, [option, String(value)]], runtimes);
    });
    const added = found.filter((one) => !findTwin(one, taken));
    for (const one of added) {
      checkDistinct(one, taken);
      taken.push(one);
    }
    return [choice, ...added];
  });
}
