import { UserError } from '../errors.ts';
import { readEjectLoad, refuseInVain } from './arguments.ts';
import { at, withPlace } from './document.ts';
import { MAX_SHARDS } from './keys/compare-key.ts';
import { CONFIG_FLAGS, type FlagKinds, splitArguments } from './keys/flags.ts';
import type { Key } from './keys/key-values.ts';
import { KEYS, type KeyName } from './keys.ts';
import { isBoolean, parseBoolean, parseInteger, parsePath, quote, unknownWord } from './text.ts';

const FORMATS = ['table', 'md', 'json', 'csv', 'html'] as const;
/** A form that results are printed in; the first is the default. */
export type Format = (typeof FORMATS)[number];
const HISTORY_FORMATS = ['md', 'json', 'html'] as const;

/** The parsed command line. */
export type Command =
  | { command: 'run'; flags: readonly string[]; format: Format }
  | { command: 'plan'; flags: readonly string[]; json: boolean; shards: number | 'runtimes' | null }
  | { command: 'report'; folders: readonly string[]; format: Format }
  | { command: 'list'; json: boolean }
  | { command: 'eject'; runtime: string; out: string | null }
  | {
      command: 'eject-load';
      scenario: string;
      baseUrl: string;
      segments: number;
      out: string | null;
      flags: readonly string[];
    }
  | { command: 'history'; file: string; add: readonly string[]; format: (typeof HISTORY_FORMATS)[number] }
  | { command: 'doctor'; json: boolean; aa: boolean; flags: readonly string[] }
  | { command: 'help'; of?: CommandName }
  | { command: 'version' };

export interface Spec {
  usage: string;
  about: string;
  /** Flags of its own: with the name of the value, or null for a switch. */
  own: Readonly<Record<string, { value?: string; about: string }>>;
  /** Takes all keys of the configuration as flags. */
  config: boolean;
  example: string;
}

const JSON_FLAG = { json: { about: 'Print JSON' } };
const FORMAT_FLAG = { format: { value: FORMATS.join('|'), about: 'Output format [table]' } };

export const COMMANDS = {
  run: {
    usage: 'run [flags]',
    about: 'Build, load and compare. Print the table and write the results',
    own: FORMAT_FLAG,
    config: true,
    example: "run --app . --runtimes 'apache,nginx-fpm[workers=32]' --paths /,/api/x",
  },
  plan: {
    usage: 'plan [flags]',
    about: 'Dry run: show variants, order, CPU assignment and estimated time',
    own: {
      ...JSON_FLAG,
      shards: {
        value: 'N|runtimes',
        about: 'Show how N machines, or one for each runtime name beside the reference, would share the work',
      },
    },
    config: true,
    example: 'plan --php 8.2,8.4 --json',
  },
  report: {
    usage: 'report DIR…',
    about: 'Render results again, or several runs in one table',
    own: FORMAT_FLAG,
    config: false,
    example: 'report bench-results --format md',
  },
  list: {
    usage: 'list',
    about: 'List runtimes with their options, scenarios and apps',
    own: JSON_FLAG,
    config: false,
    example: 'list',
  },
  eject: {
    usage: 'eject RUNTIME',
    about: 'Write a runtime with its options as a folder to build for production',
    own: { out: { value: 'DIR', about: 'Directory to write [the name of the runtime]' } },
    config: false,
    example: "eject 'nginx-fpm[workers=32]' --out docker",
  },
  'eject-load': {
    usage: 'eject-load SCENARIO --base-url URL [flags]',
    about: 'Write a scenario for k6-operator, whose pods load a site together',
    own: {
      'base-url': { value: 'URL', about: 'The site that the pods load' },
      segments: { value: 'N', about: 'Number of pods, each with its share of the load [1]' },
      out: { value: 'DIR', about: 'Directory to write [bench- and the name of the scenario]' },
    },
    config: true,
    example: 'eject-load shop --base-url http://web.default.svc --segments 4',
  },
  history: {
    usage: 'history FILE',
    about: "Show each variant's results over time and where they changed",
    own: {
      add: {
        value: 'DIR',
        about: 'First add the results of a run. Creates FILE if it is missing. Repeatable',
      },
      format: { value: HISTORY_FORMATS.join('|'), about: 'Output format [md]' },
    },
    config: false,
    example: 'history history.ndjson --format html',
  },
  doctor: {
    usage: 'doctor [--aa] [flags]',
    about: 'Check whether this machine is fit to measure, and how small a change it can detect',
    own: {
      aa: {
        about:
          'Measure the first variant against itself in the first scenario, for --budget [2m]. Flags of app, servers and load as for run',
      },
      ...JSON_FLAG,
    },
    config: true,
    example: 'doctor --aa --budget 5m',
  },
} as const satisfies Record<string, Spec>;

export type CommandName = keyof typeof COMMANDS;

const TAKES_ARGUMENTS: readonly CommandName[] = ['report', 'eject', 'eject-load', 'history'];

export const NAMES = Object.keys(COMMANDS) as CommandName[];

/**
 * Reads the command line after the program's name. Flags of the configuration are only separated from unknown ones
 * here; `parseConfig` reads them. Throws a UserError on an unknown command or flag.
 *
 * @param isRuntime whether a runtime has this name, for a hint
 */
export function parseCommand(
  argv: readonly string[],
  isRuntime: (name: string) => boolean = () => false,
): Command {
  const [first, ...rest] = argv;
  if (first === undefined || first === 'help' || first === '--help' || first === '-h') {
    const [given = ''] = rest;
    const of = NAMES.find((name) => name === given);
    if (!of && /^[^-]/.test(given)) throw unknownWord('command', given, NAMES);
    return { command: 'help', ...(of && { of }) };
  }
  if (first === '--version' || first === '-V' || first === 'version') return { command: 'version' };
  const name = NAMES.find((known) => known === first);
  if (!name) throw refuseCommand(first);
  if (rest.some((arg) => arg === '--help' || arg === '-h')) return { command: 'help', of: name };

  const { own, config }: Spec = COMMANDS[name];
  const ownKinds: FlagKinds = Object.fromEntries(
    Object.entries(own).map(([flag, { value }]) => [flag, value === undefined ? 'boolean' : 'string']),
  );
  const { flags, positionals } = splitArguments(rest, { ...(config && CONFIG_FLAGS), ...ownKinds });
  const [extra] = positionals;
  if (extra !== undefined && !TAKES_ARGUMENTS.includes(name)) {
    throw new UserError(`unexpected argument ${quote(extra)}`, {
      allowed: `php-runtime-bench ${COMMANDS[name].usage}`,
      ...(config && { hint: hintFor(extra, rest, ownKinds, isRuntime) }),
    });
  }
  return readCommand(name, { rest, flags, positionals, ownKinds });
}

/** A guess at the purpose of an argument without a flag: the value of a switch, the rest of a list, runtimes, or the app. */
function hintFor(
  extra: string,
  rest: readonly string[],
  own: FlagKinds,
  isRuntime: (name: string) => boolean,
): string {
  const i = rest.indexOf(extra);
  const before = rest[i - 1] ?? '';
  const flag = /^--(.+)/.exec(rest[i - 2] ?? '')?.[1] ?? '';
  const isList = Object.hasOwn(KEYS, flag) && (KEYS[flag as KeyName] as Key).many === 'list';
  const isSwitch = { ...CONFIG_FLAGS, ...own }[before.replace(/^--/, '')] === 'boolean';
  if (isSwitch && isBoolean(extra)) return `write ${before}=${extra}`;
  const [, name = ''] = /^(?:[\w.-]+=)?([\w.-]+)(?=[[,]|$)/.exec(extra) ?? [];
  if (flag !== 'runtimes' && isRuntime(name))
    return `to set the runtimes, use --runtimes ${name === extra ? name : quote(extra)}`;
  if (isList || before.endsWith(','))
    return `write a list without spaces: ${quote(`${before.replace(/,$/, '')},${extra}`)}`;
  return `to set the app, use --app ${extra.startsWith('-') ? 'PATH' : extra}`;
}

/** Arguments after the name of a command. */
interface Given {
  rest: readonly string[];
  flags: ReturnType<typeof splitArguments>['flags'];
  positionals: readonly string[];
  /** Flags of the command that are not keys of the configuration. */
  ownKinds: FlagKinds;
}

function readCommand(name: CommandName, { rest, flags, positionals, ownKinds }: Given): Command {
  const isOn = (flag: string) =>
    at({ name: `--${flag}` }, () => parseBoolean(flags.get(flag)?.at(-1) ?? 'false'));
  const json = isOn('json');
  switch (name) {
    case 'run':
      return {
        command: name,
        flags: withoutOwn(rest, ownKinds),
        format: readFormat(flags.get('format'), FORMATS),
      };
    case 'plan':
      return {
        command: name,
        flags: withoutOwn(rest, ownKinds),
        json,
        shards: readShards(flags.get('shards')?.at(-1)),
      };
    case 'report':
      return {
        command: name,
        folders: readFolders(positionals),
        format: readFormat(flags.get('format'), FORMATS),
      };
    case 'history':
      return {
        command: name,
        file: readFile(positionals),
        add: (flags.get('add') ?? []).map(parsePath),
        format: readFormat(flags.get('format'), HISTORY_FORMATS),
      };
    case 'eject':
      return { command: name, runtime: readRuntime(positionals), out: flags.get('out')?.at(-1) ?? null };
    case 'eject-load':
      return {
        command: name,
        ...readEjectLoad(rest, positionals, flags, COMMANDS[name]),
        flags: withoutOwn(rest, ownKinds).slice(1),
      };
    case 'doctor':
      if (isOn('aa')) refuseInVain(flags);
      return { command: name, json, aa: isOn('aa'), flags: withoutOwn(rest, ownKinds) };
    default:
      return { command: name, json };
  }
}

function refuseCommand(first: string): UserError {
  if (!first.startsWith('-')) return unknownWord('command', first, NAMES);
  return new UserError('the command is missing', {
    found: quote(first),
    allowed: NAMES.join(', '),
    hint: `php-runtime-bench run ${first} …`,
  });
}

/** Arguments for `parseConfig`, without the command's own flags. */
function withoutOwn(argv: readonly string[], own: FlagKinds): string[] {
  return argv.filter((arg, i) => {
    const before = argv[i - 1]?.slice(2) ?? '';
    const isValue = argv[i - 1]?.startsWith('--') && own[before] === 'string';
    return !isValue && !(arg.startsWith('--') && Object.hasOwn(own, arg.slice(2).replace(/^no-|=.*/gs, '')));
  });
}

/** `3`, or `runtimes`: one for each. */
function readShards(text: string | undefined): number | 'runtimes' | null {
  if (text === undefined || text === 'runtimes') return text ?? null;
  return at({ name: '--shards' }, () => parseInteger(text, { min: 1, max: MAX_SHARDS }));
}

function readFolders(folders: readonly string[]): readonly string[] {
  if (folders.length) return folders.map(parsePath);
  throw new UserError('`report` needs a folder', {
    allowed: `php-runtime-bench ${COMMANDS.report.usage}`,
    hint: 'use the output folder of a run: php-runtime-bench report bench-results',
  });
}

function readRuntime(given: readonly string[]): string {
  const [runtime] = given;
  if (runtime !== undefined && given.length === 1) return runtime;
  throw new UserError('`eject` takes exactly one runtime', {
    ...(runtime !== undefined && { found: given.map(quote).join(', ') }),
    allowed: `php-runtime-bench ${COMMANDS.eject.usage}`,
    hint: `php-runtime-bench ${COMMANDS.eject.example}`,
  });
}

/** The first is the default. */
function readFormat<F extends string>(given: readonly string[] | undefined, formats: readonly F[]): F {
  const text = given?.at(-1) ?? formats[0];
  const format = formats.find((known) => known === text);
  if (!format) throw withPlace(unknownWord('format', `${text}`, formats), { name: '--format' });
  return format;
}

function readFile([file, other]: readonly string[]): string {
  if (file !== undefined && other === undefined) return parsePath(file);
  throw new UserError('`history` takes exactly one file', {
    allowed: `php-runtime-bench ${COMMANDS.history.usage}`,
    hint: 'to get it from the branch: git show origin/php-runtime-bench-history:history.ndjson >history.ndjson',
  });
}
