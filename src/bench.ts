import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { analyse } from './analyse/analyse.ts';
import { compare } from './analyse/compare.ts';
import { compareEarlier } from './analyse/earlier.ts';
import { outcomeOf } from './analyse/outcome.ts';
import type { Summary } from './analyse/summary.ts';
import type { PullEnds } from './checkout/base.ts';
import { type Checkout, checkOut, type Source } from './checkout/checkout.ts';
import { describeHead } from './checkout/head.ts';
import { findOther, sayOther } from './checkout/other.ts';
import { type CleanUp, makeCleanUp } from './clean-up.ts';
import type { Config } from './config/types.ts';
import { type Arena, openArena } from './engine/arena.ts';
import { askEngine, connectDocker, type Docker, DockerError, removeRun } from './engine/docker.ts';
import { findImage, pullImage } from './engine/image-store.ts';
import { describeHost, MACHINE_SCRIPT, parseMachine } from './engine/machine.ts';
import { readCompose, readLogs, startServices } from './engine/services.ts';
import { type ExitCode, MachineError, readMachineError, Stopped, UserError } from './errors.ts';
import type { Host } from './host.ts';
import { type BuildOptions, buildImages } from './images/build.ts';
import { formatCpus } from './plan/cpus.ts';
import { describeEffort } from './plan/effort.ts';
import { plan } from './plan/plan.ts';
import { planVariants } from './plan/variants.ts';
import { checkedLines } from './report/checked.ts';
import { streamHtml } from './report/html/render.ts';
import { renderMarkdown } from './report/markdown.ts';
import type { Duet, Measurement, Results, Search, Variant } from './results/results.ts';
import { inspectScripts } from './run/load/inspect.ts';
import { furnish } from './run/load/probe.ts';
import { assembleResults, type Record } from './run/record.ts';
import { runPlan } from './run/run.ts';
import { findHyperfine, measureColdStarts } from './run/servers/cold.ts';
import { nameOf } from './run/servers/target.ts';
import type { Sink, VariantOutcome, World } from './run/world.ts';
import { type Output, openOutput } from './store/output.ts';
import { removeTemporary, sweepTemporary } from './temporary.ts';

/** The load generator, by its official name; `images:` may map it like any base image. */
export const K6_IMAGE = 'grafana/k6:2.2.0';

/** What a finished run amounts to. */
export interface Bench {
  results: Results;
  /** What the reports say of them. */
  summary: Summary;
  /** The output folder. */
  out: string;
  exitCode: ExitCode;
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

/** What all stages of one run share. */
interface Desk {
  host: Host;
  docker: Docker;
  caller: Caller;
  run: string;
  startedMs: number;
  /** The same by the clock that nobody sets. */
  beganMs: number;
  signal: AbortSignal;
  /** What a stage has opened it closes by this, whatever becomes of the stages after it. */
  cleanUp: CleanUp;
}

/**
 * The main job: plan, build, run, analyse, report. Cleans up, whatever happens.
 * Throws UserError or Stopped before there is anything to keep; from then on it returns what was measured.
 */
export async function runBench(asked: Config, host: Host, caller: Caller): Promise<Bench> {
  const stop = new AbortController();
  const cleanUp = makeCleanUp(caller.say);
  const forget = host.onSignal((signal) => stop.abort(new Stopped(signal)));
  cleanUp.later('stop listening to signals', forget);
  const startedMs = host.now();
  const docker = connectDocker(host);
  const desk: Desk = {
    host,
    docker,
    caller,
    run: makeRunId(startedMs),
    startedMs,
    beganMs: host.elapsed(),
    signal: stop.signal,
    cleanUp,
  };
  caller.began?.(desk.run);
  cleanUp.later('remove what the run has started', () => removeRun(docker, desk.run));
  try {
    const prepared = await prepare(desk, asked);
    const ground = await openGround(desk, prepared);
    const file = await openFile(desk, prepared, ground);
    const failure = await carryOut(desk, prepared, ground, file);
    return await finish(desk, file, failure);
  } catch (error) {
    stop.signal.throwIfAborted();
    throw failureOfMachine(error) ?? error;
  } finally {
    await cleanUp.run();
  }
}

/** All that can be known, and refused, before anything is started. */
async function prepare({ host, docker, caller, run, signal, cleanUp }: Desk, asked: Config) {
  const { say, packageRoot } = caller;
  // What it refuses is known before anything starts.
  planVariants(asked);
  const engine = await askEngine(docker);
  const found = await findOther(asked, {
    ...{ host, packageRoot, pull: caller.pull ?? null, branch: caller.branch ?? null, signal },
    findImage: (name) => findImage(docker, name, { say, signal }),
    fetches: true,
  });
  const given = found ? { ...asked, other: found.other } : asked;
  planVariants(given);
  if (found) say(`comparing with ${sayOther(found.other)}`);
  for (const { message } of found?.notes ?? []) say(message);
  const servicesWorld = { docker, host, run, config: given, signal, say };
  const compose = given.services && (await readCompose(servicesWorld, given.services));
  const hyperfine = given.coldStart ? await findHyperfine(host) : null;
  const k6Image = await getK6(docker, given, caller, signal);
  cleanUp.later('remove temporary files', () => removeTemporary(run).then(() => {}));
  const scenariosFolder = join(packageRoot, 'scenarios');
  const cwd = process.cwd();
  const config = await inspectScripts({ docker, run, k6Image, scenariosFolder, cwd, signal }, given);
  const head = await describeHead(config, host);
  return { engine, found, head, config, servicesWorld, compose, hyperfine, k6Image };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** The engine is ours from here on, and its machine is known. */
async function openGround(
  { host, docker, caller, run, signal, cleanUp }: Desk,
  { config, k6Image }: Prepared,
) {
  const { say, packageRoot } = caller;
  const owner = `by ${userName()} on ${hostname()}, pid ${process.pid}`;
  const arena = await openArena(host, docker, {
    ...{ run, image: k6Image, name: nameOf(config.host), owner, wait: config.wait, signal, say },
  });
  cleanUp.later('close the arena', arena.close);
  await sweepTemporary(host, say);
  const machine = parseMachine(await docker.run(['exec', arena.name, 'sh', '-c', MACHINE_SCRIPT]));
  const planned = plan(config, machine.cpus);
  for (const line of describeEffort(planned)) say(line);
  await docker.run(['container', 'update', '--cpuset-cpus', formatCpus(planned.cpus.load), arena.name]);
  await furnish(docker, arena.name, join(packageRoot, 'scenarios'));
  return { arena, machine, planned, k6: await askK6Version(docker, arena) };
}

type Ground = Awaited<ReturnType<typeof openGround>>;

/** The output folder, and the record of what is measured, from which it is filled. */
async function openFile(desk: Desk, { engine, found, head, config }: Prepared, ground: Ground) {
  const output = await openOutput(config.out);
  const { say } = desk.caller;
  let ended = false;
  /** Ends the folder once. True: nothing was measured, and the results of an earlier run are back. */
  const end = async (complete: boolean) => {
    if (ended) return false;
    ended = true;
    const earlier = await output.end(complete);
    const isBack = earlier === output.folder;
    if (isBack) say(`nothing was measured: ${earlier} keeps the results of the earlier run`);
    else if (earlier) say(`the results of the earlier run are in ${earlier}`);
    return isBack;
  };
  desk.cleanUp.later('end the output folder', () => end(false));
  const outcomes = new Map<string, VariantOutcome>();
  const measurements: Measurement[] = [];
  const duets: Duet[] = [];
  const searches: Search[] = [];
  const record: Record = {
    tool: { name: 'php-runtime-bench', version: desk.caller.version, k6: ground.k6 },
    ...{ runId: desk.run, command: desk.caller.command, startedMs: desk.startedMs, config, found, head },
    beganMs: desk.beganMs,
    waitedMs: ground.arena.waitedMs,
    ...{ plan: ground.planned, outcomes, measurements, duets, searches },
    host: describeHost(ground.machine, engine),
    built: new Map(),
    // What a run that dies leaves on the disk says so.
    checked: [],
    stopped: 'an error or SIGKILL',
  };
  const save = () => output.write('results.json', toJson(conclude(record, desk.host)));
  await save();
  return { output, record, outcomes, measurements, duets, searches, save, end };
}

type RecordFile = Awaited<ReturnType<typeof openFile>>;

/**
 * Builds and measures. What was measured is kept, whatever happens: a stop and a failure of the machine end it early (the
 * failure is returned); what is the user's or our own fault is thrown once all is written.
 */
async function carryOut(
  desk: Desk,
  prepared: Prepared,
  ground: Ground,
  file: RecordFile,
): Promise<MachineError | null> {
  const { signal, caller } = desk;
  const { record } = file;
  try {
    try {
      await measureAll(desk, prepared, ground, file);
    } finally {
      await keepServiceLogs(prepared, file).catch(() => {});
    }
    record.stopped = null;
    return null;
  } catch (error) {
    const failure = failureOfMachine(error);
    if (signal.aborted) {
      record.stopped = (signal.reason as Stopped).signal;
      caller.say(`${(signal.reason as Stopped).message}; what was measured is kept`);
      return null;
    }
    if (failure) {
      record.stopped = 'a failure of the engine or the machine';
      for (const line of failure.format().split('\n')) caller.say(line);
      caller.say('what was measured is kept');
      return failure;
    }
    // Not ours to explain away; that it cannot be kept is not the error that matters.
    await finish(desk, file, null).catch(() => {});
    throw error;
  }
}

/** Of all that were started, also of those that did not come up. */
async function keepServiceLogs({ compose, servicesWorld }: Prepared, { output }: RecordFile): Promise<void> {
  for (const [service, log] of compose ? await readLogs(servicesWorld) : []) {
    await output.write(`raw/services/${service}.log`, log);
  }
}

async function measureAll(
  { host, docker, caller, run, signal }: Desk,
  { engine, found, config, servicesWorld, compose, hyperfine, k6Image }: Prepared,
  { arena, planned }: Ground,
  { output, record, outcomes, measurements, duets, searches, save }: RecordFile,
): Promise<void> {
  const { say, packageRoot } = caller;
  const runtimes = join(packageRoot, 'runtimes');
  const folders = { shared: join(runtimes, '_shared'), recipe: join(runtimes, '_app') };
  record.built = await withOtherFiles(host, found?.source ?? null, run, signal, (otherFiles) =>
    buildImages(host, docker, planned.images, { run, config, folders, signal, say, otherFiles }),
  );
  await save();
  const { cpus, variants } = planned;
  const services =
    config.services && compose
      ? await startServices({ ...servicesWorld, arena: arena.name, cpus, variants }, compose, config.services)
      : null;
  const loadBeganMs = host.elapsed();
  const sink: Sink = {
    say,
    at: (what, share) => {
      const spent = (host.elapsed() - loadBeganMs) / 1000;
      // By the plan until there is something to go by.
      const left = share > 0.1 ? (spent / share) * (1 - share) : planned.estimatedSeconds - spent;
      caller.at(what, share, Math.max(0, left));
    },
    warn: (warning) => {
      record.plan = { ...record.plan, warnings: [...record.plan.warnings, warning] };
      say(warning.message);
    },
    keepPlan: (rest) => {
      record.plan = { ...rest, warnings: record.plan.warnings };
    },
    keepChecked: (pages) => {
      record.checked = pages;
      for (const line of checkedLines(pages, variants)) say(`checked: ${line}`);
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
  const world: World = {
    engine: { ...{ host, docker, arena, run, signal }, memoryBytes: engine.memoryBytes },
    job: { ...{ config, plan: planned, outcomes, services }, images: record.built },
    sink,
  };
  const script = await readFile(join(packageRoot, 'scenarios/lib/sampler.sh'), 'utf8');
  await runPlan(world, { image: k6Image, script });
  if (hyperfine) await measureColdStarts(world, hyperfine);
}

/** Writes and returns what the run amounts to. A disk that is full does not keep it from being shown. */
async function finish(
  { host, caller, signal }: Desk,
  { output, record, end }: RecordFile,
  failure: MachineError | null,
): Promise<Bench> {
  const results = conclude(record, host);
  const summary = analyse(results);
  let failed = failure;
  try {
    await writeReports(output, results, summary);
  } catch (error) {
    const why = failureOfMachine(error);
    if (!why) throw error;
    if (!failed) for (const line of why.format().split('\n')) caller.say(line);
    caller.say(`the reports could not be written to ${output.folder}`);
    failed = why;
  }
  // There is nothing of this run to show, then.
  if (await end(record.stopped === null)) throw failed ?? signal.reason;
  return { results, summary, out: output.folder, exitCode: exitCodeOf(results, summary, signal, failed) };
}

/** A command of Docker that fails where none may is the engine's failure. */
function failureOfMachine(error: unknown): MachineError | null {
  if (error instanceof DockerError)
    return new MachineError('the Docker engine failed', { found: error.message });
  return readMachineError(error);
}

/** What the record amounts to by now: its results, compared with each other and with an earlier run. */
function conclude(record: Record, host: Host): Results {
  const results = assembleResults(record, host.elapsed());
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

/** Everything that is derived from the measurements; `report` makes the same again from results.json. */
async function writeReports(output: Output, results: Results, summary: Summary): Promise<void> {
  await output.write('results.json', toJson(results));
  await output.write('report.md', renderMarkdown(summary));
  await output.write('report.html', streamHtml([{ summary, measurements: results.measurements }]));
}

/** A run that was stopped, or whose machine failed, says nothing of the app. */
function exitCodeOf(
  { variants }: Results,
  summary: Summary,
  signal: AbortSignal,
  failure: MachineError | null,
): Bench['exitCode'] {
  if (signal.aborted) return (signal.reason as Stopped).exitCode;
  if (failure || variants.some(isOutOfDisk)) return 4;
  return outcomeOf(summary).code;
}

/**
 * The engine's disk: its builder and its storage say so in the words of the system. What a server says of a disk once it
 * answers is the app's affair.
 */
function isOutOfDisk({ failure }: Variant): boolean {
  if (failure === null || (failure.stage !== 'build' && failure.stage !== 'start')) return false;
  return /no space left on device/i.test(`${failure.reason}\n${failure.log}`);
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
export function makeRunId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  return `${time}-${randomBytes(2).toString('hex')}`;
}

function toJson(results: Results): string[] {
  return [JSON.stringify(results), '\n'];
}
