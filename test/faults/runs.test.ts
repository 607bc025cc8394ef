// Faults in a run, for real: each is told, loses nothing that was finished, and leaves nothing behind.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { leftovers, makeProject, type Project, type Run } from '../integration/bench.ts';
import { expectSeen, processesOf } from './fault.ts';
import { runFaults } from './runs.ts';

let project: Project;
let running: Run | null = null;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

/** What holds after every run, however it ended. */
afterEach(async () => {
  // One that a failed test has left to itself.
  running?.kill('SIGTERM');
  await running?.done;
  expect(await leftovers()).toEqual([]);
  expect(project.temporaryFiles()).toEqual([]);
  await expect.poll(() => processesOf(`${project.folder.replace(/project$/, 'tmp')}`)).toEqual([]);
});

it.each(runFaults.map((fault, i) => ({ ...fault, out: `run-${i}` })))('$what', async ({ out, ...fault }) => {
  const bench = (...flags: string[]) => {
    running = project.bench(out, ...flags);
    return running;
  };
  expectSeen(fault, await fault.inject({ project, out, bench }));
});
