import { chmod, copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import type { ScriptFacts } from '../../config/requests/script-facts.ts';
import { displayPath, parseDuration } from '../../config/text.ts';
import type { Scenario } from '../../config/types.ts';
import { type Docker, DockerError, earlyFlags, expectEngine, LIMITS_MS } from '../../engine/docker.ts';
import { UserError } from '../../errors.ts';
import { makeTemporary } from '../../temporary.ts';
import { envFlags, scriptEnvironment } from './k6.ts';
import { messageOf, unquoted } from './k6-log.ts';
import { findLabels } from './labels.ts';
import { ARENA_FOLDER } from './probe.ts';
import {
  collectFiles,
  expectHttp,
  filesLike,
  isFile,
  isInside,
  type ScriptFiles,
  tooManyNames,
  withBrowser,
} from './script-files.ts';

interface InspectWorld {
  docker: Docker;
  /** The run's id: what is left behind carries it. */
  run: string;
  k6Image: string;
  /** Our scenarios/. */
  scenariosFolder: string;
  cwd: string;
  /** The address of the app in a load. */
  baseUrl: string;
  signal?: AbortSignal;
}

/** A script that has not been read to its end by then has no end, s. */
const LIMIT_SECONDS = 60;
/** A line with the reason why k6 cannot go on. */
const K6_SAYS = /level=(error|fatal)/;
/** So often a file that k6 misses is added. */
const TRIES = 20;

/**
 * Looks at the users' k6 scripts before anything is built: UserError where k6 cannot read one, a file is missing or there is
 * no load. The rest of the run works with copies of the files that they take; `removeTemporary` removes them.
 */
export async function inspectScripts(
  world: InspectWorld,
  scenarios: readonly Scenario[],
): Promise<readonly Scenario[]> {
  if (!scenarios.some(({ journey }) => journey.kind === 'script')) return scenarios;
  const folder = await makeTemporary(world.run, 'script');
  const inspected: Scenario[] = [];
  for (const [i, scenario] of scenarios.entries()) {
    const { journey } = scenario;
    if (journey.kind !== 'script') inspected.push(scenario);
    else
      inspected.push({ ...scenario, script: await inspectScript(world, scenario, journey.file, folder, i) });
  }
  return inspected;
}

async function inspectScript(
  world: InspectWorld,
  { load, name, timeoutMs }: Scenario,
  file: string,
  folder: string,
  index: number,
): Promise<ScriptFacts> {
  const place = { name: displayPath(file, world.cwd) };
  const staged = join(folder, String(index));
  const container = `php-runtime-bench-${world.run}-script-${index}`;
  const { docker, signal } = world;
  const options = signal ? { signal } : {};
  const more: string[] = [];
  let files = collectFiles(file, world.cwd);
  const entry = `${index}/project/${relative(files.root, file)}`;
  await createReader(world, container, timeoutMs);
  try {
    for (let left = TRIES; ; left--) {
      await stage(world, files, staged, index, entry, load === null);
      await docker.run(['container', 'cp', `${staged}/bench`, `${container}:${dirname(ARENA_FOLDER)}`], {
        ...options,
        timeoutMs: LIMITS_MS.copy,
      });
      const start = ['container', 'start', '--attach', container];
      const found = await docker.try(start, {
        ...options,
        timeoutMs: 1000 * (LIMIT_SECONDS + 60),
      });
      signal?.throwIfAborted();
      if (found.code === 0) {
        expectHttp(files, world.cwd);
        return await readFacts(found.stdout, {
          place,
          name,
          own: load === null,
          entry,
          folder: join(staged, 'bench/user'),
          files,
        });
      }
      // Docker's words are no fault of the script.
      if (!K6_SAYS.test(found.stderr) && found.code !== 137) {
        await expectEngine(docker);
        if (found.timedOut || /^Error response from daemon/m.test(found.stderr))
          throw new DockerError(start, found);
      }
      if (found.code === 137) {
        throw new UserError('k6 did not finish reading the script', {
          where: place,
          hint: `code outside of functions must finish within ${LIMIT_SECONDS} s`,
        });
      }
      const missed = missedFile(found.stderr, files, index);
      if (missed === null || more.includes(missed)) throw refusal(found.stderr, files, file, world.cwd);
      if (left === 0) throw tooManyNames(TRIES, missed, file, world.cwd);
      more.push(...filesLike(missed, more));
      files = collectFiles(file, world.cwd, more);
    }
  } finally {
    await docker.try(['container', 'rm', '--force', '--volumes', container]);
  }
}

/** A container that lets k6 read a script, once its files are there. */
async function createReader(
  { docker, run, k6Image, baseUrl, signal }: InspectWorld,
  container: string,
  timeoutMs: number,
): Promise<void> {
  await docker.run(
    [
      ...['container', 'create', '--name', container, ...earlyFlags(run)],
      ...['--cap-drop=ALL', '--security-opt=no-new-privileges', '--user=0', '--entrypoint=timeout'],
      ...['--env', 'K6_NO_USAGE_REPORT=true', k6Image, '-s', 'KILL', String(LIMIT_SECONDS)],
      ...['k6', 'inspect', '--execution-requirements', '--address', ''],
      // Unlike `k6 run`, it keeps variables of the container from the script.
      ...envFlags(scriptEnvironment(baseUrl, 's0', timeoutMs)),
      `${ARENA_FOLDER}/${ENTRY}`,
    ],
    signal ? { signal } : {},
  );
}

/** Copies what a script takes to where `docker cp` finds it as k6 will see it. */
async function stage(
  { scenariosFolder }: InspectWorld,
  files: ScriptFiles,
  staged: string,
  index: number,
  entry: string,
  own: boolean,
): Promise<void> {
  const bench = join(staged, 'bench');
  const project = join(bench, 'user', String(index), 'project');
  const put = async (to: string, write: (to: string) => Promise<void>) => {
    await mkdir(dirname(to), { recursive: true });
    // k6 reads them as root without capabilities, which may not enter a closed folder of another user.
    for (let folder = dirname(to); isInside(folder, bench); folder = dirname(folder))
      await chmod(folder, 0o755);
    await write(to);
    await chmod(to, 0o644);
  };
  for (const file of files.files) {
    await put(join(project, relative(files.root, file)), (to) => copyFile(file, to));
  }
  for (const name of (await readdir(join(scenariosFolder, 'lib'))).filter((file) => file.endsWith('.js'))) {
    await put(join(bench, 'lib', name), (to) => copyFile(join(scenariosFolder, 'lib', name), to));
  }
  for (const file of files.ours) {
    const to = join(project, relative(files.root, file));
    if (!isInside(to, join(bench, 'user'))) continue;
    await put(to, (path) => writeFile(path, `export * from '${ARENA_FOLDER}/lib/bench.js';\n`));
  }
  const from = JSON.stringify(`../user/${entry}`);
  const outside = [
    `export const options = { ...script.options, scenarios: undefined };`,
    `if (typeof script.default !== 'function') throw new Error('${NO_DEFAULT}');`,
  ];
  const wrapper = [
    ...[`import * as script from ${from};`, `export * from ${from};`],
    ...(own ? [] : outside),
    'export default script.default;',
  ];
  await put(join(bench, ENTRY), (to) => writeFile(to, `${wrapper.join('\n')}\n`));
}

/** Beside main.js, so that k6 finds files here if it finds them in a load. */
const ENTRY = 'lib/inspect.js';
const NO_DEFAULT = 'the script needs a default function for the load of the scenario';

/** The file of the project that k6 looked for and did not find; null: it is none. */
function missedFile(stderr: string, { root }: ScriptFiles, index: number): string | null {
  const place = `${ARENA_FOLDER}/user/${index}/project/`;
  const found = new RegExp(
    `${place}([^"\\\\]+?): no such file or directory|no such file or directory \\\\"${place}([^"\\\\]+)`,
  ).exec(stderr);
  const path = found?.[1] ?? found?.[2];
  if (path === undefined) return null;
  const file = join(root, path);
  return isInside(file, root) && isFile(file) ? file : null;
}

const DEFAULT_TIMES = 'the script defines no load';

interface Read {
  place: { name: string };
  name: string;
  own: boolean;
  entry: string;
  folder: string;
  files: ScriptFiles;
}

async function readFacts(stdout: string, { place, own, entry, folder, files }: Read): Promise<ScriptFacts> {
  const options = JSON.parse(stdout.slice(stdout.indexOf('{')));
  if (own && !declaresLoad(options)) {
    throw new UserError(DEFAULT_TIMES, {
      where: place,
      found: 'neither options.scenarios nor duration, iterations or stages: k6 would make one iteration',
      hint: "set a load: --load 'vus(8, 5s)', or the key load of the scenario",
    });
  }
  const browsing = Object.entries<Options>(own ? (options.scenarios ?? {}) : {}).find(
    ([, scenario]) => scenario.options?.browser,
  );
  if (browsing) throw withBrowser(place, `options.scenarios.${browsing[0]}.options.browser`);
  const sources = files.files.filter((file) => /^\.[cm]?[jt]s$/.test(extname(file)));
  return {
    ...{ folder, entry, root: files.root },
    loadMs: own ? ownLoadMs(options) : null,
    mostMs: own ? toMs(options.totalDuration) : null,
    mostVus: own ? Number(options.maxVUs) : null,
    rates: own ? ratesOf(options) : 'none',
    thresholds: readThresholds(options.thresholds),
    labels: findLabels(await Promise.all(sources.map((file) => readFile(file, 'utf8')))),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what k6 prints is checked where it is read.
type Options = Record<string, any>;

/** Without one, k6 puts a single iteration in its place. */
function declaresLoad({ scenarios, iterations, duration, stages }: Options): boolean {
  const only = Object.keys(scenarios ?? {}).length === 1 ? scenarios.default : null;
  if (iterations !== null || duration !== null || stages !== null) return true;
  return !(only?.executor === 'per-vu-iterations' && only.iterations === null && only.maxDuration === null);
}

/** Until the last of its scenarios ends; null: iterations decide when that is. */
function ownLoadMs({ scenarios }: Options): number | null {
  const ends = Object.values(scenarios ?? {}).map((scenario) => {
    const { startTime, duration, stages, executor } = scenario as Options;
    if (/iterations$/.test(executor)) return null;
    const parts = stages ? stages.map((stage: Options) => stage.duration) : [duration];
    return [startTime, ...parts].reduce((sum: number, text: unknown) => sum + toMs(text), 0);
  });
  return ends.length > 0 && !ends.includes(null) ? Math.max(...(ends as number[])) : null;
}

function ratesOf({ scenarios }: Options): ScriptFacts['rates'] {
  const rated = Object.values(scenarios ?? {}).map((scenario) =>
    /-arrival-rate$/.test((scenario as Options).executor),
  );
  if (!rated.includes(true)) return 'none';
  return rated.includes(false) ? 'some' : 'all';
}

function toMs(text: unknown): number {
  if (typeof text !== 'string') return 0;
  // Go's fractions, as in `1.5s`, are not supported.
  return [...text.matchAll(/([\d.]+)(h|ms|m|s)/g)].reduce(
    (sum, [, number, unit]) => sum + Number(number) * parseDuration(`1${unit}`),
    0,
  );
}

const MOST_THRESHOLDS = 100;

function readThresholds(thresholds: Options | null): ScriptFacts['thresholds'] {
  return Object.entries(thresholds ?? {})
    .flatMap(([metric, conditions]) =>
      (conditions as unknown[]).map((one) => {
        const { threshold, abortOnFail } =
          typeof one === 'string' ? { threshold: one, abortOnFail: false } : (one as Options);
        return { metric, condition: String(threshold), aborts: abortOnFail === true };
      }),
    )
    .slice(0, MOST_THRESHOLDS);
}

/** k6's own words, with the place in the user's files. */
function refusal(stderr: string, files: ScriptFiles, file: string, cwd: string): UserError {
  const line = stderr.split('\n').findLast((one) => K6_SAYS.test(one)) ?? stderr.trim();
  const spec = /The moduleSpecifier "([^"]*)" couldn't be found/.exec(unquoted(line))?.[1];
  if (spec !== undefined) {
    const named = files.missing.find((missing) => missing.spec === spec);
    return new UserError(`k6 cannot find '${spec}'`, {
      where: { name: displayPath(named?.file ?? file, cwd), ...(named && { line: named.line }) },
      hint: 'imports are relative to their own file, need the file extension, and must stay in the project',
    });
  }
  const syntax = /user\/\d+\/project\/(\S+?): Line (\d+):\d+ (.*)/.exec(unquoted(line));
  if (syntax) {
    const [, path = '', at, what = ''] = syntax;
    return new UserError(`k6 cannot read the script: ${what}`, {
      where: { name: displayPath(join(files.root, path), cwd), line: Number(at) },
    });
  }
  if (line.includes(NO_DEFAULT)) {
    return new UserError(NO_DEFAULT, {
      where: { name: displayPath(file, cwd) },
      hint: 'export one, or remove `load`, so that the script uses its own',
    });
  }
  // Faults of a configuration are a list below the first line.
  const message = messageOf(line.replaceAll(':\\n\\t- ', ': ')).replace(
    /^could not initialize .*?: (could not load JS test '[^']*': )?/,
    '',
  );
  const [, path, at] = /\((\S+?):(\d+):\d+\)$/.exec(message) ?? [];
  const gone = /no such file or directory "(.*)"$/.exec(message)?.[1];
  if (gone !== undefined && !gone.startsWith(`${ARENA_FOLDER}/user/`)) {
    const named = relative(dirname(`${ARENA_FOLDER}/${ENTRY}`), gone);
    const spec = named.startsWith('.') ? named : `./${named}`;
    return new UserError(`k6 cannot open '${named}'`, {
      where: { name: displayPath(file, cwd) },
      hint: `with \`k6/experimental/fs\`, write \`open(import.meta.resolve('${spec}'))\``,
    });
  }
  const missing =
    /stat \S*\/project\/(\S+): no such file/.exec(message)?.[1] ?? gone?.replace(/^.*?\/project\//, '');
  return new UserError(missing ? `k6 cannot open '${missing}'` : `k6 cannot read the script: ${message}`, {
    where: {
      name: displayPath(path ? join(files.root, path) : file, cwd),
      ...(at && { line: Number(at) }),
    },
    ...(missing && {
      hint: `files are opened relative to ${basename(file)}, and must be in the project`,
    }),
  });
}
