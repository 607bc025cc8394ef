import { findDoubt, findMisfit } from '../../config/parts/fit.ts';
import { describeNeed, findUnmetNeed } from '../../config/php/php-versions.ts';
import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';
import type { PlannedVariant } from '../variants.ts';

/** The pairs of app and runtime, or of app and PHP version, that are left out of the table or perhaps do not fit. */
export function warnOfMisfits({ apps, runtimes, php }: Pick<Config, 'apps' | 'runtimes' | 'php'>): Warning[] {
  const ask = (find: typeof findMisfit) => {
    const found = apps.flatMap((app) => runtimes.map((choice) => find(choice, app)));
    return [...new Set(found.filter((text) => text !== null))];
  };
  const unmet = apps.flatMap((app) =>
    php.flatMap((version) => {
      const need = findUnmetNeed(app, version);
      return need ? `PHP ${version} does not fit the app '${app.name}': ${describeNeed(need)}` : [];
    }),
  );
  return [
    ...[...ask(findMisfit), ...unmet].map((misfit) => ({
      code: 'left-out',
      message: `left out: ${misfit}`,
      remedy: 'no action needed if you only care about the other variants',
      variant: null,
    })),
    ...ask(findDoubt).map((doubt) => ({
      code: 'may-not-fit',
      message: doubt,
      remedy: 'add a composer.lock with a version below that',
      variant: null,
    })),
  ];
}

/** For each PHP version that the manifests of some runtimes do not list: it is tried all the same. */
export function warnOfVersions(variants: readonly PlannedVariant[]): Warning[] {
  const unlisted = variants.filter(({ ref, php, runtime }) => ref === null && !runtime.php.includes(php));
  return [...new Set(unlisted.map(({ php }) => php))].map((version) => {
    const names = unlisted.flatMap(({ php, runtime }) => (php === version ? [runtime.name] : []));
    return {
      code: 'unlisted-php',
      message: `PHP ${version} is not in the manifest of ${[...new Set(names)].join(', ')}: it is tried, but its images may not exist`,
      remedy: 'if it fails, choose a version that `list` shows',
      variant: null,
    };
  });
}
