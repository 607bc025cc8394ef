// script/test's counting, on real runs of vitest that pass, fail, skip and die.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeFolder } from '../fixtures/temporary.ts';

const root = resolve(import.meta.dirname, '../..');
let project: string;

beforeEach(() => {
  project = makeFolder();
  mkdirSync(join(project, 'src'));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  symlinkSync(join(root, 'vitest.config.ts'), join(project, 'vitest.config.ts'));
  // Layers that run the CLI call these first: here nothing runs it.
  mkdirSync(join(project, 'test/integration'), { recursive: true });
  writeFileSync(join(project, 'test/integration/package.ts'), 'export default () => {};\n');
  writeFileSync(join(project, 'test/integration/namespace.ts'), '');
});
afterEach(() => rmSync(project, { recursive: true }));

/** Runs layers in the project on these test files; gives the exit code and the lines at the end. */
function runLayers(files: Record<string, string>, ...layers: string[]) {
  return runUnder([], files, ...layers);
}

/** The same under another program. */
function runUnder(before: readonly string[], files: Record<string, string>, ...layers: string[]) {
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(project, 'src', name), `import { expect, it } from 'vitest';\n${text}`);
  }
  const argv = [...before, process.execPath, join(root, 'script/lib/layers.ts'), ...layers];
  const { status, stdout } = spawnSync(argv[0] as string, argv.slice(1), {
    ...{ cwd: project, encoding: 'utf8' },
    env: { ...process.env, TMPDIR: project },
  });
  return { status, lines: stdout.trimEnd().split('\n') };
}

/** A file of the second project of the layer integration: without one that project counts as a failure. */
const ALONE = { '../test/integration/noise.test.ts': "it('is', () => {});" };

it('counts what passes, fails and is skipped, with names and reasons', () => {
  const { status, lines } = runLayers(
    {
      'a.test.ts': "it('adds', () => {});\nit('breaks', () => expect(1).toBe(2));",
      'b.test.ts':
        "it('needs cores', (test) => test.skip('2 cores are too few'));\nit.skip('later', () => {});",
    },
    'unit',
  );
  expect(lines.slice(-8)).toEqual([
    '- unit: src/b.test.ts › needs cores (skipped: 2 cores are too few)',
    '- unit: src/b.test.ts › later (skipped: no reason given)',
    '✗ unit: src/a.test.ts › breaks',
    '    expected 1 to be 2 // Object.is equality',
    '    - 2',
    '    + 1',
    '',
    '1 passed, 1 failed, 2 skipped',
  ]);
  expect(status).toBe(1);
});

it('tries nothing twice: what passes at a second try only has failed', () => {
  const wavers = "let n = 0;\nit('wavers', () => expect(++n).toBe(2));\n";
  const again = "let m = 0;\nit('is tried again', { retry: 1 }, () => expect(++m).toBe(2));";
  const files = { '../test/integration/a.test.ts': wavers + again, ...ALONE };
  const { status, lines } = runLayers(files, 'integration');
  const said = ['    expected 1 to be 2 // Object.is equality', '    - 2', '    + 1'];
  expect(lines.slice(-10)).toEqual([
    '✗ integration: test/integration/a.test.ts › wavers',
    ...said,
    '✗ integration: test/integration/a.test.ts › is tried again passed at a second try only',
    ...said,
    '',
    '1 passed, 2 failed, 0 skipped',
  ]);
  expect(status).toBe(1);
});

it.each([
  ['a file that does not load', "throw new Error('no');", 'src/a.test.ts'],
  [
    'a failing hook',
    "import { beforeAll } from 'vitest';\nbeforeAll(() => { throw new Error('no'); });\nit('is', () => {});",
    'src/a.test.ts',
  ],
  [
    'an error outside of a test',
    "it('is', () => { setTimeout(() => { throw new Error('late'); }); return new Promise((end) => setTimeout(end, 50)); });",
    'error outside of a test: late',
  ],
  ['a worker that dies', "it('is', () => process.kill(process.pid, 'SIGKILL'));", ''],
  [
    'vitest that dies',
    // Before the reporter has written, there would be no report.
    `it('is', async () => {
      const { existsSync } = await import('node:fs');
      const sleep = (ms) => new Promise((end) => setTimeout(end, ms));
      while (!existsSync(process.env.TALLY_FILE)) await sleep(20);
      process.kill(process.ppid, 'SIGKILL');
      await sleep(5_000);
    }, 60_000);`,
    'vitest ended before its tests (signal SIGKILL)',
  ],
])('counts %s as a failure, and the rest besides', (_, text, failure) => {
  const { status, lines } = runLayers({ 'a.test.ts': text }, 'unit');
  expect(lines.at(-1)).toMatch(/^\d+ passed, [1-9]\d* failed, \d+ skipped$/);
  expect(lines.join('\n')).toContain(`✗ unit: ${failure}`);
  expect(status).toBe(1);
});

it('names what passed and failed before the run was killed, and what was under way', () => {
  const passing = "it('passes', () => {});\nit('breaks', () => { throw new Error('no'); });";
  // The longer file begins first, where one CPU is all there is.
  const [padding, tally] = ['/'.repeat(5000), 'process.env.TALLY_FILE'];
  const hangs = `import { existsSync, readFileSync } from 'node:fs';
it('hangs', async () => {
  const sleep = () => new Promise((end) => setTimeout(end, 50));
  // Either file may be the first that is written about, and vitest hears of this test later than it begins.
  const has = (text) => existsSync(${tally}) && readFileSync(${tally}, 'utf8').includes(text);
  while (!has('breaks') || !has('b.test.ts')) await sleep();
  process.kill(process.ppid, 'SIGKILL');
  for (;;) await sleep();
}, 60_000);`;
  const { status, lines } = runLayers({ 'a.test.ts': `${passing}${padding}`, 'b.test.ts': hangs }, 'unit');
  expect(lines.filter((line) => line.startsWith('✗ ')).sort()).toEqual([
    '✗ unit: src/a.test.ts › breaks',
    '✗ unit: src/b.test.ts (did not finish)',
    '✗ unit: vitest ended before its tests (signal SIGKILL)',
  ]);
  expect(lines.at(-1)).toBe('1 passed, 3 failed, 0 skipped');
  expect(status).toBe(1);
});

const apart = ['unshare', '--map-root-user', '--mount'];
const noNamespaces = spawnSync('unshare', [...apart.slice(1), 'true']).status !== 0;

it('loses nothing if its folder cannot be removed', (test) => {
  test.skip(noNamespaces, 'this user can have no namespaces of its own');
  const mounts = `import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
it('mounts', () => {
  const busy = process.env.TALLY_FILE.replace('tally.json', 'busy');
  mkdirSync(busy);
  execFileSync('mount', ['-t', 'tmpfs', 'none', busy]);
});`;
  const { status, lines } = runUnder(apart, { 'a.test.ts': mounts }, 'unit');
  expect(lines.at(-1)).toBe('1 passed, 0 failed, 0 skipped');
  expect(status).toBe(0);
});

it('goes on after a failing layer, and takes a layer without tests for a failure', () => {
  const { status, lines } = runLayers({ 'a.test.ts': "it('is', () => {});" }, 'integration', 'unit');
  // One for each project of the layer.
  expect(lines.at(-1)).toBe('1 passed, 2 failed, 0 skipped');
  // In the order in which they were named.
  expect(lines.filter((line) => line.startsWith('── '))).toEqual(['── integration ──', '── unit ──']);
  expect(status).toBe(1);
});

it('runs layers that use the engine at once, and counts each by itself', () => {
  mkdirSync(join(project, 'test/faults'));
  const files = {
    '../test/integration/a.test.ts': "it('is', () => {});",
    '../test/faults/b.test.ts': "it('breaks', () => { throw new Error('no'); });",
    ...ALONE,
  };
  const { status, lines } = runLayers(files, 'unit', 'integration', 'faults', 'e2e');
  expect(lines.filter((line) => line.startsWith('── '))).toEqual([
    '── unit ──',
    '── integration, faults, e2e ──',
  ]);
  expect(lines.filter((line) => line.startsWith('✗ ')).slice(1)).toEqual([
    '✗ faults: test/faults/b.test.ts › breaks',
    '✗ e2e: vitest ran no test of the project e2e',
  ]);
  expect(lines.at(-1)).toBe('2 passed, 3 failed, 0 skipped');
  expect(status).toBe(1);
});

it('knows its layers', () => {
  expect(runLayers({}, 'units').status).toBe(2);
});
