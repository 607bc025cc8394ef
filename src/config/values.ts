import * as z from 'zod';
import { scalar } from './document.ts';
import { LOAD_FORMS, parseLoad } from './parts/load.ts';
import * as text from './text.ts';

/** The values that keys of config, scenario and manifest files take, as zod schemas over the user's text. */

type Bounds = { min: number; max: number };

export const integer = ({ min, max }: Bounds) =>
  scalar((value) => text.parseInteger(value, { min, max }), { type: 'integer', minimum: min, maximum: max });

export const boolean = scalar(text.parseBoolean, { type: ['boolean', 'string'] });

export const duration = (min = 0, options: { orZero?: boolean; unit?: 'ms' } = {}) =>
  scalar((value) => text.parseDuration(value, { min, ...options }), {
    type: 'string',
    pattern: '^(?=.)(\\d+h)?(\\d+m)?(\\d+s)?(\\d+ms)?$',
  });

export const size = scalar(text.parseSize, { type: ['string', 'integer'] });
export const memory = scalar(text.parseMemory, { type: ['string', 'integer'] });
export const percent = scalar(text.parsePercent, {
  type: 'string',
  pattern: '^\\d{1,3}(\\.\\d+)?%$',
});
export const name = scalar(text.parseName, { type: 'string', pattern: text.NAME.source });
export const path = scalar(text.parsePath, { type: 'string', minLength: 1 });
export const urlPath = scalar(text.parseUrlPath, { type: 'string', pattern: '^/\\S*$' });
export const host = scalar(text.parseHost, { type: 'string', pattern: '^[A-Za-z0-9.-]+(:\\d{1,5})?$' });
export const php = scalar(text.parsePhp, { type: ['string', 'number'] });
export const image = scalar((value) => text.parseImage(value), { type: 'string' });
export const load = scalar(parseLoad, { type: 'string', description: LOAD_FORMS });

/** Any text; YAML may take it for a number or so, which it is not to us. */
export const anyText = z.string().meta({ type: ['string', 'number', 'boolean', 'null'] });

/** Any text on one line that says something. */
export const line = scalar(
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
export const cpus = z
  .union([cpuText, z.array(cpuText)])
  .transform((value) => [value].flat().join(','))
  .pipe(scalar(text.parseCpus, {}));

/** A list, or the same in one text with commas. `json`: the schema of that text. */
export function list<T>(item: z.ZodType<T>, json: Record<string, unknown> = { type: 'string' }) {
  const items = z.array(item) as unknown as z.ZodType<T[], string[]>;
  return z.union([z.string().transform(text.splitList).pipe(items).meta(json), items]);
}

/** What a scenario must keep; an all-empty one always passes. */
export const slo = {
  p50: duration(1, { unit: 'ms' }).optional(),
  p95: duration(1, { unit: 'ms' }).optional(),
  p99: duration(1, { unit: 'ms' }).optional(),
  ok: percent.optional(),
  checks: percent.optional(),
};
