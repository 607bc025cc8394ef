import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectRow } from '../test/faults/elsewhere.ts';
import { realHost } from './host.ts';

const lastResort = join(import.meta.dirname, 'last-resort.ts');
const host = join(import.meta.dirname, 'host.ts');

/** Runs a script in a process that has the last resort. */
const run = (script: string) =>
  realHost.exec(process.execPath, [
    ...['--input-type=module', '--eval'],
    `import { installLastResort } from ${JSON.stringify(lastResort)};
     import { realHost } from ${JSON.stringify(host)};
     installLastResort((text) => process.stderr.write(text + '\\n'));
     ${script}`,
  ]);

test.each([
  ['a promise that nobody waits for', "Promise.reject(new Error('lost'));"],
  ['an error in a callback', "setTimeout(() => { throw new Error('lost'); });"],
  ['something that is no error', "Promise.reject('lost');"],
])('%s ends with 70, not with 1', async (_, script) => {
  const { code, stderr } = await run(`${script} await realHost.sleep(60_000);`);
  expect(code).toBe(70);
  expect(stderr).toMatch(/^internal error, please report it: (Error: )?lost\n/);
});

test('a run that goes on cleans up, once, and its own exit code does not hide the error', async () => {
  const { code, stdout, stderr } = await run(`
    const stopped = new Promise((resolve) => realHost.onSignal(resolve));
    Promise.reject(new Error('lost'));
    Promise.reject(new Error('and another'));
    console.log('stopped by', await stopped);
    await realHost.sleep(50);
    console.log('cleaned up');
    process.exitCode = 143;`);
  expectRow('uncaught', { code, printed: stderr });
  expect(stdout).toBe('stopped by SIGTERM\ncleaned up\n');
});
