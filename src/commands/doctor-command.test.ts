import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folder, useFolder } from '../../test/fixtures/folder.ts';
import { type Host, realHost } from '../host.ts';
import { examine } from './doctor-command.ts';

useFolder(() => {
  writeFileSync(join(folder, '.bench.yml'), 'instances: many\n');
});

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
    ['engines', 'box,other', { message: 'works with the command `run` alone' }],
    ['engine', 'a b', { message: 'not a Docker engine', detail: { where: { name: '--engine' } } }],
  ])('no other engine is examined than that of --%s %s', async (flag, value, error) => {
    await expect(doctor(`--${flag}`, value)).rejects.toMatchObject(error);
  });
});
