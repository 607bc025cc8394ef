import { dirname, resolve } from 'node:path';
import { type Place, UserError } from '../../errors.ts';
import { at, type Document, documentOf, readYamlFile, validate } from '../document.ts';
import { CONFIG_FILES, type Files } from '../files.ts';
import { KEYS, type KeyName, type Values } from '../keys.ts';
import { findApp } from '../parts/apps.ts';
import { readHeaderPairs } from '../requests/headers.ts';
import { quote, readPairs, splitList, unknownWord } from '../text.ts';
import { readFlags } from './flags.ts';
import { exampleInFile, exampleOf, keysOf, schemaOf } from './key-sources.ts';
import type { Key } from './key-values.ts';

/** All that a configuration is made of. */
export interface Sources {
  /** The command line after the sub-command: `['--php', '8.4']`. */
  flags: readonly string[];
  /** Inputs of the action by key; empty ones count as not given. */
  inputs?: Readonly<Record<string, string>>;
  /** The folder from which relative paths, `.bench.yml` and `.bench/` start. */
  cwd: string;
  /** Folder with the bundled runtimes/, scenarios/ and apps/. */
  packageRoot: string;
  files?: Files;
  /** Gives 0 ≤ x < 1; for the seed. */
  random?: () => number;
}

/** Values that one source sets, checked key by key. */
export interface Layer {
  document: Document;
  values: Values;
  /** Relative paths start here. */
  base: string;
}

/** The value of a key from the source that decides. */
export interface Given<K extends KeyName> {
  value: NonNullable<Values[K]>;
  base: string;
  /** Place of the value, or of what is in it. */
  place(...path: PropertyKey[]): Place;
}

/** From the strongest to the weakest. */
export function readLayers({ flags, inputs = {}, cwd }: Sources, files: Files): Layer[] {
  const flagged = documentOf(readFlags(flags), (key) => `--${key}`);
  const entered = documentOf(readInputs(inputs), (key) => `input ${key}`);
  const layers: Layer[] = [
    { document: flagged, values: validate(schemaOf('flag'), flagged), base: cwd },
    { document: entered, values: validate(schemaOf('input'), entered), base: cwd },
  ];
  const config = find(layers, 'config');
  const names = config ? [config.value] : CONFIG_FILES;
  const name = names.find((candidate) => files.kind(resolve(cwd, candidate)) === 'file');
  if (config && !name)
    throw new UserError('no such file', {
      where: config.place(),
      found: quote(config.value),
      allowed: 'a YAML file, such as .bench.yml',
    });
  const broken = files.list(cwd).find((one) => names.includes(one));
  if (!name && broken !== undefined) {
    throw new UserError('not a file that can be read', {
      where: { name: broken },
      allowed: 'a YAML file',
      hint: 'a folder or a link to nothing has its name: remove that, or set another file with --config',
    });
  }
  if (name) {
    const path = resolve(cwd, name);
    const document = readYamlFile(path, cwd, files);
    layers.push({
      document,
      values: validate(
        schemaOf('file'),
        document,
        (key) => exampleInFile(key as KeyName),
        (key) => (key === 'runtime' ? "its name, such as 'runtime: nginx-fpm'" : undefined),
      ),
      base: dirname(path),
    });
  }
  return layers;
}

/**
 * The folders of the apps in the configuration, which may have a `.bench/`; none where the configuration has a mistake.
 * For commands that take no configuration.
 */
export function findAppFolders({ cwd, packageRoot }: Omit<Sources, 'flags'>, files: Files): string[] {
  try {
    const given = find(readLayers({ flags: [], cwd, packageRoot }, files), 'app');
    return (given?.value ?? []).map((text) => findApp(text, cwd, packageRoot, files).folder);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

/** Texts of inputs → data, by the same forms as flags; lists may stand on several lines. */
function readInputs(inputs: Readonly<Record<string, string>>): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const [name, text] of Object.entries(inputs)) {
    if (!text.trim()) continue;
    const where = { name: `input ${name}` };
    const key = keysOf('input').find((k) => k === name);
    if (!key) {
      const { message, detail } = unknownWord('input', name, keysOf('input'));
      // The runner hands on variables of the job's own under such names as well.
      const variable = `rename the variable INPUT_${name.toUpperCase()} if it is one of your job`;
      throw new UserError(message, { ...detail, where, hint: detail.hint ?? variable });
    }
    const { many } = KEYS[key] as Key;
    const lines = text.split(/\r?\n/);
    if (many === 'pairs') data[key] = at(where, () => readPairs(splitList(text), exampleOf(key)));
    else if (many === 'headers') data[key] = at(where, () => readHeaderPairs([text]));
    else if (many === 'texts') data[key] = lines.filter((line) => line.trim());
    else if (many === 'lines') data[key] = at(where, () => readPairs(lines, exampleOf(key)));
    else data[key] = text.trim();
  }
  return data;
}

/** The value that counts, and where it stands. */
export function find<K extends KeyName>(layers: readonly Layer[], key: K): Given<K> | undefined {
  for (const { values, document, base } of layers) {
    const value = values[key];
    if (value === undefined) continue;
    return { value, base, place: (...path) => document.place([key, ...path]) };
  }
  return undefined;
}

/** Maps are merged over the sources, key by key. */
export function mergeKey<K extends 'env' | 'ini' | 'slo' | 'headers'>(
  layers: readonly Layer[],
  key: K,
): NonNullable<Values[K]> {
  return Object.assign({}, ...layers.map(({ values }) => values[key] ?? {}).reverse());
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without what is not there. */
export function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
