import type { Warning } from '../../results/results.ts';
import type { PlannedVariant } from '../variants.ts';

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
