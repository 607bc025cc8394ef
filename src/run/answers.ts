import type { Scenario } from '../config/types.ts';
import type { Failure } from '../results.ts';
import { readComplaint } from './complaint.ts';
import { ask, type Question } from './probe.ts';
import type { RunWorld } from './run.ts';
import type { Server } from './servers.ts';
import { type Answer, type Asked, findDifferent, findRedirects } from './verify.ts';

/** What each variant answered when it was last asked everything: variant id → path → answer. */
export type Known = Map<string, Map<string, Answer>>;

/**
 * Fails the variants of an app that answer differently from its others, or wrongly. Where one is not known yet, each path
 * is asked twice. From then on once: what differs from the answer known is masked, as it differs from time to time. Only
 * where that looks wrong everything is asked again.
 */
export async function checkAnswers(
  world: RunWorld,
  servers: readonly Server[],
  known: Known,
  fail: (variant: string, failure: Failure) => void,
): Promise<void> {
  if (servers.every(({ variant }) => known.has(variant.id)) && (await soundRight(world, servers, known)))
    return;
  const isFirst = known.size === 0;
  const asked = new Map<Server, Asked[]>();
  for (const server of servers) {
    // Each variant by itself: one that answers without end must not take the others' answers with it.
    const round = () => askAll(world, [server]);
    try {
      const [first, second] = [await round(), await round()];
      asked.set(server, pair(world, [server], first, second));
      known.set(server.variant.id, second.get(server.variant.id) as Map<string, Answer>);
    } catch (error) {
      world.signal.throwIfAborted();
      fail(server.variant.id, {
        ...{ stage: 'verify', reason: `its answers cannot be read: ${(error as Error).message}`, log: '' },
      });
    }
  }
  const answers = [...asked.values()].flat();
  for (const [id, reason] of judge(answers, servers)) {
    const server = servers.find((s) => s.variant.id === id) as Server;
    const { log, complaint } = await readComplaint(world.docker, server.container);
    const told = complaint !== null && REFUSAL.test(reason) ? `; its log says: ${complaint}` : '';
    fail(id, { stage: 'verify', reason: `${reason}${told}`, log });
  }
  const redirects = [...findRedirects(answers)].map(([path, to]) => `GET ${path} to ${to.slice(0, 200)}`);
  if (isFirst && redirects.length > 0) {
    world.warn({
      code: 'redirect',
      message: `redirects are loaded, not what is behind them: ${redirects.slice(0, 5).join(', ')}`,
      remedy:
        'name the pages behind them in paths; a log-in takes a k6 script, and one to https goes away by a setting of the app',
      variant: null,
    });
  }
}

/** How a reason ends when the app itself has refused: then its log may say why. */
const REFUSAL = / answers HTTP \d+$/;

async function soundRight(world: RunWorld, servers: readonly Server[], known: Known): Promise<boolean> {
  try {
    return judge(pair(world, servers, await askAll(world, servers), known), servers).length === 0;
  } catch {
    world.signal.throwIfAborted();
    return false;
  }
}

/** All paths of all these servers at once. */
async function askAll(world: RunWorld, servers: readonly Server[]): Promise<Known> {
  const paths = pathsOf(world.config.scenarios);
  const questions = servers.flatMap(({ port }) =>
    paths.map(({ path }): Question => {
      const url = `http://127.0.0.1:${port}${path}`;
      return { id: url, url, host: 'bench.test' };
    }),
  );
  const answers = await ask(world.docker, world.arena.name, questions, 0, world.signal);
  return new Map(
    servers.map(({ variant, port }) => [
      variant.id,
      new Map(paths.map(({ path }) => [path, answers[`http://127.0.0.1:${port}${path}`] as Answer])),
    ]),
  );
}

function pair(world: RunWorld, servers: readonly Server[], first: Known, second: Known): Asked[] {
  return servers.flatMap(({ variant }) =>
    pathsOf(world.config.scenarios).map(({ path, mayRefuse, headOnly }) => ({
      ...{ variant: variant.id, path, mayRefuse, headOnly },
      first: first.get(variant.id)?.get(path) as Answer,
      second: second.get(variant.id)?.get(path) as Answer,
    })),
  );
}

/** Variants with the reason why they fail; only those of the same app, at the same ref, are held against each other. */
function judge(asked: readonly Asked[], servers: readonly Server[]): [string, string][] {
  const appOf = new Map(
    servers.map(({ variant: { id, app, ref } }) => [id, JSON.stringify([app.name, ref])]),
  );
  const apps = [...new Set(appOf.values())];
  return apps.flatMap((app) => [...findDifferent(asked.filter((one) => appOf.get(one.variant) === app))]);
}

function pathsOf(scenarios: readonly Scenario[]): Pick<Required<Asked>, 'path' | 'mayRefuse' | 'headOnly'>[] {
  const wantedBy = (some: readonly Scenario[]) =>
    some.flatMap(({ journey }) => (journey.kind === 'paths' ? journey.paths : []));
  const wanted = wantedBy(scenarios);
  const whole = wantedBy(scenarios.filter(({ verify }) => verify !== 'status'));
  // What a script asks is its own business; it may be that nothing is there on `/`.
  const scripted = scenarios.some(({ journey }) => journey.kind !== 'paths');
  const paths = new Set([...wanted, ...(scripted ? ['/'] : [])]);
  return [...paths].map((path) => ({
    path,
    mayRefuse: !wanted.includes(path),
    headOnly: wanted.includes(path) && !whole.includes(path),
  }));
}
