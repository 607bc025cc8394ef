// Faults of servers, for real: each costs its own variant alone and leaves nothing behind.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { leftovers } from '../integration/bench.ts';
import { expectClean, expectSeen, type Seen } from './fault.ts';
import { PAGES, type ServerWorld, serverFaults } from './servers.ts';
import { K6, openSuite, PHP } from './suite.ts';

const suite = openSuite([K6, PHP]);
const runs = new Map<string, Promise<Seen>>();

/** Runs once, and checks that nothing is left behind. */
async function runOnce(...[out, flags]: Parameters<ServerWorld['once']>): Promise<Seen> {
  const { project } = suite;
  const file = join(project.folder, PAGES.file);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, PAGES.text);
  const { code, stdout, stderr } = await project.bench(out, ...flags).done;
  expect(await leftovers()).toEqual([]);
  await expectClean(project);
  return { code, printed: stderr + stdout };
}

it.each([...serverFaults])('$what', async (fault) => {
  const once: ServerWorld['once'] = (out, flags) => {
    const run = runs.get(out) ?? runOnce(out, flags);
    runs.set(out, run);
    return run;
  };
  expectSeen(fault, await fault.inject({ project: suite.project, once }));
});
