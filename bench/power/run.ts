/** Makes the comparisons of a series that its data file does not have yet. See ./run. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { realHost } from '../../src/host.ts';
import type { Task } from './comparison.ts';
import type { Calibration } from './data.ts';
import {
  appendLine,
  type CalibrationLine,
  type ComparisonLine,
  dropTornLine,
  type Line,
  readLines,
  type SeriesLine,
} from './data.ts';
import {
  type Item,
  makeSchedule,
  type TargetName,
  TREATMENT_NAMES,
  TREATMENTS,
  type TreatmentName,
} from './series.ts';
import { ROOT } from './tool.ts';

/** After so many comparisons on a target it is calibrated again. */
const CALIBRATE_EVERY = 20;
/** So many failures in a row are not chance: someone has to look. */
const GIVE_UP_AFTER = 3;

const readArguments = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      plan: { type: 'string' },
      seed: { type: 'string' },
      only: { type: 'string' },
      for: { type: 'string' },
      max: { type: 'string' },
      swap: { type: 'boolean' },
      patience: { type: 'string' },
    },
  });
type Flags = ReturnType<typeof readArguments>['values'];

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  const [file = join(import.meta.dirname, 'data/series.ndjson'), extra] = positionals;
  if (extra !== undefined) throw new Error(`one data file, not also ${extra}`);
  const until = values.for === undefined ? Infinity : Date.now() + minutes(values.for) * 60_000;
  const max = values.max === undefined ? Infinity : Number(values.max);
  mkdirSync(dirname(file), { recursive: true });
  const torn = dropTornLine(file);
  if (torn > 0) console.error(`dropped the last line, which was not finished (${torn} bytes)`);
  const lines = readLines(file);
  const series = await openSeries(file, lines, values);
  const todo = select(makeSchedule(series.seed), lines, values);
  console.error(
    `${lines.filter((line) => line.kind === 'comparison').length} comparisons are there, ${todo.length} to come`,
  );

  const frozen = await runLocked([join(import.meta.dirname, 'freeze.ts'), series.commit], '');
  if (frozen.code !== 0) return 2;
  const folder = frozen.text.trim();

  let made = 0;
  let failures = 0;
  const patience = values.patience === undefined ? {} : { patienceMs: 1000 * Number(values.patience) };
  const make = async (task: Task, name: string): Promise<boolean> => {
    console.error(`${new Date().toISOString().slice(11, 19)} ${name}`);
    const { line, code } = await runTask({ ...task, ...patience });
    if (stopped) return false;
    if (line) {
      appendLine(file, line);
      lines.push(line);
    }
    failures = line && line.failure === null ? 0 : failures + 1;
    console.error(`  ${line ? describe(line) : `failed with exit code ${code}`}`);
    return line !== null;
  };

  for (const item of todo) {
    if (stopped || made >= max || Date.now() > until) break;
    const { commit, plan, swapped } = series;
    if (TREATMENTS[item.treatment].slowdown > 0 && !isCalibrated(lines, item.target)) {
      const { target } = item;
      await make(
        { kind: 'calibration', folder, commit, target, seed: item.seed },
        `calibration of ${target}`,
      );
    }
    const calibration = lastCalibration(lines, item.target);
    if (!stopped && (calibration || TREATMENTS[item.treatment].slowdown === 0)) {
      if (await make({ kind: 'comparison', folder, commit, item, plan, calibration, swapped }, item.id))
        made++;
    }
    if (failures >= GIVE_UP_AFTER) {
      console.error(`${failures} failures in a row: stopped`);
      return 1;
    }
  }
  return stopped ? 143 : 0;
}

/** The first line of the file, written when there is none. Its settings cannot be changed: start another file. */
async function openSeries(file: string, lines: Line[], values: Flags): Promise<SeriesLine> {
  const [first] = lines;
  if (first) {
    if (first.kind !== 'series') throw new Error(`${file} does not begin with a series`);
    if (values.plan !== undefined && values.plan !== first.plan.join(' ')) {
      throw new Error(`${file} has another plan, '${first.plan.join(' ')}': begin a file of its own`);
    }
    return first;
  }
  const { code, stdout, stderr } = await realHost.exec('git', ['-C', ROOT, 'rev-parse', 'HEAD']);
  if (code !== 0) throw new Error(stderr);
  const series: SeriesLine = {
    kind: 'series',
    seed: values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed),
    commit: stdout.trim(),
    plan: (values.plan ?? '--budget 1m').split(' ').filter(Boolean),
    swapped: values.swap ?? false,
    started: new Date().toISOString(),
  };
  appendLine(file, series);
  lines.push(series);
  return series;
}

function select(schedule: readonly Item[], lines: readonly Line[], values: Flags): Item[] {
  const only = values.only?.split(',');
  const unknown = only?.find((name) => !TREATMENT_NAMES.includes(name as TreatmentName));
  if (unknown) throw new Error(`no treatment '${unknown}'; there are ${TREATMENT_NAMES.join(', ')}`);
  const done = new Set(lines.flatMap((line) => (line.kind === 'comparison' ? [line.id] : [])));
  return schedule.filter(({ id, treatment }) => !done.has(id) && (only?.includes(treatment) ?? true));
}

function lastCalibration(lines: readonly Line[], target: TargetName): Calibration | null {
  const found = lines.findLast(
    (line) => line.kind === 'calibration' && line.target === target && line.calibration,
  );
  return (found as CalibrationLine | undefined)?.calibration ?? null;
}

function isCalibrated(lines: readonly Line[], target: TargetName): boolean {
  const last = lines.findLastIndex(
    (line) => line.kind === 'calibration' && line.target === target && line.calibration !== null,
  );
  const since = lines.slice(last + 1).filter((line) => line.kind === 'comparison' && line.target === target);
  return last >= 0 && since.length < CALIBRATE_EVERY;
}

let stopped = false;
let child: number | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    stopped = true;
    // The whole group: a lock command in between may not pass it on.
    if (child !== undefined) process.kill(-child, 'SIGTERM');
  });
}

/** From the frozen tool, in a process of its own. */
async function runTask(
  task: Task,
): Promise<{ line: ComparisonLine | CalibrationLine | null; code: number | null }> {
  const { folder } = task;
  const { code, text } = await runLocked([join(folder, 'bench/power/comparison.ts')], JSON.stringify(task));
  return { line: code === 0 ? JSON.parse(text) : null, code };
}

/** Runs one of our scripts behind POWER_LOCK. */
function runLocked(argv: readonly string[], input: string): Promise<{ code: number | null; text: string }> {
  const lock = (process.env.POWER_LOCK ?? '').split(/\s+/).filter(Boolean);
  const [program, ...args] = [...lock, process.execPath, ...argv];
  const running = spawn(program as string, args, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  child = running.pid;
  let text = '';
  running.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  running.stdin.on('error', () => {});
  running.stdin.end(input);
  return new Promise((resolve, reject) => {
    running.on('error', reject);
    running.on('close', (code) => {
      child = undefined;
      resolve({ code, text });
    });
  });
}

function describe(line: ComparisonLine | CalibrationLine): string {
  if (line.failure) return `failed: ${line.failure}`;
  if (line.kind === 'calibration') {
    const { baseUs, iterationUs } = line.calibration as Calibration;
    return `${baseUs.value.toFixed(1)} µs a request, ${(iterationUs.value * 1000).toFixed(2)} ns an iteration`;
  }
  const primary = line.comparisons.find((comparison) => comparison.primary);
  const cpu = line.instances.flatMap(({ ln }) => ln.cpu ?? []);
  const mean = (100 * cpu.reduce((sum, x) => sum + x, 0)) / cpu.length;
  const injected = line.injected ? `, ${(100 * line.injected.share.value).toFixed(2)} % injected` : '';
  return `${primary?.verdict ?? 'not judged'}; CPU ${mean.toFixed(2)} %${injected}; ${line.wallSeconds} s`;
}

function minutes(text: string): number {
  const found = /^(\d+)(m|h)$/.exec(text);
  if (!found) throw new Error(`--for ${text}: expected a time such as 90m or 2h`);
  return Number(found[1]) * (found[2] === 'h' ? 60 : 1);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`power: ${(error as Error).message}`);
  process.exitCode = 2;
}
