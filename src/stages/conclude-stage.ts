import { analyse } from '../analyse/analyse.ts';
import { outcomeOf } from '../analyse/outcome.ts';
import type { Summary } from '../analyse/summary.ts';
import type { ExitCode, MachineError, Stopped } from '../errors.ts';
import type { Results, Variant } from '../results/results.ts';
import { type Bench, type Desk, failureOfMachine } from './desk.ts';
import { type RecordFile, resultsOf, writeReports } from './record-file.ts';

/** Writes and returns what the run amounts to. A disk that is full does not keep it from being shown. */
export async function conclude(
  { host, caller, signal }: Desk,
  { output, record, end }: RecordFile,
  failure: MachineError | null,
): Promise<Bench> {
  const results = resultsOf(record, host);
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

/** A run that was stopped, or whose machine failed, says nothing of the app. */
function exitCodeOf(
  { variants }: Results,
  summary: Summary,
  signal: AbortSignal,
  failure: MachineError | null,
): ExitCode {
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
