import { join } from 'node:path';
import type { z } from 'zod';
import { UserError } from '../errors.ts';
import { parseOptionValue } from './choices.ts';
import { at, displayPath, keys, readYamlFile, record, scalar, validate } from './document.ts';
import type { Files } from './files.ts';
import { parseImage, refuse, unknownWord } from './text.ts';
import type { OptionSpec, Runtime } from './types.ts';
import { duration, integer, line, list, oneOf, php } from './values.ts';

const bound = integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }).optional();

const optionSpec = keys({
  type: oneOf('integer', 'boolean', 'enum', 'duration', 'size'),
  default: line,
  min: bound,
  max: bound,
  values: list(line).optional(),
  at: oneOf('run', 'build'),
  env: scalar(
    (text) => {
      if (/^[A-Z][A-Z0-9_]{0,63}$/.test(text)) return text;
      throw refuse('not a name of a variable', text, 'capitals, digits and _');
    },
    { type: 'string', pattern: '^[A-Z][A-Z0-9_]*$' },
  ),
  about: line,
});

const optionName = (text: string) => {
  if (!/^[a-z][a-z0-9-]{0,39}$/.test(text))
    throw refuse('not a name of an option', text, 'small letters, digits and -');
};

/** `runtime.yaml`. */
export const manifest = keys({
  title: line,
  model: oneOf('per-request', 'long-lived'),
  base: list(scalar((text) => parseImage(text, { template: true }), { type: 'string' })),
  php: list(php, { type: ['string', 'number'] }),
  options: record(optionName, optionSpec),
  apps: list(line),
  elastic: record(optionName, list(line)).optional(),
  stop: keys({
    signal: scalar(
      (text) => {
        if (/^SIG[A-Z0-9]{2,10}$/.test(text)) return text;
        throw refuse('not a signal', text, 'a name such as SIGTERM');
      },
      { type: 'string', pattern: '^SIG[A-Z0-9]+$' },
    ),
    timeout: duration(),
    'in-flight': line,
  }),
  status: line,
  docs: line,
});

/**
 * Reads the manifests of all runtimes: the bundled ones and the user's own in `.bench/runtimes/`, by name.
 * Throws a UserError with file and line.
 */
export function loadRuntimes(packageRoot: string, cwd: string, files: Files): Map<string, Runtime> {
  const found = new Map<string, Runtime>();
  for (const folder of [join(packageRoot, 'runtimes'), join(cwd, '.bench', 'runtimes')]) {
    for (const name of files.list(folder)) {
      const path = join(folder, name);
      if (name.startsWith('_') || name.startsWith('.') || files.kind(path) !== 'folder') continue;
      const twin = found.get(name);
      if (twin?.folder === path) continue;
      if (twin) {
        throw new UserError(`runtime '${name}' exists twice`, {
          where: { name: displayPath(path, cwd) },
          hint: 'rename the folder',
        });
      }
      found.set(name, readRuntime(name, path, cwd, files));
    }
  }
  return found;
}

function readRuntime(name: string, folder: string, cwd: string, files: Files): Runtime {
  const file = join(folder, 'runtime.yaml');
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) {
    throw new UserError('not a name of a runtime', {
      where: { name: displayPath(folder, cwd) },
      found: name,
      allowed: 'a folder named with small letters, digits and -',
    });
  }
  for (const part of ['runtime.yaml', 'Dockerfile']) {
    if (files.kind(join(folder, part)) !== 'file') {
      throw new UserError(`runtime '${name}' has no ${part}`, {
        where: { name: displayPath(folder, cwd) },
        hint: 'see docs/runtimes.md',
      });
    }
  }
  const document = readYamlFile(file, cwd, files);
  const { stop, options, elastic = {}, ...rest } = validate(manifest, document);
  for (const option of Object.keys(elastic)) {
    at(document.place(['elastic', option]), () => {
      if (!Object.hasOwn(options, option)) throw unknownWord('option', option, Object.keys(options));
    });
  }
  return {
    name,
    folder,
    ...rest,
    elastic,
    options: Object.fromEntries(
      Object.entries(options).map(([option, spec]) => [
        option,
        at(document.place(['options', option, 'default']), () => completeOption(option, spec)),
      ]),
    ),
    stop: { signal: stop.signal, timeoutMs: stop.timeout, inFlight: stop['in-flight'] },
  };
}

function completeOption(name: string, spec: z.infer<typeof optionSpec>): OptionSpec {
  const { min, max, values, default: preset, ...rest } = spec;
  if (spec.type === 'enum' && !values?.length) {
    throw new UserError(`option '${name}' has no values`, { allowed: 'values: [one, other] for type enum' });
  }
  const whole: OptionSpec = {
    ...rest,
    default: preset,
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(values && { values }),
  };
  return { ...whole, default: parseOptionValue(name, whole, preset) };
}
