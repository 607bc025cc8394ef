import type { Scenario } from '../../config/types.ts';
import { readMachineError } from '../../errors.ts';
import { ask, expectArena, type Question, walk } from '../load/probe.ts';
import type { Server } from '../servers/servers.ts';
import { addressOf, sentBy } from '../servers/target.ts';
import type { Engine, World } from '../world.ts';
import type { Answer, Asked, Round } from './verify.ts';

/** All that the scenarios ask: of all these servers at once the paths, then the way of each journey on one after the other. */
export async function askAll(world: World, servers: readonly Server[]): Promise<Round> {
  const { config } = world.job;
  const sent = { ...sentBy(config), timeoutMs: longestTimeoutMs(config) };
  const replies = await askPaths(world, servers, pathsOf(config.scenarios));
  const addresses = addressesOf(servers, sent.host);
  for (const { journey, statusOnly } of journeysOf(config.scenarios)) {
    const ways = await walk(world.engine, journey, addresses, sent);
    for (const { id } of addresses) {
      const times = new Map<string, number>();
      for (const { endpoint, headOnly, expects, answer } of ways[id] ?? []) {
        const time = (times.get(endpoint) ?? 0) + 1;
        times.set(endpoint, time);
        const request = `${endpoint}${time > 1 ? ` #${time}` : ''} (${journey.name})`;
        replies.get(id)?.set(request, {
          mayRefuse: expects,
          headOnly: statusOnly || headOnly,
          endpoint: `${endpoint}\n${journey.name}`,
          answer,
        });
      }
    }
  }
  return replies;
}

/**
 * Throws if answers could not be read because this machine, the engine or the arena failed, or the run was stopped. Else
 * it is the fault of the variant that was asked, as with an answer without end.
 */
export async function expectMachines(engine: Engine, error: unknown): Promise<void> {
  engine.signal.throwIfAborted();
  const failure = readMachineError(error);
  if (failure !== null) throw failure;
  await expectArena(engine);
}

const addressesOf = (servers: readonly Server[], host: string) =>
  servers.map(({ variant, port }) => ({ id: variant.id, url: addressOf(host, port) }));

const longestTimeoutMs = ({ scenarios }: World['job']['config']) =>
  Math.max(...scenarios.map(({ timeoutMs }) => timeoutMs));

type AskedPath = { path: string } & Pick<Required<Asked>, 'mayRefuse' | 'mayBeMute' | 'headOnly'>;

export async function askPaths(
  { engine, job: { config } }: World,
  servers: readonly Server[],
  paths: readonly AskedPath[],
): Promise<Round> {
  const replies: Round = new Map(servers.map(({ variant }) => [variant.id, new Map()]));
  if (paths.length === 0) return replies;
  const questions = questionsOf(config, servers, paths);
  // One at a time: the first request of a fresh start may fill the app's database, and the others find it locked.
  const answers = await ask(engine, questions, { perHost: 1 });
  for (const { id, url } of addressesOf(servers, sentBy(config).host)) {
    for (const { path, ...rules } of paths) {
      const answer = answers[url + path] as Answer;
      replies.get(id)?.set(`GET ${path}`, { ...rules, endpoint: path, answer });
    }
  }
  return replies;
}

/** Each path of each server; their ids are the addresses. */
export function questionsOf(
  config: World['job']['config'],
  servers: readonly Server[],
  paths: readonly Pick<AskedPath, 'path'>[],
): Question[] {
  const sent = sentBy(config);
  const timeoutMs = longestTimeoutMs(config);
  return paths.flatMap(({ path }) =>
    addressesOf(servers, sent.host).map(({ url }) => ({
      id: url + path,
      url: url + path,
      ...sent,
      timeoutMs,
    })),
  );
}

export function pathsOf(scenarios: readonly Scenario[]): AskedPath[] {
  const wantedBy = (some: readonly Scenario[]) =>
    some.flatMap(({ journey }) => (journey.kind === 'paths' ? journey.paths : []));
  const wanted = wantedBy(scenarios);
  const whole = wantedBy(scenarios.filter(({ verify }) => verify !== 'status'));
  // A user's script chooses its own requests; `/` may not exist.
  const scripts = scenarios.filter(({ journey }) => journey.kind === 'script');
  const paths = new Set([...wanted, ...(scripts.length > 0 ? ['/'] : [])]);
  return [...paths].map((path) => {
    const isWanted = wanted.includes(path);
    const headOnly = isWanted ? !whole.includes(path) : scripts.every(({ verify }) => verify === 'status');
    return { path, mayRefuse: !isWanted, mayBeMute: !isWanted, headOnly };
  });
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
