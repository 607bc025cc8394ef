import { resolve } from 'node:path';
import { connectGit } from '../checkout/git.ts';
import type { Command } from '../config/command.ts';
import { findCountTrends } from '../history/count-trend.ts';
import { addRuns, openHistory } from '../history/local.ts';
import { findTrends } from '../history/trend.ts';
import type { Host } from '../host.ts';
import { renderHistory } from '../report/history.ts';
import { renderHistoryPage } from '../report/html/html-history.ts';
import { readOutput } from '../store/stored.ts';
import { plural } from '../text/plain.ts';
import type { Shell } from './shell.ts';

type Asked = Extract<Command, { command: 'history' }>;

/** `history`: adds runs to a history file, and shows where it changed. */
export async function showHistory(command: Asked, { host, cwd, print }: Shell): Promise<number> {
  const file = resolve(cwd, command.file);
  if (command.add.length > 0) {
    const runs = await Promise.all(
      command.add.map(async (folder) => ({ folder, results: await readOutput(folder) })),
    );
    const { added, nothing } = await addRuns(file, runs, await readHead(host, cwd));
    for (const { folder, why } of nothing) process.stderr.write(`${folder}: nothing added: ${why}\n`);
    process.stderr.write(`added ${plural(added, 'record')} to ${file}\n`);
  }
  const history = await openHistory(file);
  const trends = findTrends(history.records);
  const counts = findCountTrends(history.records);
  if (command.format === 'json') print(JSON.stringify({ trends, counts, corrupt: history.corrupt }));
  else if (command.format === 'html') print(renderHistoryPage(trends, history, counts));
  else print(renderHistory(trends, history, counts));
  return 0;
}

/** The commit of a folder; null where it lies in no repository. */
async function readHead(host: Host, cwd: string): Promise<string | null> {
  const { code, stdout } = await connectGit(host, cwd)
    .try(['rev-parse', '--verify', '--quiet', 'HEAD'])
    .catch(() => ({ code: 1, stdout: '' }));
  return code === 0 ? stdout.trim() : null;
}
