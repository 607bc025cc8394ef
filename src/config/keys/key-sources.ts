import type * as z from 'zod';
import { keys } from '../document.ts';
import { KEY_NAMES, KEYS, type KeyName, type Values } from '../keys.ts';
import { COMMON_OPTIONS } from '../parts/manifest.ts';
import type { Key } from './key-values.ts';

/** The keys that one kind of source may have. */
export function keysOf(source: 'file' | 'flag' | 'input'): KeyName[] {
  return KEY_NAMES.filter((key) => (KEYS[key] as Key).only?.includes(source) ?? true);
}

/** A right value of each key that is a map or a list in a file, as a flag has it. */
const EXAMPLES: Partial<Record<string, string>> = {
  slo: 'p99=300ms',
  env: 'APP_ENV=prod',
  ini: 'max_input_vars=5000',
  headers: 'Accept=application/json',
  image: 'php:8.4-fpm=mirror.example/php:8.4-fpm',
  prepare: 'php artisan migrate --force',
  mask: '\\d{14}',
};

/** A right value of a key in a flag or an input: `APP_ENV=prod`. */
export const exampleOf = (key: string): string | undefined => EXAMPLES[key];

/** The same in a file: `{ APP_ENV: prod }`, `['php artisan migrate --force']`. */
export function exampleInFile(key: KeyName): string | undefined {
  const example = exampleOf(key);
  if (example === undefined) return undefined;
  return (KEYS[key] as Key).many === 'texts' ? `['${example}']` : `{ ${example.replace('=', ': ')} }`;
}

/** The hint for an option of the runtimes that is given like a key; `before` and `after`: how a runtime is written there. */
export function hintOption(name: string, before: string, after = ''): string | undefined {
  if (!Object.hasOwn(COMMON_OPTIONS, name)) return undefined;
  return `set this option of a runtime: ${before}'apache[${name}=…]'${after}`;
}

/** The hint for a key that only other kinds of source may have. */
function hintElsewhere(name: string): string | undefined {
  if (!Object.hasOwn(KEYS, name)) return hintOption(name, 'runtimes: [', ']');
  const { only = [] }: Key = KEYS[name as KeyName];
  const where = [
    ...(only.includes('flag') ? ['a flag'] : []),
    ...(only.includes('input') ? ['an input of the action'] : []),
  ];
  return `this file cannot set it: use ${where.join(', or ')}`;
}

/** Schema of all that one kind of source may set. */
export function schemaOf(source: 'file' | 'flag' | 'input') {
  const shape = Object.fromEntries(
    keysOf(source).map((key) => {
      const { schema, about }: Key = KEYS[key];
      return [key, schema.optional().meta({ description: about })];
    }),
  );
  return keys(shape, source === 'file' ? hintElsewhere : undefined) as unknown as z.ZodType<Values>;
}
