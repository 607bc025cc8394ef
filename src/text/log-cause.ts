/** The message of a server or a build about its own end, found in its log. Pure. */

/** Words of errors, as servers, shells, apt and PHP have them. */
const ERROR =
  /\b(?:emerg|alert|crit|critical|error|fatal|panic|failed|failure|cannot|can't|could not|unable|denied|refused|invalid|unknown|no such|not found|not allowed|specify|segmentation|core dumped)\b|^E: /i;
/** The last line that runtimes/_shared/pair.sh prints, whatever the cause. */
const ENDED = /^\S+: (.+) has ended(?: \(.*\))?, so the container ends, too$/;
/** The sampler of --profile writes this when SIGTERM ends an Apache child within a request: it is no cause. */
const SAMPLER = /^pthread_mutex_lock\(\): /;
/** An error of Symfony's console: lines of one width between blank ones, where a long line is cut anywhere. */
const FRAME = /^( {5,})\n((?: {2}.*\n){1,30}?)\1$/gm;
const LINES = 30;
const LENGTH = 300;

/**
 * The line that shows why: the first of the last block of error lines, as the others follow from it. If no line
 * matches, the last one. Empty: the log shows nothing.
 */
export function findCause(log: string): string {
  const lines = log
    .replace(FRAME, (frame, blank: string, framed: string) => joinFramed(framed, blank.length) ?? frame)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !SAMPLER.test(line))
    .slice(-LINES);
  const who = lines.map((line) => ENDED.exec(line)?.[1]).findLast((name) => name !== undefined);
  const own = lines.filter((line) => !ENDED.test(line));
  let at = own.findLastIndex((line) => ERROR.test(line));
  while (at > 0 && ERROR.test(own[at - 1] as string)) at--;
  const cause = (own[at] ?? own.at(-1) ?? '').slice(0, LENGTH);
  if (who === undefined) return cause;
  return cause === '' ? `${who} has ended` : `${who} stopped: ${cause}`;
}

/** Between a reason and what it quotes of a log. */
export const ITS_LOG = '; its log: ';

/** The same, as what follows a reason. */
export function quoteCause(log: string): string {
  const cause = findCause(log);
  return cause === '' ? '; its log is empty' : `${ITS_LOG}${cause}`;
}

/** Whether a line has a word of an error. */
export function readsAsError(line: string): boolean {
  return ERROR.test(line);
}

/** The text of a frame, in one line. Null: its lines are not of one width. */
function joinFramed(framed: string, width: number): string | null {
  const lines = framed.slice(0, -1).split('\n');
  if (lines.some((line) => line.length !== width)) return null;
  return lines.map((line) => line.slice(2, -2).replace(/ +$/, ' ')).join('');
}
