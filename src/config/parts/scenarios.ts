import { basename, dirname, join, resolve } from 'node:path';
import type { z } from 'zod';
import { UserError } from '../../errors.ts';
import { QUANTILES } from '../../results/quantiles.ts';
import { at, type Document, keys, readYamlFile, validate } from '../document.ts';
import type { Files } from '../files.ts';
import { displayPath, NAME, quote, SECOND, suggest, unknownWord } from '../text.ts';
import type { Journey, Load, Scenario, Slo } from '../types.ts';
import {
  booleanValue,
  durationValue,
  integerValue,
  lineValue,
  listOf,
  loadValue,
  oneOf,
  pathValue,
  sloValues,
  urlPathValue,
} from '../values.ts';
import { loadMs, scaleLoad } from './load.ts';

/** Keys that a scenario file and the configuration share; in the latter they override every chosen scenario. */
export const scenarioKeys = {
  load: loadValue.optional(),
  timeout: durationValue(1).optional(),
  // k6 runs no scenario for less than a second.
  warmup: durationValue(SECOND, { orZero: true }).optional(),
  blocks: integerValue({ min: 1, max: 10_000 }).optional(),
  'max-vus': integerValue({ min: 1, max: 100_000 }).optional(),
  reuse: booleanValue.optional(),
  slo: keys(sloValues).optional(),
};

/** `scenarios/<name>.yaml`. */
export const scenarioFile = keys({
  title: lineValue,
  journey: pathValue.optional(),
  paths: listOf(urlPathValue).optional(),
  verify: oneOf('body', 'status').optional(),
  ...scenarioKeys,
});

export type Overrides = z.infer<ReturnType<typeof keys<typeof scenarioKeys>>>;

/** A scenario as written: what it leaves out is not filled in yet. */
export interface ScenarioDraft {
  name: string;
  title: string;
  journey: Journey;
  verify?: 'status';
  overrides: Overrides;
}

/** The folders in which bundled and own files lie. */
export interface Folders {
  packageRoot: string;
  cwd: string;
  /** Other folders that may have a `.bench/`: the configuration's, the apps'. */
  besides?: readonly string[];
}

/** The files of the scenarios: name → file. A name in `broken` cannot be used, for that reason. */
type ScenarioFiles = ReadonlyMap<string, string> & { broken: ReadonlyMap<string, UserError> };

/**
 * Finds the bundled scenarios and the user's own in `.bench/scenarios/`. The user's own takes the place of a bundled one of
 * that name: ones that come later must not break a project.
 */
export function findScenarios({ packageRoot, cwd, besides = [] }: Folders, files: Files): ScenarioFiles {
  const found = new Map<string, string>();
  const broken = new Map<string, UserError>();
  // The current folder's come last, and so before all others.
  const own = [...new Set([cwd, ...besides])].map((top) => join(top, '.bench', 'scenarios'));
  for (const folder of [join(packageRoot, 'scenarios'), ...own.reverse()]) {
    const here = new Set<string>();
    for (const file of files.list(folder)) {
      const name = /^(.+)\.ya?ml$/s.exec(file)?.[1] ?? '';
      const path = join(folder, file);
      // Other names cannot be chosen. Such files have another purpose, such as `._shop.yaml` of macOS.
      if (!NAME.test(name) || files.kind(path) !== 'file' || found.get(name) === path) continue;
      if (here.has(name)) {
        const where = { name: displayPath(path, cwd) };
        broken.set(
          name,
          new UserError(`scenario '${name}' exists twice`, { where, hint: 'rename the file' }),
        );
      } else {
        here.add(name);
        found.set(name, path);
        broken.delete(name);
      }
    }
  }
  return Object.assign(found, { broken });
}

/** Reads one scenario; throws a UserError with file and line. */
export function readScenario(
  name: string,
  known: ScenarioFiles,
  { packageRoot, cwd }: Folders,
  files: Files,
): ScenarioDraft {
  const error = known.broken.get(name);
  if (error) throw error;
  const file = known.get(name);
  if (!file) throw unknownWord('scenario', name, [...known.keys()]);
  const document = readYamlFile(file, cwd, files);
  const { title, journey, paths, verify, ...overrides } = validate(
    scenarioFile,
    document,
    undefined,
    purposeOfTitle,
  );
  if ((journey === undefined) === (paths === undefined)) {
    throw new UserError(journey === undefined ? 'neither journey nor paths' : 'both journey and paths', {
      where: document.place(journey === undefined ? [] : ['journey'], 'key'),
      allowed: "one of 'journey: NAME', 'journey: ./script.js' and 'paths: [/, /api/x]'",
    });
  }
  const chosen =
    journey === undefined
      ? at(document.place(['paths']), () => pathsJourney(paths ?? []))
      : at(document.place(['journey']), () => findJourney(journey, dirname(file), packageRoot, files));
  if (!overrides.load && chosen.kind !== 'script') throw missingLoad(document);
  return { name, title, journey: chosen, ...(verify === 'status' && { verify }), overrides };
}

/** The only key that has to be there. */
const purposeOfTitle = () => "a line for reports and `list`, such as 'title: The pages of the shop'";

const missingLoad = (document: Document) =>
  new UserError("key 'load' is missing", {
    where: document.place([]),
    hint: "such as 'load: vus(8, 1s)'; only a k6 script may define its own load",
  });

export function pathsJourney(paths: readonly string[]): Journey {
  if (!paths.length || paths.length > 100) {
    throw new UserError('wrong number of paths', { found: `${paths.length}`, allowed: '1 to 100' });
  }
  const twice = paths.find((path, i) => paths.indexOf(path) !== i);
  if (twice !== undefined)
    throw new UserError('path given twice', { found: quote(twice), allowed: 'each path once' });
  return { kind: 'paths', paths };
}

/** The name of a bundled journey, or the path of a k6 script, relative to `base`. */
export function findJourney(text: string, base: string, packageRoot: string, files: Files): Journey {
  const folder = join(packageRoot, 'scenarios', 'journeys');
  const bundled = files.list(folder).flatMap((file) =>
    // paths.js is what `paths:` runs; it has no content of its own.
    file.endsWith('.js') && file !== 'paths.js' ? [basename(file, '.js')] : [],
  );
  if (bundled.includes(text)) return { kind: 'bundled', name: text, file: join(folder, `${text}.js`) };
  const file = resolve(base, text);
  if (files.kind(file) !== 'file') {
    const hint = suggest(text, bundled);
    throw new UserError('no such journey', {
      found: quote(text),
      allowed: ['the path of a k6 script', ...bundled].join(', '),
      ...(hint && { hint }),
    });
  }
  if (!/\.[cm]?[jt]s$/.test(file)) {
    throw new UserError('not a k6 script', {
      found: quote(text),
      allowed: 'a file ending in .js, .mjs, .cjs or .ts',
    });
  }
  // The name shows in tables, labels and file names.
  const name = basename(file)
    .replace(/\.[cm]?[jt]s$/, '')
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 64);
  return { kind: 'script', name: NAME.test(name) ? name : 'script', file };
}

/** Slices shorter than this are repeated, so that an instance gets some 5 s of load on each variant. */
const LOAD_PER_INSTANCE_MS = 5 * SECOND;
/** How often load that is bounded by a count is repeated: its length is not known in advance. */
const COUNTED_BLOCKS = 3;

/** Slices of each variant per instance by default. */
function defaultBlocks(load: Load | null): number {
  if (!load) return 1;
  const ms = loadMs(load);
  return ms === null ? COUNTED_BLOCKS : Math.max(1, Math.ceil(LOAD_PER_INSTANCE_MS / ms));
}

/**
 * Fills in what a scenario leaves out; `over` is what flags, inputs or the config file set for all scenarios, `share`
 * what is left of the time of a load.
 */
export function completeScenario(
  { name, title, journey, verify, overrides }: ScenarioDraft,
  over: Overrides,
  share = 1,
): Scenario {
  const load = over.load ?? overrides.load ?? null;
  if (load === null && share !== 1) {
    throw new UserError('the load of a k6 script cannot be shortened', {
      found: `scenario '${name}'`,
      hint: 'set the load with --load, or change it in the script',
    });
  }
  // The scenario's own number of blocks was chosen for its own load.
  const blocks = over.blocks ?? (over.load ? undefined : overrides.blocks) ?? defaultBlocks(load);
  const maxVus = over['max-vus'] ?? overrides['max-vus'];
  return {
    name,
    title,
    journey,
    load: load && scaleLoad(load, share),
    timeoutMs: over.timeout ?? overrides.timeout ?? 2 * SECOND,
    warmupMs: over.warmup ?? overrides.warmup ?? 2 * SECOND,
    blocks,
    ...(maxVus !== undefined && { maxVus }),
    reuse: over.reuse ?? overrides.reuse ?? true,
    slo: toSlo({ ...overrides.slo, ...over.slo }),
    ...(verify && { verify }),
  };
}

function toSlo({ ok, checks, ...times }: NonNullable<Overrides['slo']>): Slo {
  return {
    ...(ok !== undefined && { okRatio: ok }),
    ...(checks !== undefined && { checksRatio: checks }),
    ...Object.fromEntries(
      QUANTILES.flatMap((key) => (times[key] === undefined ? [] : [[`${key}Ms`, times[key]]])),
    ),
  };
}
