import { bundledApps } from './apps.ts';
import { type Files, realFiles } from './files.ts';
import { loadRuntimes } from './runtimes.ts';
import { type Folders, findScenarios, readScenario } from './scenarios.ts';
import type { OptionSpec } from './types.ts';

/** What there is to choose from, as `list --json` prints it. */
export interface Choices {
  runtimes: {
    name: string;
    title: string;
    php: readonly string[];
    options: Readonly<Record<string, OptionSpec>>;
  }[];
  scenarios: { name: string; title: string; load: string | null }[];
  apps: string[];
}

/** The bundled runtimes, scenarios and apps, and the user's own below `.bench/`. Throws a UserError on a broken file. */
export function listChoices(folders: Folders, files: Files = realFiles): Choices {
  const { packageRoot, cwd } = folders;
  const scenarios = findScenarios(folders, files);
  return {
    runtimes: [...loadRuntimes(packageRoot, cwd, files).values()].map(({ name, title, php, options }) => ({
      name,
      title,
      php,
      options,
    })),
    scenarios: [...scenarios.keys()].map((name) => {
      const { title, overrides } = readScenario(name, scenarios, folders, files);
      return { name, title, load: overrides.load?.source ?? null };
    }),
    apps: bundledApps(packageRoot, files),
  };
}
