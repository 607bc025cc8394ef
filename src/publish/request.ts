import { at } from '../config/document.ts';
import { CONFIG_FLAGS, type FlagKinds, splitArguments } from '../config/keys/flags.ts';
import { keysOf } from '../config/keys/key-sources.ts';
import type { Key } from '../config/keys/key-values.ts';
import { KEYS, type KeyName } from '../config/keys.ts';
import { quote } from '../config/text.ts';
import { UserError } from '../errors.ts';

/** The first word of a comment that asks for a benchmark. */
const WORD = '/bench';
/** More is no request. */
const MAX_REQUEST = 2000;

/**
 * The keys that a comment may set: what is measured, and how hard. The workflow decides on the machine, the app, the
 * commands and the environment.
 */
export const ASKABLE = [
  ...['kind', 'extensions', 'runtimes', 'tune', 'php', 'compare-to', 'reference', 'scenarios', 'paths'],
  ...['journey', 'load', 'duration-scale', 'timeout', 'warmup', 'budget', 'instances', 'blocks', 'seed'],
  ...['max-vus', 'reuse', 'slo', 'fail-on', 'capacity', 'cold-start'],
  ...['profile', 'count'],
] as readonly KeyName[];

const KINDS: FlagKinds = {
  ...Object.fromEntries(
    keysOf('flag')
      .filter((key) => ASKABLE.includes(key))
      .map((key) => [key, CONFIG_FLAGS[key] as FlagKinds[string]]),
  ),
  shards: 'string',
};

/**
 * Reads the first line of a comment, `/bench roadrunner,swoole --scenarios stress`, into inputs of the reusable
 * workflow. Words are parsed here and flags with the command line's own parser: no shell sees them. The values are
 * defined in the configuration, beside the files of the app. Throws a UserError.
 */
export function readRequest(body: string): Record<string, string> {
  const [line = ''] = body.trimStart().split(/\r\n|[\n\r\u2028\u2029]/, 1);
  if (line.length > MAX_REQUEST) {
    throw new UserError('the request is too long', {
      found: `${line.length} characters`,
      allowed: `up to ${MAX_REQUEST}`,
    });
  }
  const [word, ...words] = splitWords(line);
  if (word !== WORD) throw new UserError('not a request', { found: quote(word ?? ''), allowed: WORD });
  const { flags, positionals } = splitArguments(words, KINDS);
  const inputs: Record<string, string> = {};
  for (const [name, texts] of flags) {
    inputs[name] = at({ name: `--${name}` }, () =>
      join((KEYS[name as KeyName] as Key | undefined)?.many, texts),
    );
  }
  if (positionals.length === 0) return inputs;
  if (inputs.runtimes !== undefined) {
    throw new UserError('runtimes are given twice', {
      found: `${quote(positionals.join(' '))} and --runtimes`,
      allowed: `${WORD} RUNTIMES, or --runtimes RUNTIMES`,
    });
  }
  // As people write lists: `roadrunner, swoole`.
  const runtimes = positionals.map((word) => word.replace(/^,|,$/g, '')).filter((word) => word !== '');
  return { runtimes: runtimes.join(','), ...inputs };
}

function join(many: Key['many'], texts: readonly string[]): string {
  if (many === undefined && texts.length > 1) {
    throw new UserError('given more than once', { found: texts.map(quote).join(', ') });
  }
  return texts.join(',');
}

/** Words between blanks; within quotes of either kind everything is taken as it stands. */
function splitWords(line: string): string[] {
  const words: string[] = [];
  let rest = line.trim();
  while (rest !== '') {
    const [all = '', word = ''] = /^((?:'[^']*'|"[^"]*"|[^\s'"])+)\s*/.exec(rest) ?? [];
    if (all === '' || (rest.length > all.length && !/\s$/.test(all))) {
      throw new UserError('missing closing quote', { found: quote(rest) });
    }
    words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double));
    rest = rest.slice(all.length);
  }
  return words;
}
