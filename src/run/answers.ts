import type { Scenario } from '../config/types.ts';
import type { Failure } from '../results.ts';
import { readComplaint } from './complaint.ts';
import { ask, type Question, walk } from './probe.ts';
import type { RunWorld } from './run.ts';
import type { Server } from './servers.ts';
import { addressOf } from './target.ts';
import { type Answer, type Asked, findDifferent, findRedirects } from './verify.ts';

/** What one variant answered to one request, and how that is judged. */
type Reply = Pick<Asked, 'mayRefuse' | 'headOnly'> & { answer: Answer };

/** What each variant answered when it was last asked everything: variant id → request → reply. */
export type Known = Map<string, Map<string, Reply>>;

/**
 * Fails the variants of an app that answer differently from its others, or wrongly, to what the scenarios ask. Where one is
 * not known yet, everything is asked twice. From then on once: what differs from the answer known is masked, as it differs
 * from time to time. Only where that looks wrong everything is asked again.
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
  const first: Known = new Map();
  const second: Known = new Map();
  let readable = servers;
  // All once, before any is asked again: a time that is not masked, as it is the same in both answers of a variant, is
  // then the same in those of the others.
  for (const round of [first, second]) {
    const answered: Server[] = [];
    for (const server of readable) {
      // Each variant by itself: one that answers without end must not take the others' answers with it.
      try {
        for (const [id, replies] of await askAll(world, [server])) round.set(id, replies);
        answered.push(server);
      } catch (error) {
        world.signal.throwIfAborted();
        const reason = `its answers cannot be read: ${(error as Error).message}`;
        fail(server.variant.id, { stage: 'verify', reason, log: '' });
      }
    }
    readable = answered;
  }
  for (const [id, replies] of second) known.set(id, replies);
  const asked = pair(readable, first, second);
  for (const [id, reason] of asked.flatMap((ofApp) => [...findDifferent(ofApp)])) {
    const server = servers.find((s) => s.variant.id === id) as Server;
    const { log, complaint } = await readComplaint(world.docker, server.container);
    const told = complaint !== null && REFUSAL.test(reason) ? `; its log says: ${complaint}` : '';
    fail(id, { stage: 'verify', reason: `${reason}${told}`, log });
  }
  const redirects = [...findRedirects(asked.flat())].map(
    ([request, to]) => `${request} to ${to.slice(0, 200)}`,
  );
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
    return pair(servers, await askAll(world, servers), known).every(
      (asked) => findDifferent(asked).size === 0,
    );
  } catch {
    world.signal.throwIfAborted();
    return false;
  }
}

/** All that the scenarios ask: of all these servers at once the paths, then the way of each journey on one after the other. */
async function askAll(world: RunWorld, servers: readonly Server[]): Promise<Known> {
  const { docker, arena, signal, config } = world;
  const replies: Known = new Map(servers.map(({ variant }) => [variant.id, new Map()]));
  const { host } = config;
  const addresses = servers.map(({ variant, port }) => ({ id: variant.id, url: addressOf(host, port) }));
  const paths = pathsOf(config.scenarios);
  if (paths.length > 0) {
    const questions = addresses.flatMap(({ url }) =>
      paths.map(({ path }): Question => ({ id: url + path, url: url + path, host })),
    );
    const answers = await ask(docker, arena.name, questions, 0, signal);
    for (const { id, url } of addresses) {
      for (const { path, ...rules } of paths) {
        replies.get(id)?.set(`GET ${path}`, { ...rules, answer: answers[url + path] as Answer });
      }
    }
  }
  for (const { journey, statusOnly } of journeysOf(config.scenarios)) {
    const ways = await walk(docker, arena.name, journey, addresses, host, signal);
    for (const { id } of addresses) {
      const times = new Map<string, number>();
      for (const { endpoint, headOnly, answer } of ways[id] ?? []) {
        const time = (times.get(endpoint) ?? 0) + 1;
        times.set(endpoint, time);
        const request = `${endpoint}${time > 1 ? ` #${time}` : ''} (${journey.name})`;
        // What may be refused the journey knows.
        replies.get(id)?.set(request, { mayRefuse: true, headOnly: statusOnly || headOnly, answer });
      }
    }
  }
  return replies;
}

/** Of a variant whose journey took another way. */
const UNASKED: Reply = {
  answer: { status: 0, error: 'its journey went another way', type: '', location: '', body: '' },
};

/** Both rounds of each variant, by app and ref: only those of the same are held against each other. */
function pair(servers: readonly Server[], first: Known, second: Known): Asked[][] {
  const idsOf = new Map<string, string[]>();
  for (const { variant } of servers) {
    const app = JSON.stringify([variant.app.name, variant.ref]);
    idsOf.set(app, [...(idsOf.get(app) ?? []), variant.id]);
  }
  return [...idsOf.values()].map((ids) => {
    const requestsOf = (id: string) => [first, second].flatMap((one) => [...(one.get(id)?.keys() ?? [])]);
    const requests = new Set(ids.flatMap(requestsOf));
    return ids.flatMap((variant) =>
      [...requests].map((request): Asked => {
        const { answer, ...rules } = first.get(variant)?.get(request) ?? UNASKED;
        const again = second.get(variant)?.get(request) ?? UNASKED;
        return { ...rules, variant, request, first: answer, second: again.answer };
      }),
    );
  });
}

function pathsOf(
  scenarios: readonly Scenario[],
): ({ path: string } & Pick<Required<Asked>, 'mayRefuse' | 'headOnly'>)[] {
  const wantedBy = (some: readonly Scenario[]) =>
    some.flatMap(({ journey }) => (journey.kind === 'paths' ? journey.paths : []));
  const wanted = wantedBy(scenarios);
  const whole = wantedBy(scenarios.filter(({ verify }) => verify !== 'status'));
  // What a user's script asks is its own business; it may be that nothing is there on `/`.
  const scripted = scenarios.some(({ journey }) => journey.kind === 'script');
  const paths = new Set([...wanted, ...(scripted ? ['/'] : [])]);
  return [...paths].map((path) => ({
    path,
    mayRefuse: !wanted.includes(path),
    headOnly: wanted.includes(path) && !whole.includes(path),
  }));
}

/** The bundled journeys, each once. */
function journeysOf(scenarios: readonly Scenario[]) {
  const bundled = scenarios.flatMap(({ journey, verify }) =>
    journey.kind === 'bundled' ? [{ journey, statusOnly: verify === 'status' }] : [],
  );
  return bundled.filter(
    (one, i) => bundled.findIndex(({ journey }) => journey.name === one.journey.name) === i,
  );
}
