import type { Warning } from '../../results/results.ts';
import type { PlannedImage, PlannedVariant } from '../variants.ts';

/** For each app with a `.htaccess` file of its own: which variants do not obey it, so that its rules are missing there. */
export function warnOfHtaccess(variants: readonly PlannedVariant[]): Warning[] {
  const heads = variants.filter(({ ref }) => ref === null);
  const apps = new Map(heads.map(({ app }) => [app.name, app]));
  return [...apps.values()].flatMap(({ name, htaccess }) => {
    const blind = heads.filter(({ app, runtime }) => app.name === name && !runtime.htaccess);
    if (htaccess === undefined || blind.length === 0) return [];
    const isPlain = blind.every(({ app }) => app.kind === 'plain');
    const labels = blind.map(({ label }) => label).join(', ');
    return [
      {
        code: 'htaccess',
        message: `the app '${name}' has ${htaccess}, which only Apache obeys: it has no effect on ${labels}`,
        remedy: isPlain
          ? 'unknown paths go to its index.php there; check whether the app needs other rules'
          : 'check whether the app needs other rules there than those of its framework',
        variant: null,
      },
    ];
  });
}

/** For each app that is served with packages for development, as they lie in its vendor folder. */
export function warnOfDevPackages(images: readonly PlannedImage[]): Warning[] {
  const asTheyLie = images.filter(({ ref, ready, install }) => ref === null && ready === null && !install);
  const apps = new Map(asTheyLie.flatMap(({ app }) => (app ? [[app.name, app]] : [])));
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
