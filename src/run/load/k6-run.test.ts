import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../../test/fixtures/folder.ts';
import { scenarioOf } from '../../../test/fixtures/plan.ts';
import { loadMs, parseLoad } from '../../config/parts/load.ts';
import type { ScriptFacts } from '../../config/requests/script-facts.ts';
import type { Scenario } from '../../config/types.ts';
import type { Docker } from '../../engine/docker.ts';
import { compileLoad } from '../../plan/timeline/load-steps.ts';
import { bringScript, LOG_FILTER, loadBatch } from './k6-run.ts';

useFolder();

const TIMEOUT_S = 20;
/** After which main.js makes k6 end a count. */
const MOST_MINUTES = 30;

const SHOP = { kind: 'script', name: 'shop', file: '/p/shop.js' } as const;
const FACTS: ScriptFacts = {
  ...{ folder: '/f', entry: 'e.js', root: '/p', thresholds: [], labels: [] },
  ...{ rates: 'none', loadMs: null, mostMs: null, mostVus: 1 },
};

/** Makes a load by an engine that does this with the command of k6. */
async function loadBy(
  tryRun: Docker['try'],
  source: string,
  journey: Scenario['journey'] = { kind: 'paths', paths: ['/'] },
  script?: ScriptFacts,
) {
  const load = parseLoad(source);
  const scenario = scenarioOf('test', source, {
    ...{ journey, timeoutMs: TIMEOUT_S * 1000, warmupMs: 0 },
    ...(script && { script }),
  });
  const slice = {
    ...{ number: 1, variant: 'a', block: 0, warmup: false, startMs: 0, durationMs: loadMs(load) },
    ...{ turns: null, turnMs: null, duet: null, steps: compileLoad(load, scenario) },
  };
  return loadBatch(
    { run: async () => '', try: tryRun },
    'arena',
    { scenario, slices: [slice], drainMs: 0 },
    { ports: { a: 1 }, host: 'app.test' },
    {},
    {},
  );
}

/** After how many seconds k6 is killed. */
async function killedAfter(
  source: string,
  journey?: Scenario['journey'],
  script?: ScriptFacts,
): Promise<number> {
  let asked: readonly string[] = [];
  const note: Docker['try'] = async (args) => {
    asked = args;
    return { code: 0, stdout: '{}', stderr: '' };
  };
  await loadBy(note, source, journey, script);
  return Number(asked[asked.indexOf('/tmp/bench') + 1]);
}

test.each([
  ['requests(1000000, 10)', MOST_MINUTES * 60],
  ['const(10, 2h), requests(1000, 10)', 2 * 3600 + MOST_MINUTES * 60],
  ['vus(1, 3h)', 3 * 3600],
])(
  'of %s k6 can report what it measured, even if all of it takes as long as it may',
  async (source, seconds) => {
    const executors = readFileSync(join(import.meta.dirname, '../../../scenarios/lib/executors.js'), 'utf8');
    expect(executors).toContain(`maxDuration: '${MOST_MINUTES}m'`);
    expect(await killedAfter(source)).toBeGreaterThanOrEqual(seconds + TIMEOUT_S + 30);
  },
);

test('setup and teardown of a script take as long as k6 lets them', async () => {
  const seconds = await killedAfter('vus(1, 10s)', SHOP);
  expect(seconds).toBeGreaterThanOrEqual(60 + 10 + TIMEOUT_S + 60 + 30);
});

test('a script with its own load may take what k6 calculates for it', async () => {
  const script = { ...FACTS, mostMs: 2 * 3_600_000 };
  const seconds = await killedAfter('requests(1, 1)', SHOP, script);
  expect(seconds).toBeGreaterThanOrEqual(2 * 3600 + 2 * 60 + TIMEOUT_S + 30);
});

test('warnings of a script take the place of none that k6 has', () => {
  const at = 'time="2026-11-28T13:00:00Z"';
  const slow = `${at} level=warning msg=slow source=console`;
  const failed = `${at} level=warning msg="Request Failed" error="Get \\"http://app.test/\\": EOF"`;
  const printed = `${at} level=error msg=" level=warning " source=console`;
  const lines = [...Array(60).fill(slow), ...Array(60).fill(failed), printed];
  const { stdout } = spawnSync('awk', [LOG_FILTER], { input: `${lines.join('\n')}\n`, encoding: 'utf8' });
  expect(stdout.trim().split('\n')).toEqual([...Array(50).fill(failed), printed]);
});

/** An engine whose arena is this machine, with these programs before all others. */
function arenaWith(programs: Readonly<Record<string, string>>): Docker['try'] {
  for (const [name, script] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  return async (args, options) => {
    const own = args.slice(args.indexOf('sh')).map((arg) => arg.replaceAll('/tmp/bench', folder));
    const [shell = '', ...command] = own;
    const input = options?.input;
    const ended = spawnSync(shell, command, { env, input, encoding: 'utf8', timeout: 20_000 });
    expect(ended.error).toBeUndefined();
    return { code: ended.status ?? 1, stdout: ended.stdout, stderr: ended.stderr };
  };
}

test('each load goes the journey of its own scenario', async () => {
  const here = arenaWith({ k6: 'cat journey.js' });
  expect((await loadBy(here, 'vus(1, 1s)')).stdout).toContain('"./journeys/paths.js"');
  expect((await loadBy(here, 'vus(1, 1s)', SHOP, FACTS)).stdout).toContain('"./user/e.js"');
});

test('a load is over with k6', async () => {
  // BusyBox's: beside the command is a process that ends later.
  const timeout = `shift 3; while [ -d '${folder}' ]; do sleep 0.1; done >/dev/null 2>&1 & exec "$@"`;
  const { trouble } = await loadBy(arenaWith({ timeout, k6: 'echo {}' }), 'vus(1, 1s)');
  expect(trouble).toBe('');
});

test('a script is copied into an arena once, also where scenarios take turns', async () => {
  const copied: string[] = [];
  const docker: Docker = {
    try: () => Promise.reject(new Error('not asked for')),
    async run(args) {
      if (args[1] === 'cp') copied.push(args[2] as string);
      return '';
    },
  };
  const scenarios = ['shop', 'blog'].map((name) => {
    mkdirSync(join(folder, name));
    const script = { ...FACTS, folder: join(folder, name) };
    return { name, journey: { ...SHOP, name }, script };
  });
  const arena = { name: 'arena', scripts: new Set<string>() };
  for (const scenario of [...scenarios, ...scenarios]) await bringScript(docker, arena, scenario);
  expect(copied).toEqual(scenarios.map(({ script }) => `${script.folder}/.`));
});
