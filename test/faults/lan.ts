/** A network that joins engines of a test's own, in a namespace of its own, and registries in it. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { realHost } from '../../src/host.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import { type OwnEngine, quietly } from './engine.ts';

export interface Lan {
  /** Puts an engine into the network. The first has 10.77.0.1. */
  join(engine: OwnEngine): void;
  /** As a cable that is pulled. */
  cut(engine: OwnEngine): void;
  /** Starts a registry, over TLS and with a password. */
  startRegistry(port: number): Promise<void>;
  /** Accepts connections there, and never answers. Returns whether anybody has connected. */
  startSilence(port: number): Promise<() => boolean>;
  /** For `DOCKER_CONFIG`: a folder with the password of the registry at this port. */
  logIn(port: number): string;
  /** The certificate that an engine has to trust: a file for `SSL_CERT_FILE`. */
  certificate: string;
  remove(): Promise<void>;
}

/** Where registries are. */
export const REGISTRY_ADDRESS = '10.77.0.254';
/** The user of a registry, with the password and its bcrypt hash. */
const USER = 'bench';
const PASSWORD = 'secret-of-bench';
const HASH = '$2y$05$abcdefghijklmnopqrstuuk19nZGJinoC2ljniIKvb0kxXX/iGOWG';
let made = 0;

export function makeLan(): Lan {
  const name = `bench-switch-${process.pid}-${++made}`;
  const folder = makeFolder();
  const joined: OwnEngine[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  const inside = (...args: string[]) => execFileSync('ip', ['-n', name, ...args], { stdio: 'pipe' });
  execFileSync('ip', ['netns', 'add', name]);
  inside('link', 'set', 'lo', 'up');
  inside('link', 'add', 'bridge', 'type', 'bridge');
  inside('address', 'add', `${REGISTRY_ADDRESS}/24`, 'dev', 'bridge');
  inside('link', 'set', 'bridge', 'up');
  const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')];
  execFileSync(
    'openssl',
    [
      ...[
        'req',
        '-x509',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:prime256v1',
        '-nodes',
        '-days',
        '1',
      ],
      ...['-subj', '/CN=bench', '-addext', `subjectAltName=IP:${REGISTRY_ADDRESS}`],
      ...['-keyout', key, '-out', certificate],
    ],
    { stdio: 'pipe' },
  );
  /** Starts a program that listens at this port, and waits until it does. */
  const serve = async (port: number, program: string, args: readonly string[]) => {
    const within = [`--net=/run/netns/${name}`];
    const child = spawn('nsenter', [...within, program, ...args], { stdio: 'ignore' });
    const gone = new Promise((resolve) => child.once('exit', resolve));
    stops.push(async () => {
      child.kill('SIGTERM');
      await gone;
    });
    const ask = ['-c', `exec 3<>/dev/tcp/${REGISTRY_ADDRESS}/${port}`];
    for (let i = 0; i < 600; i++) {
      if (quietly('nsenter', [...within, 'bash', ...ask])) return;
      await realHost.sleep(100);
    }
    throw new Error(`nobody listens at ${REGISTRY_ADDRESS}:${port}`);
  };
  return {
    certificate,
    logIn(port) {
      const config = join(folder, `docker-${port}`);
      mkdirSync(config, { recursive: true });
      const auth = Buffer.from(`${USER}:${PASSWORD}`).toString('base64');
      const text = JSON.stringify({ auths: { [`${REGISTRY_ADDRESS}:${port}`]: { auth } } });
      writeFileSync(join(config, 'config.json'), text);
      return config;
    },
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
    async startRegistry(port) {
      const address = `${REGISTRY_ADDRESS}:${port}`;
      const users = join(folder, 'users');
      writeFileSync(users, `${USER}:${HASH}\n`);
      const config = {
        ...{ version: 0.1, log: { level: 'error' }, http: { addr: address, tls: { certificate, key } } },
        storage: { filesystem: { rootdirectory: join(folder, String(port)) } },
        auth: { htpasswd: { realm: 'bench', path: users } },
      };
      const file = join(folder, `${port}.json`);
      writeFileSync(file, JSON.stringify(config));
      await serve(port, 'docker-registry', ['serve', file]);
    },
    async startSilence(port) {
      const file = join(folder, 'connections');
      const note = `() => require('node:fs').appendFileSync('${file}', '.')`;
      const script = `require('node:net').createServer(${note}).listen(${port}, '${REGISTRY_ADDRESS}')`;
      await serve(port, process.execPath, ['--eval', script]);
      // The first is the one by which it was found to listen.
      return () => existsSync(file) && readFileSync(file).length > 1;
    },
    async remove() {
      for (const stop of stops) await stop();
      quietly('ip', ['netns', 'delete', name]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
