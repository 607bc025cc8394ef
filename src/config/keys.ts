import * as z from 'zod';
import { QUANTILES } from '../results/quantiles.ts';
import { record, scalar } from './document.ts';
import { parseEngine } from './engine-key.ts';
import {
  COMPARE_TO,
  COUNT_GATE_FORM,
  GATE_FORM,
  parseBudget,
  parseCompareTo,
  parseShard,
  parseVariantName,
} from './keys/compare-key.ts';
import {
  choice,
  command,
  extension,
  gates,
  images,
  iniName,
  iniValue,
  type Key,
  LOAD_ENGINE_KEYS,
  mask,
  PASS_KEYS,
  SEVERAL_ENGINES_KEYS,
  services,
  variable,
} from './keys/key-values.ts';
import { parseTune } from './keys/tune-key.ts';
import { LOAD_FORMS } from './parts/load.ts';
import { ROOTS } from './parts/roots.ts';
import { scenarioKeys } from './parts/scenarios.ts';
import { REQUEST_KEYS } from './requests/headers.ts';
import { parseShare } from './text.ts';
import type { AppKind } from './types.ts';
import {
  anyText,
  booleanValue,
  cpusValue,
  integerValue,
  linesOf,
  listOf,
  memoryValue,
  oneOf,
  pathValue,
  phpValue,
  scenarioValue,
  textsOf,
  urlPathValue,
} from './values.ts';

/** The one table of keys: it drives YAML keys, flags, inputs, the help text and the JSON Schema. */
export const KEYS = {
  app: {
    schema: listOf(pathValue),
    value: 'PATH,…',
    about: 'Folder of the app, or the name of a bundled app. Several make one table. name=PATH sets a label',
    default: 'the current folder, or plain if it has no PHP app',
    many: 'list',
  },
  root: {
    schema: pathValue,
    value: 'DIR',
    about: "Document root within the app's folder",
    default: `${ROOTS.slice(0, -1).join(', ')} or ${ROOTS.at(-1)} (the first with an index.php), or where Composer makes one`,
  },
  kind: {
    schema: oneOf<AppKind>('plain', 'psr15', 'symfony', 'laravel', 'lumen'),
    value: 'KIND',
    about: 'Kind of the app: plain, psr15, symfony, laravel or lumen',
    default: 'detected from composer.json or config/bundles.php, else plain',
  },
  extensions: {
    schema: listOf(extension),
    value: 'LIST',
    about:
      'PHP extensions that the app needs, such as intl,redis, beside those that composer.json and composer.lock require',
    default: 'none',
    many: 'list',
  },
  prepare: {
    schema: textsOf(command),
    value: 'COMMAND',
    about: "Command to run in the app's build, such as 'php artisan migrate --force'",
    many: 'texts',
  },
  runtimes: {
    schema: listOf(choice),
    value: 'LIST',
    about: "Runtimes to compare, such as 'apache,small=nginx-fpm[workers=4]'",
    default: 'apache,nginx-fpm[listen=tcp],nginx-fpm[listen=unix]',
    many: 'list',
  },
  tune: {
    schema: scalar(parseTune, { type: 'string' }),
    value: 'OPTION[=N,…]',
    about: 'Try values of an option and name the best: workers, or workers=4,16,64',
    default: 'none',
  },
  php: {
    schema: listOf(phpValue, { type: ['string', 'number'] }),
    value: 'LIST',
    about: 'PHP versions, such as 8.2,8.4',
    default: '8.4, or the newest that the app allows and all runtimes list',
    many: 'list',
  },
  'compare-to': {
    schema: scalar(parseCompareTo, { type: 'string', description: COMPARE_TO }),
    value: 'WHAT',
    about:
      "Also measure another version of the app: 'base' (of the pull request), a git ref, an image, or an older results.json",
    default: 'none',
  },
  reference: {
    schema: scalar(parseVariantName, { type: 'string' }),
    value: 'VARIANT',
    about: 'Label or id of the variant that the others are compared with',
    default: 'the first variant that did not fail',
  },
  scenarios: {
    schema: listOf(scenarioValue),
    value: 'LIST',
    about: 'Scenarios to run. Your own app gets `/` with the load of quick',
    default: 'quick',
    many: 'list',
  },
  paths: {
    schema: listOf(urlPathValue),
    value: '/,/api/x',
    about: 'Paths to fetch in turn, instead of a scenario',
    many: 'list',
  },
  journey: { schema: pathValue, value: 'FILE', about: 'Your own k6 script, instead of a scenario' },
  ...REQUEST_KEYS,
  load: {
    schema: scenarioKeys.load,
    value: 'LOAD',
    about: `Load for all scenarios: ${LOAD_FORMS}. Several in sequence are allowed`,
    default: 'from the scenario',
  },
  'duration-scale': {
    schema: scalar(parseShare, { type: ['number', 'string'], exclusiveMinimum: 0, maximum: 1 }),
    value: 'SHARE',
    about: 'Shorten all loads to this share of their time or count, such as 0.1',
    default: '1',
  },
  timeout: {
    schema: scenarioKeys.timeout,
    value: 'TIME',
    about: 'Time limit of a request',
    default: 'from the scenario, else 2s',
  },
  warmup: {
    schema: scenarioKeys.warmup,
    value: 'TIME',
    about: 'Load before measuring, for each variant and start',
    default: 'from the scenario, else 2s',
  },
  budget: {
    schema: scalar(parseBudget, { type: 'string', pattern: '^(?=.)(\\d+h)?(\\d+m)?(\\d+s)?$' }),
    value: 'TIME',
    about: 'Total time for starts and load, 30s to 6h. Sets instances and blocks for you',
    default: 'none',
  },
  instances: {
    schema: integerValue({ min: 1, max: 100 }),
    value: 'N',
    about: 'Number of fresh starts of all containers',
    default: '6, or 3 if a start loads each variant for over a minute (4 for verdicts)',
  },
  blocks: {
    schema: scenarioKeys.blocks,
    value: 'N',
    about: 'Slices of load for each variant and start, in random order',
    default: 'from the scenario, else enough for 5 s of load',
  },
  seed: {
    schema: integerValue({ min: 0, max: 2 ** 32 - 1 }),
    value: 'N',
    about: 'Seed of the random order. The same seed gives the same order',
    default: 'random, and recorded',
  },
  'max-vus': {
    schema: scenarioKeys['max-vus'],
    value: 'N',
    about:
      'Limit on concurrent requests of a load with a rate. With `compare-to`, an odd one becomes the next even one',
    default: 'from the rate, and from the warm-up',
  },
  reuse: {
    schema: scenarioKeys.reuse,
    about: 'Keep connections open between requests',
    default: 'true',
  },
  slo: {
    schema: scenarioKeys.slo,
    value: 'p99=2s,ok=99%',
    about: `Pass criteria: ${QUANTILES.join(', ')} (times), ok and checks (percentages)`,
    many: 'pairs',
  },
  mask: {
    schema: linesOf(mask, { type: 'string', minLength: 1 }),
    value: 'REGEX',
    about: 'Regular expression. Matches are ignored when answers are compared',
    default: 'differences between two starts of one variant',
    many: 'texts',
  },
  'same-answers': {
    schema: oneOf('strict', 'warn'),
    value: 'strict|warn',
    about: 'If a variant answers differently from the others: fail it, or only warn',
    default: 'strict',
  },
  'fail-on': {
    schema: gates,
    value: 'RULE,…',
    about: `Fail (exit code 1) if a variant is surely slower: ${GATE_FORM}, such as 'slower > 3%'. Or if it does more per request: ${COUNT_GATE_FORM}, such as 'queries more'. Add 'unjudged = pass' to pass if the limit cannot be judged`,
    default: 'none',
    many: 'list',
  },
  'server-cpus': {
    schema: cpusValue,
    value: '0-3,8',
    about: 'CPUs of the servers',
    default: 'from the CPU topology',
  },
  'front-cpus': {
    schema: cpusValue,
    value: '3',
    about: 'CPUs of nginx for runtimes with the option front=nginx',
    default: 'those of the servers',
  },
  'load-cpus': {
    schema: cpusValue,
    value: '4,5',
    about: 'CPUs of the load generator',
    default: 'from the CPU topology',
  },
  memory: {
    schema: memoryValue,
    value: 'SIZE',
    about: "Memory limit of each server's container, such as 512M",
    default: 'none',
  },
  env: {
    schema: record(
      variable,
      anyText.refine((text) => !text.includes('\0'), 'a value cannot contain a NUL'),
    ),
    value: 'K=V',
    about: 'Environment variable of the app',
    many: 'lines',
  },
  ini: {
    schema: record(iniName, iniValue),
    value: 'K=V',
    about: "PHP setting for the app, written as in php.ini, such as 'max_input_vars=5000'",
    default: 'none',
    many: 'lines',
  },
  services: {
    schema: services,
    value: 'FILE',
    about:
      'Compose file with services such as a database. BENCH_DATABASE has the database name of each variant',
    default: 'none',
  },
  'set-up': {
    // One shell runs all, and ends at the first that fails.
    schema: textsOf(command).transform((commands) => (commands.length > 0 ? commands.join('\n') : undefined)),
    value: 'COMMAND',
    about:
      "Command to run in the container of each variant at every start, such as 'php artisan migrate --force'",
    default: 'none',
  },
  images: {
    schema: z.union([z.string(), images]),
    value: 'FILE',
    about: 'YAML file that maps base images to those of a mirror',
    input: 'Or the lines of such a file, such as `php:8.4-fpm: registry.example/php:8.4-fpm`',
  },
  image: {
    schema: images,
    value: 'FROM=TO',
    about: 'Map one base image to another',
    many: 'lines',
    only: ['flag'],
  },
  'build-cache': {
    schema: oneOf('gha'),
    value: 'gha',
    about: 'Keep image layers in the cache of GitHub Actions. Needs a builder in a container',
    input: 'docker/setup-buildx-action makes one',
    default: 'none',
    only: ['flag', 'input'],
  },
  out: { schema: pathValue, value: 'DIR', about: 'Directory for the results', default: 'bench-results' },
  capacity: {
    schema: booleanValue,
    about:
      'Also search the highest constant rate that each variant sustains within slo: up to 12 attempts of 5 s',
    default: 'false',
  },
  ...PASS_KEYS,
  'cold-start': {
    schema: booleanValue,
    about:
      'Also time ten fresh starts of each variant, until the first answer with status 2xx. Needs hyperfine',
    default: 'false',
  },
  engine: {
    schema: scalar(parseEngine, { type: 'string', minLength: 1 }),
    value: 'NAME',
    about: 'Docker engine to measure on: a Docker context, ssh://user@host, tcp://host:port or a socket',
    default: 'as docker itself chooses: DOCKER_HOST, DOCKER_CONTEXT, the current context',
    // A pull request changes the file: it would choose whom docker obeys.
    only: ['flag', 'input'],
  },
  ...SEVERAL_ENGINES_KEYS,
  ...LOAD_ENGINE_KEYS,
  wait: {
    schema: booleanValue,
    about: 'Wait for another run on the same Docker engine',
    default: 'false',
  },
  shard: {
    schema: scalar(parseShard, { type: 'string', pattern: '^\\d+/\\d+$' }),
    value: 'K/N',
    about: 'Measure only this part of the variants, and the reference. Other machines measure the rest',
    default: 'all variants',
    only: ['flag', 'input'],
  },
  config: {
    schema: pathValue,
    value: 'FILE',
    about: 'Configuration file',
    default: '.bench.yml',
    only: ['flag', 'input'],
  },
} as const satisfies Record<string, Key>;

export type KeyName = keyof typeof KEYS;
export type Values = { [K in KeyName]?: z.output<(typeof KEYS)[K]['schema']> };

export const KEY_NAMES = Object.keys(KEYS) as KeyName[];
