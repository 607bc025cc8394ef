/** A network that joins engines of a test's own, in a namespace of its own, and registries in it. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { realHost } from '../../src/host.ts';
import { type OwnEngine, quietly } from './engine.ts';

export interface Lan {
  /** Puts an engine into the network. The first has 10.77.0.1. */
  join(engine: OwnEngine): void;
  /** As a cable that is pulled. */
  cut(engine: OwnEngine): void;
  /** Starts a registry; `locked`: it wants a password that nobody has. */
  startRegistry(port: number, locked?: boolean): Promise<void>;
  remove(): Promise<void>;
}

/** Where registries are. */
export const REGISTRY_ADDRESS = '10.77.0.254';
let made = 0;

export function makeLan(): Lan {
  const name = `bench-switch-${process.pid}-${++made}`;
  const folder = mkdtempSync(join(tmpdir(), 'php-runtime-bench-lan-'));
  const joined: OwnEngine[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  const inside = (...args: string[]) => execFileSync('ip', ['-n', name, ...args], { stdio: 'pipe' });
  execFileSync('ip', ['netns', 'add', name]);
  inside('link', 'set', 'lo', 'up');
  inside('link', 'add', 'bridge', 'type', 'bridge');
  inside('address', 'add', `${REGISTRY_ADDRESS}/24`, 'dev', 'bridge');
  inside('link', 'set', 'bridge', 'up');
  return {
    join(engine) {
      const { namespace } = engine;
      const number = joined.push(engine);
      const port = `port${number}`;
      inside('link', 'add', port, 'type', 'veth', 'peer', 'name', 'lan', 'netns', namespace);
      inside('link', 'set', port, 'master', 'bridge', 'up');
      execFileSync('ip', ['-n', namespace, 'address', 'add', `10.77.0.${number}/24`, 'dev', 'lan']);
      execFileSync('ip', ['-n', namespace, 'link', 'set', 'lan', 'mtu', '1400', 'up']);
    },
    cut: (engine) => void inside('link', 'set', `port${joined.indexOf(engine) + 1}`, 'down'),
    async startRegistry(port, locked = false) {
      const address = `${REGISTRY_ADDRESS}:${port}`;
      const users = join(folder, `users-${port}`);
      writeFileSync(users, '# nobody\n');
      const config = {
        ...{ version: 0.1, log: { level: 'error' }, http: { addr: address } },
        storage: { filesystem: { rootdirectory: join(folder, String(port)) } },
        ...(locked && { auth: { htpasswd: { realm: 'bench', path: users } } }),
      };
      const file = join(folder, `${port}.json`);
      writeFileSync(file, JSON.stringify(config));
      const within = [`--net=/run/netns/${name}`];
      const child = spawn('nsenter', [...within, 'docker-registry', 'serve', file], { stdio: 'ignore' });
      const gone = new Promise((resolve) => child.once('exit', resolve));
      stops.push(async () => {
        child.kill('SIGTERM');
        await gone;
      });
      const ask = ['-c', `exec 3<>/dev/tcp/${REGISTRY_ADDRESS}/${port}`];
      for (let i = 0; i < 100; i++) {
        if (quietly('nsenter', [...within, 'bash', ...ask])) return;
        await realHost.sleep(100);
      }
      throw new Error(`no registry at ${address}`);
    },
    async remove() {
      for (const stop of stops) await stop();
      quietly('ip', ['netns', 'delete', name]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
