/** A way to an engine of a test's own as to one on another machine: a network between two namespaces, and an ssh server. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { realHost } from '../../src/host.ts';
import { type OwnEngine, quietly, whyNoEngine } from './engine.ts';

export interface SshWay {
  /** `ssh://root@10.…`, for `engine`. */
  url: string;
  /** The address of the other machine. */
  address: string;
  /** A folder with an `ssh` that knows key and host: it has to be before others on PATH. */
  bin: string;
  /** As a cable that is pulled: nobody notices. */
  cut(): void;
  join(): void;
  /** Connections that the server has let in. */
  logins(): number;
  remove(): Promise<void>;
}

const SSHD = '/usr/sbin/sshd';

/** Why there can be none here; null: there can. */
export function whyNoSsh(): string | null {
  const why = whyNoEngine();
  if (why !== null) return why;
  return quietly('sh', ['-c', `test -x ${SSHD} && command -v ssh && command -v ssh-keygen`])
    ? null
    : 'an engine over ssh takes openssh-server';
}

let made = 0;
let net: string | undefined;

/** One that no interface here has: a killed test may have left its own. Other files of tests begin elsewhere. */
function findNetwork(): string {
  const addresses = execFileSync('ip', ['-4', '-o', 'address'], { encoding: 'utf8' });
  for (let i = 0; i < 250; i++) {
    const found = `10.213.${(process.pid + i) % 250}`;
    if (!addresses.includes(` ${found}.`)) return found;
  }
  throw new Error('all networks of 10.213.0.0/16 are in use here');
}

/** Starts a server of ssh beside an engine. All that it needs is in a folder of its own, and nobody else is let in. */
export async function openWay(engine: OwnEngine): Promise<SshWay> {
  const number = ++made;
  const folder = mkdtempSync(join(tmpdir(), 'bench-ssh-'));
  net ??= findNetwork();
  const [here, there] = [`${net}.${4 * number + 1}`, `${net}.${4 * number + 2}`];
  const link = `bn${process.pid % 100_000}x${number}`;
  const inside = (...args: string[]) =>
    execFileSync('nsenter', [`--net=/run/netns/${engine.namespace}`, ...args], { stdio: 'pipe' });
  execFileSync('ip', [
    'link',
    'add',
    link,
    'type',
    'veth',
    'peer',
    'name',
    'outside',
    'netns',
    engine.namespace,
  ]);
  execFileSync('ip', ['address', 'add', `${here}/30`, 'dev', link]);
  execFileSync('ip', ['link', 'set', link, 'up']);
  inside('ip', 'address', 'add', `${there}/30`, 'dev', 'outside');
  inside('ip', 'link', 'set', 'outside', 'up');
  for (const name of ['host', 'user']) {
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, name)]);
  }
  const log = join(folder, 'log');
  const server = startServer(engine, folder, there, log);
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const key = execFileSync('cut', ['-d', ' ', '-f', '1,2', join(folder, 'host.pub')], { encoding: 'utf8' });
  writeFileSync(join(folder, 'known'), `${there} ${key}`);
  const config = ['IdentitiesOnly yes', `IdentityFile ${folder}/user`, `UserKnownHostsFile ${folder}/known`];
  writeFileSync(join(folder, 'config'), config.join('\n'));
  writeFileSync(join(bin, 'ssh'), sshTo(there, join(folder, 'config')));
  chmodSync(join(bin, 'ssh'), 0o755);
  const login = `${userInfo().username}@${there}`;
  const way: SshWay = {
    ...{ url: `ssh://${login}`, address: there, bin },
    cut: () => void inside('ip', 'link', 'set', 'outside', 'down'),
    join: () => void inside('ip', 'link', 'set', 'outside', 'up'),
    logins: () =>
      execFileSync('sh', ['-c', `grep -c 'Accepted publickey' '${log}' || :`], { encoding: 'utf8' })
        .split('\n')
        .map(Number)[0] ?? 0,
    async remove() {
      server.kill('SIGTERM');
      quietly('ip', ['link', 'delete', link]);
      await server.gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  for (let i = 0; i < 100; i++) {
    if (quietly(join(bin, 'ssh'), ['-o', 'BatchMode=yes', login, 'docker', 'version'])) return way;
    await realHost.sleep(200);
  }
  await way.remove();
  throw new Error(`no way to the engine over ssh: ${login}`);
}

/** To another address the next one on PATH goes: there may be several ways. */
const sshTo = (address: string, config: string) => `#!/bin/sh
case "$*" in *${address}*) exec /usr/bin/ssh -F '${config}' "$@" ;; esac
PATH=\${PATH#*:}
exec ssh "$@"
`;

function startServer({ namespace, host }: OwnEngine, folder: string, address: string, log: string) {
  // Where the server changes to before it knows who asks; a package's service would make it.
  mkdirSync('/run/sshd', { recursive: true });
  const config = [
    `ListenAddress ${address}`,
    `HostKey ${folder}/host`,
    `AuthorizedKeysFile ${folder}/user.pub`,
    `PidFile ${folder}/pid`,
    ...['PasswordAuthentication no', 'PermitRootLogin prohibit-password', 'UsePAM no', 'StrictModes no'],
    // `docker system dial-stdio` over there asks this engine.
    `SetEnv DOCKER_HOST=${host}`,
  ];
  writeFileSync(join(folder, 'sshd'), config.join('\n'));
  const args = [`--net=/run/netns/${namespace}`, SSHD, '-D', '-E', log, '-f', join(folder, 'sshd')];
  const child = spawn('nsenter', args, { stdio: 'ignore' });
  const gone = new Promise((resolve) => child.once('exit', resolve));
  return { gone, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}
