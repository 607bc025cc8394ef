import * as core from '@actions/core';
import { analyse } from '../analyse/analyse.ts';
import type { Summary } from '../analyse/summary.ts';
import { realHost } from '../host.ts';
import type { WorkflowJob } from '../publish/job.ts';
import { realOutlets } from '../publish/outlets.ts';
import { describePublication, type Outlets, publish } from '../publish/publish.ts';
import type { Bench } from '../stages/desk.ts';
import { writeReports } from '../stages/record-file.ts';
import { type Output, replaceFile } from '../store/output.ts';
import { findResults, readOutput } from '../store/stored.ts';
import { concludeStep } from './step.ts';

/** A state for the post step, until the main step has published. */
interface Unpublished {
  /** The output folder. */
  out: string;
  /** Its token is empty in the state: the runner may show that in its log. */
  job: WorkflowJob;
}

/**
 * Publishes what a run measures. If it throws, that is what it had saved. If it is killed, the post step publishes.
 *
 * @returns the exit code of the run
 */
export async function publishAfter({ out, job }: Unpublished, run: () => Promise<Bench>): Promise<number> {
  const began = realHost.now();
  let summary: Summary | null = null;
  core.saveState('unpublished', { out, job: { ...job, token: '' } } satisfies Unpublished);
  try {
    const bench = await run();
    summary = bench.summary;
    return concludeStep(bench.exitCode);
  } finally {
    summary ??= await salvage(out, began);
    if (summary) await publish(describePublication(out, summary, job), job, realOutlets);
    core.saveState('unpublished', '');
  }
}

/** The summary of the results that an aborted run saved; null if the folder has none of its own. */
async function salvage(out: string, since: number): Promise<Summary | null> {
  const results = await readOutput(out).catch(() => null);
  if (!results || Date.parse(results.run.started) < since) return null;
  return analyse({ ...results, run: { ...results.run, stopped: results.run.stopped ?? 'an error' } });
}

/** In the post step: publishes what the main step did not. Throws as `publishLeft` does. */
export async function publishUnpublished(run: string): Promise<void> {
  const unpublished = core.getState('unpublished');
  if (!run || !unpublished) return;
  const { out, job }: Unpublished = JSON.parse(unpublished);
  await publishLeft(run, { out, job: { ...job, token: core.getInput('token') } }, realOutlets);
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
