/**
 * Makes one comparison or calibration, alone on the machine: reads what to do as JSON from standard input and prints
 * the line for the data file. It is a process of its own, so POWER_LOCK can lock it. It runs from the folder of the
 * frozen tool, with all that it imports.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Host, realHost } from '../../src/host.ts';
import { Results } from '../../src/results/results.ts';
import { IDLE, makeArm, setWork, type Work, workOf } from './arms.ts';
import { calibrate, injectedBy, iterationsFor } from './calibration.ts';
import type { Calibration, CalibrationLine, ComparisonLine } from './data.ts';
import { startNeighbour, stopNeighbours, waitForQuiet } from './machine.ts';
import { armsOf, describeRun } from './record.ts';
import { type Item, type Neighbour, TARGETS, type TargetName, TREATMENTS } from './series.ts';
import { findImages, findPhp, must, runTool, scratch, type Tool } from './tool.ts';

/** `patienceMs`: how long to wait for a quiet machine. */
export type Task = { folder: string; commit: string; patienceMs?: number } & (
  | { kind: 'comparison'; item: Item; plan: string[]; calibration: Calibration | null; swapped: boolean }
  | { kind: 'calibration'; target: TargetName; seed: number }
);

/** About a minute: many starts, since each is one value, and few slices, since the extra work is large. */
const CALIBRATION_PLAN = ['--instances', '12', '--blocks', '2'];

interface Job {
  name: string;
  target: TargetName;
  seed: number;
  plan: readonly string[];
  base: Work;
  head: Work;
  neighbour: Neighbour | null;
  patienceMs: number | undefined;
}

async function main(host: Host, task: Task, signal: AbortSignal): Promise<ComparisonLine | CalibrationLine> {
  const tool = { folder: task.folder, commit: task.commit };
  const { patienceMs } = task;
  if (task.kind === 'calibration') {
    const { target, seed } = task;
    const { calibration: iterations } = TARGETS[target];
    const job = { target, seed, plan: CALIBRATION_PLAN, base: IDLE, neighbour: null, patienceMs };
    const head = { ...IDLE, iterations };
    const { results, ...measured } = await measure(
      host,
      tool,
      { ...job, name: `calibration-${target}`, head },
      signal,
    );
    const calibration = results && calibrate(armsOf(results), iterations, measured.started);
    return { kind: 'calibration', target, seed, ...measured, calibration };
  }
  const { item, calibration, swapped } = task;
  const treatment = TREATMENTS[item.treatment];
  if (treatment.slowdown > 0 && !calibration) throw new Error(`${item.target} is not calibrated`);
  const iterations = calibration ? iterationsFor(treatment.slowdown, calibration) : 0;
  const work = workOf(treatment, iterations);
  const { results, ...measured } = await measure(
    host,
    tool,
    {
      ...{ name: item.id.replaceAll('/', '-'), target: item.target, seed: item.seed, plan: task.plan },
      ...(swapped ? { base: work, head: IDLE } : { base: IDLE, head: work }),
      ...{ neighbour: treatment.neighbour, patienceMs },
    },
    signal,
  );
  const nothing = { plan: { instances: 0, blocks: 0, load: '', warmupMs: 0, timeoutMs: 0, loadSeconds: 0 } };
  return {
    ...{ kind: 'comparison', ...item, ...measured },
    injected: calibration && iterations > 0 ? injectedBy(iterations, calibration) : null,
    ...(results
      ? describeRun(results)
      : { ...nothing, slices: {}, instances: [], comparisons: [], warnings: [] }),
  };
}

async function measure(host: Host, tool: Tool, job: Job, signal: AbortSignal) {
  const folder = scratch(tool, job.name);
  const out = join(folder, 'out');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const app = join(tool.folder, 'apps', TARGETS[job.target].app);
  const repository = join(folder, 'app');
  await makeRepository(host, app, repository, job);
  const images = await findImages(host, tool);

  await stopNeighbours(host);
  const before = await waitForQuiet(host, signal, job.patienceMs);
  const started = new Date(host.now()).toISOString();
  try {
    if (job.neighbour) await startNeighbour(host, await findPhp(host, tool), job.neighbour);
    const what = ['--app', repository, '--compare-to', 'HEAD~1', '--runtimes', TARGETS[job.target].runtime];
    const how = ['--scenarios', 'quick', '--seed', String(job.seed), ...job.plan];
    const finished = await runTool(host, tool, [...what, ...how, ...images, '--out', out], signal);
    signal.throwIfAborted();
    // 1: a gate was missed, 3: a part failed; what was measured is there all the same.
    const results = [0, 1, 3].includes(finished.code) ? readResults(out) : null;
    const failed = results?.variants.find((variant) => variant.failure)?.failure?.reason;
    const failure = results ? (failed ?? null) : lastLine(finished.stderr);
    if (results) keepRaw(tool, `${job.name}-${job.seed}`, results);
    rmSync(folder, { recursive: true, force: true });
    return {
      tool: { version: results?.tool.version ?? '', commit: tool.commit, k6: results?.tool.k6 ?? '' },
      machine: results?.host ?? null,
      ...{ before, started, wallSeconds: Math.round((host.now() - Date.parse(started)) / 1000) },
      ...{ exitCode: finished.code, failure, results: failure === null ? results : null },
    };
  } finally {
    if (job.neighbour) await stopNeighbours(host);
  }
}

/** Makes a repository with the base's commit and the head's on top of it. */
async function makeRepository(host: Host, app: string, folder: string, job: Job): Promise<void> {
  const git = (...args: string[]) => must(host, 'git', ['-C', folder, ...args]);
  makeArm(app, folder);
  await git('init', '--quiet');
  for (const arm of ['base', 'head'] as const) {
    setWork(folder, job[arm], `${arm} ${job.seed}`);
    await git('add', '--all');
    const author = ['-c', 'user.name=power', '-c', 'user.email=power@example.org'];
    await git(...author, 'commit', '--quiet', '--no-verify', '--message', arm);
  }
}

function readResults(out: string): Results {
  return Results.parse(JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')));
}

/** Everything, on this machine only: too much to commit. */
function keepRaw(tool: Tool, name: string, results: Results): void {
  const folder = join(tool.folder, 'results');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json.gz`), gzipSync(JSON.stringify(results)));
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

const stop = new AbortController();
realHost.onSignal(() => stop.abort());
try {
  const task = JSON.parse(readFileSync(0, 'utf8')) as Task;
  process.stdout.write(`${JSON.stringify(await main(realHost, task, stop.signal))}\n`);
} catch (error) {
  console.error(stop.signal.aborted ? 'stopped' : (error as Error).message);
  process.exitCode = stop.signal.aborted ? 143 : 1;
}
