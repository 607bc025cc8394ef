/** runtimes/_shared/nginx.sh as sh runs it, on a machine of so many CPUs. */
import { readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { realHost } from '../../src/host.ts';
import { makeFolder } from '../fixtures/temporary.ts';

const folder = makeFolder();
afterAll(() => rmSync(folder, { recursive: true }));

const shared = resolve(import.meta.dirname, '../../runtimes/_shared');

const SERVE = `
  set -eu
  conf=$1 run_dir=$2 WORKERS=$3 cpus=$4
  PORT=8080 KEEP_ALIVE=5000ms GZIP=false ACCESS_LOG=false
  nproc() { echo "$cpus"; }
  # Without the folders of an image.
  eval "$(sed '/^readonly /d' "$conf/options.sh")"
  . "$conf/nginx.sh"
  upstream_config true
  proxy_config 9080 ''`;

it.each([
  { workers: 16, cpus: 2, processes: 2, keepalive: 4 },
  { workers: 16, cpus: 9, processes: 8, keepalive: 1 },
  { workers: 4, cpus: 4, processes: 2, keepalive: 1 },
  { workers: 2, cpus: 4, processes: 1, keepalive: 1 },
  // There would be none for others.
  { workers: 1, cpus: 4, processes: 1, keepalive: null },
])('nginx before $workers workers, on $cpus CPUs', async ({ workers, cpus, processes, keepalive }) => {
  const args = ['-c', SERVE, 'sh', shared, folder, String(workers), String(cpus)];
  const { code, stderr } = await realHost.exec('sh', args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const find = (file: string, setting: RegExp) => setting.exec(readFileSync(join(folder, file), 'utf8'))?.[1];
  expect(find('nginx.conf', /^worker_processes (\d+);$/m)).toBe(String(processes));
  expect(find('server.conf', /keepalive (\d+);/)).toBe(keepalive === null ? undefined : String(keepalive));
  expect(find('server.conf', /proxy_set_header Connection "(.*)";/)).toBe(keepalive === null ? 'close' : '');
});
