import * as z from 'zod';
import { COUNT_NAMES, COUNTERS } from '../../results/count-names.ts';
import { keys, record, scalar } from '../document.ts';
import { parseAddress, parseEngine, parseRegistry } from '../engine-key.ts';
import { parseImage, parseName, refuse } from '../text.ts';
import { anyText, imageValue, listOf, nameValue, oneOf, pathValue } from '../values.ts';
import { parseGate, parseUnjudged, parseVariantName } from './compare-key.ts';

/** One key of the configuration: in `.bench.yml`, as a flag `--key VALUE` and as an input of the action. */
export interface Key {
  schema: z.ZodType;
  /** Name of the value in the help text. None: a switch. */
  value?: string;
  /** The value of a flag that is given without one; left out: the flag needs one. */
  alone?: string;
  about: string;
  /** A sentence for the description of the input alone. */
  input?: string;
  /** Shown in the help text. */
  default?: string;
  /**
   * How one text holds several values: `a,b`, or `K=V,K=V` (`pairs`; `headers`: with commas in values), or for each flag or
   * line one `K=V` (`lines`) or any text (`texts`).
   */
  many?: 'list' | 'pairs' | 'headers' | 'lines' | 'texts';
  /** Left out: everywhere. */
  only?: readonly ('file' | 'flag' | 'input')[];
}

export const choice = z.union([
  z.string(),
  keys(
    { runtime: z.string(), as: nameValue.optional(), options: z.record(z.string(), anyText).optional() },
    () => 'such as { runtime: nginx-fpm, options: { workers: 8 } }',
  ),
]);

export const variable = (text: string) => {
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,254}$/.test(text)) {
    throw refuse(
      'not a name of a variable',
      text,
      'letters, digits and _, not beginning with a digit, such as APP_ENV',
    );
  }
};

/** Settings that an option of the runtimes sets. */
const INI_OPTIONS: Readonly<Record<string, string>> = {
  memory_limit: 'memory-limit',
  'opcache.jit': 'jit',
  'opcache.jit_buffer_size': 'jit',
};

export const iniName = (text: string) => {
  if (!/^[A-Za-z_][A-Za-z0-9_.]{0,99}$/.test(text)) {
    throw refuse('not the name of a PHP setting', text, 'a name as in php.ini, such as max_input_vars');
  }
  const option = INI_OPTIONS[text.toLowerCase()];
  if (option === undefined) return;
  const hint = `use the option: runtimes: ['apache[${option}=…]']`;
  throw refuse('an option of the runtimes sets this', text, 'any other setting', hint);
};

/** It becomes one line of a php.ini. */
export const iniValue = scalar(
  (text) => {
    if (!/\p{Cc}/u.test(text) && text.length <= 1000) return text;
    throw refuse('not the value of a PHP setting', text, 'one line of up to 1000 characters');
  },
  { type: ['string', 'number', 'boolean', 'null'], maxLength: 1000 },
);

/**
 * As install-php-extensions takes them, a version included: `redis`, `xdebug-3.4.0`, `mongodb-^1.21@stable`. It is given
 * them unquoted. Composer writes `ext-redis`, and packages of distributions are named `php-redis`, `php8.4-redis` or
 * `php84-pecl-redis`. `:imap` leaves one out, as in setup-php.
 */
export const extension = scalar(
  (written) => {
    const text = written.toLowerCase().replace(/^(:?)(ext-|php[\d.]*-(pecl-)?)/, '$1');
    if (/^:?mysql\b/.test(text)) {
      const hint = "use 'pdo_mysql' if the app uses PDO, else 'mysqli'";
      throw refuse('PHP 7 removed the extension mysql', written, 'pdo_mysql, mysqli', hint);
    }
    if (/^(:(?!.*-))?[a-z][a-z0-9_]{0,39}(-\^?[a-z0-9._@]{1,30})?$/.test(text)) return text;
    throw refuse(
      'not the name of a PHP extension',
      written,
      'letters, digits and _, such as intl or pdo_mysql, and perhaps a version: mongodb-^1.21',
    );
  },
  { type: 'string', pattern: '^:?(ext-|php[0-9.]*-(pecl-)?)?[A-Za-z][A-Za-z0-9_]*(-\\^?[A-Za-z0-9._@]+)?$' },
);

export const command = scalar(
  (text) => {
    if (text.trim() && text.length <= 4000 && !text.includes('\0')) return text;
    throw refuse(
      'not a command',
      text,
      "what `sh -c` takes, up to 4000 characters, such as 'php artisan migrate --force'",
    );
  },
  { type: 'string', minLength: 1 },
);

/** Parts in which answers may differ: a regular expression of JavaScript, with the flags g and u. */
export const mask = scalar(
  (text) => {
    const allowed =
      'a regular expression of JavaScript (flag u), up to 1000 characters, that never matches nothing';
    if (text === '' || text.length > 1000) throw refuse('not a regular expression', text, allowed);
    try {
      if (!new RegExp(text, 'u').test('')) return text;
    } catch (error) {
      throw refuse(`not a regular expression: ${(error as Error).message}`, text, allowed);
    }
    throw refuse('matches the empty text, so it would match everywhere', text, allowed);
  },
  { type: 'string', minLength: 1, maxLength: 1000 },
);

const GATE_PATTERN = `slower|unjudged|(${Object.keys(COUNT_NAMES).join('|')})( +more| *>)`;

const gate = scalar((text: string) => parseUnjudged(text) ?? parseGate(text), {
  type: 'string',
  pattern: GATE_PATTERN,
});

export const gates = listOf(gate, { type: 'string', pattern: GATE_PATTERN });

export const images = record((text) => parseImage(text), imageValue);

/** The path of a compose file, or more than that. */
export const services = z.union([
  pathValue,
  keys({
    file: pathValue.optional(),
    reset: record(parseName, anyText).optional(),
    image: imageValue.optional(),
    dump: pathValue.optional(),
  }),
]);

/** Keys of what is found out once all is measured. */
export const PASS_KEYS = {
  profile: {
    schema: listOf(scalar(parseVariantName, { type: 'string' }), { type: ['string', 'boolean'] }),
    value: '[LIST]',
    alone: 'true',
    about:
      'Also sample where CPU time goes, once all is measured: by function. All variants, or a list of runtimes and variants',
    default: 'false',
    many: 'list',
  },
  count: {
    schema: listOf(oneOf(...COUNTERS, 'none')),
    value: 'LIST',
    about: `Also count work per request, after the verdict: ${COUNTERS.join(', ')}, or none`,
    default: 'services, if there are services and compare-to',
    many: 'list',
  },
} as const satisfies Record<string, Key>;

/** Keys for several engines that share the variants. */
export const SEVERAL_ENGINES_KEYS = {
  engines: {
    schema: listOf(scalar(parseEngine, { type: 'string', minLength: 1 })),
    value: 'NAME,…',
    about: 'Share the variants among several Docker engines, with the reference on each',
    default: 'none',
    many: 'list',
    only: ['flag'],
  },
  registry: {
    schema: scalar(parseRegistry, { type: 'string' }),
    value: 'HOST/NAME',
    about: 'Build on the first of engines alone, push to this repository, and pull by digest on all',
    default: 'each engine builds',
    // It takes the images of the app: a pull request does not choose.
    only: ['flag'],
  },
} as const satisfies Record<string, Key>;

/** Keys for engines that make the load instead of the engine with the servers. */
export const LOAD_ENGINE_KEYS = {
  'load-engines': {
    schema: listOf(scalar(parseEngine, { type: 'string', minLength: 1 })),
    value: 'NAME,…',
    about: 'Docker engines on other machines that make the load together. Each as for engine',
    default: 'the engine with the servers',
    many: 'list',
    // As with engine: a pull request does not choose.
    only: ['flag', 'input'],
  },
  'load-address': {
    schema: scalar(parseAddress, { type: 'string', pattern: '^\\d+(\\.\\d+){3}$' }),
    value: 'IP',
    about: 'IPv4 address of the machine with the servers, on which the load engines find them',
    only: ['flag', 'input'],
  },
} as const satisfies Record<string, Key>;
