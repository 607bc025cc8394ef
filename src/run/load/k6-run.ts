import type { Scenario } from '../../config/types.ts';
import type { Arena } from '../../engine/arena.ts';
import { type Docker, expectEngine, LIMITS_MS, lastLines } from '../../engine/docker.ts';
import type { ExecOptions } from '../../host.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import { batchMs } from '../../plan/timeline/timeline.ts';
import type { Sent } from '../servers/target.ts';
import type { CheckedOf } from '../verify/checked.ts';
import {
  type ErrorSample,
  envFlags,
  type FromElsewhere,
  journeyModule,
  type K6Summary,
  makeK6Plan,
  parseFailed,
  parseSamples,
  scriptEnvironment,
  sliceId,
} from './k6.ts';
import { COUNTS, type K6Log, parseLog, THROWN } from './k6-log.ts';
import { ARENA_FOLDER, expectWritten, makeReadable, UNWRITTEN } from './probe.ts';

export interface LoadOutcome {
  summary: K6Summary | null;
  trouble: string;
  /** Stable, where there is one for the trouble. */
  code?: string;
  errors: ErrorSample[];
  log: K6Log;
  /** Output of k6, for the raw folder. */
  stdout: string;
  stderr: string;
}

/** A count of requests may take half an hour, ms: k6 then leaves the rest undone. */
const OPEN_END_MS = 30 * 60_000;
/** The setup and the teardown of a script: k6 ends each after a minute, ms. */
const AROUND_MS = 120_000;
/** Past the end k6 gets this long to write its summary, ms. */
const GRACE_MS = 60_000;
/** Then k6 is killed, and after so long an engine that has not reported that hangs, ms. */
const TELL_MS = 10_000;

/** So many warnings of k6 are kept. */
const MOST_WARNINGS = 50;
/** The lines of k6's log that are kept, as a pattern of awk. */
export const LOG_FILTER = `!/^time=[^ ]* level=warning / || !/ source=console$/ && n++ < ${MOST_WARNINGS}`;

/** Copies the user's script of a scenario into the arena, if it does not lie there. */
export async function bringScript(
  docker: Docker,
  arena: Pick<Arena, 'name' | 'scripts'>,
  { name, journey, script }: Pick<Scenario, 'name' | 'journey' | 'script'>,
): Promise<void> {
  if (journey.kind !== 'script') return;
  if (!script) throw new Error(`the script of ${name} was not inspected`);
  const { folder } = script;
  if (arena.scripts.has(folder)) return;
  // Its files get a folder of their own there: no script finds files of another.
  await docker.run(['exec', arena.name, 'mkdir', '-p', `${ARENA_FOLDER}/user`]);
  await docker.run(['container', 'cp', `${folder}/.`, `${arena.name}:${ARENA_FOLDER}/user`], {
    timeoutMs: LIMITS_MS.copy,
  });
  await makeReadable(docker, arena.name, folder);
  arena.scripts.add(folder);
}

/** Share of the load for one of several engines. */
export interface Share extends FromElsewhere {
  /** k6's, for its part. */
  flags: readonly string[];
}

/** Runs one batch by k6 in the arena; its script lies there. A k6 that breaks is an outcome, not an exception. Errors: MachineError, there is no room for its plan. */
export async function loadBatch(
  docker: Docker,
  arena: string,
  batch: Batch,
  { ports, checkedOf, ...sent }: { ports: Readonly<Record<string, number>>; checkedOf?: CheckedOf } & Sent,
  environment: Readonly<Record<string, string>>,
  options: Pick<ExecOptions, 'signal'>,
  share: Share | null = null,
): Promise<LoadOutcome> {
  const plan = makeK6Plan(batch, ports, sent, checkedOf, share);
  const seconds = Math.ceil(k6LimitMs(batch) / 1000);
  const script = [
    `cd "$1" && cat >plan.json && printf %s "$4" >journey.js && rm -f k6.log k6.pipe && mkfifo k6.pipe || exit ${UNWRITTEN}`,
    'limit=$2 level=$3; shift 4',
    // A line for each failed request, of which the first are enough. Warnings of the script itself are not among them.
    `awk '${LOG_FILTER}' <k6.pipe >k6.log & exec 9>k6.pipe`,
    // BusyBox's `timeout` leaves a process until the next full second. With the pipe open there, awk would wait for its end.
    'timeout -s KILL "$limit" k6 run --quiet --address "" --log-output "file=$PWD/k6.pipe,level=$level" "$@" lib/main.js 9>&-',
    'code=$?; exec 9>&-; wait',
    // The beginning has what went wrong first, the end what k6 died of; in between a log may be of any length.
    'if [ "$(wc -c <k6.log)" -gt 2000000 ]; then head -c 200000 k6.log; echo; tail -c 1800000 k6.log; else cat k6.log; fi >&2',
    `echo "${COUNTS} $(grep -v 'source=console$' k6.log | grep -cE '${THROWN}') $(grep 'source=console$' k6.log | grep -vc 'msg="bench-sample ')" >&2`,
    'exit "$code"',
  ].join('\n');
  const first = plan.slices[0];
  const target =
    plan.userOptions && first
      ? envFlags(scriptEnvironment(first.baseUrl ?? '', first.id, plan.timeoutMs))
      : [];
  const args = [
    ...['exec', '--interactive', ...envFlags(environment)],
    ...[arena, 'sh', '-c', script, 'sh', ARENA_FOLDER, String(seconds)],
    // Our own scenarios print a sample of each failure themselves.
    ...[plan.userOptions ? 'warning' : 'error', journeyModule(batch.scenario)],
    ...[...(share?.flags ?? []), ...target],
  ];
  const timeoutMs = k6LimitMs(batch) + TELL_MS;
  const finished = await docker.try(args, { input: JSON.stringify(plan), timeoutMs, ...options });
  options.signal?.throwIfAborted();
  expectWritten(finished);
  if (finished.timedOut) await expectEngine(docker);
  const failed = plan.userOptions && first ? parseFailed(finished.stderr, first.id) : [];
  const errors = [...parseSamples(finished.stderr), ...failed];
  const summary = parseSummary(finished.stdout);
  const trouble =
    summary !== null
      ? ''
      : finished.code === 137
        ? 'k6 was killed'
        : `k6 ended with exit code ${finished.code}: ${lastLines(finished.stderr, 1).slice(0, 400)}`;
  const log = parseLog(finished.stderr, finished.code);
  return { summary, trouble, errors, log, stdout: finished.stdout, stderr: finished.stderr };
}

/** The longest time that k6 may take for a batch, ms. Here it is killed then, and what it has measured is lost. */
export function k6LimitMs(batch: Batch): number {
  const last = batch.slices.at(-1);
  const isOpen = !last || last.durationMs === null;
  const openMs = Math.max(OPEN_END_MS, batch.scenario.script?.mostMs ?? 0);
  const loadMs = isOpen ? (last?.steps.at(-1)?.offsetMs ?? 0) + openMs : batchMs(batch);
  const aroundMs = batch.scenario.journey.kind === 'script' ? AROUND_MS : 0;
  return loadMs + aroundMs + batch.scenario.timeoutMs + GRACE_MS;
}

function parseSummary(stdout: string): K6Summary | null {
  try {
    return JSON.parse(stdout);
  } catch {
    return null;
  }
}

/** File name of a batch in the raw folder: its first slice makes it unique. */
export function batchName(batch: Batch): string {
  return `k6-${batch.slices[0] ? sliceId(batch.slices[0]) : 'empty'}.json`;
}
