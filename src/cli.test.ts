import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectRow } from '../test/faults/elsewhere.ts';
import { folder, useFolder } from '../test/fixtures/folder.ts';
import { fixtures } from '../test/fixtures/results/make.ts';
import { realHost } from './host.ts';

useFolder(() => writeFileSync(join(folder, 'results.json'), JSON.stringify(fixtures.quick?.())));

/** Runs a script in bash; `bench` in it is the command line from source. */
async function inBash(script: string, around: readonly string[] = []) {
  const bench = 'bench() { "$NODE" "$CLI" "$@"; }';
  const env = { ...process.env, NODE: process.execPath, CLI: join(import.meta.dirname, 'cli.ts') };
  const [program = '', ...args] = [...around, 'bash', '-c', `${bench}; ${script}`];
  const { code, stderr } = await realHost.exec(program, args, { cwd: folder, env });
  return { code, printed: stderr };
}

/** Runs a program without the right of root to read any file. */
const BOUND = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : [];

test('results that only another user may read are bad input', async () => {
  chmodSync(join(folder, 'results.json'), 0);
  expect(await inBash('bench report .', BOUND)).toEqual({
    code: 2,
    printed: expect.stringMatching(/^results.json: cannot read these results\n {2}found: {3}EACCES: .*\n$/),
  });
});

test('a full disk behind standard output is an error', async () => {
  expectRow('full-output', await inBash('bench report . --format json >/dev/full'));
});

test.each(['json', 'md', 'csv', 'html'])('an output as %s that was cut short is an error', async (format) => {
  // The limit is a KiB. The write up to it succeeds in part, which Node does not report.
  const seen = await inBash(`ulimit -f 1; bench report . --format ${format} >report`);
  expect(seen.printed).toMatch(/^standard output: the limit on the size of files is reached\n/);
  expect(seen.code).toBe(4);
});

test('a reader that goes away is no error', async () => {
  expect(await inBash('set -o pipefail; bench report . --format json | head -c 9')).toEqual({
    ...{ code: 0, printed: '' },
  });
});
