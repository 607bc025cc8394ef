/** The inputs of the action and of the reusable workflows, as src/config/keys.ts has them. */
import { stringify } from 'yaml';
import { keysOf } from '../../src/config/keys/key-sources.ts';
import type { Key } from '../../src/config/keys/key-values.ts';
import { KEYS, type KeyName } from '../../src/config/keys.ts';
import { ASKABLE } from '../../src/publish/request.ts';

/** The reusable workflow decides these for each machine. */
const PER_MACHINE: readonly KeyName[] = ['shard', 'out', 'wait'];
/** A comment's run must not write to the cache of the branch, which other workflows read. */
const NO_COMMENT: readonly KeyName[] = [...PER_MACHINE, 'build-cache'];
/** A workflow sets these even where a comment may: the comment wins. */
const COMMENT_WINS: readonly KeyName[] = ['kind', 'extensions', 'profile', 'count'];
const SCHEDULE: readonly KeyName[] = [
  ...(['config', 'runtimes', 'app', 'scenarios', 'paths', 'headers', 'load', 'services', 'set-up'] as const),
  ...(['images', 'env', 'ini', 'build-cache'] as const),
];

const ALL: readonly KeyName[] = ['config', ...keysOf('input').filter((key) => key !== 'config')];
const BENCH = ALL.filter((key) => !PER_MACHINE.includes(key));
const ASKED = BENCH.filter((key) => ASKABLE.includes(key));
const COMMAND = BENCH.filter((key) => !NO_COMMENT.includes(key) && !ASKABLE.includes(key));

const EACH = {
  list: ' Several with commas.',
  pairs: ' Several with commas.',
  headers: ' Several with commas, or one per line.',
  lines: ' One per line.',
  texts: ' One per line.',
};

/** Description of an input, from the key of the same name. */
function describe(key: KeyName): string {
  const { about, default: preset, many, input }: Key = KEYS[key];
  const more = [
    many ? EACH[many] : '',
    input ? ` ${input}.` : '',
    preset && preset !== 'none' ? ` Default: ${preset}.` : '',
  ];
  return `${about}.${more.join('')}`;
}

function inputsOf(keys: readonly KeyName[], more: object = {}): string {
  const inputs = keys.map((key) => [key, { description: describe(key), ...more }]);
  return stringify(Object.fromEntries(inputs), {
    lineWidth: 112,
    blockQuote: 'folded',
    defaultStringType: 'PLAIN',
  });
}

// A default would win over the config file.
const workflowInputs = (keys: readonly KeyName[]) => inputsOf(keys, { type: 'string', default: '' });
const handOn = (keys: readonly KeyName[], source: string) =>
  keys.map((key) => `${key}: \${{ ${source}.${key} }}\n`).join('');

const ASKED_FOR = 'fromJSON(needs.request.outputs.inputs)';
const fromComment = ASKED.map((key) => {
  const else_ = COMMENT_WINS.includes(key) ? ` || inputs.${key}` : '';
  return `${key}: \${{ ${ASKED_FOR}.${key}${else_} }}\n`;
}).join('');

/** The generated parts of each file, by name. */
const PARTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'action.yml': { inputs: inputsOf(ALL) },
  '.github/workflows/bench.yml': { inputs: workflowInputs(BENCH), with: handOn(BENCH, 'inputs') },
  '.github/workflows/bench-command.yml': {
    inputs: workflowInputs(BENCH.filter((key) => COMMAND.includes(key) || COMMENT_WINS.includes(key))),
    with: fromComment + handOn(COMMAND, 'inputs'),
  },
  '.github/workflows/bench-schedule.yml': {
    inputs: workflowInputs(SCHEDULE),
    with: handOn(SCHEDULE, 'inputs'),
  },
};

function fill(text: string, name: string, part: string): string {
  const mark = (word: string) => RegExp(`^( *)# ${word} ${name}.*\\n`, 'm').exec(text);
  const [begin, end] = [mark('begin'), mark('end')];
  if (!begin || !end || end.index < begin.index) throw new Error(`no '# begin ${name}' … '# end ${name}'`);
  const indented = part.replace(/^(?=.)/gm, begin[1] as string);
  return text.slice(0, begin.index) + begin[0] + indented + text.slice(end.index);
}

/** Files in YAML with generated parts, and what writes them. */
export const GENERATED_INPUTS: Readonly<Record<string, (text: string) => string>> = Object.fromEntries(
  Object.entries(PARTS).map(([file, parts]) => [
    file,
    (text: string) => Object.entries(parts).reduce((filled, [name, part]) => fill(filled, name, part), text),
  ]),
);
