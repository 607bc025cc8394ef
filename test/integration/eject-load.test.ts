/** A scenario as a TestRun of k6-operator: its pods here are containers that run k6 as the operator does. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { realHost } from '../../src/host.ts';
import { segmentFlags } from '../../src/run/load/segments.ts';
import { total } from '../../src/stats/histogram.ts';
import { docker, imageFor, label, removeAll, root, startArena } from './docker.ts';
import { type Site, serveSlowly } from './generators.ts';

const PODS = 4;
let folder: string;
let arena: string;
let site: Site;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bench-eject-load-'));
  mkdirSync(join(folder, 'public'));
  writeFileSync(join(folder, 'public/index.php'), '');
  arena = await startArena();
  site = await serveSlowly(arena, 18_901);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await removeAll();
});

const cli = (...argv: string[]) =>
  realHost.exec(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(root, 'src/cli.ts'), ...argv],
    { cwd: folder },
  );

interface Volume {
  projected: { sources: { configMap: { name: string; items: { key: string; path: string }[] } }[] };
}
interface Pod {
  env: { name: string; value: string }[];
  volumes: Volume[];
  volumeMounts: { mountPath: string }[];
}
interface Objects {
  maps: Map<string, { data?: Record<string, string>; binaryData?: Record<string, string> }>;
  testrun: { spec: { parallelism: number; script: { localFile: string }; arguments?: string; runner: Pod } };
}

function readObjects(out: string): Objects {
  const text = readFileSync(join(folder, out, 'testrun.yaml'), 'utf8');
  const objects = parseAllDocuments(text).map((document) => document.toJS());
  const maps = objects.filter(({ kind }) => kind === 'ConfigMap');
  return {
    maps: new Map(maps.map((map) => [map.metadata.name, map])),
    testrun: objects.find(({ kind }) => kind === 'TestRun'),
  };
}

/** Writes what a pod sees at its mount. */
function mount({ maps, testrun }: Objects, to: string): void {
  for (const { configMap } of testrun.spec.runner.volumes[0]?.projected.sources ?? []) {
    const { data = {}, binaryData = {} } = maps.get(configMap.name) ?? {};
    for (const { key, path } of configMap.items) {
      mkdirSync(dirname(join(to, path)), { recursive: true, mode: 0o755 });
      const bytes = data[key] ?? Buffer.from(binaryData[key] ?? '', 'base64');
      writeFileSync(join(to, path), bytes, { mode: 0o644 });
    }
  }
}

/** A container with the pod's environment and files, that runs a command. */
async function runPod(objects: Objects, files: string, command: readonly string[]): Promise<string> {
  const { env, volumeMounts } = objects.testrun.spec.runner;
  const [entry = '', ...args] = command;
  const container = await docker(
    ...['create', '--label', label, '--network', `container:${arena}`, '--entrypoint', entry],
    ...env.flatMap(({ name, value }) => ['--env', `${name}=${value}`]),
    ...[imageFor('grafana/k6:2.2.0'), ...args],
  );
  await docker('cp', files, `${container}:${volumeMounts[0]?.mountPath}`);
  const { code, stdout, stderr } = await realHost.exec('docker', ['start', '--attach', container]);
  if (code !== 0) throw new Error(`exit code ${code}\n${stdout}${stderr}`);
  return `${stderr}${stdout}`;
}

/** As pkg/resources/jobs/initializer.go of the operator: its archive, and what it reads of it. */
async function initialize(objects: Objects, files: string): Promise<{ maxVUs?: number }> {
  const { script, arguments: flags = '' } = objects.testrun.spec;
  const archive = '/tmp/main.js.archived.tar';
  const both = `k6 archive ${script.localFile} -O ${archive} ${flags} && k6 inspect --execution-requirements ${archive}`;
  const printed = await runPod(objects, files, ['sh', '-c', both]);
  return JSON.parse(printed.slice(printed.indexOf('{')));
}

/** As pkg/resources/jobs/runner.go of the operator, without the API by which it starts all at once. */
function podCommand({ testrun }: Objects, index: number): string[] {
  const { script, parallelism, arguments: flags = '' } = testrun.spec;
  return [
    ...['k6', 'run', '--quiet', ...segmentFlags(index, parallelism), ...flags.split(' ').filter(Boolean)],
    ...[script.localFile, '--address='],
    ...['--tag', `instance_id=${index + 1}`, '--tag', 'testrun_name=bench', '--out', 'csv=/tmp/all.csv'],
  ];
}

async function runPods(out: string): Promise<void> {
  const objects = readObjects(out);
  const files = join(folder, `${out}-mounted`);
  mount(objects, files);
  mkdirSync(join(folder, out, 'pods'));
  const logs = await Promise.all(
    Array.from({ length: objects.testrun.spec.parallelism }, (_, i) =>
      runPod(objects, files, podCommand(objects, i)),
    ),
  );
  logs.forEach((log, i) => {
    writeFileSync(join(folder, out, 'pods', `bench-${i + 1}-abcde.log`), log);
  });
}

const flags = () => ['--base-url', `http://127.0.0.1:${site.port}`, '--app', folder];

describe('four pods', () => {
  beforeAll(async () => {
    const load = ['--load', 'requests(1001, 8)', '--paths', '/x'];
    const { code, stderr } = await cli(
      'eject-load',
      'paths',
      ...flags(),
      ...load,
      '--segments',
      '4',
      '--out',
      'four',
    );
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  test('the operator can make its archive and read what it needs', async () => {
    const objects = readObjects('four');
    const files = join(folder, 'archived');
    mount(objects, files);
    expect(await initialize(objects, files)).toMatchObject({ maxVUs: 8 });
  });

  test('their summaries make one report: every request once', async () => {
    const before = await site.count();
    await runPods('four');
    const { code, stdout, stderr } = await cli('report', 'four', '--format', 'json');
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const [results] = [JSON.parse(stdout)].flat();
    const [m] = results.measurements;
    expect(m).toMatchObject({ outcome: 'ok', requests: 1001, okCount: 1001, cpu: null });
    expect((await site.count()) - before).toBe(1001);
    expect(total(m.histogram)).toBe(1001);
    expect(results.plan.elsewhere).toMatchObject({ kind: 'cluster' });
    const shares = results.plan.elsewhere.generators.map(({ share }: { share: string }) => share);
    expect(shares.sort()).toEqual(['0:1/4', '1/2:3/4', '1/4:1/2', '3/4:1']);
    for (const format of ['table', 'md', 'html', 'csv']) {
      expect(await cli('report', 'four', '--format', format)).toMatchObject({ code: 0, stderr: '' });
    }
  });

  test('a pod that is missing, there twice or without a summary is refused', async () => {
    const log = (i: number) => join(folder, 'bad/pods', `bench-${i}-abcde.log`);
    cpSync(join(folder, 'four'), join(folder, 'bad'), { recursive: true });
    const report = () => cli('report', 'bad');
    rmSync(log(3));
    expect(await report()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the logs of some pods are missing'),
    });
    cpSync(log(2), log(3));
    expect(await report()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('the same part of the load'),
    });
    writeFileSync(log(3), 'Error from server: container is waiting to start\n');
    expect(await report()).toMatchObject({ code: 2, stderr: expect.stringContaining('has no summary') });
    rmSync(join(folder, 'bad/pods'), { recursive: true });
    expect(await report()).toMatchObject({ code: 2, stderr: expect.stringContaining('no logs of pods') });
  });
});

test('a script of the user keeps its own load, its files and its checks', async () => {
  mkdirSync(join(folder, 'k6/data'), { recursive: true });
  writeFileSync(join(folder, 'k6/data/words.bin'), Buffer.from([0xff, 0x00, 0x61]));
  writeFileSync(
    join(folder, 'k6/own.js'),
    `import http from 'k6/http';
import { check } from 'k6';
if (!__ENV.BASE_URL) throw new Error('BASE_URL is not set');
const bytes = new Uint8Array(open('./data/words.bin', 'b'));
export const options = { scenarios: { all: { executor: 'shared-iterations', vus: 4, iterations: 40 } } };
export function setup() { return { length: bytes.length }; }
export default function (data) {
  const answer = http.get(__ENV.BASE_URL + '/y');
  check(answer, { 'is ok': (a) => a.status === 200 && data.length === 3 });
}
`,
  );
  const images = process.env.BENCH_IMAGES
    ? ['--image', `grafana/k6:2.2.0=${imageFor('grafana/k6:2.2.0')}`]
    : [];
  const made = await cli(
    ...[
      'eject-load',
      'own',
      ...flags(),
      '--journey',
      'k6/own.js',
      '--segments',
      '2',
      '--out',
      'own',
      ...images,
    ],
  );
  expect(made.stderr).toBe('');
  const objects = readObjects('own');
  const files = join(folder, 'own-archived');
  mount(objects, files);
  expect(await initialize(objects, files)).toMatchObject({ maxVUs: 4 });
  await runPods('own');
  const { stdout, stderr } = await cli('report', 'own', '--format', 'json');
  expect(stderr).toBe('');
  const [results] = [JSON.parse(stdout)].flat();
  expect(results.measurements[0]).toMatchObject({ outcome: 'ok', requests: 40 });
  expect(results.measurements[0].script.checks).toEqual([{ name: 'is ok', group: '', passes: 40, fails: 0 }]);
});

test.each([
  [['shop'], '--base-url'],
  [['shop', '--base-url', 'ftp://x'], 'not a URL of a site'],
  [['shop', '--base-url', 'http://x/path'], 'not a URL of a site'],
  [['shop', '--base-url', 'http://x', '--segments', '0'], '--segments'],
  [['nothing', '--base-url', 'http://x'], 'nothing'],
  [['--base-url', 'http://x'], 'exactly one scenario'],
  [['quick', '--base-url', 'http://x', '--segments', '999'], 'more segments than clients'],
  [
    ['quick', '--base-url', 'http://x', '--load-engines', 'box', '--load-address', '10.0.0.5'],
    'load-engines: does not work here',
  ],
])('bad input is refused: %j', async (argv, message) => {
  const { code, stderr } = await cli('eject-load', ...argv, '--app', folder);
  expect(stderr).toContain(message);
  expect(code).toBe(2);
});

/** The operator's own description of a TestRun: from a file, or from its Go module. Null: not here. */
const OPERATOR = 'github.com/grafana/k6-operator@v1.5.0';

/** The operator's own, from the file that is named, or from its Go module; else why there is none. */
function findCrd(): { text: string } | { why: string } {
  if (process.env.K6_OPERATOR_CRD) return { text: readFileSync(process.env.K6_OPERATOR_CRD, 'utf8') };
  const { stdout, error } = spawnSync('go', ['mod', 'download', '-json', OPERATOR], {
    ...{ cwd: tmpdir(), encoding: 'utf8', timeout: 60_000 },
  });
  if (error) return { why: error.message };
  const { Dir: folder, Error: why } = JSON.parse(stdout);
  if (folder === undefined) return { why };
  return { text: readFileSync(join(folder, 'config/crd/bases/k6.io_testruns.yaml'), 'utf8') };
}

// biome-ignore lint/suspicious/noExplicitAny: a schema is any JSON.
type Schema = any;

/** As the API server reads it: a field that is not named is an error under `kubectl apply --validate=strict`. */
function close(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(close);
  if (schema === null || typeof schema !== 'object') return schema;
  const closed = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, close(value)]));
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] || schema.additionalProperties !== undefined;
  const isObject = schema.type === 'object' && schema.properties;
  return isObject && !isOpen ? { ...closed, additionalProperties: false } : closed;
}

test("the TestRun is what the operator's own schema asks for", async (test) => {
  const found = findCrd();
  if ('why' in found) return test.skip(`the CRD of ${OPERATOR} is not available here: ${found.why}`);
  const { spec } = parse(found.text);
  const version = spec.versions.find(({ name }: { name: string }) => name === 'v1alpha1');
  const schema = close(version.schema.openAPIV3Schema);
  schema.properties.metadata = { type: 'object' };
  const validate = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(schema);
  await cli('eject-load', 'shop', ...flags(), '--segments', String(PODS), '--out', 'checked');
  const { testrun } = readObjects('checked');
  validate(testrun);
  expect(validate.errors).toBeNull();
  // The schema is closed indeed.
  expect(validate({ ...testrun, spec: { ...testrun.spec, paralellism: 4 } })).toBe(false);
  expect(spec.names.kind).toBe('TestRun');
});
