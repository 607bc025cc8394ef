import { join } from 'node:path';
import type { Summary } from '../analyse/summary.ts';
import { type Annotation, annotate } from '../report/annotations.ts';
import { type PublishPlace, renderMarkdown, renderMarkdownTable, STAGES } from '../report/format/markdown.ts';
import { docsUrl } from '../report/format/md-comparisons.ts';
import { type Comments, postComment } from './api/comment.ts';
import { firstThatFits, SUMMARY_BYTES, TOO_LONG } from './api/fit-size.ts';
import type { PullRequest } from './api/pulls.ts';
import type { WorkflowJob } from './job.ts';

/** Content to publish. Its Markdown comes from `report`, which has made text of others harmless. */
export interface Publication {
  /** The output folder. */
  out: string;
  /** Renderings of the report as Markdown, fullest first; each place takes the first that fits. */
  stages: readonly string[];
  /** The table alone. */
  table: string;
  /** Notices that stand out beside the checks. */
  annotations: readonly Annotation[];
  /** How to read the report. */
  docs: string;
  /** The reason why the run ended early: `SIGINT`, `an error`. */
  stopped: string | null;
}

type PublishingJob = Pick<WorkflowJob, 'pull' | 'isCheck' | 'runUrl'>;

export function describePublication(out: string, summary: Summary, job: PublishingJob): Publication {
  const place = placeOf(job);
  return {
    out,
    stages: STAGES.map((stage) => renderMarkdown(summary, stage, place)),
    docs: docsUrl(summary.tool.version, 'reading-the-report'),
    table: renderMarkdownTable(summary),
    annotations: annotate(summary),
    stopped: summary.run.stopped,
  };
}

/** The place of a comment or a summary: commits link to the repository whose job writes it. */
export function placeOf({ pull, isCheck, runUrl }: PublishingJob): PublishPlace {
  const repositoryUrl =
    /^https:\/\/[\w.:-]+\/[\w.-]+\/[\w.-]+(?=\/actions\/runs\/)/.exec(runUrl)?.[0] ?? null;
  return { isPull: pull !== null, isCheck, repositoryUrl };
}

/** Our links below a report, apart from its text. */
export function footer(links: readonly (readonly [title: string, url: string | null])[]): string {
  const shown = links.flatMap(([title, url]) => (url ? [`[${title}](${url})`] : []));
  return `<sub>${shown.join(' · ')}</sub>`;
}

/** The ways out, injected. */
export interface Outlets {
  commentsOf(pull: PullRequest, token: string): Comments;
  /** Why results of this event must not take the place of newer ones; null: no reason is known. */
  whyOutdated?(token: string): Promise<string | null>;
  uploadFolder(folder: string, name: string): Promise<{ id: number; name: string } | null>;
  writeSummary(markdown: string): Promise<void>;
  setOutput(name: string, value: string): void;
  annotate(annotation: Annotation): void;
  info(text: string): void;
  warn(text: string): void;
}

/**
 * Shows the results: annotations, artifact, job summary, comment, outputs. A failure to publish is logged; it
 * never fails a run that has measured.
 */
export async function publish(publication: Publication, job: WorkflowJob, outlets: Outlets): Promise<void> {
  const { out, table, stopped } = publication;
  for (const annotation of publication.annotations) outlets.annotate(annotation);
  const artifactUrl = await keepRawData(out, job, outlets);
  outlets.setOutput('artifact-url', artifactUrl ?? '');
  outlets.setOutput('results', join(out, 'results.json'));
  outlets.setOutput('report', join(out, 'report.md'));
  outlets.setOutput('table', table);

  const links = footer([
    ['Full run', job.runUrl],
    ['Full report and raw data', artifactUrl],
    ['How to read this', publication.docs],
  ]);
  const stages = [...publication.stages, TOO_LONG].map((stage) => `${stage.trimEnd()}\n\n${links}\n`);
  try {
    await outlets.writeSummary(firstThatFits(stages, (text) => Buffer.byteLength(text) <= SUMMARY_BYTES));
  } catch (error) {
    outlets.warn(`No job summary: ${(error as Error).message}`);
  }
  const outdated = async () => (await outlets.whyOutdated?.(job.token)) ?? null;
  outlets.setOutput('comment-url', (await comment(stages, stopped, job, outlets, outdated)) ?? '');
}

async function keepRawData(folder: string, job: WorkflowJob, outlets: Outlets): Promise<string | null> {
  try {
    const artifact = await outlets.uploadFolder(folder, job.artifactName);
    return artifact && `${job.runUrl}/artifacts/${artifact.id}`;
  } catch (error) {
    outlets.warn(`The raw data could not be uploaded as an artifact: ${(error as Error).message}`);
    return null;
  }
}

/** Writes the comment where there is one to be written, and logs why not if there is none. */
export async function comment(
  stages: readonly string[],
  stopped: string | null,
  job: WorkflowJob,
  outlets: Outlets,
  whyOutdated: () => Promise<string | null> = async () => null,
): Promise<string | null> {
  const { pull, key, token } = job;
  if (key === null) return null;
  if (stopped) {
    // A newer push cancels this run: half of its numbers must not take the place of whole ones.
    outlets.info(`No comment: the run was stopped by ${stopped}.`);
    return null;
  }
  if (!pull) {
    outlets.info('No comment: this event has no pull request.');
    return null;
  }
  if (!token) {
    outlets.info('No comment: the input token is empty.');
    return null;
  }
  const outdated = await whyOutdated();
  if (outdated !== null) {
    outlets.info(`No comment: ${outdated}.`);
    return null;
  }
  const posted = await postComment(outlets.commentsOf(pull, token), key, stages);
  if (posted.posted) {
    outlets.info(`Comment ${posted.how}: ${posted.url}`);
    return posted.url;
  }
  if (posted.refused === 'token') {
    outlets.warn(
      `No comment: GitHub does not accept the token (${posted.why}). It is wrong, expired or revoked: check the input token.`,
    );
  } else if (posted.refused === 'permission') {
    outlets.info(
      `No comment: the token may not write one (${posted.why}). Give the job 'permissions: pull-requests: write'; pull requests from forks never have it.`,
    );
  } else {
    outlets.warn(`No comment: ${posted.why}`);
  }
  return null;
}
