import { expect, test } from 'vitest';
import { type Host, type Running, realHost } from '../host.ts';
import { openArena, sweep } from './arena.ts';
import type { Docker } from './docker.ts';

test('a sweep removes what a dead run left at once, and of a run that prepares only what is old', async () => {
  // A run that measures, one that was killed, and one whose k6 reads a script.
  const rows = [
    'php-runtime-bench-arena\ta\trunning\t',
    'php-runtime-bench-a-0-18080\ta\trunning\t',
    'php-runtime-bench-b-0-18080\tb\trunning\t',
    'php-runtime-bench-c-script-0\tc\trunning\t1',
  ];
  const rowsOf = (filter: string) => {
    if (filter.endsWith('.arena')) return rows.slice(0, 1);
    const [, run] = filter.split('bench=');
    return rows.filter((row) => run === undefined || row.split('\t')[1] === run);
  };
  const tried: (readonly string[])[] = [];
  const docker: Docker = {
    run: async (args) => rowsOf(args[args.indexOf('--filter') + 1] as string).join('\n'),
    async try(args) {
      tried.push(args);
      return { code: 0, stdout: '', stderr: '' };
    },
  };
  const said: string[] = [];
  await sweep(realHost, docker, (line) => said.push(line));
  expect(said).toEqual(['removed what run b left behind: php-runtime-bench-b-0-18080']);
  const removals = tried.filter(([, verb]) => verb === 'rm' || verb === 'prune');
  expect(removals).toEqual([
    ['container', 'rm', '--force', '--volumes', 'php-runtime-bench-b-0-18080'],
    // The engine leaves out those that run.
    ['container', 'prune', '--force', '--filter=label=php-runtime-bench.early', '--filter=until=1h'],
  ]);
});

test('k6 in the arena asks the app itself, not a proxy that Docker sets for each container', async () => {
  let args: readonly string[] = [];
  const running = { done: new Promise(() => {}), end: () => {}, write: () => {} } as unknown as Running;
  const host: Host = {
    ...realHost,
    start(_, given) {
      args = given;
      return running;
    },
  };
  const found = {
    Id: 'id',
    Config: { Labels: { 'php-runtime-bench': 'a' } },
    State: { Running: true, Pid: 1 },
  };
  const docker: Docker = {
    run: async () => '',
    try: async () => ({ code: 0, stdout: JSON.stringify(found), stderr: '' }),
  };
  const about = { run: 'a', image: 'k6', name: 'shop.example', owner: 'me', wait: false, beats: false };
  const signal = new AbortController().signal;
  await openArena(host, docker, { ...about, signal, say: () => {} });
  // By these names alone, Docker leaves out its own.
  expect(args).toEqual(
    expect.arrayContaining(['--env=NO_PROXY=shop.example', '--env=no_proxy=shop.example']),
  );
});

/** An engine on which another run has the arena until then. Opens an arena on it. */
async function openHeld(untilMs: number, wait: boolean, isRunning = true) {
  let elapsedMs = 0;
  const isHeld = () => elapsedMs < untilMs;
  const counts = { starts: 0, asked: 0 };
  const host: Host = {
    ...realHost,
    elapsed: () => elapsedMs,
    sleep: async (ms, signal) => {
      await new Promise(setImmediate);
      if (!signal?.aborted) elapsedMs += ms;
    },
    start() {
      counts.starts += 1;
      const inUse = { code: 125, stdout: '', stderr: 'The container name is already in use' };
      const done = isHeld() ? Promise.resolve(inUse) : new Promise(() => {});
      return { done, end: () => {}, write: () => {}, kill: () => {} } as unknown as Running;
    },
  };
  const docker: Docker = {
    async run() {
      counts.asked += 1;
      return '';
    },
    async try([, , , format]) {
      counts.asked += 1;
      const labels = { 'php-runtime-bench': isHeld() ? 'other' : 'mine' };
      const State = { Running: true, Pid: 1 };
      if (format === '{{.State.Running}}')
        return { code: 0, stdout: `${isHeld() && isRunning}\n`, stderr: '' };
      const shown = format === '{{json .}}' ? { Id: 'id', Config: { Labels: labels }, State } : labels;
      return { code: 0, stdout: JSON.stringify(shown), stderr: '' };
    },
  };
  const about = { run: 'mine', image: 'k6', name: 'shop.example', owner: 'me', wait, beats: false };
  const { signal } = new AbortController();
  const { waitedMs } = await openArena(host, docker, { ...about, signal, say: () => {} });
  return { waitedMs, ...counts };
}

test('a run that waits asks one question every 5 s, and makes an attempt each minute', async () => {
  const { waitedMs, starts, asked } = await openHeld(180_000, true);
  expect(waitedMs).toBeGreaterThanOrEqual(170_000);
  expect(starts).toBe(4);
  expect(asked).toBeLessThan(100);
});

test('a run that does not wait outlasts the arena of a killed run, and no other', async () => {
  expect((await openHeld(3000, false)).starts).toBe(2);
  await expect(openHeld(60_000, false)).rejects.toThrow('another benchmark is running');
  // One that has ended and cannot be removed is not waited for again and again.
  await expect(openHeld(60_000, false, false)).rejects.toThrow('another benchmark is running');
});
