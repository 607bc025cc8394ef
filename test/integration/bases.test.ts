// Where base images come from, and what the one of k6 has: a registry of this process answers for them.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectDocker } from '../../src/engine/docker.ts';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import { realHost } from '../../src/host.ts';
import { askDigest } from '../../src/images/build.ts';
import { writeFiles } from '../fixtures/commits.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import { leftovers } from './bench.ts';
import { build, factsOf } from './built.ts';
import { imageFor, runToEnd } from './docker.ts';

const INDEX_TYPE = 'application/vnd.oci.image.index.v1+json';

let folder: string;
beforeAll(() => {
  folder = makeFolder();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  expect(await leftovers()).toEqual([]);
});

const writeApp = () => writeFiles(join(folder, 'app'), { 'public/index.php': '' });

/** A registry on this machine that answers requests for manifests; gives its address to `use`. */
async function withRegistry<T>(answer: RequestListener, use: (address: string) => Promise<T>): Promise<T> {
  const registry = createServer((request, response) => {
    if (request.url !== '/v2/') return answer(request, response);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  try {
    return await use(`127.0.0.1:${(registry.address() as AddressInfo).port}`);
  } finally {
    registry.closeAllConnections();
    registry.close();
  }
}

/** The answer for a tag that a registry does not have. */
const answerUnknown: RequestListener = (_, response) => {
  response.writeHead(404, { 'Content-Type': 'application/json' });
  response.end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
};

test('a PHP version without images is tried, and the missing base is named', () =>
  withRegistry(answerUnknown, async (address) => {
    const base = `${address}/php:8.9-apache`;
    const app = writeApp();
    const built = await build(app, '--php', '8.9', '--image', `php:8.9-apache=${base}`);
    expect(built).toMatchObject({ failure: { reason: expect.stringContaining(`${base} does not exist`) } });
  }));

test('our commands in the k6 image meet BusyBox, there and in its stand-in', async () => {
  const names = 'sh cat chmod dd find grep head sed sleep tail timeout wget';
  const script = `for name in ${names}; do readlink -f "$(command -v "$name")"; done`;
  const { stdout } = await runToEnd('--entrypoint=sh', imageFor(K6_IMAGE), '-c', script);
  const programs = stdout.trim().split('\n');
  expect(programs).toHaveLength(names.split(' ').length);
  for (const program of programs) expect(program).toMatch(/\/busybox$/);
});

describe('base images', () => {
  const INSTALLER = 'mlocati/php-extension-installer:2';

  test('are pulled at once', async () => {
    const asked = new Set<string>();
    const waiting: (() => void)[] = [];
    // No request is answered before both images were asked for: one pull after the other would time out.
    const answer: RequestListener = (request, response) => {
      asked.add(request.url?.split('/')[2] ?? '');
      waiting.push(() => answerUnknown(request, response));
      if (asked.size >= 2) for (const go of waiting.splice(0)) go();
    };
    await withRegistry(answer, async (address) => {
      const stop = setTimeout(() => {
        for (const go of waiting.splice(0)) go();
        asked.add('one after the other').add('too late');
      }, 60_000);
      const images = [`php:8.4-apache=${address}/php:1`, `${INSTALLER}=${address}/installer:1`];
      const app = writeApp();
      await build(app, ...images.flatMap((image) => ['--image', image]));
      clearTimeout(stop);
    });
    expect([...asked].sort()).toEqual(['installer', 'php']);
  });

  test('are left to a builder with a cache of its own', async () => {
    const app = writeApp();
    const built = await build(app, '--build-cache', 'gha');
    const { bases } = factsOf(built);
    expect(bases).toMatchObject([{ id: null }, { id: null }]);
    const ofBases = (command: string) =>
      / image (pull|inspect) /.test(command) && bases.some(({ used }) => command.includes(used));
    expect(built.commands.filter(ofBases)).toEqual([]);
  });

  test('have their digest from the registry there', async () => {
    const manifest = JSON.stringify({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests: [] });
    const digest = `sha256:${createHash('sha256').update(manifest).digest('hex')}`;
    const answer: RequestListener = (request, response) => {
      if (!request.url?.startsWith('/v2/php/manifests/')) return answerUnknown(request, response);
      const headers = { 'Content-Type': INDEX_TYPE, 'Content-Length': manifest.length };
      response.writeHead(200, { ...headers, 'Docker-Content-Digest': digest });
      response.end(request.method === 'HEAD' ? '' : manifest);
    };
    await withRegistry(answer, async (address) => {
      const client = connectDocker(realHost);
      expect(await askDigest(client, `${address}/php:1`)).toBe(digest);
      expect(await askDigest(client, `${address}/none:1`)).toBe(null);
    });
  });
});
