/** A fault as a row of a table: what is done, what is seen, and what is left. docs/reliability.md is made from these rows. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** What somebody sees who meets the fault. */
export interface Seen {
  /** Null: it is a step in a workflow that goes on. */
  code: number | null;
  /** All that was printed. */
  printed: string;
}

export interface Fault<World> {
  what: string;
  /** Part of what is printed; `…` stands for anything. */
  message: string;
  exitCode: number | null;
  /** What is kept of what was measured. */
  kept: string;
  /** What is left behind, if anything is. */
  left?: string;
  /** Brings the fault about. It checks itself what is kept. */
  inject(world: World): Promise<Seen>;
}

/** A fault that another test brings about, by that test's file and a part of its text. */
export interface Elsewhere extends Omit<Fault<never>, 'inject'> {
  test: { file: string; text: string };
}

/** Holds what was seen against the row. */
export function expectSeen({ message, exitCode }: Fault<never>, { code, printed }: Seen): void {
  const parts = message.split('…').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  expect(printed).toMatch(new RegExp(parts.join('[^]*?')));
  expect(code).toBe(exitCode);
}

/** Numbers of the processes whose temporary files go to this folder: those of a project, and what they have started. */
export function processesOf(temporary: string): number[] {
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
