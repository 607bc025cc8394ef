// Symfony and Laravel as `composer create-project` makes them. Their packages are only on Packagist.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { realHost } from '../../src/host.ts';
import { findImages, makeProject, type Project, slicesOf } from './bench.ts';
import { commit, RUNTIMES, runApplication, writeScenarios } from './corpus.ts';

const CONTROLLER = `<?php
namespace App\\Controller;
use Symfony\\Component\\HttpFoundation\\Response;
use Symfony\\Component\\Routing\\Attribute\\Route;
final class Home
{
    #[Route('/')]
    public function __invoke(): Response { return new Response('Hello from Symfony'); }
}
`;

interface Skeleton {
  name: string;
  words: string;
  /** Files that it lacks to answer a first request in production. */
  files: Readonly<Record<string, string>>;
}

const SKELETONS: readonly Skeleton[] = [
  { name: 'laravel/laravel', words: 'Laravel', files: {} },
  {
    ...{ name: 'symfony/skeleton', words: 'Hello from Symfony' },
    files: { 'src/Controller/Home.php': CONTROLLER },
  },
];

const [, mapped] = await findImages();
const composer: string =
  (mapped === undefined ? undefined : parse(readFileSync(mapped, 'utf8'))['composer:2']) ?? 'composer:2';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
});
afterAll(() => project.remove());

for (const { name, words, files } of SKELETONS)
  test(`${name} has the same page on all runtimes, in head and base`, async ({ skip }) => {
    const folder = join(project.folder, dirname(name));
    mkdirSync(folder);
    const { code, stderr } = await realHost.exec('docker', [
      ...[
        'run',
        '--rm',
        '--volume',
        `${folder}:/app`,
        '--user',
        `${process.getuid?.()}:${process.getgid?.()}`,
      ],
      ...['--env', 'COMPOSER_HOME=/tmp', composer],
      ...['composer', 'create-project', '--no-interaction', '--no-progress', name, '.'],
    ]);
    // The stand-in of Composer has the packages of Debian only.
    if (mapped !== undefined && /Could not find package/.test(stderr)) skip(`${name} is not available here`);
    expect({ code, said: code === 0 ? '' : stderr }).toEqual({ code: 0, said: '' });
    // The build installs the packages of production.
    rmSync(join(folder, 'vendor'), { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    writeScenarios(folder, { path: '/', words });
    await commit(folder);
    writeFileSync(join(folder, 'changed'), '');
    const flags = ['--runtimes', RUNTIMES.join(','), '--scenarios', 'page,words', '--compare-to', 'HEAD'];
    const run = await runApplication(project, folder, ...flags);
    expect({ code: run.code, said: run.code === 0 ? '' : run.stdout + run.stderr }).toEqual({
      code: 0,
      said: '',
    });
    const results = project.results(`${dirname(name)}-out`);
    for (const { id } of results.variants) {
      const slices = slicesOf(results, id);
      expect(slices.map(({ scenario }) => scenario).sort()).toEqual(['page', 'words']);
      for (const slice of slices) expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
    }
    expect(results.variants).toHaveLength(2 * RUNTIMES.length);
  }, 900_000);
