import { COMMANDS, type CommandName, NAMES, type Spec } from './command.ts';
import { keysOf } from './keys/key-sources.ts';
import type { Key } from './keys/key-values.ts';
import { KEYS, type KeyName } from './keys.ts';

/** Headings in the help text and in docs/config.md, each before the first key of its group. */
export const HEADINGS: Partial<Record<KeyName, string>> = {
  app: 'App',
  runtimes: 'Servers',
  'compare-to': 'Comparison',
  scenarios: 'Load',
  budget: 'Repetitions',
  'max-vus': 'Clients',
  slo: 'Pass criteria',
  'server-cpus': 'Machine',
  env: 'Environment',
  out: 'Run',
};

/** Help on one command, or on all. */
export function helpText(name?: CommandName): string {
  if (!name) {
    return [
      'Measure your PHP app on application servers, and find out whether a change made it slower.',
      '',
      'Usage: php-runtime-bench COMMAND [flags]',
      "In your app's folder: php-runtime-bench run --paths /,/api/products",
      '',
      ...NAMES.map((command) => entry(command, COMMANDS[command].about)),
      '',
      "Run 'php-runtime-bench COMMAND --help' for the flags of a command.",
      'Exit codes: 0 success, 1 a criterion was missed or a limit exceeded, 2 bad input,',
      '            3 a variant failed or a limit could not be judged, 4 the engine or the machine failed,',
      '            70 internal error, 130 or 143 stopped by a signal.',
      '',
    ].join('\n');
  }
  const { usage, about, own, config, example }: Spec = COMMANDS[name];
  const flags = Object.entries(own).map(([flag, { value, about: text }]) => entry(flagOf(flag, value), text));
  const keys = keysOf('flag').map((key) => `${HEADINGS[key] ? `\n${HEADINGS[key]}:\n` : ''}${keyEntry(key)}`);
  return [
    `Usage: php-runtime-bench ${usage}`,
    '',
    `${about}.`,
    '',
    ...(flags.length ? ['Flags:', ...flags, ''] : []),
    ...(config
      ? [
          'Almost every flag can also be set in .bench.yml under the same name. Flags override the file.',
          'Lists take commas, or repeat the flag. Defaults are in [brackets].',
          ...keys,
          '',
        ]
      : []),
    `Example: php-runtime-bench ${example}`,
    '',
  ].join('\n');
}

const flagOf = (flag: string, value: string | undefined) =>
  `--${flag}${value === undefined ? '' : ` ${value}`}`;

function keyEntry(key: KeyName): string {
  const { value, default: preset, many }: Key = KEYS[key];
  const repeatable = many === 'texts' || many === 'lines';
  const about = `${KEYS[key].about}${repeatable ? '. Repeatable' : ''}`;
  // A switch that is on by default is there to be turned off.
  const flag = value === undefined && preset === 'true' ? `[no-]${key}` : key;
  return entry(flagOf(flag, value), preset === undefined ? about : `${about} [${preset}]`);
}

const COLUMN = 26;
const WIDTH = 100;

/** A name on the left, what it is about on the right, wrapped. */
function entry(left: string, right: string): string {
  const lines = [''];
  for (const word of right.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line && line.length + word.length >= WIDTH - COLUMN) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  const indent = `\n${' '.repeat(COLUMN)}`;
  const head = `  ${left}`;
  return `${head.length < COLUMN - 1 ? head.padEnd(COLUMN) : head + indent}${lines.join(indent)}`;
}
