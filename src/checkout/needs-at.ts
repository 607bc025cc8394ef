import { join } from 'node:path';
import type { Files } from '../config/files.ts';
import { readComposer, vendorFolderOf } from '../config/parts/composer.ts';
import type { PhpNeed } from '../config/php/constraint.ts';
import { findPhpNeeds } from '../config/php/needs.ts';
import { type Repository, readAt } from './repository.ts';

/**
 * Requirements of an app in a commit on the version of PHP, as `findPhpNeeds` finds those of the checkout.
 *
 * @param path the app's folder, relative to the top
 * @param isInstalled packages in the commit do not count: Composer installs them anew
 */
export async function findNeedsAt(
  repository: Repository,
  commit: string,
  { path, env, isInstalled }: { path: string; env: Readonly<Record<string, string>>; isInstalled: boolean },
): Promise<PhpNeed[]> {
  const texts = new Map<string, string>();
  const files: Files = {
    read: (name) => texts.get(name) ?? null,
    kind: (name) => (texts.has(name) ? 'file' : null),
    list: () => [],
  };
  const take = async (...names: string[]) => {
    for (const name of names) {
      const text = await readAt(repository, commit, join(path, name));
      if (text !== null) texts.set(name, text);
    }
  };
  await take('composer.json', 'composer.lock', '.dockerignore');
  const vendor = vendorFolderOf(readComposer('', files));
  if (vendor !== null && !isInstalled)
    await take(join(vendor, 'autoload.php'), join(vendor, 'composer/platform_check.php'));
  return findPhpNeeds('', env, files);
}
