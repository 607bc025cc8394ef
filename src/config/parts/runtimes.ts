import { join } from 'node:path';
import type { z } from 'zod';
import { UserError } from '../../errors.ts';
import { at, type Document, keys, readYamlFile, record, scalar, validate } from '../document.ts';
import type { Files } from '../files.ts';
import { parseOptionValue, type Runtimes } from '../keys/choices.ts';
import { displayPath, parseImage, refuse, unknownWord } from '../text.ts';
import type { AppKind, OptionSpec, Runtime } from '../types.ts';
import { booleanValue, durationValue, integerValue, lineValue, listOf, oneOf, phpValue } from '../values.ts';
import { checkBases, checkOptions, purposeOfKey } from './manifest.ts';

const bound = integerValue({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }).optional();

const optionSpec = keys({
  type: oneOf('integer', 'boolean', 'enum', 'duration', 'size'),
  default: lineValue,
  min: bound,
  max: bound,
  values: listOf(lineValue).optional(),
  at: oneOf('run', 'build'),
  env: scalar(
    (text) => {
      if (/^[A-Z][A-Z0-9_]{0,63}$/.test(text)) return text;
      throw refuse('not a name of a variable', text, 'capitals, digits and _');
    },
    { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' },
  ),
  about: lineValue,
});

const optionName = (text: string) => {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(text))
    throw refuse('not a name of an option', text, 'small letters, digits and -');
};

const packageName = (text: string) => {
  if (!/^[a-z0-9][a-z0-9._-]*\/[a-z0-9][a-z0-9._-]*$/.test(text))
    throw refuse('not a name of a package', text, 'vendor/name in small letters');
};

const KINDS: readonly AppKind[] = ['plain', 'psr15', 'symfony', 'laravel', 'lumen'];
const appKind = oneOf<AppKind>(...KINDS);

/** `runtime.yaml`. */
export const manifest = keys({
  title: lineValue,
  model: oneOf('per-request', 'long-lived'),
  base: listOf(scalar((text) => parseImage(text, { template: true }), { type: 'string' })),
  php: listOf(phpValue, { type: ['string', 'number'] }),
  options: record(optionName, optionSpec),
  apps: listOf(appKind),
  'long-lived': keys({ when: record(optionName, listOf(lineValue)), apps: listOf(appKind) }).optional(),
  requires: listOf(lineValue).optional(),
  conflicts: listOf(lineValue).optional(),
  below: record(packageName, integerValue({ min: 1, max: 99_999 })).optional(),
  htaccess: booleanValue.optional(),
  'extra-variables': listOf(lineValue).optional(),
  'missing-variables': listOf(lineValue).optional(),
  'server-port': integerValue({ min: 1, max: 65535 }).optional(),
  'worker-per-connection': booleanValue.optional(),
  profile: booleanValue.optional(),
  unprofiled: listOf(appKind).optional(),
  elastic: record(optionName, listOf(lineValue)).optional(),
  'loses-requests': record(optionName, listOf(lineValue)).optional(),
  stop: keys({
    signal: scalar(
      (text) => {
        if (/^SIG[A-Z0-9]{2,10}$/.test(text)) return text;
        throw refuse('not a signal', text, 'a name such as SIGTERM');
      },
      { type: 'string', pattern: '^SIG[A-Z0-9]+$' },
    ),
    timeout: durationValue(),
    'in-flight': lineValue,
  }),
  status: lineValue,
  tried: lineValue.optional(),
  docs: scalar(
    (text) => {
      if (/^https?:\/\/[^\s/]+\S*$/.test(text) && URL.canParse(text)) return text;
      throw refuse('not a URL', text, 'address of the upstream documentation, https://…');
    },
    { type: 'string', pattern: '^https?://\\S+$' },
  ),
});

/** `runtime.yaml` of a runtime that is another one under a name of its own, with other defaults. */
export const preset = keys({
  extends: lineValue,
  title: lineValue,
  defaults: record(optionName, lineValue),
  tried: lineValue.optional(),
});

/**
 * Reads the manifests of all runtimes, by name: the bundled ones and the user's own in `.bench/runtimes/`, in the current
 * folder and `besides`. One of the user's own that is wrong blocks itself alone: why is in `broken`. Errors: UserError with
 * file and line, in a bundled one.
 */
export function loadRuntimes(
  packageRoot: string,
  cwd: string,
  files: Files,
  besides: readonly string[] = [],
): Runtimes & Map<string, Runtime> {
  const broken = new Map<string, UserError>();
  const bundled = join(packageRoot, 'runtimes');
  const read = (name: string, around: string, action: () => void) => {
    try {
      action();
    } catch (error) {
      if (around === bundled || !(error instanceof UserError)) throw error;
      broken.set(name, error);
    }
  };
  const folders = new Map<string, Folder & { around: string }>();
  for (const around of [bundled, ...[cwd, ...besides].map((top) => join(top, '.bench', 'runtimes'))]) {
    for (const name of files.list(around)) {
      const path = join(around, name);
      if (name.startsWith('_') || name.startsWith('.') || files.kind(path) !== 'folder') continue;
      const twin = folders.get(name);
      if (twin?.path === path) continue;
      read(name, around, () => {
        if (twin) {
          throw new UserError(`runtime '${name}' exists twice`, {
            where: { name: displayPath(path, cwd) },
            hint: 'rename the folder',
          });
        }
        folders.set(name, { ...openFolder(name, path, cwd, files), around });
      });
    }
  }
  const front = readBeside('front-nginx', '_front', packageRoot, cwd, files);
  const counter = readBeside('instructions', '_instructions', packageRoot, cwd, files);
  const found = new Map<string, Runtime>();
  for (const isPreset of [false, true]) {
    for (const folder of [...folders.values()].filter((one) => one.isPreset === isPreset)) {
      read(folder.name, folder.around, () => {
        const runtime = isPreset
          ? readPreset(folder, found, broken)
          : withCompanions(readRuntime(folder), front, counter);
        found.set(folder.name, runtime);
      });
    }
  }
  const inOrder = [...folders.keys()].flatMap((name): [string, Runtime][] => {
    const runtime = found.get(name);
    return runtime ? [[name, runtime]] : [];
  });
  return Object.assign(new Map(inOrder), { broken });
}

/** Reads a companion, which has a folder like a runtime: nginx in front, or the image that counts instructions. */
function readBeside(
  name: string,
  folder: string,
  packageRoot: string,
  cwd: string,
  files: Files,
): Runtime | null {
  const path = join(packageRoot, 'runtimes', folder);
  if (files.kind(path) !== 'folder') return null;
  return readRuntime(openFolder(name, path, cwd, files));
}

const FRONT: OptionSpec = {
  type: 'enum',
  values: ['none', 'nginx'],
  default: 'none',
  at: 'front',
  env: 'BENCH_FRONT',
  about: 'Proxy in front, in its own container: nginx passes all requests on.',
};

function withCompanions(given: Runtime, front: Runtime | null, counter: Runtime | null): Runtime {
  const runtime = counter === null ? given : { ...given, counter };
  if (front === null || Object.hasOwn(runtime.options, 'front')) return runtime;
  return { ...runtime, front, options: { ...runtime.options, front: FRONT } };
}

interface Folder {
  name: string;
  path: string;
  document: Document;
  /** Empty where it has none. */
  dockerfile: string;
  isPreset: boolean;
}

function openFolder(name: string, path: string, cwd: string, files: Files): Folder {
  const where = { name: displayPath(path, cwd) };
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new UserError('not a name of a runtime', {
      where,
      found: name,
      allowed: 'a folder named with small letters, digits and -',
    });
  }
  const has = (part: string) => files.kind(join(path, part)) === 'file';
  const missing = (part: string) =>
    new UserError(`runtime '${name}' has no ${part}`, { where, hint: 'see docs/runtimes.md' });
  if (!has('runtime.yaml')) throw missing('runtime.yaml');
  const document = readYamlFile(join(path, 'runtime.yaml'), cwd, files);
  const isPreset = Object.hasOwn(Object(document.data), 'extends');
  if (!isPreset && !has('Dockerfile')) throw missing('Dockerfile');
  if (isPreset && has('Dockerfile')) {
    throw new UserError(`runtime '${name}' has both a Dockerfile and 'extends'`, {
      where: document.place(['extends'], 'key'),
      hint: "a runtime with 'extends' uses the image of the other one",
    });
  }
  const dockerfile = files.read(join(path, 'Dockerfile')) ?? '';
  return { name, path, document, dockerfile, isPreset };
}

function readRuntime({ name, path, document, dockerfile }: Folder): Runtime {
  const parsed = validate(manifest, document, undefined, purposeOfKey);
  const { stop, options, elastic = {}, tried, htaccess, requires = [], conflicts, below, ...more } = parsed;
  const { 'long-lived': longLived, 'extra-variables': extraVariables, ...others } = more;
  const {
    'worker-per-connection': workerPerConnection,
    'server-port': serverPort,
    'missing-variables': missingVariables,
    'loses-requests': losesRequests,
    profile,
    unprofiled,
    ...rest
  } = others;
  const checkNames = (named: object, ...path: string[]) => {
    for (const option of Object.keys(named)) {
      at(document.place([...path, option]), () => {
        if (!Object.hasOwn(options, option)) throw unknownWord('option', option, Object.keys(options));
      });
    }
  };
  checkNames(elastic, 'elastic');
  checkNames(losesRequests ?? {}, 'loses-requests');
  checkNames(longLived?.when ?? {}, 'long-lived', 'when');
  const complete = Object.fromEntries(
    Object.entries(options).map(([option, spec]) => [
      option,
      at(document.place(['options', option, 'default']), () => completeOption(option, spec)),
    ]),
  );
  checkOptions(complete, document);
  checkBases(rest.base, complete, dockerfile, document);
  return {
    name,
    folder: path,
    ...rest,
    ...(tried !== undefined && { tried }),
    requires,
    ...(conflicts && { conflicts }),
    ...(below && { below }),
    ...(longLived && { longLived }),
    ...(htaccess !== undefined && { htaccess }),
    ...(extraVariables && { extraVariables }),
    ...(missingVariables && { missingVariables }),
    ...(losesRequests && { losesRequests }),
    ...(serverPort !== undefined && { serverPort }),
    ...(workerPerConnection !== undefined && { workerPerConnection }),
    ...(profile === false ? { unprofiled: KINDS } : unprofiled && { unprofiled }),
    elastic,
    options: complete,
    stop: { signal: stop.signal, timeoutMs: stop.timeout, inFlight: stop['in-flight'] },
  };
}

/** All is as in the runtime that it extends, the image above all, except for its name, title and defaults. */
function readPreset(
  { name, document }: Folder,
  built: ReadonlyMap<string, Runtime>,
  broken: ReadonlyMap<string, UserError>,
): Runtime {
  const { title, defaults, tried, ...rest } = validate(preset, document, undefined, purposeOfKey);
  const { tried: _, ...base } = at(document.place(['extends']), () => {
    const found = built.get(rest.extends);
    const why = broken.get(rest.extends);
    const extensible = [...built.values()].flatMap((one) => (one.extends === undefined ? one.name : []));
    if (!found && why) throw why;
    if (!found || found.extends !== undefined)
      throw unknownWord('runtime to extend', rest.extends, extensible);
    return found;
  });
  const options = { ...base.options };
  for (const [option, text] of Object.entries(defaults)) {
    at(document.place(['defaults', option]), () => {
      const spec = Object.hasOwn(options, option) ? options[option] : undefined;
      if (!spec) throw unknownWord(`option of '${base.name}'`, option, Object.keys(options));
      options[option] = { ...spec, default: parseOptionValue(option, spec, text) };
    });
  }
  return { ...base, name, title, options, extends: base.name, ...(tried !== undefined && { tried }) };
}

/** The defaults of a runtime that differ from those of the one that it extends: `workers=80,pm=dynamic`. */
export function formatOwnDefaults({ options }: Runtime, base: Runtime): string {
  return Object.entries(options)
    .filter(([option, spec]) => spec.default !== base.options[option]?.default)
    .map(([option, spec]) => `${option}=${spec.default}`)
    .join(',');
}

function completeOption(name: string, spec: z.infer<typeof optionSpec>): OptionSpec {
  const { min, max, values, default: preset, ...rest } = spec;
  if (spec.type === 'enum' && !values?.length) {
    throw new UserError(`option '${name}' has no values`, { allowed: 'values: [one, other] for type enum' });
  }
  if (min !== undefined && max !== undefined && min > max)
    throw new UserError(`option '${name}': min is above max`, { found: `min: ${min}, max: ${max}` });
  const whole: OptionSpec = {
    ...rest,
    default: preset,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(values && { values }),
  };
  return { ...whole, default: parseOptionValue(name, whole, preset) };
}
