import { realFiles } from '../config/files.ts';
import { findAppFolders } from '../config/keys/layers.ts';
import { bundledApps } from '../config/parts/apps.ts';
import { formatOwnDefaults, loadRuntimes } from '../config/parts/runtimes.ts';
import { findScenarios } from '../config/parts/scenarios.ts';
import { escapeText } from '../config/text.ts';
import type { Runtime } from '../config/types.ts';
import type { Shell } from './shell.ts';

/** `list`: runtimes, scenarios and apps, bundled and own. */
export function listParts({ packageRoot, cwd }: Shell, json: boolean): string {
  const besides = findAppFolders({ packageRoot, cwd }, realFiles);
  const found = loadRuntimes(packageRoot, cwd, realFiles, besides);
  const runtimes = [...found.values()];
  const scenarios = [...findScenarios({ packageRoot, cwd, besides }, realFiles).keys()];
  const apps = bundledApps(packageRoot, realFiles);
  if (json) {
    const told = runtimes.map(({ folder: _, front: __, counter: ___, ...rest }) => ({
      htaccess: false,
      workerPerConnection: false,
      extends: null,
      tried: null,
      ...rest,
    }));
    const broken = [...(found.broken ?? [])].map(([name, error]) => ({ name, error: error.format() }));
    return JSON.stringify({ runtimes: told, broken, scenarios, apps }, null, 2);
  }
  return [
    'runtimes',
    ...runtimes.flatMap((runtime) => describeRuntime(runtime, found.get(runtime.extends ?? ''))),
    ...[...(found.broken ?? [])].flatMap(([name, error]) => [
      `  ${escapeText(name).padEnd(19)} cannot be used:`,
      ...error
        .format()
        .split('\n')
        .map((line) => `${' '.repeat(22)}${line}`),
    ]),
    `scenarios\n  ${scenarios.join(', ')}`,
    `apps\n  ${apps.join(', ')}`,
  ].join('\n');
}

/** @param base the runtime that it extends */
function describeRuntime(runtime: Runtime, base: Runtime | undefined): string[] {
  const { name, title, model, php, status, apps, options, tried } = runtime;
  return [
    `  ${name.padEnd(19)} ${title} (${model}, PHP ${php.join(' ')}, ${status})`,
    ...[
      base ? `${base.name}[${formatOwnDefaults(runtime, base)}]` : Object.keys(options).join(', '),
      `apps: ${apps.join(', ')}; ${tried === undefined ? 'untried' : `last checked with: ${tried}`}`,
    ].map((line) => `${' '.repeat(22)}${line}`),
  ];
}
