import * as core from '@actions/core';
import { Stopped, UserError } from '../errors.ts';
import { uploadFolder } from './artifact.ts';
import { commentsOf } from './github.ts';
import type { Outlets } from './publish.ts';

/** The real ways out of a step on GitHub. */
export const realOutlets: Outlets = {
  commentsOf,
  uploadFolder,
  async writeSummary(markdown) {
    await core.summary.addRaw(markdown, true).write();
  },
  setOutput: core.setOutput,
  info: core.info,
  warn: (text) => core.warning(text),
};

/**
 * Says why the step failed and gives its exit code. A mistake of the user's points at its place; anything
 * unexpected keeps its stack trace, we want to hear of it.
 */
export function fail(error: unknown): number {
  if (error instanceof UserError) {
    const { name, line } = error.detail.where ?? {};
    core.error(error.format(), name && line ? { file: name, startLine: line } : {});
    return 2;
  }
  core.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return error instanceof Stopped ? error.exitCode : 70;
}
