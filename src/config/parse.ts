import { join, resolve } from 'node:path';
import { type Place, UserError } from '../errors.ts';
import { at } from './document.ts';
import { readLoadFrom } from './engine-key.ts';
import { type Files, realFiles } from './files.ts';
import { checkDistinct, choose, parseChoices } from './keys/choices.ts';
import { readCounters } from './keys/count-key.ts';
import { checkEnv } from './keys/env.ts';
import { readGates, toCheck, VARIANT_KEYS } from './keys/fail-on.ts';
import { readImages } from './keys/images.ts';
import { defined, find, type Given, type Layer, mergeKey, readLayers, type Sources } from './keys/layers.ts';
import { readServices } from './keys/services-key.ts';
import { expandTune } from './keys/tune-key.ts';
import { KEYS, type KeyName } from './keys.ts';
import { checkAppNames, describeApp, findApp, findDevPackages } from './parts/apps.ts';
import { checkExtensions, checkFit } from './parts/fit.ts';
import { findHtaccess } from './parts/htaccess.ts';
import { checkRates } from './parts/load.ts';
import { checkRoot, guessRoot, hasApp } from './parts/roots.ts';
import { loadRuntimes } from './parts/runtimes.ts';
import {
  completeScenario,
  type Folders,
  findJourney,
  findScenarios,
  type Overrides,
  pathsJourney,
  readScenario,
  type ScenarioDraft,
} from './parts/scenarios.ts';
import { findPhpNeeds } from './php/needs.ts';
import { readPhp } from './php/php-versions.ts';
import { isBoolean, parseBoolean, quote } from './text.ts';
import type {
  App,
  CompareOptions,
  Config,
  Journey,
  RunOptions,
  Runtime,
  RuntimeChoice,
  Scenario,
} from './types.ts';

export type { Sources } from './keys/layers.ts';

/**
 * Validates everything once: flag over input over file over default. Reads files, changes nothing.
 * Throws a UserError that names where the first problem stands, what was found and what is allowed.
 */
export function parseConfig(sources: Sources): Config {
  const { cwd, files = realFiles } = sources;
  const layers = readLayers(sources, files);
  const run = readRun(layers, sources, files);
  const out = find(layers, 'out');
  const gates = readGates(layers, run.scenarios);
  return {
    ...run,
    ...readCompare(layers),
    ...gates,
    ...readCounters(layers, { ...run, ...gates }),
    out: out ? readOut(out, files) : resolve(cwd, 'bench-results'),
  };
}

/** Reads the options of a run. */
function readRun(layers: readonly Layer[], sources: Sources, files: Files): RunOptions {
  const { cwd, packageRoot, random = Math.random } = sources;
  const value = <K extends KeyName>(key: K) => find(layers, key)?.value;
  const apps = readApps(layers, cwd, packageRoot, files);
  // Beside the configuration and in the apps, too, from wherever it is run.
  const besides = [...layers.map(({ base }) => base), ...apps.map(({ folder }) => folder)];
  const known = loadRuntimes(packageRoot, cwd, files, besides);
  const tune = find(layers, 'tune');
  const given = find(layers, 'runtimes');
  const chosen = readRuntimes(given, known);
  const runtimes = tune ? at(tune.place(), () => expandTune(chosen, tune.value, known)) : chosen;
  const php = readPhp(find(layers, 'php'), apps, runtimes);
  checkFit(apps, runtimes, given?.place());
  checkExtensions(apps, runtimes, files);
  const scenarios = readScenarios(layers, apps, { packageRoot, cwd, besides }, files);
  const env = readEnvironment(layers, runtimes);
  const headers = mergeKey(layers, 'headers');
  const budgetMs = readBudget(layers);
  return {
    ...{ apps, runtimes, php, scenarios, env },
    ...defined({
      budgetMs,
      instances: value('instances'),
      durationScale: value('duration-scale'),
      serverCpus: value('server-cpus'),
      frontCpus: value('front-cpus'),
      loadCpus: value('load-cpus'),
      mask: value('mask'),
      memoryBytes: value('memory'),
      buildCache: value('build-cache'),
      loadFrom: readLoadFrom(value('load-engines'), value('load-address')),
      setUp: value('set-up'),
    }),
    host: value('host') ?? KEYS.host.default,
    ...(Object.keys(headers).length > 0 && { headers }),
    seed: value('seed') ?? Math.floor(random() * 2 ** 32),
    images: readImages(layers, files),
    ...readServices(layers, files),
    ...readEngines(layers),
    prepare: value('prepare') ?? [],
    ...(value('same-answers') === 'warn' && { sameAnswers: 'warn' }),
    ...(value('cold-start') && { coldStart: true }),
    ...(value('capacity') && { capacity: true }),
    ...readProfile(layers),
    wait: value('wait') ?? false,
  };
}

function refuseBoth(one: string, other: string, where: Place | undefined): UserError {
  const hint = other === 'load-engines' ? 'the servers would be at several addresses' : undefined;
  return new UserError(`\`${one}\` and \`${other}\` cannot be combined`, {
    ...(where && { where }),
    ...(hint !== undefined && { hint }),
  });
}

/** For these keys the strongest source that sets any of them decides. */
function readEngines(layers: readonly Layer[]): Pick<RunOptions, 'engine' | 'engines' | 'registry'> {
  const layer = layers.find(({ values }) => values.engine ?? values.engines);
  const { engine, engines = [] } = layer?.values ?? {};
  const where = layer?.document.place(['engines'], 'key');
  if (engines.length > 0 && engine !== undefined) throw refuseBoth('engines', 'engine', where);
  const [shard, loadEngines] = [find(layers, 'shard'), find(layers, 'load-engines')];
  if (engines.length > 0 && shard) throw refuseBoth('engines', 'shard', where);
  if (engines.length > 0 && loadEngines) throw refuseBoth('engines', 'load-engines', where);
  if (shard && shard.value.of > 1 && loadEngines) throw refuseBoth('shard', 'load-engines', shard.place());
  const [first] = engines;
  const registry = find(layers, 'registry');
  if (engines.length > 1) return { engines, ...(registry && { registry: registry.value }) };
  if (registry) {
    throw new UserError('`registry` needs several `engines`, which share images', {
      ...{ where: registry.place(), hint: '--engines box-a,box-b' },
    });
  }
  return engine === undefined && first === undefined ? {} : { engine: engine ?? (first as string) };
}

/** Reads the options of a comparison. */
function readCompare(layers: readonly Layer[]): CompareOptions {
  const compareTo = find(layers, 'compare-to');
  const reference = find(layers, 'reference');
  return {
    ...(compareTo && {
      compareTo: {
        given: compareTo.value,
        path: resolve(compareTo.base, compareTo.value),
        where: compareTo.place(),
      },
    }),
    ...(reference && {
      reference: { name: reference.value, ...toCheck(layers, 'reference', VARIANT_KEYS, reference.place()) },
    }),
    ...defined({ tune: find(layers, 'tune')?.value.option, shard: find(layers, 'shard')?.value }),
  };
}

/** `true` is all, and `false` takes back what a weaker source sets. */
function readProfile(layers: readonly Layer[]): Pick<RunOptions, 'profile'> {
  const given = find(layers, 'profile');
  if (!given) return {};
  const [word = '', ...more] = given.value;
  const words = more.length === 0 && isBoolean(word) ? [`${parseBoolean(word)}`] : given.value;
  if (words.length === 0 || words.includes('false')) return {};
  if (words.includes('true')) return { profile: [] };
  const where = given.place();
  return {
    profile: words.map((name) => ({ name, ...toCheck(layers, 'profile', VARIANT_KEYS, where) })),
  };
}

/** The app's environment, with its PHP settings in it. */
function readEnvironment(layers: readonly Layer[], runtimes: readonly RuntimeChoice[]): RunOptions['env'] {
  const env = mergeKey(layers, 'env');
  checkEnv(env, layers, runtimes);
  const ini = Object.entries(mergeKey(layers, 'ini')).map(([name, text]) => `${name} = ${text}`);
  return ini.length > 0 ? { ...env, BENCH_INI: ini.join('\n') } : env;
}

function readRuntimes(
  given: Given<'runtimes'> | undefined,
  known: ReadonlyMap<string, Runtime>,
): RuntimeChoice[] {
  const chosen: RuntimeChoice[] = [];
  const items = given?.value ?? [KEYS.runtimes.default];
  for (const [i, item] of items.entries()) {
    at(given?.place(i), () => {
      const choices =
        typeof item === 'string'
          ? parseChoices(item, known)
          : [
              choose(item.runtime, item.as, Object.entries(item.options ?? {}), known, (option) =>
                given?.place(i, 'options', option),
              ),
            ];
      for (const choice of choices) {
        checkDistinct(choice, chosen);
        chosen.push(choice);
      }
    });
  }
  if (!chosen.length)
    throw new UserError('no runtime', {
      ...(given && { where: given.place() }),
      allowed: [...known.keys()].join(', '),
    });
  return chosen;
}

/** Keys that are for an app of the user's own. */
const NEED_AN_APP = ['compare-to', 'prepare', 'kind', 'config'] as const satisfies KeyName[];

function readApps(layers: readonly Layer[], cwd: string, packageRoot: string, files: Files): App[] {
  const given = find(layers, 'app');
  const root = find(layers, 'root');
  const extensions = find(layers, 'extensions');
  const prepared = (find(layers, 'prepare')?.value ?? []).length > 0;
  // The bundled app is for a look at the tool: where somebody's own is meant, its numbers would pass for that one's.
  const isOurs = resolve(cwd) === resolve(packageRoot);
  const own =
    root !== undefined || (!isOurs && hasApp(cwd, files)) || NEED_AN_APP.some((key) => find(layers, key));
  const texts = given?.value ?? [own ? '.' : 'plain'];
  const apps = texts.map((text, i) =>
    at(given?.place(i), () => {
      const { written, ...app } = findApp(text, given?.base ?? cwd, packageRoot, files);
      const { folder } = app;
      const place = root
        ? at(root.place(), () => checkRoot(folder, root.value, prepared, files))
        : guessRoot(folder, written, files);
      const htaccess = findHtaccess(folder, place.root, files, find(layers, 'paths')?.value);
      const devPackages = findDevPackages(folder, files);
      const php = findPhpNeeds(folder, mergeKey(layers, 'env'), files);
      return {
        ...app,
        ...describeApp(folder, files, { kind: find(layers, 'kind')?.value, extensions: extensions?.value }),
        ...{ ...place, ...(htaccess && { htaccess }), ...(devPackages.length > 0 && { devPackages }) },
        ...(php.length > 0 && { php }),
      };
    }),
  );
  at(given?.place(), () => checkAppNames(apps));
  if (!apps.length) throw new UserError('no app', { ...(given && { where: given.place() }) });
  return apps;
}

const OVERRIDES = ['load', 'timeout', 'warmup', 'blocks', 'max-vus', 'reuse'] as const satisfies KeyName[];

function readScenarios(
  layers: readonly Layer[],
  apps: readonly App[],
  folders: Folders,
  files: Files,
): Scenario[] {
  const known = findScenarios(folders, files);
  const read = (name: string) => readScenario(name, known, folders, files);
  // `scenarios`, `paths` and `journey` all choose what to run: the strongest source that sets any of them decides.
  const layer = layers.find(({ values }) => values.scenarios ?? values.paths ?? values.journey);
  const drafts: ScenarioDraft[] = [];
  if (layer) {
    const { document, values, base } = layer;
    const { scenarios = [], paths, journey } = values;
    drafts.push(...scenarios.map((name, i) => at(document.place(['scenarios', i]), () => read(name))));
    if (paths) {
      const chosen = at(document.place(['paths']), () => pathsJourney(paths));
      drafts.push(draftPaths(paths, chosen, read(KEYS.scenarios.default)));
    }
    if (journey !== undefined) {
      const chosen = at(document.place(['journey']), () =>
        findJourney(journey, base, folders.packageRoot, files),
      );
      const { overrides } = chosen.kind === 'script' ? { overrides: {} } : read(KEYS.scenarios.default);
      drafts.push({
        name: 'name' in chosen ? chosen.name : 'journey',
        title: journey,
        journey: chosen,
        overrides,
      });
    }
    for (const [i, { name }] of drafts.entries()) {
      if (drafts.findIndex((other) => other.name === name) !== i) {
        throw new UserError('scenario given twice', {
          where: document.place(['scenarios', i]),
          found: quote(name),
        });
      }
    }
    if (!drafts.length)
      throw new UserError('the list of scenarios is empty', { where: document.place(['scenarios']) });
  } else {
    const preset = read(KEYS.scenarios.default);
    // Other apps rarely have the URLs of the bundled app, but they have a start page.
    const isOwn = apps.some(({ folder }) => folder !== join(folders.packageRoot, 'apps', 'plain'));
    drafts.push(isOwn ? draftPaths(['/'], pathsJourney(['/']), preset) : preset);
  }
  const over: Overrides = { slo: mergeKey(layers, 'slo') };
  for (const key of OVERRIDES) Object.assign(over, { [key]: find(layers, key)?.value });
  const share = find(layers, 'duration-scale');
  const scenarios = at(share?.place(), () =>
    drafts.map((draft) => completeScenario(draft, over, share?.value)),
  );
  // A limit in a file may be for the file's load or search, where a stronger source has another.
  const limiting = layers.findIndex(({ values }) => values['max-vus'] !== undefined);
  const isOverridden = layers
    .slice(0, limiting)
    .some(({ values }) => LIMITED.some((key) => values[key] !== undefined));
  if (limiting >= 0 && !isOverridden && !find(layers, 'capacity')?.value)
    at(find(layers, 'max-vus')?.place(), () => checkRates(scenarios));
  return scenarios;
}

/** Keys that `max-vus` may be a limit for. */
const LIMITED = ['load', 'scenarios', 'paths', 'journey', 'capacity'] as const;

/** With the load of a scenario; its timeout was chosen for another page. */
function draftPaths(paths: readonly string[], journey: Journey, preset: ScenarioDraft): ScenarioDraft {
  const { timeout: _, ...overrides } = preset.overrides;
  return { ...preset, overrides, name: 'paths', title: paths.join(' '), journey };
}

/**
 * A budget plans instances and blocks itself. The strongest source that sets any of the three decides whether there is one.
 * A budget with one of the others from one source is a mistake.
 */
function readBudget(layers: readonly Layer[]): number | undefined {
  const layer = layers.find(({ values }) => values.budget ?? values.instances ?? values.blocks);
  const budget = layer?.values.budget;
  if (layer === undefined || budget === undefined) return undefined;
  const other = (['instances', 'blocks'] as const).find((key) => layer.values[key] !== undefined);
  if (other) {
    throw new UserError(`\`budget\` and \`${other}\` cannot be combined`, {
      where: layer.document.place([other], 'key'),
      allowed: `one of them: \`budget\` sets instances and blocks for you`,
    });
  }
  return budget;
}

function readOut({ value, base, place }: Given<'out'>, files: Files): string {
  const out = resolve(base, value);
  if (files.kind(out) === 'file') {
    throw new UserError('a file with this name exists', {
      where: place(),
      found: quote(value),
      allowed: 'a directory, or a new path',
    });
  }
  return out;
}
