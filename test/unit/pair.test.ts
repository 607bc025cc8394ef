/** runtimes/_shared/pair.sh as bash runs it, with servers that only wait. */
import { resolve } from 'node:path';
import { expect, it } from 'vitest';
import { realHost } from '../../src/host.ts';
import { findCause } from '../../src/text/log-cause.ts';

const script = resolve(import.meta.dirname, '../../runtimes/_shared/pair.sh');

const CONTAINER = `
  set -eu
  echo "$$"
  BENCH_RUNTIME=test
  . "$1"
  # They end by themselves where nobody tells them to. (SIGQUIT is not for bash to take in the background.)
  bash -c "trap '$2' TERM; echo there; for _ in {1..3000}; do sleep 0.01; done" &
  front=$!
  bash -c "trap '$3' WINCH; echo there; for _ in {1..3000}; do sleep 0.01; done" &
  trap() { builtin trap "$@"; echo there; }
  keep_pair front "$front" TERM back $! WINCH`;

it.each([
  ['well', 'exit 0'],
  ['with an error', 'exit 3'],
])('the server behind is stopped if the one in front ends %s', async (_, end) => {
  const said: string[] = [];
  const running = realHost.start(
    'bash',
    ['-c', CONTAINER, 'bash', script, `echo front ends; ${end}`, 'echo back ends; exit 0'],
    {
      onLine: (line) => {
        said.push(line);
        // As the engine does it: the first process alone gets the signal, not its group.
        if (said.length === 4) process.kill(Number(said[0]), 'SIGTERM');
      },
    },
  );
  const { code } = await running.done;
  expect({ code, said: said.slice(4) }).toEqual({ code: 0, said: ['front ends', 'back ends'] });
});

it.each([
  ['while both run', '0'],
  ['before the other has started', '1'],
])('a server that ends by itself, %s, has the last word on why', async (_, pause) => {
  const container = `
    set -eu
    BENCH_RUNTIME=test
    . "$1"
    bash -c 'echo "front: [emerg] no such directive" >&2; exit 4' &
    front=$!
    sleep $2
    bash -c 'for _ in {1..3000}; do sleep 0.01; done' &
    keep_pair front "$front" TERM back $! TERM`;
  const { code, stderr } = await realHost.exec('bash', ['-c', container, 'bash', script, pause]);
  expect({ code, stderr }).toEqual({
    code: 70,
    stderr:
      'front: [emerg] no such directive\ntest: front has ended (exit code 4), so the container ends, too\n',
  });
  expect(findCause(stderr)).toBe('front stopped: front: [emerg] no such directive');
});
