import * as core from '@actions/core';
import { context } from '@actions/github';
import { uploadFolder } from './api/artifact.ts';
import { commentsOf, pullsOf } from './api/github.ts';
import { whyOutdated } from './origin.ts';
import type { Outlets } from './publish.ts';

/** The real ways out of a step on GitHub. */
export const realOutlets: Outlets = {
  commentsOf,
  whyOutdated: (token) => whyOutdated(context.payload, pullsOf(process.env.GITHUB_REPOSITORY ?? '', token)),
  uploadFolder,
  async writeSummary(markdown) {
    await core.summary.addRaw(markdown, true).write();
  },
  setOutput: core.setOutput,
  // Both escape what the runner would read as a command.
  annotate({ level, title, text }) {
    const write = level === 'error' ? core.error : core.warning;
    write(text, { title });
  },
  info: core.info,
  warn: (text) => core.warning(text),
};
