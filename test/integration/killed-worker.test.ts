// A worker of the tests that is killed leaves no run behind: its arena would refuse every run of the next worker of that number.
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { realHost } from '../../src/host.ts';
import { ARENA, leftovers, ourContainers, root } from './bench.ts';

test('a run ends, and cleans up, when the worker that started it is killed', async () => {
  const script = `
    import { makeProject } from ${JSON.stringify(join(root, 'test/integration/bench.ts'))};
    const project = await makeProject();
    console.log(project.folder);
    const run = project.bench('out', '--runtimes', 'faulty', '--load', 'vus(1, 600s)');
    await run.done;`;
  let printed = '';
  const worker = realHost.start(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    onLine: (line) => {
      printed += `${line}\n`;
    },
  });
  try {
    await expect.poll(ourContainers, { timeout: 120_000 }).toContain(ARENA);
    worker.kill('SIGKILL');
    await worker.done;
    await expect.poll(leftovers, { timeout: 60_000 }).toEqual([]);
  } finally {
    worker.kill('SIGKILL');
    const folder = printed.split('\n')[0];
    if (folder) rmSync(dirname(folder), { recursive: true, force: true });
  }
});
