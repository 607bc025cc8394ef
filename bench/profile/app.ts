/** An app of many functions that only loop, in a git repository; its page `/work` calls them all. */
import { cpSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { execute } from './tool.ts';

export type Kind = 'plain' | 'symfony';

const SYMFONY = resolve(import.meta.dirname, '../../apps/symfony');
const CONTROLLER = `<?php

namespace App\\Controller;

use Symfony\\Component\\HttpFoundation\\Response;
use Symfony\\Component\\HttpKernel\\Attribute\\AsController;
use Symfony\\Component\\Routing\\Attribute\\Route;

require_once dirname(__DIR__, 2) . '/work.php';

#[AsController]
final class WorkController
{
    #[Route('/work')]
    public function work(): Response
    {
        return new Response(work());
    }
}
`;

/** Writes the app, without its functions, into an empty folder. Symfony's packages are installed once, and committed. */
export function writeApp(folder: string, kind: Kind): void {
  if (kind === 'symfony') {
    for (const name of ['bin', 'composer.json', 'config', 'public', 'src'])
      cpSync(join(SYMFONY, name), join(folder, name), { recursive: true });
    writeFileSync(join(folder, 'src/Controller/WorkController.php'), CONTROLLER);
    installPackages(folder);
  } else {
    mkdirSync(join(folder, 'public'));
    const start = "<?php\nrequire __DIR__ . '";
    writeFileSync(join(folder, 'public/index.php'), `${start}/../work.php';\necho work();\n`);
    const answer = "['status' => 200, 'headers' => [], 'body' => work()]";
    writeFileSync(
      join(folder, 'handler.php'),
      `${start}/work.php';\nreturn static fn (): array => ${answer};\n`,
    );
  }
  execute('git', ['init', '-q'], folder);
}

/** In a container of Composer's image, or of what stands in for it. */
function installPackages(folder: string): void {
  const file = process.env.BENCH_IMAGES;
  const images = file ? (parse(readFileSync(file, 'utf8')) as Record<string, string>) : {};
  const image = images['composer:2'] ?? 'composer:2';
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  const install = ['composer', 'install', '--no-dev', '--no-scripts', '--no-interaction', '--no-progress'];
  const place = ['--volume', `${folder}:/app`, '--workdir', '/app', '--user', user];
  execute('docker', ['run', '--rm', ...place, image, ...install, '--optimize-autoloader'], folder);
  // A copy of Composer may give its own file the time 0. OPcache keeps no such file, and a checkout has another time.
  utimesSync(join(folder, 'vendor/composer/ClassLoader.php'), new Date(), new Date());
}

/** Commits functions `work0`, `work1`, … that loop so many rounds each. */
export function commitWork(folder: string, rounds: readonly number[], name: string): void {
  const functions = rounds.map(
    (n, i) =>
      `function work${i}(): int { $x = 0; for ($i = 0; $i < ${n}; $i++) { $x += $i & 3; } return $x; }`,
  );
  const calls = rounds.map((_, i) => `work${i}()`).join(' + ');
  const work = `function work(): string { return ${calls} > 0 ? 'done' : 'none'; }`;
  writeFileSync(join(folder, 'work.php'), `<?php\n${[...functions, work].join('\n')}\n// ${name}\n`);
  const user = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', '-c', 'commit.gpgsign=false'];
  execute('git', ['add', '.'], folder);
  execute('git', [...user, 'commit', '-q', '-m', name], folder);
}
