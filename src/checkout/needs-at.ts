import { join } from 'node:path';
import type { Files } from '../config/files.ts';
import { describeApp } from '../config/parts/apps.ts';
import { readComposer, vendorFolderOf } from '../config/parts/composer.ts';
import { findPhpNeeds } from '../config/php/needs.ts';
import type { App, OtherApp } from '../config/types.ts';
import { type Repository, readAt } from './repository.ts';

/** An app in a commit. */
interface AppAt {
  /** The app's folder, relative to the top. */
  path: string;
  env: Readonly<Record<string, string>>;
  /** Packages in the commit do not count: Composer installs them anew. */
  isInstalled: boolean;
  /** Extensions that a measured runtime does not start with. */
  conflicts: readonly string[];
}

/**
 * Requirements of an app in a commit: packages, the version of PHP, as `findPhpNeeds` finds those of the checkout, and
 * extensions, together with those of the checkout. Without them, Composer would refuse the packages of the commit.
 */
export async function findNeedsAt(
  repository: Repository,
  commit: string,
  app: Pick<App, 'extensions' | 'leftOut'>,
  { path, env, isInstalled, conflicts }: AppAt,
): Promise<Pick<OtherApp, 'php' | 'extensions' | 'packages'>> {
  const texts = new Map<string, string>();
  const files: Files = {
    read: (name) => texts.get(name) ?? null,
    start: (name) => Buffer.from(texts.get(name)?.slice(0, 2) ?? ''),
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
  const php = findPhpNeeds('', env, files);
  const given = [...app.extensions, ...(app.leftOut ?? []), ...conflicts.map((name) => `:${name}`)];
  const { extensions, packages } = describeApp('', files, { extensions: given });
  return {
    packages,
    ...(php.length > 0 && { php }),
    ...(extensions.length > app.extensions.length && { extensions }),
  };
}
