import * as z from 'zod';
import { eachQuantile } from '../results/quantiles.ts';
import { scalar } from './document.ts';
import { LOAD_FORMS, parseLoad } from './parts/load.ts';
import * as text from './text.ts';

/** The values that keys of config, scenario and manifest files take, as zod schemas over the user's text. */

type Bounds = { min: number; max: number };

export const integerValue = ({ min, max }: Bounds) =>
  scalar((value) => text.parseInteger(value, { min, max }), { type: 'integer', minimum: min, maximum: max });

export const booleanValue = scalar(text.parseBoolean, { type: ['boolean', 'string'] });

export const durationValue = (min = 0, options: { orZero?: boolean; unit?: 'ms' } = {}) =>
  scalar((value) => text.parseDuration(value, { min, ...options }), {
    type: 'string',
    pattern: '^(?=.)(\\d+h)?(\\d+m)?(\\d+s)?(\\d+ms)?$',
  });

export const memoryValue = scalar(text.parseMemory, { type: ['string', 'integer'] });
const percentValue = scalar(text.parsePercent, {
  type: 'string',
  pattern: '^\\d{1,3}(\\.\\d+)?%$',
});
export const nameValue = scalar(text.parseName, { type: 'string', pattern: text.NAME.source });
export const scenarioValue = scalar(text.parseScenario, { type: 'string', pattern: text.NAME.source });
export const pathValue = scalar(text.parsePath, { type: 'string', minLength: 1 });
export const urlPathValue = scalar(text.parseUrlPath, { type: 'string', pattern: '^/\\S*$' });
export const hostValue = scalar(text.parseHost, { type: 'string', pattern: '^[A-Za-z0-9.-]+(:\\d{1,5})?$' });
export const phpValue = scalar(text.parsePhp, { type: ['string', 'number'] });
export const imageValue = scalar((value) => text.parseImage(value), { type: 'string' });
export const loadValue = scalar(parseLoad, { type: 'string', description: LOAD_FORMS });

/** Any text; YAML may take it for a number or so, which it is not to us. */
export const anyText = z.string().meta({ type: ['string', 'number', 'boolean', 'null'] });

/** Any text on one line that is not blank. */
export const lineValue = scalar(
  (value) => {
    if (/^[^\p{Cc}]{1,500}$/u.test(value) && value.trim()) return value;
    throw text.refuse('not a line of text', value, '1 to 500 characters on one line');
  },
  { type: ['string', 'number', 'boolean'], minLength: 1, maxLength: 500 },
);

export const oneOf = <const T extends string>(...values: T[]) =>
  scalar(
    (value): T => {
      const found = values.find((v) => v === value);
      if (found === undefined) throw text.unknownWord('value', value, values);
      return found;
    },
    { type: 'string', enum: values },
  );

const cpuText = z.string().meta({ type: ['string', 'integer'] });

/** One text, or a list of them. */
export const cpusValue = z
  .union([cpuText, z.array(cpuText)])
  .transform((value) => [value].flat().join(','))
  .pipe(scalar(text.parseCpus, {}));

/** A list of texts, or one text. */
export function textsOf<T>(item: z.ZodType<T, string>) {
  return z.union([item.transform((one) => [one]), z.array(item)]);
}

/** A list of texts, or one of them a line, as in an input. A text without any is one empty text, for `item` to refuse. */
export function linesOf<T>(item: z.ZodType<T, string>, json: Record<string, unknown>) {
  const items = z.array(item) as unknown as z.ZodType<T[], string[]>;
  const lines = (text: string) =>
    text.trim() === '' ? [''] : text.split(/\r?\n/).filter((line) => line.trim());
  return z.union([z.string().transform(lines).pipe(items).meta(json), items]);
}

/** A list, or the same in one text with commas. `json`: the schema of that text. */
export function listOf<T>(item: z.ZodType<T>, json: Record<string, unknown> = { type: 'string' }) {
  const items = z.array(item) as unknown as z.ZodType<T[], string[]>;
  return z.union([z.string().transform(text.splitList).pipe(items).meta(json), items]);
}

/** Criteria of a scenario; it always passes if all are empty. */
export const sloValues = {
  ...eachQuantile(() => durationValue(1, { unit: 'ms' }).optional()),
  ok: percentValue.optional(),
  checks: percentValue.optional(),
};
