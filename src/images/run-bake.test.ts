import { expect, test } from 'vitest';
import type { Docker } from '../engine/docker.ts';
import { runBake } from './run-bake.ts';

const LOST =
  'ERROR: failed to solve: failed to prepare extraction snapshot "extract-870197084-WX05 sha256:11fe5f": parent snapshot sha256:246040 does not exist: not found';

test.each([
  ['once, if it is good', [''], 0, 1],
  ['again, if the engine lost a layer', [LOST, ''], 0, 2],
  ['no third time', [LOST, LOST, ''], 1, 2],
  ['once, if it fails for another reason', ['ERROR: failed to solve: nope:1: not found', ''], 1, 1],
])('builds %s', async (_, ends, code, builds) => {
  const left = [...ends];
  const docker: Docker = {
    run: async () => 'default\n',
    try: async () => {
      const stderr = left.shift() ?? '';
      return { code: stderr === '' ? 0 : 1, stdout: '', stderr };
    },
  };
  expect((await runBake(docker, {}, { target: {} }, ['a'], {})).code).toBe(code);
  expect(ends.length - left.length).toBe(builds);
});
