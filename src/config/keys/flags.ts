import { parseArgs } from 'node:util';
import { UserError } from '../../errors.ts';
import { at } from '../document.ts';
import { KEYS, type KeyName } from '../keys.ts';
import { readHeaderPairs } from '../requests/headers.ts';
import { quote, readPairs, splitList, suggest } from '../text.ts';
import { exampleOf, hintOption, keysOf } from './key-sources.ts';
import type { Key } from './key-values.ts';

/** The flags of a command as texts, and what stands between them. */
export interface Arguments {
  flags: ReadonlyMap<string, readonly string[]>;
  positionals: readonly string[];
}

/** Which flags there are: those that take a value, switches, and those with a value that may be left out. */
export type FlagKinds = Readonly<Record<string, 'string' | 'boolean' | { alone: string }>>;

/** The flags that are keys of the configuration. */
export const CONFIG_FLAGS: FlagKinds = Object.fromEntries(
  keysOf('flag').map((key) => {
    const { value, alone } = KEYS[key] as Key;
    return [key, value === undefined ? 'boolean' : alone === undefined ? 'string' : { alone }];
  }),
);

/** Takes a command line apart. Throws a UserError on an unknown flag and on one that lacks its value. */
export function splitArguments(argv: readonly string[], kinds: FlagKinds): Arguments {
  const options = Object.fromEntries(
    Object.entries(kinds).map(
      ([name, kind]) => [name, { type: kind === 'boolean' ? kind : 'string' }] as const,
    ),
  );
  // Not strict: node's own messages know nothing of what the user may have meant.
  const { tokens } = parseArgs({
    args: completeAlone(argv, kinds),
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, string[]>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') positionals.push(token.value);
    if (token.kind !== 'option') continue;
    const negated = /^--no-(.+)$/.exec(token.rawName)?.[1];
    const isOff = negated !== undefined && Object.hasOwn(kinds, negated) && kinds[negated] !== 'string';
    const name = isOff ? negated : token.name;
    const where = { name: `--${name}` };
    if (!Object.hasOwn(kinds, name) || !token.rawName.startsWith('--')) {
      const names = Object.keys(kinds).map((known) => `--${known}`);
      const option = Object.hasOwn(kinds, 'runtimes') ? hintOption(name, '--runtimes ') : undefined;
      const hint = option ?? suggest(token.rawName, names);
      throw new UserError(`unknown flag ${quote(token.rawName)}`, {
        allowed: names.join(', '),
        ...(hint && { hint }),
      });
    }
    const value = isOff ? 'false' : token.value;
    if (kinds[name] !== 'boolean' && (!value || (!isOff && !token.inlineValue && value.startsWith('--')))) {
      throw new UserError('needs a value', { where, found: value ? quote(value) : 'nothing' });
    }
    flags.set(name, [...(flags.get(name) ?? []), value ?? 'true']);
  }
  return { flags, positionals };
}

/** Gives flags that stand without their value the one that this means. */
function completeAlone(argv: readonly string[], kinds: FlagKinds): string[] {
  return argv.map((arg, i) => {
    const kind = Object.hasOwn(kinds, arg.slice(2)) && arg.startsWith('--') ? kinds[arg.slice(2)] : undefined;
    const next = argv[i + 1];
    const isAlone = typeof kind === 'object' && (next === undefined || next.startsWith('-'));
    return isAlone ? `${arg}=${kind.alone}` : arg;
  });
}

/** Flags of the configuration → data by key, as it would stand in a file. Repeated lists and maps are joined. */
export function readFlags(argv: readonly string[]): Record<string, unknown> {
  const { flags, positionals } = splitArguments(argv, CONFIG_FLAGS);
  if (positionals[0] !== undefined) {
    throw new UserError(`unexpected argument ${quote(positionals[0])}`, {
      allowed: 'only flags, such as --app PATH or --runtimes LIST',
    });
  }
  const data: Record<string, unknown> = {};
  for (const [name, texts] of flags) {
    const { many } = KEYS[name as KeyName] as Key;
    if (many === 'list') data[name] = texts.join(',');
    else if (many === 'texts') data[name] = texts;
    else if (many === 'headers') data[name] = at({ name: `--${name}` }, () => readHeaderPairs(texts));
    else if (many) {
      const pairs = many === 'pairs' ? texts.flatMap(splitList) : texts;
      data[name] = at({ name: `--${name}` }, () => readPairs(pairs, exampleOf(name)));
    } else if (texts.length > 1) {
      throw new UserError('given more than once', {
        where: { name: `--${name}` },
        found: texts.map(quote).join(', '),
      });
    } else data[name] = texts[0];
  }
  return data;
}

/** Keys whose values may be secret. Names of variables, headers and settings of PHP are not. */
const SECRET_PAIRS: readonly KeyName[] = ['env', 'headers', 'ini'];
const SECRET_COMMANDS: readonly KeyName[] = ['prepare', 'set-up'];

const SECRET_FLAG = RegExp(`^--(?:${[...SECRET_PAIRS, ...SECRET_COMMANDS].join('|')})$`);
const SECRET = RegExp(
  `^(--(?:(?:${SECRET_PAIRS.join('|')})=(?:[^=]*=)?|(?:${SECRET_COMMANDS.join('|')})=)).*$`,
  's',
);

/** A command line as results and reports repeat it. */
export function withoutSecrets(argv: readonly string[]): string[] {
  return argv.map((word, i) => {
    const before = argv[i - 1] ?? '';
    const flag = SECRET_FLAG.test(before) ? `${before}=` : '';
    return `${flag}${word}`.replace(SECRET, '$1…').slice(flag.length);
  });
}
