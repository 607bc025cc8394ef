// k6 scripts of users: what they check and say of themselves counts, and what cannot run is refused before anything is built.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import { beginNext } from '../faults/fault.ts';
import { docker, findImages, leftovers, makeProject, type Project, root } from './bench.ts';
import { imageFor } from './docker.ts';
import { NAMESPACE } from './namespace.ts';

let project: Project;
let images: string[];
beforeAll(async () => {
  project = await makeProject();
  images = await findImages();
  cpSync(join(root, 'test/fixtures/scripts'), join(project.folder, 'load'), { recursive: true });
  // The mark of a project; nothing in it may travel.
  mkdirSync(join(project.folder, '.git'));
  writeFileSync(join(project.folder, '.git/config'), 'secret');
});
afterAll(() => project.remove());

const once = ['--runtimes', 'apache', '--instances', '1', '--blocks', '1', '--warmup', '0s', '--wait'];

async function run(name: string, ...flags: string[]) {
  const out = name.replaceAll(/\W/g, '-');
  const { code, stdout, stderr } = await project.run(out, ...once, '--journey', `load/${name}`, ...flags)
    .done;
  const results = project.results(out);
  return { code, stdout, stderr, results, slice: results.measurements[0] };
}

test('checks, thresholds, metrics, groups and tags of a script are measured and reported', async () => {
  const { code, stdout, slice, results } = await run('shop/visit.js', '--load', 'requests(40, 2)');
  expect(slice?.outcome).toBe('ok');
  expect(slice?.script?.checks).toEqual([
    { name: 'has a token', group: '::front', passes: 0, fails: 40 },
    { name: 'is 200', group: '::front', passes: 40, fails: 0 },
  ]);
  expect(slice?.endpoints.map(({ name, requests }) => [name, requests])).toEqual([
    ['start', 40],
    ['second', 40],
    ['group front', 40],
  ]);
  const metric = (name: string) => slice?.script?.metrics.find((one) => one.name === name);
  expect(metric('answer_size')).toMatchObject({ type: 'trend', custom: true, count: 40 });
  expect(metric('asked')).toMatchObject({ type: 'counter', count: 80 });
  expect(metric('right')).toMatchObject({ type: 'rate', count: 40, passes: 40 });
  expect(metric('last_status')).toMatchObject({ type: 'gauge', value: 200 });
  expect(stdout).toContain('0 of 40');
  expect(stdout).toContain('checks: 0 of 40 (`has a token`), 99 % needed');
  expect(stdout).toMatch(/thresholds of the script: 4 of 5 passed; missed: .* p\(95\)<0.001/);
  expect(results.warnings.map((warning) => warning.code)).toContain('threshold-abort');
  expect(code).toBe(1);
});

test('the container in which k6 reads the script of another run is left alone by one that begins', async () => {
  const labels = [`${NAMESPACE}=preparing`, `${NAMESPACE}.early=1`].map((label) => `--label=${label}`);
  const container = await docker('container', 'create', ...labels, imageFor(K6_IMAGE));
  try {
    await beginNext();
    expect(await docker('container', 'inspect', '--format', '{{.Id}}', container)).toBe(container);
  } finally {
    await docker('container', 'rm', '--force', container);
  }
});

test('a script that throws in each iteration is failed, with its first words and their place', async () => {
  const { code, stdout } = await run('throws.js');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    "every iteration of the script threw: TypeError: Cannot read property 'title' of undefined (load/throws.js:8:20)",
  );
  expect(code).toBe(3);
});

test('a script that ends itself is failed, not ranked by what it did until then', async () => {
  const { code, slice } = await run('aborts.js');
  expect(slice).toMatchObject({
    outcome: 'failed',
    reason: expect.stringMatching(/^the script stopped the test: enough/),
  });
  expect(code).toBe(3);
});

test('a script whose setup fails is failed, with its words', async () => {
  const { code, slice } = await run('logs-in.js');
  expect(slice).toMatchObject({
    outcome: 'failed',
    reason: 'setup failed: login failed (load/logs-in.js:8:69)',
    script: { thrown: { count: 0 } },
  });
  expect(code).toBe(3);
});

test('a script that marks the test as failed is measured, but not ranked', async () => {
  const { code, stdout, slice } = await run('marks.js');
  expect(slice).toMatchObject({ outcome: 'ok', requests: 20, script: { failed: 'title is wrong' } });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    '1 of 1 slice: the script marked the test as failed: title is wrong',
  );
  // As with checks that fail.
  expect(code).toBe(0);
});

test('exceptions of an async function count', async () => {
  const { code, stdout, slice } = await run('rejects.js');
  expect(slice?.script?.thrown).toEqual({ count: 20, first: 'Error: no title (load/rejects.js:8:9)' });
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('every iteration of the script threw: Error: no title');
  expect(code).toBe(3);
});

test('a script reaches this machine alone, and what it asked elsewhere is named', async () => {
  const { stdout, slice } = await run('elsewhere.js', '--load', 'requests(20, 2)');
  expect(slice).toMatchObject({ requests: 40, okCount: 20 });
  const body = expect.stringMatching(
    /^Get "http:.* is in a blacklisted range .*\n.*Send requests to BASE_URL/,
  );
  expect(slice?.errors).toMatchObject([{ kind: 'no answer', answer: { status: 0, body } }]);
  expect(stdout).toContain('no answer: Get "http:');
  expect(slice?.script?.checks).toEqual([{ name: 'is refused', group: '', passes: 20, fails: 0 }]);
});

test('the library of the bundled journeys counts under a load of the script', async () => {
  const { code, slice } = await run('counted.js');
  expect(slice).toMatchObject({ outcome: 'ok', requests: 40, okCount: 40, errors: [] });
  expect(slice?.endpoints).toMatchObject([{ name: 'json', requests: 40, failures: 0 }]);
  expect(code).toBe(0);
});

test('tags of a script may have any name', async () => {
  writeFileSync(
    join(project.folder, 'load/tagged.js'),
    `import http from 'k6/http';
export const options = { tags: { slice: 'pizza' } };
export default () => http.get(\`\${__ENV.BASE_URL}/\`, { tags: { slice: 'cake', step: 'cart' } });
`,
  );
  const { slice } = await run('tagged.js', '--load', 'step(20, 40, 20, 1s)');
  expect(slice?.outcome).toBe('ok');
  expect(slice?.steps.map(({ requests }) => requests > 10)).toEqual([true, true]);
  expect(slice?.steps.map(({ latency }) => latency !== null)).toEqual([true, true]);
});

test.each([
  ['expects', 'http.expectedStatuses(200, 404)', '/no-such.txt', []],
  ['does not expect', 'http.expectedStatuses(404)', '/', [{ kind: 'http 200', count: 20 }]],
  ['hardly ever gets', 'http.expectedStatuses(200)', '/status?code=507', [{ kind: 'http other', count: 20 }]],
])('a status that a script %s', async (_, callback, path, errors) => {
  writeFileSync(
    join(project.folder, 'load/expects.js'),
    `import http from 'k6/http';
http.setResponseCallback(${callback});
export default () => http.get(\`\${__ENV.BASE_URL}${path}\`);
`,
  );
  const { slice } = await run('expects.js', '--load', 'requests(20, 2)');
  expect(slice?.requests).toBe(20);
  expect(slice?.errors).toMatchObject(errors);
  expect(slice?.errors).toHaveLength(errors.length);
});

test('what a script asks beside the library has its errors, too', async () => {
  writeFileSync(
    join(project.folder, 'load/beside.js'),
    `import http from 'k6/http';
import { nameEndpoints, request } from '../lib/bench.js';
nameEndpoints(['gone']);
export default () => {
  request('gone', '/no-such.txt');
  for (let i = 0; i < 2; i++) http.get(\`\${__ENV.BASE_URL}/no-such.txt\`);
};
`,
  );
  const { slice } = await run('beside.js', '--load', 'requests(20, 2)');
  expect(slice?.errors).toMatchObject([
    { endpoint: 'gone', kind: 'http 404', count: 20 },
    { endpoint: 'all', kind: 'http 404', count: 40 },
  ]);
});

test('many warnings of a script do not hide why its requests failed', async () => {
  writeFileSync(
    join(project.folder, 'load/warns.js'),
    `import visit from './elsewhere.js';
export default () => {
  for (let i = 0; i < 60; i++) console.warn('slow');
  visit();
};
`,
  );
  const { slice } = await run('warns.js', '--load', 'requests(20, 2)');
  const body = expect.stringContaining('is in a blacklisted range');
  expect(slice?.errors).toMatchObject([{ kind: 'no answer', count: 20, answer: { body } }]);
});

test('a teardown without an end is ended, and its load is measured', async () => {
  const own = await makeProject({ own: true });
  try {
    const scenarios = join(own.folder, '../package/scenarios');
    rmSync(scenarios);
    cpSync(join(root, 'scenarios'), scenarios, { recursive: true });
    const main = join(scenarios, 'lib/main.js');
    const text = readFileSync(main, 'utf8');
    // A minute is longer than a test should wait.
    const shorter = text.replace("options.teardownTimeout = '60s';", "options.teardownTimeout = '2s';");
    expect(shorter).not.toBe(text);
    writeFileSync(main, shorter);
    own.write({
      'cleans.js': `import http from 'k6/http';
import { sleep } from 'k6';
export const options = { teardownTimeout: '10m' };
export const teardown = () => sleep(600);
export default () => http.get(\`\${__ENV.BASE_URL}/\`);
`,
    });
    await own.run('out', ...once, '--journey', 'cleans.js', '--load', 'requests(20, 2)').done;
    const [slice] = own.results('out').measurements;
    const first = expect.stringMatching(/^teardown\(\) execution timed out/);
    expect(slice).toMatchObject({ outcome: 'ok', okCount: 20, script: { thrown: { count: 1, first } } });
  } finally {
    own.remove();
  }
});

test('a script whose library knows no name of a request is failed, with the names that there are', async () => {
  writeFileSync(
    join(project.folder, 'load/unnamed.js'),
    `import { nameEndpoints, request } from '../lib/bench.js';
nameEndpoints(['jsno']);
export default () => request('json', '/json?n=5', { expect: [201] });
`,
  );
  const { code, slice } = await run('unnamed.js', '--load', 'requests(20, 2)');
  expect(slice).toMatchObject({ outcome: 'failed', requests: 0 });
  expect(slice?.reason).toContain("nameEndpoints has no 'json'. It has 'jsno'");
  expect(code).toBe(3);
});

test('an answer that a script expects is right, with the status of an error, too', async () => {
  writeFileSync(
    join(project.folder, 'load/refused.js'),
    `import { nameEndpoints, request } from '../lib/bench.js';
nameEndpoints(['gone']);
export default () => request('gone', '/no-such.txt', { expect: [404] });
`,
  );
  const { code, slice } = await run('refused.js', '--load', 'requests(20, 2)');
  expect(slice).toMatchObject({ outcome: 'ok', requests: 20, okCount: 20, errors: [] });
  expect(code).toBe(0);
});

/** A script that asks for a page, and sleeps. */
function writeSleeping(name: string, seconds: number): void {
  writeFileSync(
    join(project.folder, 'load', name),
    `import http from 'k6/http';
import { sleep } from 'k6';
export default () => {
  http.get(\`\${__ENV.BASE_URL}/\`);
  sleep(${seconds});
};
`,
  );
}

test('a script that sleeps when its load ends waits for no answer', async () => {
  writeSleeping('sleeps.js', 10);
  const { code, slice } = await run('sleeps.js', '--load', 'vus(4, 1s)');
  expect(slice).toMatchObject({ outcome: 'ok', requests: 4, okCount: 4, iterations: 0, interrupted: 0 });
  expect(code).toBe(0);
});

test('a script at a rate gets clients enough for its sleep, as its warm-up shows how long it takes', async () => {
  writeSleeping('rests.js', 1);
  const flags = ['--journey', 'load/rests.js', '--load', 'const(20, 4s)', '--warmup', '2s', '--blocks', '1'];
  const { code } = await project.run('rests', '--runtimes', 'apache', '--instances', '1', ...flags, '--wait')
    .done;
  const [slice] = project.results('rests').measurements;
  expect(slice?.outcome).toBe('ok');
  // A machine that stands still drops what is due then, and while the clients sleep for a second behind it. Without those
  // clients, it is dozens all the time.
  expect(slice?.dropped).toBeLessThan(20 + (40 * (slice?.guards.stallMs ?? 0)) / 1000);
  expect(slice?.steps[0]?.vus).toBeGreaterThan(20);
  expect(code).toBe(0);
});

test('a script at a rate that has too few clients for its sleep is not ranked', async () => {
  writeSleeping('few.js', 1);
  const { stdout, slice } = await run('few.js', '--load', 'const(20, 2s)', '--max-vus', '3');
  // Of 40, as each client begins one in a second. The end of a load cuts off what a machine that stands still is late with.
  expect(slice?.requests).toBeLessThan(12);
  expect(slice?.dropped).toBeGreaterThan(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('did not sustain the rate');
});

test('a script at a rate of its own is an open load', async () => {
  writeFileSync(
    join(project.folder, 'load/own-rate.js'),
    `import http from 'k6/http';
const rate = { executor: 'constant-arrival-rate', rate: 20, duration: '2s', preAllocatedVUs: 10 };
export const options = { scenarios: { all: rate } };
export default () => http.get(\`\${__ENV.BASE_URL}/\`);
`,
  );
  const { code, stdout, results } = await run('own-rate.js');
  expect(results.plan.scenarios).toMatchObject([{ openScript: true }]);
  // By RPS, all servers that keep up would be alike.
  expect(stdout).toMatch(/p95/);
  expect(code).toBe(0);
});

test('what a script asks in its setup and its teardown is no part of its load', async () => {
  writeFileSync(
    join(project.folder, 'load/prepared.js'),
    `import http from 'k6/http';
import { check, sleep } from 'k6';
export const options = { scenarios: { all: { executor: 'constant-vus', vus: 1, duration: '1s' } } };
export function setup() {
  for (let i = 0; i < 5; i++) http.get(\`\${__ENV.BASE_URL}/setup\`);
  sleep(6);
  return 'prepared';
}
export function teardown() {
  for (let i = 0; i < 5; i++) http.get(\`\${__ENV.BASE_URL}/teardown\`);
  sleep(6);
}
export default (data) => {
  http.get(\`\${__ENV.BASE_URL}/\`);
  check(data, { prepared: (word) => word === 'prepared' });
};
`,
  );
  const { slice } = await run('prepared.js');
  // One second, and what a busy machine adds to it; with `setup` or `teardown` it would be 7.
  expect(slice?.durationMs).toBeLessThan(6500);
  expect(slice?.script?.checks).toEqual([{ name: 'prepared', group: '', passes: slice?.requests, fails: 0 }]);
});

test('what a script asks in its setup and its teardown is in no count', async ({ onTestFinished }) => {
  // Without an app, the other tests have the demo.
  onTestFinished(() => rmSync(join(project.folder, 'counted'), { recursive: true }));
  project.write({ 'counted/public/index.php': '<?php @trigger_error("old", E_USER_DEPRECATED);' });
  writeFileSync(
    join(project.folder, 'load/counted.js'),
    `import http from 'k6/http';
const ask = () => http.get(\`\${__ENV.BASE_URL}/\`);
export function setup() { for (let i = 0; i < 7; i++) ask(); }
export function teardown() { for (let i = 0; i < 5; i++) ask(); }
export default ask;
`,
  );
  const flags = ['--app', 'counted', '--load', 'requests(20, 1)', '--count', 'php'];
  const { code, stderr, results } = await run('counted.js', ...flags);
  expect(code, stderr).toBe(0);
  expect(results.counts).toMatchObject([{ by: 'php', requests: 20, failures: 0 }]);
  const of = (name: string) => results.counts[0]?.values.find((one) => one.name === name)?.perRequest;
  expect([of('included-files'), of('deprecations')]).toEqual([
    [1, 1, 1],
    [1, 1, 1],
  ]);
});

test('the time in which k6 makes clients is no part of a load that ends by itself', async () => {
  writeFileSync(
    join(project.folder, 'load/slow-to-read.js'),
    `import http from 'k6/http';
export const options = { scenarios: { all: { executor: 'constant-vus', vus: 1, duration: '1s' } } };
// As a script does that reads much: once for each client.
const ready = Date.now() + 6000;
while (Date.now() < ready);
export default () => http.get(\`\${__ENV.BASE_URL}/\`);
`,
  );
  const { slice } = await run('slow-to-read.js');
  // One second, and what a busy machine adds to it; with the client of `setup` or of `teardown` it would be 7.
  expect(slice?.durationMs).toBeLessThan(6500);
  expect(slice?.outcome).toBe('ok');
});

test('two scripts of one run take turns in each start, each with its own checks and files', async () => {
  mkdirSync(join(project.folder, '.bench/scenarios'), { recursive: true });
  const script = (name: string) => `import http from 'k6/http';
import { check } from 'k6';
const word = open('../../load/word-of-${name}.txt');
export default () => {
  const { status } = http.get(\`\${__ENV.BASE_URL}/?${name}\`, { tags: { name: '${name}' } });
  check(status, { [\`\${word} is 200\`]: () => status === 200 });
};
`;
  for (const name of ['one', 'two']) {
    const place = join(project.folder, '.bench/scenarios', name);
    writeFileSync(`${place}.js`, script(name));
    writeFileSync(`${place}.yaml`, `title: ${name}\njourney: ${name}.js\nload: requests(10, 1)\nblocks: 1\n`);
    writeFileSync(join(project.folder, `load/word-of-${name}.txt`), `the ${name}`);
  }
  const flags = ['--scenarios', 'one,two', '--runtimes', 'apache', '--instances', '2', '--warmup', '0s'];
  const { code, stderr } = await project.run('two', ...flags, '--wait').done;
  expect([code, stderr]).toEqual([0, expect.any(String)]);
  const seen = project
    .results('two')
    .measurements.map(({ scenario, instance, script: own, endpoints }) => [
      ...[instance, scenario, own?.checks.map(({ name, passes }) => `${name}: ${passes}`).join()],
      endpoints.map(({ name, requests }) => `${name}: ${requests}`).join(),
    ]);
  expect(seen).toEqual(
    [0, 1].flatMap((instance) =>
      ['one', 'two'].map((name) => [instance, name, `the ${name} is 200: 10`, `${name}: 10`]),
    ),
  );
});

describe('before anything is built', () => {
  const put = (name: string, text: string) => writeFileSync(join(project.folder, 'load', name), text);
  const plan = (name: string, ...flags: string[]) =>
    project.cli(['plan', ...images, ...once.slice(0, -1), '--journey', `load/${name}`, ...flags]);
  const load = ['--load', 'vus(1, 1s)'];
  beforeAll(() => writeFileSync(join(project.folder, '../others.json'), '{}'));

  test.each([
    [
      'a syntax error',
      'syntax.js',
      "import http from 'k6/http';\nexport default () => {\n  http.get('x'\n}\n",
      load,
      'load/syntax.js:4: k6 cannot read the script: Unexpected token }',
    ],
    [
      'a module that is not there',
      'module.js',
      "\nimport { x } from './gone.js';\nexport default () => x;\n",
      load,
      "load/module.js:2: k6 cannot find './gone.js'",
    ],
    [
      'a file that is not there',
      'file.js',
      "const name = './gone.json';\n\nopen(name);\nexport default () => {};\n",
      load,
      "load/file.js:3: k6 cannot open 'load/gone.json'",
    ],
    [
      'a file that the module fs would look for beside another script',
      'fs.js',
      "import { open } from 'k6/experimental/fs';\nawait open('staged.js');\nexport { default, options } from './staged.js';\n",
      [],
      "load/fs.js: k6 cannot open 'staged.js'",
    ],
    [
      'a file of others',
      'outside.js',
      "\nopen('../../others.json');\nexport default () => {};\n",
      load,
      "load/outside.js:2: '../../others.json' lies outside of the project",
    ],
    [
      'a name that hides a file of git',
      'git.js',
      "open('../.git/' + 'config');\nexport default () => {};\n",
      load,
      "load/git.js:1: '.git/config' belongs to git",
    ],
    ['no load', 'once.js', null, [], 'load/once.js: the script defines no load'],
    [
      'a script without HTTP',
      'rpc.js',
      "import { sleep } from 'k6';\nimport grpc from 'k6/net/grpc';\nconst client = new grpc.Client();\nexport default () => sleep(client ? 1 : 0);\n",
      load,
      'load/rpc.js:2: the script makes no HTTP requests',
    ],
    [
      'a browser under the load of the scenario',
      'browser.js',
      "import { browser } from 'k6/browser';\nexport default async () => {\n  await browser.newPage();\n};\n",
      load,
      'load/browser.js:1: the script loads with a browser',
    ],
    [
      'a load, but no function for it',
      'other.js',
      'export function other() {}\n',
      load,
      'load/other.js: the script needs a default function for the load of the scenario',
    ],
  ])('%s is refused with its place', async (_, name, text, flags, said) => {
    if (text !== null) put(name, text);
    const { code, stderr } = await plan(name, ...flags);
    expect(stderr).toContain(said);
    expect(code).toBe(2);
    expect(project.temporaryFiles()).toEqual([]);
  });

  test('files with computed names that differ in digits are found, however many there are', async () => {
    mkdirSync(join(project.folder, 'load/numbers'));
    for (let i = 0; i < 30; i++) put(`numbers/${i}.json`, '{}');
    put(
      'numbers.js',
      "for (let i = 0; i < 30; i++) open('./numbers/' + i + '.json');\nexport default () => {};\n",
    );
    const { code, stderr } = await plan('numbers.js', ...load);
    expect(stderr).not.toContain('cannot open');
    expect(code).toBe(0);
  });

  test('the plan knows how long a load of the script takes', async () => {
    const { code, stdout } = await plan('staged.js');
    expect(code).toBe(0);
    expect(stdout).toContain('about 2 min 3');
    expect(await leftovers()).toEqual([]);
  });
});
