import type { Warning } from '../../results/results.ts';
import type { PlannedImage } from '../variants.ts';

/** For each app that is served with packages for development, as they lie in its vendor folder. */
export function warnOfDevPackages(images: readonly PlannedImage[]): Warning[] {
  const asTheyLie = images.filter(({ ref, ready, install }) => ref === null && ready === null && !install);
  const apps = new Map(asTheyLie.map(({ app }) => [app.name, app]));
  return [...apps.values()].flatMap(({ name, devPackages = [] }) => {
    const [first] = devPackages;
    if (first === undefined) return [];
    return [
      {
        code: 'dev-packages',
        message: `the vendor folder of the app '${name}' has development packages, ${devPackages.length} with ${first}, and is used as it is: the app may be slower than in production`,
        remedy: 'add that folder to .dockerignore, and Composer installs the packages of production',
        variant: null,
      },
    ];
  });
}
