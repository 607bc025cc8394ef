/** A Docker engine of a test's own, which it may stop, kill and fill: the one that everybody uses is left alone. */
import { execFileSync, spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { realHost } from '../../src/host.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import { imageFor } from '../integration/docker.ts';

export interface OwnEngine {
  /** For `DOCKER_HOST`. */
  host: string;
  /** Its network namespace, as `ip netns` calls it. */
  namespace: string;
  /** Where it keeps images and containers: a disk of its own, of 4 GiB. */
  data: string;
  pidFile: string;
  start(): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Waits until it is gone. */
  gone(): Promise<void>;
  docker(...args: string[]): string;
  remove(): Promise<void>;
}

/** Why there can be none here; null: there can. */
export function whyNoEngine(): string | null {
  if (process.getuid?.() !== 0) return 'only root can start an engine of its own';
  return quietly('sh', [
    '-c',
    'command -v dockerd && command -v ip && command -v nsenter && command -v mkfs.ext4',
  ])
    ? null
    : 'an engine of its own takes dockerd, ip, nsenter and mkfs.ext4';
}

export function quietly(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Where each answers over TCP. */
export const TCP_PORT = 2375;
const DISK_BYTES = 4 * 2 ** 30;
/** A test may have several. */
let made = 0;

/**
 * Starts one.
 *
 * @param images what it gets from the engine that is there, by their official names
 * @param features as in the file daemon.json
 * @param more of that file
 * @param env of the engine itself
 */
export async function makeEngine(
  images: readonly string[],
  features: Readonly<Record<string, boolean>> = {},
  more: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<OwnEngine> {
  const folder = makeFolder();
  const [data, host] = [join(folder, 'data'), `unix://${folder}/docker.sock`];
  const pidFile = join(folder, 'pid');
  const name = `bench-${process.pid}-${++made}`;
  makeDisk(join(folder, 'disk'), data);
  // In a network of its own: an engine that is started again removes the bridge docker0, whoever it belongs to.
  const inside = [`--net=/run/netns/${name}`];
  execFileSync('ip', ['netns', 'add', name]);
  execFileSync('nsenter', [...inside, 'ip', 'link', 'set', 'lo', 'up']);
  mkdirSync(join(folder, 'exec'));
  writeFileSync(join(folder, 'daemon.json'), JSON.stringify({ ...more, features }));
  let child: ReturnType<typeof spawn> | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  const docker = (...args: string[]) =>
    execFileSync('docker', ['--host', host, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const engine: OwnEngine = {
    ...{ host, data, pidFile, docker, namespace: name },
    async start() {
      // One that was killed left its pid, which another process may have by now: Docker would take that for itself.
      for (const file of [pidFile, join(folder, 'exec/containerd/containerd.pid')])
        rmSync(file, { force: true });
      const log = openSync(join(folder, 'log'), 'w');
      const folders = [
        `--data-root=${data}`,
        `--exec-root=${folder}/exec`,
        `--pidfile=${pidFile}`,
        `--config-file=${folder}/daemon.json`,
      ];
      const network = ['--iptables=false', '--ip6tables=false', '--ip-masq=false'];
      // Over TCP it is reached from its own network namespace alone, and from who has a way there.
      const hosts = [`--host=${host}`, `--host=tcp://0.0.0.0:${TCP_PORT}`, '--tls=false'];
      const started = spawn('nsenter', [...inside, 'dockerd', ...hosts, ...folders, ...network], {
        stdio: ['ignore', log, log],
        env: { ...process.env, ...env },
      });
      child = started;
      ended = new Promise((resolve) => started.once('exit', resolve));
      for (let i = 0; i < 600 && started.exitCode === null; i++) {
        if (quietly('docker', ['--host', host, 'version'])) return;
        await realHost.sleep(100);
      }
      const printed = readFileSync(join(folder, 'log'), 'utf8').split('\n').slice(-20);
      throw new Error(`the engine in ${folder} did not start:\n${printed.join('\n')}`);
    },
    signal: (signal) => void child?.kill(signal),
    gone: async () => void (await ended),
    async remove() {
      // One that was killed has left its containers running.
      if (!quietly('docker', ['--host', host, 'version'])) await engine.start();
      const ids = docker('container', 'ls', '--all', '--quiet').split('\n').filter(Boolean);
      if (ids.length > 0) docker('container', 'rm', '--force', ...ids);
      child?.kill('SIGTERM');
      await ended;
      execFileSync('ip', ['netns', 'delete', name]);
      // An engine that was killed leaves its mounts.
      const mounts = readFileSync('/proc/mounts', 'utf8')
        .split('\n')
        .map((line) => line.split(' ')[1] ?? '')
        .filter((path) => path.startsWith(`${folder}/`));
      for (const path of mounts.reverse()) quietly('umount', ['--lazy', path]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await engine.start();
  if (images.length === 0) return engine;
  const load = `docker image save ${images.map(imageFor).join(' ')} | docker --host ${host} image load --quiet`;
  execFileSync('sh', ['-c', load], { stdio: ['ignore', 'ignore', 'inherit'] });
  return engine;
}

/** A file system in a file, which takes no more room than what is written to it. */
function makeDisk(file: string, folder: string): void {
  writeFileSync(file, '');
  truncateSync(file, DISK_BYTES);
  execFileSync('mkfs.ext4', ['-q', '-m', '0', '-O', '^has_journal', file]);
  mkdirSync(folder);
  execFileSync('mount', ['-o', 'loop', file, folder]);
}

/** All that is left of a disk at once, and what is given back while the run goes on. */
const FILL = `
  fallocate --length "$(df --output=avail --block-size=1 "$(dirname "$1")" | tail -n 1)" "$1"
  for i in $(seq 2000); do
    dd if=/dev/zero "of=$1.$i" bs=4096 2>/dev/null
    [ -s "$1.$i" ] || touch "$2"
    sleep 0.05
  done`;

/** Fills the disk of an engine, until not a byte fits on it any more. Returns how to empty it again. */
export async function fillDisk({ data }: Pick<OwnEngine, 'data'>): Promise<() => Promise<void>> {
  const isFull = join(makeFolder(), 'full');
  const filling = realHost.start('sh', ['-c', FILL, 'sh', join(data, 'full'), isFull]);
  const empty = async () => {
    filling.kill('SIGKILL');
    await filling.done;
    for (const name of readdirSync(data)) if (name.startsWith('full')) rmSync(join(data, name));
  };
  for (let i = 0; !existsSync(isFull); i++) {
    if (i > 1200) {
      await empty();
      throw new Error(`the disk of ${data} is not full after a minute`);
    }
    await realHost.sleep(50);
  }
  return empty;
}
