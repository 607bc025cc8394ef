// Writes the generated parts of docs/ (commands, settings, runtimes, base images), the inputs of action.yml and of the
// reusable workflows, and the owner of the repository wherever it is named. A unit test fails when one is stale.
//   node script/lib/docs.ts && npm run format
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { COMMANDS, type Spec } from '../../src/config/command.ts';
import { realFiles } from '../../src/config/files.ts';
import { HEADINGS } from '../../src/config/help.ts';
import type { Key } from '../../src/config/keys/key-values.ts';
import { KEY_NAMES, KEYS } from '../../src/config/keys.ts';
import { formatOwnDefaults, loadRuntimes } from '../../src/config/parts/runtimes.ts';
import type { OptionSpec, Runtime } from '../../src/config/types.ts';
import { renderDifferences } from '../../test/integration/differences.ts';
import { GENERATED_INPUTS } from './inputs.ts';
import { listFilesWithOwner, nameOwner } from './owner.ts';

const root = resolve(import.meta.dirname, '../..');

const runtimes = loadRuntimes(root, root, realFiles);

/** The page with what stands between its two markers replaced with what the manifests have. */
export function renderRuntimesPage(page: string): string {
  const parts = [...runtimes.values()].map(renderRuntime).join('\n');
  return replacePart(replacePart(page, 'runtimes', parts), 'differences', renderDifferences());
}

function replacePart(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  const [before, after] = [page.indexOf(begin), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error(`the page lacks ${begin.trim()} … ${end}`);
  return `${page.slice(0, before)}${begin}\n${text}\n${page.slice(after)}`;
}

function renderRuntime(runtime: Runtime): string {
  const { name, options, extends: base, tried } = runtime;
  const told = base === undefined ? renderOwn(runtime) : renderPreset(runtime, base);
  return [
    `### ${name}`,
    '',
    ...told,
    tried ? `Last checked with: ${tried}.` : 'Untried: it was not seen serving.',
    '',
    ...(base ? [] : renderOptions(options)),
  ].join('\n');
}

function renderOwn({
  title,
  model,
  base,
  php,
  apps,
  longLived,
  htaccess,
  requires,
  conflicts = [],
  below = {},
  stop,
  status,
  docs,
}: Runtime): string[] {
  const images = base.map((image) => `\`${image.replaceAll('{php}', 'X.Y')}\``).join(', ');
  return [
    `${title}, ${model}, ${status}. Built on ${images}, PHP ${php.join(', ')}.`,
    `Apps: ${quoteAll(apps)}${requires.length > 0 ? ` that require ${quoteAll(requires)}` : ''}${htaccess ? '; obeys `.htaccess` files' : ''}.`,
    ...(longLived ? [renderLongLived(longLived)] : []),
    ...(conflicts.length > 0 ? [`Not for apps with the extensions ${quoteAll(conflicts)}.`] : []),
    ...(Object.keys(below).length > 0 ? [renderLimits(below)] : []),
    `On ${stop.signal} a request in flight ${stop.inFlight}, within ${stop.timeoutMs / 1000} s. [Its documentation](${docs}).`,
  ];
}

function renderLongLived({ when, apps }: NonNullable<Runtime['longLived']>): string {
  const by = Object.entries(when).flatMap(([option, values]) => values.map((value) => `${option}=${value}`));
  return `Long-lived with ${quoteAll(by)}; then its apps are ${quoteAll(apps)}.`;
}

function renderLimits(below: NonNullable<Runtime['below']>): string {
  const limits = Object.entries(below).map(([name, major]) => `\`${name}\` ${major} or newer`);
  return `Not for apps with ${limits.join(', ')}, unless their kind is \`plain\` or \`psr15\`.`;
}

function quoteAll(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

function renderPreset(runtime: Runtime, base: string): string[] {
  const set = formatOwnDefaults(runtime, runtimes.get(base) as Runtime);
  return [`${runtime.title}: the image and the options of [${base}](#${base}), with \`${set}\` by default.`];
}

function renderOptions(options: Runtime['options']): string[] {
  // One that all have is listed once.
  const own = Object.entries(options).filter(([, { at }]) => at !== 'front');
  const rows = own.map(
    ([option, spec]) =>
      `| \`${option}\` | ${values(spec)} | \`${spec.default}\` | ${spec.about.replaceAll('|', '\\|')} |`,
  );
  return ['| option | values | default | sets |', '|---|---|---|---|', ...rows, ''];
}

function values({ type, min, max, values: names }: OptionSpec): string {
  switch (type) {
    case 'integer':
      return `${min ?? 0} to ${max?.toLocaleString('en') ?? 'any'}`;
    case 'boolean':
      return '`true`, `false`';
    case 'enum':
      return (names ?? []).map((name) => `\`${name}\``).join(', ');
    case 'duration':
      return 'a time, `5s`';
    case 'size':
      return 'a size, `128M`';
  }
}

/** The page about base images, with the facts of test/fixtures/bases.yaml. */
export function renderImagesPage(page: string): string {
  const bases: Record<string, Record<string, unknown>> = parse(
    readFileSync(join(root, 'test/fixtures/bases.yaml'), 'utf8'),
    { merge: true },
  );
  const rows = Object.entries(bases).map(([image, { os, user, stop, health, files, source }]) => {
    const [repository = '', rest = ''] = String(source).split('@');
    const [commit = '', path] = rest.split(':');
    const from = `[${repository}](https://github.com/${repository}/blob/${commit}/${path})`;
    const paths = (files as string[]).map((file) => `\`${file}\``).join(', ');
    const cells = [
      `\`${image.replaceAll('{php}', 'X.Y')}\``,
      os,
      user ?? 'root',
      stop ?? 'SIGTERM',
      health ? 'yes' : 'no',
      paths,
      from,
    ];
    return `| ${cells.join(' | ')} |`;
  });
  const head = [
    '| image | system | user | stop signal | health check | paths that we use | read in |',
    '|---|---|---|---|---|---|---|',
  ];
  return replacePart(page, 'bases', `${[...head, ...rows].join('\n')}\n`);
}

/** The page about commands, with those of src/config/command.ts. */
export function renderCliPage(page: string): string {
  const sections = Object.entries(COMMANDS).map(
    ([name, { usage, about, own, config, example }]: [string, Spec]) => {
      const flags = Object.entries(own).map(
        ([flag, { value, about: text }]) => `| \`--${flag}${value ? ` ${value}` : ''}\` | ${text} |`,
      );
      const rows = [
        ...flags.map((row) => row.replaceAll(/(?<=`[^`]*)\|(?=[^`]*`)/g, '\\|')),
        ...(config ? ['| [all settings](config.md) | As a flag of the same name |'] : []),
      ];
      return [
        `### ${name}`,
        '',
        `${about}.`,
        '',
        '```sh',
        `php-runtime-bench ${example}`,
        '```',
        '',
        `Usage: \`php-runtime-bench ${usage}\``,
        '',
        ...(rows.length > 0 ? ['| flag | effect |', '|---|---|', ...rows, ''] : []),
      ].join('\n');
    },
  );
  return replacePart(page, 'commands', sections.join('\n'));
}

const PLACES = { file: '`.bench.yml`', flag: 'flags', input: 'inputs of the action' };

/** The page about settings, with the keys of src/config/keys.ts. */
export function renderConfigPage(page: string): string {
  const lines = KEY_NAMES.flatMap((name) => {
    const { value, about, default: preset, only }: Key = KEYS[name];
    const escapeCell = (text: string) => text.replaceAll('|', '\\|');
    const heading = HEADINGS[name];
    const where = only ? ` Only in: ${only.map((place) => PLACES[place]).join(', ')}.` : '';
    return [
      ...(heading ? ['', `### ${heading}`, '', '| key | value | default | sets |', '|---|---|---|---|'] : []),
      `| \`${name}\` | \`${escapeCell(value ?? 'true|false')}\` | ${escapeCell(preset ?? '')} | ${escapeCell(about)}.${where} |`,
    ];
  });
  return replacePart(page, 'keys', `${lines.join('\n').trim()}\n`);
}

/** The page about GitHub, with the outputs of action.yml. */
export function renderGithubPage(page: string): string {
  const { outputs }: { outputs: Record<string, { description: string }> } = parse(
    readFileSync(join(root, 'action.yml'), 'utf8'),
  );
  const rows = Object.entries(outputs).map(([name, { description }]) => `| \`${name}\` | ${description} |`);
  return replacePart(page, 'outputs', `${['| output | value |', '|---|---|', ...rows].join('\n')}\n`);
}

/** All pages with a generated part. */
export const GENERATED: Readonly<Record<string, (page: string) => string>> = {
  'docs/cli.md': renderCliPage,
  'docs/config.md': renderConfigPage,
  'docs/github.md': renderGithubPage,
  'docs/images.md': renderImagesPage,
  'docs/runtimes.md': renderRuntimesPage,
  ...GENERATED_INPUTS,
};

if (process.argv[1] === import.meta.filename) {
  const rewrite = (name: string, render: (text: string) => string) => {
    const path = join(root, name);
    writeFileSync(path, render(readFileSync(path, 'utf8')));
  };
  for (const [name, render] of Object.entries(GENERATED)) rewrite(name, render);
  for (const name of listFilesWithOwner(root)) rewrite(name, (text) => nameOwner(text));
}
