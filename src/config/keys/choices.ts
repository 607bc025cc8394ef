import { type Place, UserError } from '../../errors.ts';
import { at } from '../document.ts';
import {
  formatDuration,
  formatSize,
  HOUR,
  NAME,
  NAME_RULE,
  parseBoolean,
  parseDuration,
  parseInteger,
  parseSize,
  quote,
  refuse,
  splitList,
  unknownWord,
} from '../text.ts';
import type { OptionSpec, OptionValue, Runtime, RuntimeChoice } from '../types.ts';

/** Runtimes by name; `broken`: why others that are there cannot be used. */
export type Runtimes = ReadonlyMap<string, Runtime> & { readonly broken?: ReadonlyMap<string, UserError> };

const EXAMPLE =
  "'apache', 'nginx-fpm[workers=80,listen=unix]' or, with an alias, 'small=nginx-fpm[workers=4]'";

/**
 * Reads one or several choices: `apache,small=nginx-fpm[workers=4,listen=tcp]`. Throws a UserError that names the
 * unknown runtime, option or value, and those that are known.
 */
export function parseChoices(text: string, runtimes: Runtimes): RuntimeChoice[] {
  return splitList(text).map((item) => parseChoice(item, runtimes));
}

function parseChoice(text: string, runtimes: Runtimes): RuntimeChoice {
  const bracket = text.indexOf('[');
  const head = bracket < 0 ? text : text.slice(0, bracket);
  const equals = head.indexOf('=');
  const runtime = head.slice(equals + 1).trim();
  const as = equals < 0 ? undefined : head.slice(0, equals).trim();
  if (!text || !runtime) throw refuse('name of a runtime is missing', text, EXAMPLE);
  const set: [string, string][] = [];
  if (bracket >= 0) {
    const close = text.indexOf(']', bracket);
    if (close < 0) throw refuse("']' is missing", text, EXAMPLE);
    if (close !== text.length - 1)
      throw refuse(`unexpected ${quote(text.slice(close + 1))} after ']'`, text, EXAMPLE);
    for (const pair of splitList(text.slice(bracket + 1, close))) {
      const at = pair.indexOf('=');
      if (at < 1) throw refuse('option without a value', pair, EXAMPLE);
      set.push([pair.slice(0, at).trim(), pair.slice(at + 1).trim()]);
    }
  }
  return choose(runtime, as, set, runtimes);
}

/** One choice from its parts; the values are the user's text. */
export function choose(
  name: string,
  as: string | undefined,
  set: readonly (readonly [string, string])[],
  runtimes: Runtimes,
  placeOf: (option: string) => Place | undefined = () => undefined,
): RuntimeChoice {
  const runtime = runtimes.get(name);
  const broken = runtimes.broken?.get(name);
  if (broken) throw broken;
  if (!runtime) throw unknownRuntime(name, [...runtimes.keys()]);
  if (as !== undefined && !NAME.test(as)) throw refuse('bad alias', as, NAME_RULE);
  if (as !== undefined && runtimes.has(as)) {
    throw refuse(
      'alias equals the name of a runtime',
      as,
      `any name except ${[...runtimes.keys()].join(', ')}`,
    );
  }
  const values: Record<string, OptionValue> = {};
  for (const [option, text] of set) {
    at(placeOf(option), () => {
      const spec = Object.hasOwn(runtime.options, option) ? runtime.options[option] : undefined;
      if (!spec) throw unknownWord(`option of '${name}'`, option, Object.keys(runtime.options));
      if (Object.hasOwn(values, option))
        throw refuse(`option '${option}' of '${name}' set twice`, text, 'one value');
      values[option] = parseOptionValue(option, spec, text);
    });
  }
  // In the manifest's order, so that the same choice is always written the same way.
  const sorted = Object.keys(runtime.options).filter((option) => Object.hasOwn(values, option));
  return {
    runtime,
    set: Object.fromEntries(sorted.map((option) => [option, values[option] as OptionValue])),
    ...(as !== undefined && { as }),
  };
}

/** `nginx` and `php-fpm` are parts of runtimes, and `apache@8.4` is a variant. */
function unknownRuntime(name: string, known: readonly string[]): UserError {
  const php = /@(\d+\.\d+)$/.exec(name)?.[1];
  const misread = php === undefined ? undefined : `the PHP version has its own setting: --php ${php}`;
  const hint = misread ?? (/\s/.test(name) ? 'separate runtimes with commas' : undefined);
  if (hint !== undefined) return refuse('unknown runtime', name, known.join(', '), hint);
  const parts = name.toLowerCase().split('-');
  const named = parts.filter((part) => part !== 'php');
  const near = known.filter(
    (one) => named.length > 0 && named.every((part) => one.split('-').includes(part)),
  );
  if (near.length === 0) return unknownWord('runtime', name, known);
  return refuse('unknown runtime', name, known.join(', '), `did you mean ${near.join(' or ')}?`);
}

/** Text → canonical value: integers and booleans as such, times up to an hour as `5s` or `500ms`, sizes as `128M`. */
export function parseOptionValue(name: string, spec: OptionSpec, text: string): OptionValue {
  try {
    switch (spec.type) {
      case 'integer':
        return parseInteger(text, { min: spec.min ?? 0, max: spec.max ?? Number.MAX_SAFE_INTEGER });
      case 'boolean':
        return parseBoolean(text);
      case 'duration':
        return formatDuration(parseDuration(text, { max: HOUR }));
      case 'size':
        return formatSize(parseSize(text));
      case 'enum':
        if (!spec.values?.includes(text)) throw unknownWord('value', text, spec.values ?? []);
        return text;
    }
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`option '${name}': ${error.message}`, error.detail);
  }
}

/** `nginx-fpm[workers=80]`: a choice as its user would write it, without the alias. */
export function formatChoice({ runtime, set }: RuntimeChoice): string {
  const options = Object.entries(set).map(([option, value]) => `${option}=${value}`);
  return options.length ? `${runtime.name}[${options.join(',')}]` : runtime.name;
}

/** Throws when a choice is the same variant as an earlier one (defaults count) or takes its alias. */
export function checkDistinct(choice: RuntimeChoice, earlier: readonly RuntimeChoice[]): void {
  const twin = findTwin(choice, earlier);
  if (twin) {
    throw new UserError('the same variant twice', {
      found: `${quote(formatChoice(twin))} and ${quote(formatChoice(choice))}`,
      allowed: 'variants that differ in runtime or options (including defaults)',
    });
  }
  if (choice.as !== undefined && earlier.some(({ as }) => as === choice.as)) {
    throw refuse('alias used twice', choice.as, 'an alias for one variant each');
  }
}

/** The same variant, chosen before with the same options or by their defaults. */
export function findTwin(
  choice: RuntimeChoice,
  earlier: readonly RuntimeChoice[],
): RuntimeChoice | undefined {
  return earlier.find((other) => effective(other) === effective(choice));
}

function effective({ runtime, set }: RuntimeChoice): string {
  const values = Object.entries(runtime.options).map(([option, spec]) => set[option] ?? spec.default);
  return JSON.stringify([runtime.folder, values]);
}
