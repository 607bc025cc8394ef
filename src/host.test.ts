import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test, vi } from 'vitest';
import { expectRow } from '../test/faults/elsewhere.ts';
import { realHost, TIMED_OUT } from './host.ts';

test.each([
  ['while it runs', () => AbortSignal.timeout(50)],
  ['before it began', () => AbortSignal.abort()],
])('an abort %s ends the program', async (_, signal) => {
  expect(await realHost.exec('sleep', ['60'], { signal: signal() })).toMatchObject({ code: 143 });
});

test('a program that a signal ended has 128 and its number', async () => {
  expect(await realHost.exec('sh', ['-c', 'kill -SEGV $$'])).toMatchObject({ code: 139 });
});

test('an abort is repeated for a program that loses the first', async () => {
  const script = "trap 'trap - TERM' TERM; echo ready; while :; do sleep 0.1; done";
  const stop = new AbortController();
  const onLine = () => stop.abort();
  expect(await realHost.exec('sh', ['-c', script], { signal: stop.signal, onLine })).toMatchObject({
    code: 143,
  });
});

test('of a program that says more than is kept, the end is kept, at no cost for each piece', async () => {
  // A piece more than twice of what is kept: cut at each, it would take minutes.
  const { stdout } = await realHost.exec('sh', [
    '-c',
    'yes 12345678901234 | head -c 150000000; echo; echo end',
  ]);
  expect(stdout.length).toBe(64 * 1024 * 1024);
  expect(stdout.endsWith('\nend\n')).toBe(true);
});

// Some take seconds of waiting: all wait at once.
describe.concurrent('a process that is ended', () => {
  const isThere = (pid: number) => {
    // Without a parent that waits for it, a process that has ended stays as a zombie where nothing reaps.
    const state = existsSync(`/proc/${pid}/stat`)
      ? readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]
      : 'X';
    return state !== 'X' && state !== 'Z';
  };

  it('takes along what it has started, even if that holds its output', async ({ expect }) => {
    const stop = new AbortController();
    const pids: number[] = [];
    const finished = await realHost.exec('sh', ['-c', 'sleep 60 & echo $!; wait'], {
      signal: stop.signal,
      onLine: (line) => {
        pids.push(Number(line));
        stop.abort();
      },
    });
    expect(finished.code).toBe(143);
    // A process that is ending closes its output a little before it counts as ended.
    await expect.poll(() => pids.filter(isThere)).toEqual([]);
  });

  it('is killed when it does not listen, and what it has started with it', async ({ expect }) => {
    const stop = new AbortController();
    const pids: number[] = [];
    const script = "trap '' TERM; sh -c 'while :; do sleep 1; done' & echo $!; while :; do sleep 1; done";
    const finished = await realHost.exec('sh', ['-c', script], {
      signal: stop.signal,
      onLine: (line) => {
        pids.push(Number(line));
        stop.abort();
      },
    });
    expectRow('deaf', { code: finished.code, printed: finished.stderr });
    await expect.poll(() => pids.filter(isThere)).toEqual([]);
  });

  it('ends by itself after its time, and says so', async ({ expect }) => {
    const script = 'echo begun; echo why >&2; sleep 60';
    expect(await realHost.exec('sh', ['-c', script], { timeoutMs: 3000 })).toEqual({
      code: TIMED_OUT,
      timedOut: true,
      stdout: 'begun\n',
      stderr: 'why\nno answer within 3 s',
    });
  });

  it('is not waited for longer than its output is, where another process keeps that open', async ({
    expect,
  }) => {
    const script = 'setsid sleep 60 & echo $!';
    const finished = await realHost.exec('sh', ['-c', script]);
    const pid = Number(finished.stdout);
    expect(finished.code).toBe(0);
    expect(isThere(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });
});

test('without a terminal, as after nohup, SIGHUP ends nothing', async () => {
  const script = `
    import { realHost } from ${JSON.stringify(join(import.meta.dirname, 'host.ts'))};
    realHost.onSignal((signal) => console.log(signal));
    process.kill(process.pid, 'SIGHUP');
    setTimeout(() => process.kill(process.pid, 'SIGTERM'), 200);
    setTimeout(() => {}, 400);`;
  const program = [process.execPath, '--input-type=module', '--eval', script];
  expect(await realHost.exec('nohup', program)).toMatchObject({ code: 0, stdout: 'SIGTERM\n' });
});

it('a program that is not there: whoever waits hears of it, and nobody else', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', note);
  const { done } = realHost.start('/no/such/program', []);
  await realHost.sleep(50);
  await expect(done).rejects.toThrow('ENOENT');
  process.off('unhandledRejection', note);
  expect(unhandled).toEqual([]);
});

test('how long something took does not hang on the clock', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 });
  const began = realHost.elapsed();
  vi.setSystemTime(0);
  expect(realHost.now()).toBe(0);
  const took = realHost.elapsed() - began;
  vi.useRealTimers();
  expect(took).toBeGreaterThanOrEqual(0);
  expect(took).toBeLessThan(10_000);
});

test('no file but the seam reads the clock, and only what is shown or compared with other clocks asks for it', () => {
  const folder = import.meta.dirname;
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.ts$/.test(file) && !/\.test\.ts$/.test(file) && !file.startsWith('report/html/page'),
  );
  const using = (pattern: RegExp) =>
    files.filter((file) => pattern.test(readFileSync(join(folder, file), 'utf8'))).sort();
  expect(using(/\bDate\.now\(|\bperformance\.now\(/)).toEqual(['host.ts']);
  // Names of runs and their start; ages of files; times of k6 and of the engine.
  expect(using(/host\.now\(/i)).toEqual([
    ...['bench.ts', 'commands/at-engine.ts', 'commands/cluster/eject-load-command.ts'],
    ...['commands/plan-command.ts', 'commands/run-engines.ts', 'commands/share-images.ts'],
    ...['run/load/batch.ts', 'steps/salvage.ts', 'temporary.ts'],
  ]);
});

test('a program that gets no file descriptors rejects, as one that is not there does', async () => {
  const script = `
    import { realHost } from ${JSON.stringify(join(import.meta.dirname, 'host.ts'))};
    import { closeSync, openSync } from 'node:fs';
    // What Node opens at its first program is open by then.
    await realHost.exec('true', []);
    const open = [];
    try { for (;;) open.push(openSync('/dev/null')); } catch {}
    const error = await realHost.exec('true', []).catch((thrown) => thrown);
    open.forEach((file) => closeSync(file));
    console.log(error.code, (await realHost.exec('true', [])).code);`;
  const limited = ['-c', 'ulimit -n 60; exec "$@"', 'sh', process.execPath, '--input-type=module', '--eval'];
  const { stdout, stderr } = await realHost.exec('sh', [...limited, script]);
  expect(stdout, stderr).toBe('EMFILE 0\n');
});
