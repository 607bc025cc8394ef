// Applications from Debian's packages that need no services. docs/apps.md has their configuration, and it is read from there.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APPLICATIONS, type Application } from '../fixtures/applications.ts';
import { makeProject, type Project, slicesOf } from './bench.ts';
import {
  commit,
  makeApplication,
  needsServices,
  RUNTIMES,
  runApplication,
  testApplication,
  writeScenarios,
} from './corpus.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

for (const [name, app] of Object.entries(APPLICATIONS))
  if (!needsServices(name)) describe(name, () => testApplication(name, app, () => project));

test('an application that is not installed is measured, with its page shown and a warning', async () => {
  const folder = await makeApplication(project, 'mediawiki', 'bare');
  writeFileSync(join(folder, '.bench.yml'), 'root: var/lib/mediawiki\nextensions: [intl]\n');
  const { code, stderr } = await runApplication(
    project,
    folder,
    ...['--runtimes', RUNTIMES.join(','), '--paths', '/', '--load', 'requests(6, 2)'],
  );
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { checked, warnings, measurements } = project.results('bare-out');
  expect(measurements.map(({ okCount, requests }) => [okCount, requests])).toEqual(
    RUNTIMES.map(() => [6, 6]),
  );
  expect(checked).toMatchObject([
    {
      ...{ endpoint: '/', journey: null, variants: RUNTIMES.map((runtime) => `${runtime}@8.4`) },
      ...{ status: 200, type: 'text/html', title: expect.stringMatching(/^MediaWiki 1\.\d+/) },
    },
  ]);
  expect(checked?.[0]?.bytes[1]).toBeLessThan(2000);
  expect(stderr).toMatch(/checked: \/ → 200 "MediaWiki 1\.[\d.]+", text\/html, \d+ bytes/);
  expect(warnings).toContainEqual(
    expect.objectContaining({
      code: 'looks-unfinished',
      message: expect.stringContaining('GET / looks like MediaWiki without its LocalSettings.php'),
    }),
  );
}, 900_000);

test('an application as it was is compared with what became of it', async () => {
  const folder = await makeApplication(project, 'adminer', 'changed');
  writeScenarios(folder, APPLICATIONS.adminer as Application);
  await commit(folder);
  const front = join(folder, 'usr/share/adminer/adminer/index.php');
  const work = 'namespace Adminer; for ($i = 0; $i < 100000; $i++) md5((string) $i);';
  writeFileSync(front, readFileSync(front, 'utf8').replace('namespace Adminer;', work));
  const flags = ['--runtimes', 'apache', '--scenarios', 'page', '--compare-to', 'HEAD'];
  const { code, stdout, stderr } = await runApplication(project, folder, ...flags);
  expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  const results = project.results('changed-out');
  const [base, head] = ['apache@8.4:base', 'apache@8.4'].map((id) => {
    const slices = slicesOf(results, id);
    expect(slices.map(({ outcome }) => outcome)).toEqual(['ok']);
    return slices[0]?.cpu?.perRequestUs ?? 0;
  });
  expect(head).toBeGreaterThan(1.3 * (base as number));
}, 900_000);
