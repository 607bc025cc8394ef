import { stat } from 'node:fs/promises';
import type { Journey } from '../../config/types.ts';
import type { Arena } from '../../engine/arena.ts';
import { type Docker, DockerError, expectEngine, LIMITS_MS, lastLines } from '../../engine/docker.ts';
import { MachineError } from '../../errors.ts';
import type { Finished } from '../../host.ts';
import type { Facts } from '../../results/results.ts';
import { hostsOf, type Sent } from '../servers/target.ts';
import type { Answer } from '../verify/verify.ts';
import { journeyModule } from './k6.ts';

/** One GET in the arena. */
export interface Question extends Sent {
  id: string;
  url: string;
  /** An answer may take as long as one under load, where that is longer than USUAL_MS. */
  timeoutMs?: number;
  /** Asks again until the answer is 200. */
  until?: boolean;
  /** Asked once those of lower turns, which come before it, have their answers; 0 if left out. */
  turn?: number;
}

/** Folder in the arena that holds what k6 reads; it belongs to k6's user. */
export const ARENA_FOLDER = '/tmp/bench';
const MAX_BODY = 256 * 1024;
/** So long does a question wait for its answer at least, ms. */
const USUAL_MS = 10_000;
/** For questions that wait USUAL_MS, and for a journey, which has many requests, of up to LONG_MS each, ms. */
const LIMITS = { probe: 120_000, walk: 1_800_000 } as const;
const LONG_MS = 60_000;

/** So many, each with the longest body, are well below what is kept of one process's output. */
const AT_ONCE = 50;
/** So many of one server, one after the other, end within LIMITS.probe even if each waits USUAL_MS. */
const IN_TURN = 10;
/** By default, k6 sends so many of a batch to one host at once. */
const PER_HOST = 6;

/** The engine and its arena, in which k6 asks. */
interface Asking {
  docker: Docker;
  arena: Pick<Arena, 'name'>;
  signal: AbortSignal;
}

/**
 * Asks servers in the arena by k6 without load, AT_ONCE questions at once. Those of one server should not follow each other.
 * Errors: DockerError, k6 failed or took too long.
 * @param options.deadlineMs questions with `until` are asked again for so long
 * @param options.perHost how many at once one server gets
 */
export async function ask(
  engine: Asking,
  questions: readonly Question[],
  { deadlineMs = 0, perHost = PER_HOST } = {},
): Promise<Record<string, Answer & { at: number }>> {
  const hosts = Object.assign({}, ...questions.map(({ host }) => hostsOf(host)));
  const answers: Record<string, Answer & { at: number }> = {};
  const servers = new Set(questions.map(({ url }) => url.split('/', 3).join('/')));
  const atOnce = Math.min(AT_ONCE, IN_TURN * perHost * servers.size);
  for (let i = 0; i < questions.length; i += atOnce) {
    const requests = questions.slice(i, i + atOnce);
    const longestMs = Math.max(...requests.map(({ timeoutMs = 0 }) => timeoutMs));
    const moreMs = Math.ceil(requests.length / perHost) * Math.max(0, longestMs - USUAL_MS);
    const limitMs = LIMITS.probe + moreMs;
    const input = { requests, hosts, perHost, deadlineMs, limitMs, maxBody: MAX_BODY };
    Object.assign(answers, await runScript(engine, 'probe', input, limitMs));
  }
  return answers;
}

/** One step of a journey. */
interface JourneyStep {
  /** As the journey names it. */
  endpoint: string;
  /** The body names the server. */
  headOnly: boolean;
  /** The journey itself names the statuses of a right answer. */
  expects: boolean;
  answer: Answer;
}

/**
 * Runs a bundled journey on servers in the arena, one after the other and without load. It goes the same way on each,
 * until each endpoint was asked or an answer is wrong. By the servers' ids.
 */
export async function walk(
  engine: Asking,
  journey: Journey,
  servers: readonly Pick<Question, 'id' | 'url'>[],
  sent: Sent & Pick<Required<Question>, 'timeoutMs'>,
): Promise<Record<string, JourneyStep[]>> {
  const limitMs = LIMITS.walk * Math.max(1, sent.timeoutMs / LONG_MS);
  const input = { servers, ...sent, hosts: hostsOf(sent.host), limitMs, maxBody: MAX_BODY };
  return runScript(engine, 'walk', input, limitMs, journeyModule({ journey }));
}

/** Runs one of our scripts by k6, for `limitMs` at most; what it prints. `walked` is the journey that it goes. */
async function runScript(
  { docker, arena, signal }: Asking,
  name: 'probe' | 'walk',
  input: unknown,
  limitMs: number,
  walked = '',
) {
  const script = [
    `cd "$1" && cat >"$2.json" || exit ${UNWRITTEN}`,
    `if [ "$3" ]; then printf %s "$3" >walked.js || exit ${UNWRITTEN}; fi`,
    'exec k6 run --quiet --address "" --no-usage-report "lib/$2.js"',
  ].join('\n');
  const args = ['exec', '--interactive', arena.name, 'sh', '-c', script, 'sh', ARENA_FOLDER, name, walked];
  const finished = await docker.try(args, { input: JSON.stringify(input), signal, timeoutMs: limitMs });
  signal.throwIfAborted();
  expectWritten(finished);
  if (finished.code !== 0) throw new DockerError(args, finished);
  return JSON.parse(finished.stdout);
}

export const FACTS_PATH = '/.php-runtime-bench/facts';

/** Reads what a server reports about itself; null when it is not what we expect. Untrusted. */
export function readFacts(body: string): Facts | null {
  try {
    const facts = JSON.parse(body);
    const text = (value: unknown) => String(value ?? '').slice(0, 200);
    const jit = facts.opcache?.jit;
    const list = (value: unknown, most: number) =>
      (Array.isArray(value) ? value : []).slice(0, most).map(text);
    const record = (value: unknown, most: number) =>
      Object.fromEntries(
        Object.entries(value ?? {})
          .slice(0, most)
          .map(([key, one]) => [text(key), text(one)]),
      );
    const uncached = list(facts.uncached, 10);
    const settings = record(facts.settings, 20);
    return {
      php: text(facts.php),
      sapi: text(facts.sapi),
      zts: facts.zts === true,
      server: text(facts.server),
      opcache: facts.opcache?.enabled === true,
      jit: jit?.on ? text(jit.kind || 'on') : 'off',
      ini: record(facts.ini, 100),
      ...(facts.ignoresIni === true && { ignoresIni: true }),
      extensions: list(facts.extensions, 300),
      ...(uncached.length > 0 && { uncached }),
      ...(Object.keys(settings).length > 0 && { settings }),
    };
  } catch {
    return null;
  }
}

/** How many files OPcache did not have since it started; null: the server does not report it. Untrusted. */
export function readMisses(body: string): number | null {
  try {
    const misses: unknown = JSON.parse(body).opcache?.misses;
    return typeof misses === 'number' && Number.isSafeInteger(misses) && misses >= 0 ? misses : null;
  } catch {
    return null;
  }
}

/** The second is not there on a kernel without IPv6. */
const SOCKET_TABLES = ['/proc/net/tcp', '/proc/net/tcp6'] as const;

/** Ports on which something listens in the arena's network namespace. */
export async function listListeners(docker: Docker, arena: string): Promise<number[]> {
  const script = `cat ${SOCKET_TABLES.join(' ')} 2>/dev/null; [ -r ${SOCKET_TABLES[0]} ]`;
  const tables = await docker.run(['exec', arena, 'sh', '-c', script]);
  const ports = new Set<number>();
  for (const line of tables.split('\n')) {
    const [, local = '', , state] = line.trim().split(/\s+/);
    if (state === '0A') ports.add(Number.parseInt(local.split(':').at(-1) ?? '', 16));
  }
  return [...ports];
}

/** Exit code of a shell there that could not write down what k6 reads (EX_IOERR); k6 has none below 97. */
export const UNWRITTEN = 74;

const failure = ({ stderr }: Finished) =>
  new MachineError('the container that k6 runs in failed', { found: lastLines(stderr, 1) });

/** Checks that the input of k6 could be written. Errors: MachineError, the disk may have room again by now. */
export function expectWritten(finished: Finished): void {
  if (finished.code === UNWRITTEN) throw failure(finished);
}

/** More bytes than questions or the plan of a batch have. */
const WRITE =
  'cd "$1" && dd if=/dev/zero of=room bs=100000 count=10 status=none; code=$?; rm -f room; exit "$code"';

/** Writes in the arena, as each load does: it fails where the arena has ended, or the disk of its engine is full. */
export function tryWriting({ docker, arena }: Pick<Asking, 'docker' | 'arena'>): Promise<Finished> {
  return docker.try(['exec', arena.name, 'sh', '-c', WRITE, 'sh', ARENA_FOLDER]);
}

/** Checks that the arena still works, once something went wrong in it. Errors: MachineError, the engine or its disk failed. */
export async function expectArena({ docker, arena }: Pick<Asking, 'docker' | 'arena'>): Promise<void> {
  await expectEngine(docker);
  const finished = await tryWriting({ docker, arena });
  if (finished.code !== 0) throw failure(finished);
}

/** Copies the scripts that run in the arena into it. */
export async function furnish(docker: Docker, arena: string, scenariosFolder: string): Promise<void> {
  await docker.run(['exec', arena, 'mkdir', '-p', ARENA_FOLDER]);
  for (const folder of ['lib', 'journeys']) {
    await docker.run(['container', 'cp', `${scenariosFolder}/${folder}`, `${arena}:${ARENA_FOLDER}/`], {
      timeoutMs: LIMITS_MS.copy,
    });
  }
  await makeReadable(docker, arena, scenariosFolder);
}

/**
 * Lets all read what was copied into the arena from a folder. Copies keep their modes and their owner: from a checkout
 * with a strict umask k6's user could not read them. Root has no capabilities there, so only the owner may change them.
 */
export async function makeReadable(docker: Docker, arena: string, folder: string): Promise<void> {
  const owner = String((await stat(folder)).uid);
  const script = 'find "$1" -user "$2" -exec chmod a+rX {} +';
  const argv = ['sh', '-c', script, 'sh', ARENA_FOLDER, owner];
  await docker.run(['exec', '--user', owner, '--workdir', '/', arena, ...argv]);
}
