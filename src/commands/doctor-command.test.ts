import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Host, realHost } from '../host.ts';
import { examine } from './doctor-command.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bench-doctor-'));
  writeFileSync(join(folder, '.bench.yml'), 'instances: many\n');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** `doctor` where docker knows no context. */
function doctor(...flags: string[]): Promise<number> {
  const host: Host = {
    ...realHost,
    exec: async (program) => ({ code: program === 'docker' ? 1 : 0, stdout: '', stderr: '' }),
  };
  const shell = { argv: [], host, packageRoot: join(import.meta.dirname, '../..'), cwd: folder, print() {} };
  return examine({ command: 'doctor', json: false, aa: false, flags }, shell);
}

describe('with a configuration that is wrong', () => {
  test.each([
    ['engine', 'box', { message: 'no such Docker context', detail: { found: "'box'" } }],
    ['engines', 'box', { message: 'no such Docker context', detail: { found: "'box'" } }],
    ['engines', 'box,other', { message: '`engines` works with the command `run` alone' }],
    ['engine', 'a b', { message: 'not a Docker engine', detail: { where: { name: '--engine' } } }],
  ])('no other engine is examined than that of --%s %s', async (flag, value, error) => {
    await expect(doctor(`--${flag}`, value)).rejects.toMatchObject(error);
  });
});
