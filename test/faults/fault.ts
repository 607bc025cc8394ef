/** A fault as a row of a table: what is done, what is seen, and what is left. docs/reliability.md is made from these rows. */
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
