/** A Docker engine of a test's own, which it may stop, kill and fill: the one that everybody uses is left alone. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realHost } from '../../src/host.ts';
import { imageFor } from '../integration/docker.ts';

export interface OwnEngine {
  /** For `DOCKER_HOST`. */
  host: string;
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
  return quietly('sh', ['-c', 'command -v dockerd && command -v ip'])
    ? null
    : 'there is no dockerd, or no ip, to start an engine of its own';
}

function quietly(program: string, args: readonly string[]): boolean {
  try {
    execFileSync(program, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const IMAGES = ['grafana/k6:2.2.0', 'php:8.4-cli'];

/** Starts one with the images that these tests need, from the engine that is there. */
export async function makeEngine(): Promise<OwnEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'php-runtime-bench-engine-'));
  const bridge = `bench-${process.pid % 100_000}`;
  const address = `10.${200 + (process.pid % 50)}.${process.pid % 250}.1/24`;
  const host = `unix://${folder}/docker.sock`;
  execFileSync('ip', ['link', 'add', bridge, 'type', 'bridge']);
  execFileSync('ip', ['address', 'add', address, 'dev', bridge]);
  execFileSync('ip', ['link', 'set', bridge, 'up']);
  mkdirSync(join(folder, 'exec'));
  let child: ReturnType<typeof spawn> | null = null;
  let ended: Promise<unknown> = Promise.resolve();
  const docker = (...args: string[]) =>
    execFileSync('docker', ['--host', host, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const engine: OwnEngine = {
    host,
    docker,
    async start() {
      const log = openSync(join(folder, 'log'), 'a');
      const options = [`--host=${host}`, `--data-root=${folder}/data`, `--exec-root=${folder}/exec`];
      const network = [`--bridge=${bridge}`, '--iptables=false', '--ip6tables=false', '--ip-masq=false'];
      const started = spawn('dockerd', [...options, `--pidfile=${folder}/pid`, ...network], {
        stdio: ['ignore', log, log],
      });
      child = started;
      ended = new Promise((resolve) => started.once('exit', resolve));
      for (let i = 0; i < 600; i++) {
        if (quietly('docker', ['--host', host, 'version'])) return;
        await realHost.sleep(200);
      }
      throw new Error(`the engine in ${folder} did not start`);
    },
    signal: (signal) => void child?.kill(signal),
    gone: async () => void (await ended),
    async remove() {
      const ids = docker('container', 'ls', '--all', '--quiet').split('\n').filter(Boolean);
      if (ids.length > 0) docker('container', 'rm', '--force', ...ids);
      child?.kill('SIGTERM');
      await ended;
      execFileSync('ip', ['link', 'delete', bridge]);
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
  const names = IMAGES.map(imageFor);
  const load = `docker image save ${names.join(' ')} | docker --host ${host} image load --quiet`;
  execFileSync('sh', ['-c', load], { stdio: ['ignore', 'ignore', 'inherit'] });
  return engine;
}
