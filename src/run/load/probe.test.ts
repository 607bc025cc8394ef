import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, useFolder } from '../../../test/fixtures/folder.ts';
import { type Docker, DockerError } from '../../engine/docker.ts';
import { realHost } from '../../host.ts';
import { ask, expectArena, listListeners, walk } from './probe.ts';

const HEADER = '  sl  local_address rem_address   st\n';
const LISTENS = '   0: 0100007F:46A0 00000000:0000 0A 00000000:00000000\n';
const CONNECTED = '   1: 0100007F:1F90 0100007F:0050 01 00000000:00000000\n';

useFolder();

/** An engine that runs the command here, where /proc/net is a folder of this test. */
const docker: Docker = {
  try: () => Promise.reject(new Error('not asked for')),
  async run(args) {
    const command = args.slice(2).map((arg) => arg.replaceAll('/proc/net', folder));
    const finished = await realHost.exec(command[0] as string, command.slice(1));
    if (finished.code !== 0) throw new DockerError(args, finished);
    return finished.stdout;
  },
};

test('listens: ports of both tables', async () => {
  writeFileSync(join(folder, 'tcp'), HEADER + LISTENS + CONNECTED);
  writeFileSync(join(folder, 'tcp6'), HEADER + LISTENS.replace('0100007F:46A0', `${'0'.repeat(32)}:46A1`));
  expect(await listListeners(docker, 'arena')).toEqual([18080, 18081]);
});

test('a kernel without IPv6 has but one table', async () => {
  writeFileSync(join(folder, 'tcp'), HEADER + LISTENS);
  expect(await listListeners(docker, 'arena')).toEqual([18080]);
});

test('no table at all is an error', async () => {
  await expect(listListeners(docker, 'arena')).rejects.toThrow(DockerError);
});

test('questions that do not fit on the disk are a failure of the machine, even if there is room again later', async () => {
  symlinkSync('/dev/full', join(folder, 'probe.json'));
  const here: Docker = {
    run: () => Promise.reject(new Error('not asked for')),
    async try(args, options = {}) {
      if (args[0] === 'version') return { code: 0, stdout: '', stderr: '' };
      const command = args.slice(args.indexOf('sh')).map((arg) => arg.replaceAll('/tmp/bench', folder));
      return realHost.exec(command[0] as string, command.slice(1), options);
    },
  };
  const asking = { docker: here, arena: { name: 'arena' }, signal: new AbortController().signal };
  await expect(ask(asking, [{ id: 'a', url: 'http://app.test/', host: 'app.test' }])).rejects.toMatchObject({
    exitCode: 4,
    detail: { found: expect.stringMatching(/no space left on device/i) },
  });
  await expectArena(asking);
});

/** An engine that notes the limit of each command, and the one that its script is given. */
function notesLimits(limits: unknown[]): Parameters<typeof ask>[0] {
  const docker: Docker = {
    run: () => Promise.reject(new Error('not asked for')),
    async try(_, { input, timeoutMs } = {}) {
      limits.push(timeoutMs, JSON.parse(String(input)).limitMs);
      return { code: 0, stdout: '{}', stderr: '' };
    },
  };
  return { docker, arena: { name: 'arena' }, signal: new AbortController().signal };
}

test("if one of our scripts fails, the error has k6's words", async () => {
  const commands: string[] = [];
  const log =
    'time="2026-11-28T10:00:00Z" level=error msg="TypeError: Cannot read property \'status\' of null"';
  const docker: Docker = {
    run: () => Promise.reject(new Error('not asked for')),
    async try(args) {
      commands.push(args.join(' '));
      return { code: 107, stdout: '', stderr: log };
    },
  };
  const engine = { ...notesLimits([]), docker };
  const asked = ask(engine, [{ id: '1', url: 'http://app.test/', host: 'app.test' }]);
  await expect(asked).rejects.toThrow(/failed \(107\): .*TypeError/);
  // By default, it logs to standard error.
  expect(commands).toEqual([expect.not.stringContaining('--log-output')]);
});

test.each([
  [2000, 1_800_000],
  [60_000, 1_800_000],
  [600_000, 18_000_000],
])('a walk whose requests have a timeout of %i ms has %i ms', async (timeoutMs, expected) => {
  const limits: unknown[] = [];
  const sent = { host: 'app.test', timeoutMs };
  const journey = { kind: 'bundled', name: 'shop', file: '' } as const;
  await walk(notesLimits(limits), journey, [], sent);
  expect(limits).toEqual([expected, expected]);
});

test.each([
  // Each run has its limit once in the container, and once outside.
  [1, 4],
  [2, 2],
])(
  '13 questions that %i servers get one at a time are asked in groups that end within the limit',
  async (servers, expected) => {
    const limits: unknown[] = [];
    const questions = Array.from({ length: 13 }, (_, i) => {
      return { host: 'app.test', id: `${i}`, url: `http://app.test:${i % servers}/${i}` };
    });
    await ask(notesLimits(limits), questions, { perHost: 1 });
    expect(limits).toEqual(Array(expected).fill(120_000));
  },
);

test.each([
  // The answer of one question may take its timeout, and six are asked at once.
  [1, 2000, 120_000],
  [1, 180_000, 120_000 + 170_000],
  [13, 60_000, 120_000 + 3 * 50_000],
])('%i questions with a timeout of %i ms have %i ms', async (count, timeoutMs, expected) => {
  const limits: unknown[] = [];
  const host = { host: 'app.test' };
  const questions = Array.from({ length: count }, (_, i) => ({ ...host, id: `${i}`, url: '', timeoutMs }));
  await ask(notesLimits(limits), questions);
  expect(limits).toEqual([expected, expected]);
});
