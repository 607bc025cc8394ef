import { analyse } from '../analyse/analyse.ts';
import type { Summary } from '../analyse/summary.ts';
import type { WorkflowJob } from '../publish/job.ts';
import { describePublication, type Outlets, publish } from '../publish/publish.ts';
import { writeReports } from '../stages/record-file.ts';
import { type Output, replaceFile } from '../store/output.ts';
import { findResults, readOutput } from '../store/stored.ts';

/** The summary of the results that an aborted run saved; null if the folder has none of its own. */
export async function salvage(out: string, since: number): Promise<Summary | null> {
  const results = await readOutput(out).catch(() => null);
  if (!results || Date.parse(results.run.started) < since) return null;
  return analyse({ ...results, run: { ...results.run, stopped: results.run.stopped ?? 'an error' } });
}

/** A state for the post step, until the main step has published. */
export interface Unpublished {
  /** The output folder. */
  out: string;
  /** Its token is empty: the runner may show a state in its log. */
  job: WorkflowJob;
}

/**
 * Writes and publishes what a run had measured when it was killed. Results of other runs stay unpublished. Throws if
 * the results cannot be read.
 */
export async function publishLeft(run: string, { out, job }: Unpublished, outlets: Outlets): Promise<void> {
  const results = await findResults(out);
  if (results?.run.id !== run) return;
  outlets.info(`Run ${run} did not publish its results: publishing those so far`);
  const summary = analyse(results);
  const comparisons = summary.scenarios.flatMap((scenario) => scenario.comparisons);
  const write: Output['write'] = (name, text) => replaceFile(out, name, text);
  await writeReports({ write }, { ...results, comparisons }, summary).catch((error: Error) =>
    outlets.warn(`The reports could not be written: ${error.message}`),
  );
  await publish(describePublication(out, summary, job), job, outlets);
}
