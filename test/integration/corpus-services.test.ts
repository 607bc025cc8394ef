// Applications from Debian's packages that need a database. docs/apps.md has their configuration, and it is read from there.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { APPLICATIONS } from '../fixtures/applications.ts';
import { makeProject, type Project } from './bench.ts';
import { makeApplication, needsServices, RUNTIMES, runApplication, testApplication } from './corpus.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

for (const [name, app] of Object.entries(APPLICATIONS))
  if (needsServices(name)) describe(name, () => testApplication(name, app, () => project));

test('WordPress that is not installed is measured, with a warning that names what is missing', async () => {
  const folder = await makeApplication(project, 'wordpress', 'bare');
  for (const file of ['.bench.yml', 'usr/share/wordpress/wp-config.php']) rmSync(join(folder, file));
  const { code, stderr } = await runApplication(
    project,
    folder,
    ...['--root', 'usr/share/wordpress', '--extensions', 'mysqli', '--runtimes', RUNTIMES.join(',')],
    ...['--paths', '/,/?p=1', '--load', 'requests(6, 2)'],
  );
  expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
  const { checked, warnings } = project.results('bare-out');
  const location = 'http://app.test/wp-admin/setup-config.php';
  expect(checked).toMatchObject(['/', '/?p=1'].map((endpoint) => ({ endpoint, status: 302, location })));
  expect(warnings).toContainEqual(
    expect.objectContaining({
      code: 'looks-unfinished',
      message: expect.stringContaining('GET / and GET /?p=1 look like WordPress without its wp-config.php'),
    }),
  );
  // Its advice, to measure the installer itself, does not fit.
  expect(warnings.map(({ code }) => code)).not.toContain('redirect');
}, 900_000);
