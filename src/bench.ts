import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { analyse } from './analyse/analyse.ts';
import { compare } from './analyse/compare.ts';
import { compareEarlier } from './analyse/earlier.ts';
import type { Summary } from './analyse/summary.ts';
import { type BuildOptions, buildImages, findImage, pullImage } from './build/build.ts';
import type { PullEnds } from './checkout/base.ts';
import { type Checkout, checkOut, type Source } from './checkout/checkout.ts';
import { findOther, sayOther } from './checkout/other.ts';
import type { Config } from './config/types.ts';
import { Stopped, UserError } from './errors.ts';
import type { Host } from './host.ts';
import { formatCpus } from './plan/cpus.ts';
import { describeEffort } from './plan/effort.ts';
import { plan } from './plan/plan.ts';
import { planVariants } from './plan/variants.ts';
import { streamHtml } from './report/html/render.ts';
import { renderMarkdown } from './report/markdown.ts';
import type { Duet, Measurement, Results, Search } from './results.ts';
import { type Arena, openArena } from './run/arena.ts';
import { findHyperfine, measureColdStarts } from './run/cold.ts';
import { askEngine, connectDocker, type Docker, DockerError, removeRun } from './run/docker.ts';
import { describeHost, MACHINE_SCRIPT, parseMachine } from './run/machine.ts';
import { type Output, openOutput } from './run/output.ts';
import { furnish } from './run/probe.ts';
import { assembleResults, hasFailures, type Record } from './run/record.ts';
import { type RunWorld, runPlan, type VariantOutcome } from './run/run.ts';
import { readCompose, readLogs, startServices } from './run/services.ts';
import { nameOf } from './run/target.ts';
import { sweepTemporary } from './temporary.ts';

/** The load generator, by its official name; `images:` may map it like any base image. */
export const K6_IMAGE = 'grafana/k6:1.8.1';

/** What a finished run amounts to. */
export interface Bench {
  results: Results;
  /** What the reports say of them. */
  summary: Summary;
  /** The output folder. */
  out: string;
  exitCode: 0 | 1 | 3 | 130 | 143;
}

/** Who calls, and how to tell them what happens. */
export interface Caller {
  version: string;
  /** Folder with runtimes/, scenarios/ and apps/. */
  packageRoot: string;
  /** As typed, for 'how to repeat this'. */
  command: readonly string[];
  /** Something that stays on the screen. */
  say(line: string): void;
  /** What runs now, how much of the load is done (0…1), seconds left. */
  at(what: string, share: number, left: number): void;
  /** The pull request that this is about, for `compare-to: base`. */
  pull?: PullEnds | null;
  /** The branch that `compare-to: base` starts from where there is no pull request. */
  branch?: string | null;
  /** The run's id, as soon as there is one: who finds us dead can clean up by it. */
  began?(run: string): void;
}

/**
 * The main job: plan, build, run, analyse, report. Cleans up, whatever happens.
 * Throws UserError or Stopped before there is anything to keep; from then on it returns what was measured.
 */
export async function runBench(asked: Config, host: Host, caller: Caller): Promise<Bench> {
  const docker = connectDocker(host);
  const stop = new AbortController();
  const forget = host.onSignal((signal) => stop.abort(new Stopped(signal)));
  const { signal } = stop;
  const { say } = caller;
  const startedMs = host.now();
  const runId = makeRunId(startedMs);
  caller.began?.(runId);
  let arena: Arena | null = null;
  let opened: Output | null = null;
  try {
    // What it refuses is known before anything starts.
    planVariants(asked);
    const engine = await askEngine(docker);
    const found = await findOther(asked, {
      ...{
        host,
        packageRoot: caller.packageRoot,
        pull: caller.pull ?? null,
        branch: caller.branch ?? null,
        signal,
      },
      findImage: (name) => findImage(docker, name, { say, signal }),
    });
    const config = found ? { ...asked, other: found.other } : asked;
    planVariants(config);
    if (found) say(`comparing with ${sayOther(found.other)}`);
    for (const { message } of found?.notes ?? []) say(message);
    const servicesWorld = { docker, host, run: runId, config, signal, say };
    const compose = config.services && (await readCompose(servicesWorld, config.services));
    const hyperfine = config.coldStart ? await findHyperfine(host) : null;
    const k6Image = await getK6(docker, config, caller, signal);
    const owner = `by ${userName()} on ${hostname()}, pid ${process.pid}`;
    arena = await openArena(host, docker, {
      run: runId,
      image: k6Image,
      name: nameOf(config.host),
      owner,
      wait: config.wait,
      signal,
      say,
    });
    await sweepTemporary(host, say);
    const machine = parseMachine(await docker.run(['exec', arena.name, 'sh', '-c', MACHINE_SCRIPT]));
    const planned = plan(config, machine.cpus);
    for (const line of describeEffort(planned)) say(line);
    await docker.run(['container', 'update', '--cpuset-cpus', formatCpus(planned.cpus.load), arena.name]);
    await furnish(docker, arena.name, join(caller.packageRoot, 'scenarios'));
    const output = await openOutput(config.out);
    opened = output;

    const outcomes = new Map<string, VariantOutcome>();
    const measurements: Measurement[] = [];
    const duets: Duet[] = [];
    const searches: Search[] = [];
    const tool = {
      name: 'php-runtime-bench',
      version: caller.version,
      k6: await askK6Version(docker, arena),
    } as const;
    const record: Record = {
      ...{ tool, runId, command: caller.command, startedMs, config, found },
      ...{ plan: planned, outcomes, measurements, duets, searches },
      host: describeHost(machine, engine),
      built: new Map(),
      // What a run that dies leaves on the disk says so.
      stopped: 'an error or SIGKILL',
    };
    const save = () => output.write('results.json', toJson(conclude(record, host.now())));
    await save();
    try {
      const runtimes = join(caller.packageRoot, 'runtimes');
      const folders = { shared: join(runtimes, '_shared'), recipe: join(runtimes, '_app') };
      record.built = await withOtherFiles(host, found?.source ?? null, runId, signal, (otherFiles) =>
        buildImages(host, docker, planned.images, { run: runId, config, folders, signal, say, otherFiles }),
      );
      await save();
      const services =
        config.services && compose
          ? await startServices(
              { ...servicesWorld, arena: arena.name, cpus: planned.cpus, variants: planned.variants },
              compose,
              config.services,
            )
          : null;
      const loadBeganMs = host.now();
      const world: RunWorld = {
        ...{
          host,
          docker,
          arena,
          run: runId,
          config,
          plan: planned,
          outcomes,
          services,
          k6Image,
          signal,
          say,
        },
        images: record.built,
        memoryBytes: engine.memoryBytes,
        samplerScript: await readFile(join(caller.packageRoot, 'scenarios/lib/sampler.sh'), 'utf8'),
        at: (what, share) => {
          const spent = (host.now() - loadBeganMs) / 1000;
          // By the plan until there is something to go by.
          const left = share > 0.1 ? (spent / share) * (1 - share) : planned.estimatedSeconds - spent;
          caller.at(what, share, Math.max(0, left));
        },
        warn: (warning) => {
          record.plan = { ...planned, warnings: [...record.plan.warnings, warning] };
          say(warning.message);
        },
        keep: async (more, moreDuets) => {
          measurements.push(...more);
          duets.push(...moreDuets);
          await output.append([...more, ...moreDuets]);
        },
        keepSearch: async (search) => {
          searches.push(search);
          await output.append([search]);
        },
        keepRaw: output.write,
        appendRaw: output.appendRaw,
      };
      await runPlan(world);
      if (hyperfine) await measureColdStarts(world, hyperfine);
      record.stopped = null;
    } catch (error) {
      if (!signal.aborted) {
        // Not ours to explain away, but what was measured is kept first.
        await writeReports(output, conclude(record, host.now())).catch(() => {});
        throw error;
      }
      record.stopped = (signal.reason as Stopped).signal;
      say(`${(signal.reason as Stopped).message}; what was measured is kept`);
    } finally {
      for (const [service, log] of compose ? await readLogs(servicesWorld).catch(() => []) : []) {
        await output.write(`raw/services/${service}.log`, log);
      }
    }
    const results = conclude(record, host.now());
    const summary = await writeReports(output, results);
    // With nothing measured the earlier results are back, and there is nothing of this run to show.
    if ((await endOutput(output, record.stopped === null, say)) === output.folder) throw signal.reason;
    return { results, summary, out: config.out, exitCode: exitCodeOf(results, summary, signal) };
  } catch (error) {
    if (opened) await endOutput(opened, false, say).catch(() => null);
    signal.throwIfAborted();
    throw error instanceof DockerError ? new UserError(error.message) : error;
  } finally {
    await arena?.close();
    await removeRun(docker, runId);
    forget();
  }
}

/** What the record amounts to by now: its results, compared with each other and with an earlier run. */
function conclude(record: Record, nowMs: number): Results {
  const results = assembleResults(record, nowMs);
  const earlier = record.found?.earlier;
  const comparisons = earlier ? compareEarlier(results, earlier) : [];
  return { ...results, comparisons: compare({ ...results, comparisons }) };
}

/** The other commit's files are there while images are built, and gone when they are. */
async function withOtherFiles<T>(
  host: Host,
  source: Source | null,
  run: string,
  signal: AbortSignal,
  use: (files: BuildOptions['otherFiles']) => Promise<T>,
): Promise<T> {
  if (source === null) return use(null);
  let checkout: Checkout;
  try {
    checkout = await checkOut(host, source, run, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const reason = `${source.commit.slice(0, 10)} could not be checked out: ${(error as Error).message}`;
    return use({ failure: { stage: 'build', reason, log: '' } });
  }
  try {
    return await use({ folder: checkout.folder });
  } finally {
    await checkout.remove();
  }
}

/** Ends the output folder, and says where the results of an earlier run are if they are still there. */
async function endOutput(output: Output, complete: boolean, say: Caller['say']): Promise<string | null> {
  const earlier = await output.end(complete);
  if (earlier === output.folder) say(`nothing was measured: ${earlier} keeps the results of the earlier run`);
  else if (earlier) say(`the results of the earlier run are in ${earlier}`);
  return earlier;
}

/** Everything that is derived from the measurements; `report` makes the same again from results.json. */
async function writeReports(output: Pick<Output, 'write'>, results: Results): Promise<Summary> {
  await output.write('results.json', toJson(results));
  const summary = analyse(results);
  await output.write('report.md', renderMarkdown(summary));
  await output.write('report.html', streamHtml([{ summary, measurements: results.measurements }]));
  return summary;
}

/** What could not be measured weighs more than a criterion that was missed or a gate that failed. */
function exitCodeOf(results: Results, { scenarios, gates }: Summary, signal: AbortSignal): Bench['exitCode'] {
  if (signal.aborted) return (signal.reason as Stopped).exitCode;
  if (hasFailures(results)) return 3;
  const missed = scenarios.some(({ rows }) =>
    rows.some((row) => row.sloMissed.length > 0 && !isOther(results, row.variant)),
  );
  return missed || gates.some(({ failed }) => failed) ? 1 : 0;
}

/** A criterion is the app's as it is checked out; what the other side misses is nobody's fault here. */
function isOther({ variants }: Results, id: string): boolean {
  return variants.some((variant) => variant.id === id && variant.ref !== null);
}

/** A uid without an entry in the user database, as in containers, has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

async function getK6(docker: Docker, config: Config, caller: Caller, signal: AbortSignal): Promise<string> {
  const image = config.images[K6_IMAGE] ?? K6_IMAGE;
  try {
    await pullImage(docker, image, { say: caller.say, signal });
  } catch (error) {
    signal.throwIfAborted();
    throw new UserError(`the load generator's image ${image} cannot be had`, {
      found: (error as Error).message,
      hint: `where no registry answers, map it: --image ${K6_IMAGE}=…; script/bench of a clone makes a stand-in`,
    });
  }
  return image;
}

async function askK6Version(docker: Docker, arena: Arena): Promise<string> {
  const text = await docker.run(['exec', arena.name, 'k6', 'version']);
  return /v(\d[^ ]*)/.exec(text)?.[1] ?? text.trim();
}

/** `20261121-140102-3f9a`: sorts by time, and tells two of the same second apart. */
function makeRunId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${time}-${randomBytes(2).toString('hex')}`;
}

function toJson(results: Results): string[] {
  return [JSON.stringify(results), '\n'];
}
