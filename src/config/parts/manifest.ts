import { UserError } from '../../errors.ts';
import { at, type Document } from '../document.ts';
import { quote } from '../text.ts';
import type { OptionSpec } from '../types.ts';
import { findBaseImages } from './dockerfile.ts';

/** A manifest has to be true of the container that is started, as the contract in docs/runtimes.md has it. Pure. */

/** Keys of a runtime.yaml that have to be there, with their purpose. */
const NEEDED: Readonly<Record<string, string>> = {
  title: "its name in reports, such as 'title: nginx, php-fpm'",
  model: "'model: per-request' if each request starts the app, 'model: long-lived' if it stays in memory",
  base: "all images that the Dockerfile builds on, such as base: ['php:{php}-cli']",
  php: "versions of PHP that it supports, such as php: ['8.4', '8.5']",
  options: "its options by name; 'options: {}' if it has none",
  apps: "kinds of app that it serves, such as 'apps: [plain, symfony]'",
  stop: "how it ends, such as 'stop: { signal: SIGTERM, timeout: 10s, in-flight: finishes }'",
  signal: "the signal that stops it, such as 'signal: SIGTERM'",
  timeout: "how long it may take to stop, such as 'timeout: 10s'",
  'in-flight': "what becomes of a request that runs when it stops, such as 'in-flight: finishes'",
  status: "'status: maintained', or since when it is not",
  docs: "the address of its documentation, such as 'docs: https://example.org'",
  defaults: "the options that it changes, such as 'defaults: { workers: 32 }'",
  type: "'type: integer', boolean, enum, duration or size",
  default: "the value if none is set, such as 'default: 16'",
  at: "'at: run' for an environment variable, 'at: build' for a build argument",
  env: "the name of its variable, such as 'env: WORKERS'",
  about: "a sentence for `list`, such as 'about: Worker processes.'",
};

export const purposeOfKey = (key: string): string | undefined => NEEDED[key];

type Declared = Pick<OptionSpec, 'type' | 'env' | 'default'>;

/** Reserved variables: every container and every build gets them, or has them from its image. */
const OURS = ['PORT', 'DOCROOT', 'APP_KIND', 'BACKEND_PORT', 'PHP_VERSION', 'EXTENSIONS', 'PATH', 'HOME'];

/** The options of `common_options` in runtimes/_shared/options.sh: the same everywhere, so that runtimes can be compared. */
export const COMMON_OPTIONS: Readonly<Record<string, Declared>> = {
  workers: { type: 'integer', env: 'WORKERS', default: 16 },
  'max-requests': { type: 'integer', env: 'MAX_REQUESTS', default: 0 },
  'keep-alive': { type: 'duration', env: 'KEEP_ALIVE', default: '5s' },
  gzip: { type: 'boolean', env: 'GZIP', default: false },
  'access-log': { type: 'boolean', env: 'ACCESS_LOG', default: false },
  'memory-limit': { type: 'size', env: 'MEMORY_LIMIT', default: '128M' },
  jit: { type: 'enum', env: 'JIT', default: 'off' },
};

/** Each option has a variable to itself, and a common one is what it is everywhere. Errors: UserError with file and line. */
export function checkOptions(options: Readonly<Record<string, Declared>>, document: Document): void {
  const owners = new Map(Object.entries(COMMON_OPTIONS).map(([option, { env }]) => [env, option]));
  for (const [option, spec] of Object.entries(options)) {
    at(document.place(['options', option, 'env']), () => checkVariable(option, spec.env, owners));
    owners.set(spec.env, option);
    const common = COMMON_OPTIONS[option];
    if (!Object.hasOwn(COMMON_OPTIONS, option) || !common) continue;
    for (const part of ['type', 'env', 'default'] as const) {
      if (spec[part] === common[part]) continue;
      throw new UserError(`option '${option}': ${part} differs from the common option`, {
        where: document.place(['options', option, part]),
        found: quote(String(spec[part])),
        allowed: String(common[part]),
        ...(part === 'default' && { hint: "only a runtime that 'extends' this one can change defaults" }),
      });
    }
  }
}

function checkVariable(option: string, env: string, owners: ReadonlyMap<string, string>): void {
  if (OURS.includes(env) || env.startsWith('BENCH_')) {
    throw new UserError(`option '${option}': this variable is reserved`, {
      found: quote(env),
      allowed: `any except ${OURS.join(', ')} and BENCH_…`,
    });
  }
  const owner = owners.get(env);
  if (owner === undefined || owner === option) return;
  throw new UserError(`option '${option}': this variable belongs to the option '${owner}'`, {
    found: quote(env),
    allowed: 'a variable for each option',
  });
}

/**
 * `base` names exactly the images that the Dockerfile builds on: their digests are recorded as those of the runtime. A
 * Dockerfile whose images are not known before it is built is taken as it is.
 */
export function checkBases(
  base: readonly string[],
  options: Readonly<Record<string, Pick<OptionSpec, 'env' | 'at'>>>,
  dockerfile: string,
  document: Document,
): void {
  const unknown = Object.values(options).flatMap(({ at: when, env }) => (when === 'build' ? [env] : []));
  const images = findBaseImages(dockerfile, { PHP_VERSION: '{php}' }, unknown);
  if (images === null) return;
  const missing = images.find((image) => !base.includes(image));
  const extra = base.findIndex((image) => !images.includes(image));
  if (missing === undefined && extra < 0) return;
  throw new UserError(
    missing === undefined
      ? 'base: the Dockerfile does not build on this image'
      : 'base: the Dockerfile builds on an image that is not listed here',
    {
      where: document.place(['base', ...(extra < 0 ? [] : [extra])]),
      found: missing === undefined ? quote(base[extra] ?? '') : base.join(', '),
      allowed: images.join(', '),
      hint: 'list each image of FROM, COPY --from and --mount=from=, with {php} instead of PHP_VERSION',
    },
  );
}
