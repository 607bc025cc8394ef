import { rmSync } from 'node:fs';
import { release } from 'node:os';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '../../test/fixtures/docs.ts';
import { makeFolder } from '../../test/fixtures/temporary.ts';
import { type Finished, type Host, realHost } from '../host.ts';
import { examine } from './doctor-command.ts';
import { showPlanned } from './plan-command.ts';

const cwd = makeFolder();
afterAll(() => rmSync(cwd, { recursive: true }));

const HERE = 'unix:///var/run/docker.sock';
const ok = (stdout: string): Finished => ({ code: 0, stdout, stderr: '' });

/** A docker client and the engine behind it; ssh reaches nobody. */
interface Client {
  /** Its address by docker's own rules; null: its context does not exist. */
  url?: string | null;
  /** Output of `docker info`. */
  info?: object;
  hasK6?: boolean;
}

/** This machine, which has four cores, and an engine with two; what it was asked, and what a command prints. */
function makeShell({ url = HERE, info = {}, hasK6 = true }: Client) {
  const asked: string[] = [];
  const docker = (args: readonly string[]): Finished => {
    asked.push(args.slice(0, 2).join(' '));
    if (args[0] === 'context') return url === null ? { ...ok(''), code: 1 } : ok(`${url}\n`);
    if (args[0] === 'info') return ok(JSON.stringify({ KernelVersion: release(), ...info }));
    if (args[1] === 'inspect') return hasK6 ? ok('{}') : { ...ok(''), code: 1 };
    return ok(args[1] === 'run' ? 'allowed 0-1\ncpu 0 0\ncpu 1 1\nmodel Virtual\n' : '');
  };
  let elapsedMs = 0;
  const host: Host = {
    ...realHost,
    // The doctor times its own work: this clock makes that short.
    elapsed: () => (elapsedMs += 200),
    async exec(program, args, options) {
      if (program === 'docker') return docker(args);
      if (program === 'sh') return ok('cpu 0 0\ncpu 1 1\ncpu 2 2\ncpu 3 3\n');
      return realHost.exec(program, args, options);
    },
    start: () => ({
      done: Promise.resolve({ code: 255, stdout: '', stderr: 'no route to host' }),
      write: () => {},
      end: () => {},
      kill: () => {},
    }),
  };
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  return { shell: { argv: [], host, packageRoot: root, cwd, print }, printed, asked };
}

async function planFor(client: Client, ...flags: string[]) {
  const { shell, printed, asked } = makeShell(client);
  const command = {
    command: 'plan',
    flags: ['--app', 'plain', '--runtimes', 'apache', ...flags],
    json: true,
    shards: null,
  } as const;
  await showPlanned(command, shell);
  const { cpus, warnings } = JSON.parse(printed[0] ?? '') as {
    cpus: { server: string; load: string };
    warnings: { code: string }[];
  };
  return { cpus, codes: warnings.map(({ code }) => code), asked };
}

const OURS = { server: '1-2', load: '3', system: '0' };
const THEIRS = { server: '0', load: '1', system: '' };

describe('the CPUs of a plan', () => {
  test('are those of a container of the engine also on this machine: we may be in a smaller one', async () => {
    const seen = await planFor({});
    expect(seen.cpus).toEqual(THEIRS);
    const unseen = await planFor({ hasK6: false });
    expect(unseen.cpus).toEqual(OURS);
    for (const { codes } of [seen, unseen]) expect(codes).not.toContain('cpus-unknown');
  });

  test('are those of this machine if the engine on it does not answer', async () => {
    const { cpus, codes, asked } = await planFor({ info: { ServerErrors: ['no route'] } });
    expect(cpus).toEqual(OURS);
    expect(codes).not.toContain('cpus-unknown');
    expect(asked).not.toContain('container run');
  });

  test.each<[string, Client, string[]]>([
    ['in a virtual machine', { info: { KernelVersion: '6.10.14-linuxkit' } }, []],
    ["by docker's own address", { url: 'tcp://box:2375' }, []],
    ['by --engine', {}, ['--engine', 'tcp://box:2375']],
  ])('are those of an engine elsewhere (%s), if it has the image of k6', async (_, client, flags) => {
    const seen = await planFor(client, ...flags);
    expect(seen.cpus).toEqual(THEIRS);
    expect(seen.codes).not.toContain('cpus-unknown');
    const unseen = await planFor({ ...client, hasK6: false }, ...flags);
    expect(unseen.cpus).toEqual(OURS);
    expect(unseen.codes).toContain('cpus-unknown');
  });

  test('are unknown if the engine is out of reach: the one of this machine is not asked', async () => {
    const { cpus, codes, asked } = await planFor({}, '--engine', 'ssh://bench@box', '--compare-to', 'shop:1');
    expect(cpus).toEqual(OURS);
    expect(codes).toContain('cpus-unknown');
    expect(asked).toEqual([]);
  });

  test('are unknown if the Docker context does not exist', async () => {
    const { cpus, codes } = await planFor({ url: null });
    expect(cpus).toEqual(OURS);
    expect(codes).toContain('cpus-unknown');
    await expect(planFor({ url: null }, '--engine', 'gone')).rejects.toThrow('no such Docker context');
  });

  test('are shared by all on an engine that cannot pin', async () => {
    const { cpus, codes } = await planFor({ info: { CPUSet: false } });
    expect(cpus).toEqual({ server: '0-1', load: '0-1', system: '' });
    expect(codes).toContain('shared-cores');
  });
});

describe('the doctor looks from a container of the engine', () => {
  const find = async (client: Client) => {
    const { shell, printed } = makeShell(client);
    await examine({ command: 'doctor', flags: ['--app', 'plain'], json: true, aa: false }, shell);
    const findings: { what: string }[] = JSON.parse(printed[0] ?? '');
    return findings.map(({ what }) => what).filter((what) => /CPUs? \(|before the first run/.test(what));
  };
  const unseen = expect.stringContaining('before the first run');

  test('at its virtual machine, not at the machine around it', async () => {
    const info = { KernelVersion: '6.10.14-linuxkit' };
    expect(await find({ info })).toEqual(['2 CPUs (Virtual)']);
    expect(await find({ info, hasK6: false })).toEqual([unseen]);
  });

  test('at this machine, whose CPUs may be others than those of this process', async () => {
    expect(await find({})).toEqual(['2 CPUs (Virtual)']);
    expect(await find({ hasK6: false })).toEqual(['4 CPUs (unknown)', unseen]);
  });
});
