/** Faults of services: MariaDB is killed, made slow and made to refuse while an app that needs it is loaded. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { realHost } from '../../src/host.ts';
import {
  ARENA,
  docker,
  during,
  type Found,
  findContainers,
  type Project,
  type Run,
  root,
  signalContainers,
  slicesOf,
  told,
  variantOf,
} from '../integration/bench.ts';
import type { Fault, Seen } from './fault.ts';

export interface ServiceWorld {
  project: Project;
  out: string;
}

const COMPOSE = `
services:
  mariadb:
    image: mariadb:11
    environment: { MARIADB_ROOT_PASSWORD: secret }
    healthcheck:
      test: [CMD, healthcheck.sh, --connect, --innodb_initialized]
      interval: 1s
      retries: 60
`;
const CONFIG = `
app: database
runtimes: [apache]
extensions: [pdo_mysql]
env: { DB_HOST: mariadb, DB_PASSWORD: secret, DB_DATABASE: '{variant}' }
services:
  file: compose.yaml
  reset:
    mariadb: mariadb -uroot -psecret -e "DROP DATABASE IF EXISTS $BENCH_DATABASE; CREATE DATABASE $BENCH_DATABASE"
set-up: php set-up.php
`;
// Long enough for an engine that needs seconds to answer, and with a timeout that a busy disk does not reach.
const LOAD = ['--paths=/', '--load=vus(2, 15s)', '--warmup=0s', '--timeout=2s', '--blocks=1', '--wait'];

/** Why there is none here; null: there is. */
export async function whyNoServices(): Promise<string | null> {
  const { code } = await realHost.exec('docker', ['compose', 'version']);
  return code === 0 ? null : 'docker has no compose plugin here';
}

export function writeServices({ folder }: Project): void {
  cpSync(join(root, 'test/fixtures/apps/database'), join(folder, 'database'), { recursive: true });
  writeFileSync(join(folder, 'compose.yaml'), COMPOSE);
  writeFileSync(join(folder, 'services.yml'), CONFIG);
}

/** A run of two fresh starts, whose database something is done to in the load of the second. */
async function disturb(
  { project, out }: ServiceWorld,
  act: (mariadb: Found) => Promise<unknown>,
): Promise<Seen> {
  const run = project.run(out, '--config', 'services.yml', ...LOAD, '--instances', '2');
  // Asked for before the load, of which a busy engine would use up seconds.
  await told(run, 'instance 2/2: starting');
  const [mariadb] = await findContainers(run, /mariadb/);
  await inLoad(run, '2/2');
  await act(mariadb as Found);
  const { code, stdout, stderr } = await run.done;
  const results = project.results(out);
  const [first] = slicesOf(results, 'apache@8.4');
  expect(first).toMatchObject({ instance: 0, outcome: 'ok' });
  return { code, printed: stderr + stdout };
}

async function inLoad(run: Run, instance: string) {
  await told(run, `instance ${instance}: paths`);
  const isLoaded = async () =>
    (await docker('container', 'top', ARENA, '-eo', 'pid,args')).includes('lib/main.js');
  await during(run, isLoaded);
  await realHost.sleep(1000);
}

const sql = ({ id }: Found, command: string) =>
  docker('exec', id, 'mariadb', '-uroot', '-psecret', '-e', command);

export const serviceFaults: readonly Fault<ServiceWorld>[] = [
  {
    what: 'the database is killed in the load',
    message: 'the service mariadb stopped during the run',
    exitCode: 3,
    kept: 'all slices before',
    async inject(world) {
      const seen = await disturb(world, (mariadb) => signalContainers([mariadb], 'SIGKILL'));
      expect(variantOf(world.project.results(world.out), 'apache@8.4').failure?.stage).toBe('run');
      return seen;
    },
  },
  {
    what: 'the database refuses connections in the load',
    message: 'answers differently after the load: HTTP 500',
    exitCode: 3,
    kept: 'all slices before',
    async inject(world) {
      const refuse =
        "UPDATE mysql.global_priv SET Priv = JSON_SET(Priv, '$.account_locked', true); FLUSH PRIVILEGES";
      return disturb(world, (mariadb) => sql(mariadb, refuse));
    },
  },
  {
    what: 'the database is slow: it stands still for four seconds of the load',
    message: '',
    exitCode: 0,
    kept: 'everything; what was not answered in time counts as an error',
    async inject(world) {
      const seen = await disturb(world, async (mariadb) => {
        await signalContainers([mariadb], 'SIGSTOP');
        await realHost.sleep(4000);
        await signalContainers([mariadb], 'SIGCONT');
      });
      const [, second] = slicesOf(world.project.results(world.out), 'apache@8.4');
      expect(second?.errors.map(({ kind }) => kind)).toContain('timeout');
      return seen;
    },
  },
];
