/** A fault as a row of a table: what is done, what is seen, and what is left. docs/reliability.md is made from these rows. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { LABEL } from '../../src/engine/docker.ts';
import { realHost } from '../../src/host.ts';
import { root } from '../fixtures/docs.ts';
import type { Project } from '../integration/bench.ts';

/** The visible effects of the fault. */
export interface Seen {
  /** Null: it is a step in a workflow that goes on. */
  code: number | null;
  /** All that was printed. */
  printed: string;
}

export interface Fault<World> {
  what: string;
  /** Part of what is printed; `…` is any text. */
  message: string;
  /** Another message that may be printed in its place. */
  or?: string;
  exitCode: number | null;
  /** The text instead of an exit code that nobody sees. */
  ends?: string;
  /** The measurements that are kept. */
  kept: string;
  /** Leftovers, if there are any. */
  left?: string;
  /** Why it cannot be brought about here; null: it can. */
  whyNot?(): string | null;
  /** Brings the fault about. It checks itself what is kept. */
  inject(world: World): Promise<Seen>;
}

/** A fault that a test in another file brings about. */
export interface Elsewhere extends Omit<Fault<never>, 'inject' | 'whyNot'> {
  file: string;
}

/** Compares what was seen with the row. */
export function expectSeen(
  { message, or = message, exitCode }: Pick<Fault<never>, 'message' | 'or' | 'exitCode'>,
  { code, printed }: Seen,
): void {
  const patterns = [message, or].map((text) =>
    text
      .split('…')
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('[^]*?'),
  );
  expect(printed).toMatch(new RegExp(patterns.join('|')));
  expect(code, printed).toBe(exitCode);
}

/** Expects that nothing is left on this machine of what a project's runs have started. */
export async function expectClean({ temporary, temporaryFiles }: Project): Promise<void> {
  expect(temporaryFiles()).toEqual([]);
  // The system may list one for a moment after its end. The tool's ssh would end by itself after 20 s.
  await expect.poll(() => processesOf(temporary), { timeout: 5000 }).toEqual([]);
}

/** Numbers of the processes whose temporary files go to this folder: those of a project, and what they have started. */
function processesOf(temporary: string): number[] {
  const mark = `TMPDIR=${temporary}`;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/environ`))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(mark);
      } catch {
        // It has ended meanwhile, or is somebody else's.
        return false;
      }
    })
    .map(Number);
}

/** Waits for the end of the arena of a killed run: an engine with much to do notices late that the client is gone. */
export async function arenaEnded(): Promise<void> {
  const list = ['ps', '--quiet', '--filter', `label=${LABEL}.arena`];
  const patiently = { timeout: 60_000, interval: 200 };
  await expect.poll(async () => (await realHost.exec('docker', list)).stdout, patiently).toBe('');
}

/** The beginning of a next run: what those before have left is removed. In a process that knows the names of this worker. */
export async function beginNext(): Promise<void> {
  const source = (name: string) => JSON.stringify(join(root, 'src', name));
  const script = `
    import { realHost } from ${source('host.ts')};
    import { sweep } from ${source('engine/arena.ts')};
    import { connectDocker } from ${source('engine/docker.ts')};
    await sweep(realHost, connectDocker(realHost), () => {});`;
  const argv = ['--input-type=module', '--eval', script];
  expect(await realHost.exec(process.execPath, argv)).toMatchObject({ code: 0, stderr: '' });
}
