// The containerd image store, which Docker 29 uses by default, in an engine of the test's own.
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import { makeEngine, type OwnEngine, whyNoEngine } from '../faults/engine.ts';
import { leftovers, makeProject, type Project, slicesOf, variantOf } from './bench.ts';

const why = whyNoEngine();

describe.skipIf(why !== null)(`an engine with the containerd image store${why ? `: ${why}` : ''}`, () => {
  let engine: OwnEngine;
  let project: Project;
  const before = process.env.DOCKER_HOST;
  beforeAll(async () => {
    const images = [K6_IMAGE, 'php:8.4-apache', 'mlocati/php-extension-installer:2'];
    engine = await makeEngine(images, { 'containerd-snapshotter': true });
    process.env.DOCKER_HOST = engine.host;
    project = await makeProject();
  });
  afterAll(async () => {
    project?.remove();
    await engine?.remove();
    if (before === undefined) delete process.env.DOCKER_HOST;
    else process.env.DOCKER_HOST = before;
  });

  /** Measures once, with a page of this text; returns what is known of the image. */
  async function run(out: string, app: string, text: string) {
    writeFileSync(join(app, 'index.php'), `<?php echo ${JSON.stringify(text)};`);
    const run = project.bench(out, '--app', app, '--runtimes', 'apache', '--paths', '/');
    const { code, stdout, stderr } = await run.done;
    expect(code, stdout + stderr).toBe(0);
    const results = project.results(out);
    expect(slicesOf(results, 'apache@8.4').map(({ outcome }) => outcome)).toEqual(['ok']);
    expect(results.host.imageStore).toBe('containerd');
    return variantOf(results, 'apache@8.4').image;
  }

  test('an image keeps its id until its app changes, and none without a name is left', async () => {
    expect(engine.docker('info', '--format', '{{json .DriverStatus}}')).toContain(
      'io.containerd.snapshotter',
    );
    const app = mkdtempSync(join(project.folder, 'app-'));
    const one = await run('one', app, 'one');
    const two = await run('two', app, 'two');
    const again = await run('again', app, 'two');
    expect(two?.id).not.toBe(one?.id);
    expect(again?.id).toBe(two?.id);
    for (const base of two?.bases ?? []) expect(base.digest).toBe(base.id);
    expect(engine.docker('image', 'ls', '--quiet', '--filter', 'dangling=true')).toBe('');
    expect(await leftovers()).toEqual([]);
  });
});
