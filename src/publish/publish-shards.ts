import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as core from '@actions/core';
import { compareAcross, missingShards } from '../analyse/judge/across-shards.ts';
import { UserError } from '../errors.ts';
import type { PublishPlace } from '../report/format/markdown.ts';
import { docsUrl } from '../report/format/md-comparisons.ts';
import { htmlGroup, streamHtml } from '../report/html/render.ts';
import { renderShards } from '../report/shards.ts';
import type { Results } from '../results/results.ts';
import { firstThatFits, SUMMARY_BYTES, TOO_LONG } from './api/fit-size.ts';
import { indexOf, type WantedShards } from './gather.ts';
import type { WorkflowJob } from './job.ts';
import type { Origin } from './origin.ts';
import { comment, footer, type Outlets, placeOf } from './publish.ts';

/** Writes what a comment is made from, and what people read: the list of shards, the results of each, the report. */
export async function writeGathered(
  out: string,
  results: readonly Results[],
  wanted: WantedShards,
): Promise<void> {
  await mkdir(out, { recursive: true });
  await writeFile(join(out, 'shards.json'), `${JSON.stringify(wanted)}\n`);
  for (const shard of results) {
    const folder = join(out, `${indexOf(shard)}`);
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'results.json'), `${JSON.stringify(shard)}\n`);
  }
  await writeFile(join(out, 'report.md'), `${render(results, wanted)[0]}\n`);
  const page = streamHtml(results.map(htmlGroup), compareAcross(results), missingShards(results));
  if (results.length > 0) await writeFile(join(out, 'report.html'), page);
}

/** The job's summary. */
export async function summarise(
  results: readonly Results[],
  wanted: WantedShards,
  runUrl: string,
): Promise<void> {
  const text = firstThatFits(
    linkAll(render(results, wanted), results, runUrl),
    (stage) => Buffer.byteLength(stage) <= SUMMARY_BYTES,
  );
  await core.summary.addRaw(text, true).write();
}

interface Commented {
  job: WorkflowJob;
  /** Null: the event itself is about the pull request. */
  origin: Origin | null;
  results: readonly Results[];
  wanted: WantedShards;
}

/** Writes the comment; what keeps it from being written is in the log. Gives the exit code. */
export async function commentOnOrigin(what: Commented, outlets: Outlets): Promise<number> {
  const { origin, results, wanted } = what;
  if (origin && !origin.pull) {
    const log = origin.isFailure ? outlets.warn : outlets.info;
    log(`No comment: ${origin.why}.`);
    return 0;
  }
  const job = origin ? adopt(what.job, origin) : what.job;
  // A machine that ran out of time or lost its engine is named in it. If a newer push was the reason, there is no pull
  // request in the origin, or this job was cancelled, too.
  const stages = linkAll(render(results, wanted, placeOf(job)), results, job.runUrl);
  outlets.setOutput('comment-url', (await comment(stages, null, job, outlets)) ?? '');
  return 0;
}

/** Its facts are those of the workflow run which measured. */
function adopt(job: WorkflowJob, { pull, measured }: Origin): WorkflowJob {
  if (!measured) return { ...job, pull };
  return {
    ...job,
    pull,
    isCheck: true,
    key: job.key === null || job.isKeyGiven ? job.key : workflowKey(measured.workflow, job.artifactName),
    runUrl: job.runUrl.replace(/\d*$/, `${measured.run}`),
  };
}

/** Both ways of commenting on what one call in one workflow has measured update the same comment: bench.yml has this key, too. */
function workflowKey(workflow: string, artifact: string): string {
  return `workflow/${workflow}/${artifact}`;
}

/** If even the last is too long, the links still lead to all of it. */
function linkAll(stages: readonly string[], [first]: readonly Results[], runUrl: string): string[] {
  const docs = first ? docsUrl(first.tool.version, 'reading-the-report') : null;
  const links = footer([
    ['Full run, with results and reports as artifacts', runUrl],
    ['How to read this', docs],
  ]);
  return [...stages, TOO_LONG].map((stage) => `${stage.trimEnd()}\n\n${links}\n`);
}

/** Numbers that no measurement gives can be more than the renderer bears. */
function render(results: readonly Results[], wanted: WantedShards, place?: PublishPlace): string[] {
  try {
    return renderShards(results, wanted, place);
  } catch (error) {
    throw new UserError('cannot show these results', { found: (error as Error).message });
  }
}
