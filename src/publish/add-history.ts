import { join } from 'node:path';
import * as core from '@actions/core';
import { HISTORY_FILE, type Keep, keepHistory } from '../history/branch.ts';
import { type HistoryRecord, recordsOf } from '../history/history-record.ts';
import { type Host, realHost } from '../host.ts';
import { plural } from '../text/plain.ts';
import { gatherResults, listArtifacts, readWanted } from './gather.ts';

interface Adding {
  /** Folder with the artifacts of the reusable workflow, as `listArtifacts` finds them. */
  folder: string;
  keep: Omit<Keep, 'message'>;
  /** The commit that was measured. */
  commit: string | null;
  runUrl: string;
}

/** The repository of the workflow, and what git needs to push to it: the token is in no command line and no file. */
export function readRemote(env: Readonly<Record<string, string | undefined>>, token: string) {
  const server = env.GITHUB_SERVER_URL ?? 'https://github.com';
  const secret = Buffer.from(`x-access-token:${token}`).toString('base64');
  return {
    remote: `${server}/${env.GITHUB_REPOSITORY}`,
    settings: { [`http.${server}/.extraheader`]: `Authorization: basic ${secret}` },
    secret,
  };
}

/** Adds the results in artifacts to the history. Unreadable results and records are warnings. Returns the exit code. */
export async function addToHistory(adding: Adding, host: Host = realHost): Promise<number> {
  const records: HistoryRecord[] = [];
  for (const { name, path } of await listArtifacts(adding.folder, 'shards.json')) {
    try {
      const { results, refused } = await gatherResults(path, await readWanted(join(path, 'shards.json')));
      for (const text of refused) core.warning(`${name}: ${text}`, { title: 'Results that cannot be used' });
      records.push(...results.flatMap((found) => recordsOf(found, adding.commit)));
    } catch (error) {
      core.warning(`${name}: ${(error as Error).message}`, { title: 'Results that cannot be used' });
    }
  }
  if (records.length === 0) {
    core.error('There are no results to add to the history');
    return 3;
  }
  const message = `Add ${plural(records.length, 'result')}\n\n${adding.runUrl}`;
  const { added, corrupt, lost } = await keepHistory(records, { ...adding.keep, message }, host);
  for (const { line, why } of corrupt.slice(0, 10)) {
    core.warning(`${HISTORY_FILE}:${line}: ${why}; the line stays unchanged`, { title: 'Not a record' });
  }
  if (corrupt.length > 10) core.warning(`${plural(corrupt.length - 10, 'more line')} cannot be read`);
  if (added === 0) {
    core.warning(
      `All ${plural(records.length, 'record')} were on ${adding.keep.branch} already. 'Re-run failed jobs' can leave out the job Report, so new numbers do not arrive here: choose 'Re-run all jobs'.`,
      { title: 'Nothing was added to the history' },
    );
  }
  core.info(
    `Added ${plural(added, 'record')} to ${adding.keep.branch}${lost ? `, at attempt ${lost + 1}` : ''}`,
  );
  return 0;
}
