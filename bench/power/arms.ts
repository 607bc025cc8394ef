/** The two apps of a comparison: the same code, in front of it the same extra work with other numbers. */
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Treatment } from './series.ts';

/** Extra work of the app before it answers. */
export interface Work {
  /** Iterations of a loop that uses CPU. */
  iterations: number;
  /** Requests in a thousand that sleep for 20 ms. */
  permille: number;
}

export const IDLE: Work = { iterations: 0, permille: 0 };

export function workOf({ tail }: Treatment, iterations: number): Work {
  return { iterations, permille: tail ? 10 : 0 };
}

// `$x` is looked at afterwards, or opcache would be free to leave the loop out.
const INDEX = `<?php

declare(strict_types=1);

// Symfony's runtime asks this file a second time, for what answers.
defined('TREATED') || define('TREATED', true) && (static function (): void {
    ['iterations' => $iterations, 'permille' => $permille] = require __DIR__ . '/../treatment.php';
    $x = 1;
    for ($i = 0; $i < $iterations; $i++) {
        $x = ($x * 1_103_515_245 + 12_345) & 0x7fffffff;
    }
    if (mt_rand(0, 999) < $permille || $x < 0) {
        usleep(20_000);
    }
})();

return require __DIR__ . '/front.php';
`;

/** Copies an app and lets it do its work before anything else. */
export function makeArm(app: string, folder: string): void {
  mkdirSync(folder, { recursive: true });
  cpSync(app, folder, { recursive: true });
  // All of it belongs to the arm, warm caches too, also where git hands it out.
  rmSync(join(folder, '.gitignore'), { force: true });
  const index = join(folder, 'public/index.php');
  renameSync(index, join(folder, 'public/front.php'));
  writeFileSync(index, INDEX);
}

/**
 * Sets how much work. Arms with the same work differ in the comment with their revision, as two commits do: they must
 * not become one image, whose files share memory.
 */
export function setWork(folder: string, { iterations, permille }: Work, revision: string): void {
  const text = `<?php\n\n// ${revision}\nreturn ['iterations' => ${iterations}, 'permille' => ${permille}];\n`;
  writeFileSync(join(folder, 'treatment.php'), text);
}
