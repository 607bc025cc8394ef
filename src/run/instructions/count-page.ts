import type { Docker } from '../../engine/docker.ts';
import { type Sent, sentBy } from '../servers/target.ts';
import type { World } from '../world.ts';
import { type CallgrindPart, readPart } from './callgrind.ts';
import { type PageAnswer, type Repeat, slackOf } from './repeats.ts';

/** Asks php-cgi in a container of `runtimes/_instructions` for a page. */

/** Requests of one process: these first ones fill caches. */
const WARMUPS = 4;
/** Those that count. */
export const COUNTED = 5;
/** callgrind counts the end of the process together with the last request, which therefore does not count. */
const REQUESTS = WARMUPS + COUNTED + 1;
/** Repeats of each version. */
export const REPEATS = 2;
/** The second repeat has a longer variable in its environment, so that what PHP keeps in memory lies elsewhere. */
const PAD_BYTES = [3, 64] as const;
/** For one process, s. With two repeats of a version, and both versions at once, a page takes at most twice that. */
export const LIMIT_SECONDS = 600;

interface PageRequest extends Sent {
  path: string;
  /** As the load sends it. */
  agent: string;
}

/** The request of a path, as the load sends it. */
export function pageOf({ job }: Pick<World, 'job'>, path: string, agent: string): PageRequest {
  return { path, ...sentBy(job.config), agent };
}

/** A page that cannot be counted; the message has the reason. */
export class Uncountable extends Error {}

interface Where {
  docker: Docker;
  container: string;
  signal: AbortSignal;
}

/** Without callgrind. Afterwards, the app's state from earlier requests exists. */
export async function askPage(where: Where, page: PageRequest): Promise<PageAnswer> {
  let answer = await askOnce(where, page);
  // The first request may make caches, and print that.
  answer = await askOnce(where, page);
  return answer;
}

async function askOnce(where: Where, page: PageRequest): Promise<PageAnswer> {
  const found = await callCounter(where, { ...page, requests: 0, pad: 0 });
  const { status, location, bytes, sent } = found as Record<string, number & string>;
  return { status: Number(status), location: String(location), bytes: Number(bytes), sent: Number(sent) };
}

/** Counts a page in a process of its own. Errors: Uncountable. */
export async function countPage(
  where: Where,
  page: PageRequest,
  number: number,
  answer: PageAnswer,
): Promise<Counting> {
  const asked = { ...page, requests: REQUESTS, pad: PAD_BYTES[number] ?? 0 };
  const { parts, bytes, statuses, said } = (await callCounter(where, asked)) as unknown as Counted;
  const wrong = findWrong(answer, bytes, statuses);
  if (wrong !== null) throw new Uncountable(wrong);
  // One at the start of each request, the first of them holds what came before.
  const wanted = parts.slice(1 + WARMUPS, 1 + WARMUPS + COUNTED);
  if (parts.length !== REQUESTS || wanted.length !== COUNTED) {
    throw new Uncountable(`callgrind counted ${parts.length} of ${REQUESTS} requests: ${lastLine(said)}`);
  }
  const repeat: CallgrindPart[] = [];
  let text = '';
  // One at a time: together they may be more than the output of one command.
  for (const file of wanted) {
    text = await readText(where, file);
    const part = readPart(text);
    if (part === null) throw new Uncountable('what callgrind wrote cannot be read');
    repeat.push(part);
  }
  return { repeat, text };
}

async function readText({ docker, container, signal }: Where, file: string): Promise<string> {
  const { code, stdout, stderr } = await docker.try(['exec', container, 'cat', file], { signal });
  signal.throwIfAborted();
  if (code === 0) return stdout;
  throw new Uncountable(`what callgrind wrote cannot be read: ${lastLine(stderr)}`);
}

/** One process of php-cgi. */
export interface Counting {
  repeat: Repeat;
  /** callgrind's own words on the last request that counts. */
  text: string;
}

interface Counted {
  parts: string[];
  bytes: number;
  statuses: number[];
  said: string;
}

/** Every request of the process was answered like the one before it. */
function findWrong({ status, sent }: PageAnswer, bytes: number, statuses: number[]): string | null {
  const other = statuses.find((one) => one !== status);
  if (other !== undefined)
    return `php-cgi answers HTTP ${other} instead of HTTP ${status} when it is asked again`;
  // php-cgi names each status but 200.
  if (status !== 200 && statuses.length < REQUESTS)
    return `php-cgi answers HTTP 200 instead of HTTP ${status} when it is asked again`;
  const expected = sent * REQUESTS;
  if (Math.abs(bytes - expected) <= slackOf(expected) + REQUESTS * slackOf(sent)) return null;
  return `php-cgi answers ${REQUESTS} requests with ${bytes} bytes instead of ${expected}`;
}

const SCRIPT = '/usr/local/share/php-runtime-bench/count.php';
const PHP_INI_SCAN_DIR = ':/tmp/php-runtime-bench/php';
/** Beyond the limit of php-cgi: to start and to end. */
const SPARE_SECONDS = 30;

async function callCounter(
  { docker, container, signal }: Where,
  asked: PageRequest & { requests: number; pad: number },
): Promise<Record<string, unknown>> {
  const json = JSON.stringify({ ...asked, seconds: LIMIT_SECONDS });
  const { code, stdout, stderr } = await docker.try(
    [
      ...['exec', `--env=PHP_INI_SCAN_DIR=${PHP_INI_SCAN_DIR}`, container],
      ...['php', '-n', '-d', 'memory_limit=1G', SCRIPT, json],
    ],
    { signal, timeoutMs: (LIMIT_SECONDS + SPARE_SECONDS) * 1000 },
  );
  signal.throwIfAborted();
  if (code !== 0)
    throw new Uncountable(lastLine(stderr || stdout) || `its counter ended with exit code ${code}`);
  const found: Record<string, unknown> = JSON.parse(stdout);
  if (typeof found.problem === 'string') throw new Uncountable(found.problem);
  return found;
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)?.slice(0, 200) ?? '';
