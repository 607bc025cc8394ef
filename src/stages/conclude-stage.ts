import { analyse } from '../analyse/analyse.ts';
import { outcomeOf } from '../analyse/outcome.ts';
import type { Summary } from '../analyse/summary.ts';
import { type ExitCode, type MachineError, Stopped } from '../errors.ts';
import { type Bench, type Desk, failureOfMachine } from './desk.ts';
import { type RecordFile, resultsOf, writeReports } from './record-file.ts';

/** Writes and returns what the run amounts to. A disk that is full does not keep it from being shown. */
export async function conclude(
  { host, caller, signal }: Pick<Desk, 'host' | 'caller' | 'signal'>,
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
  return { results, summary, out: output.folder, exitCode: exitCodeOf(summary, signal, failed) };
}

/** A run that was stopped, or whose machine failed, shows nothing about the app. */
function exitCodeOf(summary: Summary, signal: AbortSignal, failure: MachineError | null): ExitCode {
  if (signal.reason instanceof Stopped) return signal.reason.exitCode;
  if (failure) return 4;
  return outcomeOf(summary).code;
}
