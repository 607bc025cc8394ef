import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { KEYS } from '../config/keys.ts';
import { UserError } from '../errors.ts';
import { readRequest } from './request.ts';

test.each([
  ['/bench', {}],
  ['  /bench  ', {}],
  ['/bench roadrunner,swoole --scenarios stress', { runtimes: 'roadrunner,swoole', scenarios: 'stress' }],
  ['/bench apache nginx-fpm', { runtimes: 'apache,nginx-fpm' }],
  ['/bench roadrunner, swoole , apache', { runtimes: 'roadrunner,swoole,apache' }],
  [
    "/bench 'apache, nginx-fpm[workers=8]' --load='vus(8, 2s)'\r\nPlease!",
    {
      ...{ runtimes: 'apache, nginx-fpm[workers=8]', load: 'vus(8, 2s)' },
    },
  ],
  ['/bench --paths "/, /api/it\'s" --paths /b', { paths: "/, /api/it's,/b" }],
  [
    '/bench --no-reuse --shards 2 --slo p99=2s --slo ok=99%',
    { reuse: 'false', shards: '2', slo: 'p99=2s,ok=99%' },
  ],
  [
    '/bench swoole --kind psr15 --extensions apcu,intl --extensions redis --duration-scale 0.1',
    { runtimes: 'swoole', kind: 'psr15', extensions: 'apcu,intl,redis', 'duration-scale': '0.1' },
  ],
  [
    '/bench nginx-fpm --tune workers=4,16 --capacity',
    { runtimes: 'nginx-fpm', tune: 'workers=4,16', capacity: 'true' },
  ],
  ['/bench --cold-start', { 'cold-start': 'true' }],
  ['/bench --profile --count php', { profile: 'true', count: 'php' }],
  ['/bench --profile apache --count services,php', { profile: 'apache', count: 'services,php' }],
  // Text for others to refuse, and for nobody to run.
  ['/bench $(touch owned)`touch owned`;touch owned', { runtimes: '$(touch,owned)`touch,owned`;touch,owned' }],
  [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression that must stay text
    "/bench --paths '${{ secrets.TOKEN }}' --seed ::set-output",
    {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: the expression that must stay text
      ...{ paths: '${{ secrets.TOKEN }}', seed: '::set-output' },
    },
  ],
])('%s', (body, inputs) => {
  expect(readRequest(body)).toEqual(inputs);
});

test.each([
  ['/benchmark', 'not a request', ''],
  ['hello /bench', 'not a request', ''],
  ['/bench --scenario stress', "unknown flag '--scenario'", "did you mean '--scenarios'?"],
  // Keys of the machine, or that may contain a secret, are set in the workflow.
  ['/bench --env A=b', "unknown flag '--env'", ''],
  ['/bench --images x', "unknown flag '--images'", ''],
  ['/bench --out /', "unknown flag '--out'", ''],
  ['/bench --setup x', "unknown flag '--setup'", ''],
  ['/bench --prepare x', "unknown flag '--prepare'", ''],
  ['/bench --services x', "unknown flag '--services'", ''],
  ['/bench --set-up x', "unknown flag '--set-up'", ''],
  ['/bench --runs-on self-hosted', "unknown flag '--runs-on'", ''],
  ['/bench -x', "unknown flag '-x'", ''],
  ['/bench --__proto__ x', "unknown flag '--__proto__'", ''],
  ['/bench --load', 'needs a value', ''],
  ['/bench --seed 1 --seed 2', 'given more than once', ''],
  ['/bench apache --runtimes swoole', 'runtimes are given twice', ''],
  ["/bench 'apache", 'missing closing quote', ''],
  ['/bench apache"x', 'missing closing quote', ''],
  [`/bench ${'a'.repeat(2000)}`, 'the request is too long', ''],
])('refuses %.40s', (body, message, hint) => {
  const refused = () => readRequest(body);
  expect(refused).toThrow(UserError);
  expect(refused).toThrow(message);
  try {
    refused();
  } catch (error) {
    expect((error as UserError).detail.hint ?? '').toBe(hint);
  }
});

/** Whether a request may set it. An unknown flag is refused before its value is read. */
function isTaken(name: string): boolean {
  try {
    readRequest(`/bench --${name}`);
  } catch (error) {
    return !String(error).includes('unknown flag');
  }
  return true;
}

test('each thing that can be asked for is handed on by the workflow', () => {
  const file = join(import.meta.dirname, '../../.github/workflows/bench-command.yml');
  const given: Record<string, string> = parse(readFileSync(file, 'utf8')).jobs.bench.with;
  const asked = Object.keys(given).filter((name) => given[name]?.includes('needs.request.outputs.inputs'));
  const names = [...Object.keys(KEYS), 'shards'];
  expect(asked.toSorted()).toEqual(names.filter(isTaken).toSorted());
  for (const name of asked) expect(given[name]).toContain(`fromJSON(needs.request.outputs.inputs).${name} `);
});
