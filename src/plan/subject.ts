import { relative, sep } from 'node:path';
import { describeNeed } from '../config/php/php-versions.ts';
import { escapeText } from '../config/text.ts';
import type { App, Config } from '../config/types.ts';

/** Describes the subject of a plan: apps with their document roots, the requested host, names of headers, and each scenario. */
export function describeSubject(
  { apps, php, host, headers, scenarios }: Pick<Config, 'apps' | 'php' | 'host' | 'headers' | 'scenarios'>,
  packageRoot: string,
): string[] {
  return [
    ...apps.map((app) => `app:       ${describeApp(app, packageRoot)}`),
    `PHP:       ${php.join(', ')}`,
    `host:      ${escapeText(host)}`,
    // Without values, which may be secrets.
    ...(headers ? [`headers:   ${escapeText(Object.keys(headers).join(', '))}`] : []),
    ...scenarios.map(({ name, journey, load, timeoutMs }) => {
      const asked = journey.kind === 'paths' ? journey.paths.join(' ') : journey.name;
      const how = load?.source ?? "the script's own load";
      return `scenario:  ${escapeText(`${name}: ${asked}; ${how}; timeout ${timeoutMs} ms`)}`;
    }),
  ];
}

function describeApp(
  { name, folder, root, makesIndex, kind, extensions, php = [] }: App,
  packageRoot: string,
): string {
  const [need] = php;
  const [top, bundled, ...deeper] = relative(packageRoot, folder).split(sep);
  if (top === 'apps' && bundled === name && deeper.length === 0) {
    return `${name}, a bundled demo; measure your own app with --app DIR`;
  }
  const built = makesIndex ? ', index.php made by the build' : '';
  return escapeText(
    [
      `${name} in ${folder}, document root ${root === '.' ? 'its top folder' : `${root}/`}${built}`,
      `kind ${kind}`,
      ...(need ? [`PHP ${describeNeed(need)}`] : []),
      ...(extensions.length > 0 ? [`extensions ${extensions.join(', ')}`] : []),
    ].join('; '),
  );
}
