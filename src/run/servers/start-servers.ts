import { type Docker, expectEngine, inspectContainers, lastLines, readLog } from '../../engine/docker.ts';
import type { Instance } from '../../plan/instances.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Failure } from '../../results/results.ts';
import { quoteCause } from '../../text/log-cause.ts';
import { ask, FACTS_PATH, type Question, readFacts } from '../load/probe.ts';
import {
  containerOf,
  createArguments,
  explainDeath,
  explainFront,
  frontOf,
  type Server,
  type ServerContext,
  type WantedServer,
} from './servers.ts';
import { addressOf } from './target.ts';

/** For one variant that starts alone. */
const READY_SECONDS = 60;
const ROUND_MS = 2000;

/** A variant on its way to answer. */
interface Starting {
  wanted: WantedServer;
  variant: PlannedVariant;
  container: string;
  /** Container of what stands before it. */
  before: string | null;
  port: number;
  question: Question;
  /** Its last answer, for people. */
  last: string;
}

/** By variant id: those that are ready, and why the others are not. */
type Outcomes = Map<string, Server | Failure>;

/** Starts variants, each without waiting for the one before, until PHP answers 200 behind all; returns why not. */
export async function startServers(
  context: ServerContext,
  wanted: readonly WantedServer[],
  instance: Instance,
): Promise<Outcomes> {
  const { docker, host, signal } = context.engine;
  const outcomes: Outcomes = new Map();
  const all = wanted.map((one) => describe(context, one, instance));
  const pending = () => all.filter(({ variant }) => !outcomes.has(variant.id));
  // Neither is ended by a signal: a client that dies in between leaves a container which nobody has seen yet.
  await Promise.all(all.map((one) => create(context, one, outcomes)));
  signal.throwIfAborted();
  // The first round begins before the containers do, so that it sees the first answers.
  let round = askAll(context, pending());
  for (const one of pending()) {
    if (one.before) await attempt(docker, one, ['container', 'start', one.before], outcomes);
    await attempt(docker, one, ['container', 'start', one.container], outcomes);
  }
  signal.throwIfAborted();
  // By the clock: a round with a server that takes a request and never answers lasts longer than others.
  const readyMs = readyLimitMs(context, wanted);
  const untilMs = host.elapsed() + readyMs;
  for (;;) {
    await judgeRound(docker, pending(), await round, outcomes);
    if (pending().length === 0 || host.elapsed() >= untilMs) break;
    round = askAll(context, pending());
  }
  const beside = all.length > 1 ? `, while ${all.length - 1} more started` : '';
  const late = `not ready after ${Math.round(readyMs / 1000)} s${beside}`;
  for (const one of pending()) outcomes.set(one.variant.id, await giveUp(docker, one, late));
  return outcomes;
}

/** Variants that start together share the CPUs: each gets the time that all took alone in the first start on top. */
function readyLimitMs({ job }: ServerContext, wanted: readonly WantedServer[]): number {
  if (wanted.length === 1) return READY_SECONDS * 1000;
  const knownMs = wanted.flatMap(({ variant }) => job.outcomes.get(variant.id)?.coldStartMs ?? []);
  return knownMs.reduce((sum, ms) => sum + ms, READY_SECONDS * 1000);
}

function describe({ engine, job }: ServerContext, wanted: WantedServer, instance: Instance): Starting {
  const { variant, front } = wanted;
  const { host } = job.config;
  const port = instance.ports[variant.id] as number;
  const container = containerOf(engine.run, instance, variant.id);
  return {
    ...{ wanted, variant, port, container, last: 'nothing' },
    before: front === undefined ? null : frontOf(container),
    question: { id: variant.id, url: addressOf(host, port) + FACTS_PATH, host, until: true },
  };
}

async function create(context: ServerContext, one: Starting, outcomes: Outcomes): Promise<void> {
  for (const args of createArguments(context, one.wanted, one.container, one.port)) {
    await attempt(context.engine.docker, one, ['container', 'create', ...args], outcomes);
  }
  const folders = context.job.outfits?.get(one.variant.id)?.folders ?? {};
  for (const [to, from] of Object.entries(folders)) {
    if (outcomes.has(one.variant.id)) return;
    // No bind mounts: the engine need not see our disk.
    const args = ['container', 'cp', `${from}/.`, `${one.container}:${to}`];
    await attempt(context.engine.docker, one, args, outcomes);
  }
}

async function attempt(
  docker: Docker,
  { variant }: Starting,
  args: readonly string[],
  outcomes: Outcomes,
): Promise<void> {
  const { code, stderr } = await docker.try(args);
  if (code === 0) return;
  await expectEngine(docker);
  outcomes.set(variant.id, {
    ...{ stage: 'start', reason: stderr.split('\n')[0] ?? '', log: lastLines(stderr, 20) },
  });
}

type Answers = Awaited<ReturnType<typeof ask>>;

function askAll({ engine }: ServerContext, waiting: readonly Starting[]): Promise<Answers> {
  const questions = waiting.map(({ question }) => question);
  const answers = ask(engine, questions, { deadlineMs: ROUND_MS });
  answers.catch(() => {});
  return answers;
}

/** Notes which are ready, and which have died. */
async function judgeRound(
  docker: Docker,
  waiting: readonly Starting[],
  answers: Answers,
  outcomes: Outcomes,
): Promise<void> {
  const containers = waiting.flatMap(({ container, before }) => [container, ...(before ? [before] : [])]);
  const states = await inspectContainers(docker, containers);
  await Promise.all(
    waiting.map(async (one) => {
      const { variant, container, port, before } = one;
      const state = states.get(container);
      const front = before === null ? null : states.get(before);
      const answer = answers[variant.id];
      if (!state?.running) {
        outcomes.set(variant.id, await explainDeath(docker, container, 'start'));
      } else if (before !== null && !front?.running) {
        outcomes.set(variant.id, await explainFront(docker, before, 'start'));
      } else if (answer?.status === 200) {
        const coldStartMs = Math.max(0, answer.at - state.startedMs);
        const facts = readFacts(answer.body);
        outcomes.set(variant.id, {
          ...{ variant, container, pid: state.pid, port, facts, coldStartMs },
          ...(before !== null && front && { front: { container: before, pid: front.pid } }),
        });
      } else {
        one.last = answer?.status ? `HTTP ${answer.status}` : (answer?.error ?? 'nothing');
      }
    }),
  );
}

async function giveUp(docker: Docker, { container, last }: Starting, late: string): Promise<Failure> {
  const log = await readLog(docker, container, 50);
  const reason = `${late}; its last answer: ${last}${quoteCause(log)}`;
  // One that tries over and over would take CPU from those that are started next.
  await docker.try(['container', 'kill', container]);
  return { stage: 'start', reason, log };
}
