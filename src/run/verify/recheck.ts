import { hasRate } from '../../config/parts/load.ts';
import type { Scenario } from '../../config/types.ts';
import type { Failure } from '../../results/results.ts';
import { findDeaths, type Server } from '../servers/servers.ts';
import type { World } from '../world.ts';
import { explainFailure } from './app-evidence.ts';
import { type Checked, expectationOf, findDifference } from './checked.ts';
import { appOf, type Learned } from './learned.ts';
import { askPaths, expectMachines, pathsOf } from './requests.ts';
import type { Answer } from './verify.ts';

/**
 * Asks the paths once more when all of a start's load is done. Variants that answer otherwise by then fail: the disk
 * may be full, or the database gone. Twice, as a page may be odd now and then. All at once, and each variant by itself where one
 * answers otherwise, or without end. One that works off its queue is waited for: beyond its knee a ramp is meant to leave one.
 * One that has ended is not.
 */
export async function recheckAnswers(
  world: World,
  servers: readonly Server[],
  learned: Learned,
  fail: (variant: string, failure: Failure) => void,
): Promise<void> {
  const paths = pathsOf(world.job.config.scenarios).filter(({ mayRefuse }) => !mayRefuse);
  if (paths.length === 0) return;
  const first = await findOdds(world, servers, paths, learned).catch(() => null);
  world.engine.signal.throwIfAborted();
  for (const server of servers) {
    const { id } = server.variant;
    let odd: Odd | undefined;
    try {
      const findOdd = async () => (await findOdds(world, [server], paths, learned)).get(id);
      odd = first ? first.get(id) : await findOdd();
      if (odd && isBusy(odd) && mayQueue(world.job.config.scenarios)) {
        await awaitService(world, server, paths, odd.request);
        odd = await findOdd();
      }
      if (odd) odd = await findOdd();
    } catch (error) {
      await expectMachines(world.engine, error);
      const reason = `its answers after the load cannot be read: ${(error as Error).message}`;
      fail(id, { stage: 'run', reason, log: '' });
      continue;
    }
    if (!odd) continue;
    const death = (await findDeaths(world.engine.docker, [server])).get(id);
    const reason = `${odd.request} answers differently after the load: ${odd.other}`;
    fail(id, death ?? (await explainFailure(world.engine, world.sink, server, 'run', reason, odd.answer)));
  }
}

/** php-fpm still serves up to 4,096 requests that their clients have given up, so the answer may come late, ms. */
const PATIENCE_MS = 180_000;

function mayQueue(scenarios: readonly Scenario[]): boolean {
  return scenarios.some(({ load, script }) =>
    load ? hasRate(load.source) : (script?.rates ?? 'none') !== 'none',
  );
}

/** No answer in time, or a proxy's words for that. */
function isBusy({ answer: { status, error } }: Pick<Odd, 'answer'>): boolean {
  return status === 0 ? /timeout/.test(error) : [502, 503, 504].includes(status);
}

/** Asks for the path of this request until it is served or the server has ended, at most for PATIENCE_MS. */
async function awaitService(
  world: World,
  server: Server,
  paths: ReturnType<typeof pathsOf>,
  request: string,
): Promise<void> {
  const { host, signal } = world.engine;
  const asked = paths.filter(({ path }) => request === `GET ${path}`);
  world.sink.say(`${server.variant.label} is still busy after the load; waiting for its answer`);
  const deadline = host.elapsed() + PATIENCE_MS;
  const isAlive = async () => (await findDeaths(world.engine.docker, [server])).size === 0;
  while (host.elapsed() < deadline && (await isAlive())) {
    await host.sleep(1000, signal);
    signal.throwIfAborted();
    const replies = (await askPaths(world, [server], asked)).get(server.variant.id);
    if (![...(replies?.values() ?? [])].some(isBusy)) return;
  }
}

interface Odd {
  request: string;
  other: string;
  answer: Answer;
}

/** By variant, the first answer of its server that is another than those before the load, if there is one. */
async function findOdds(
  world: World,
  servers: readonly Server[],
  paths: ReturnType<typeof pathsOf>,
  learned: Learned,
): Promise<Map<string, Odd>> {
  const rounds = await askPaths(world, servers, paths);
  const odds = new Map<string, Odd>();
  for (const { variant } of servers) {
    const ofApp = learned.get(appOf(variant));
    for (const [request, { endpoint, headOnly, answer }] of rounds.get(variant.id) ?? []) {
      const known = ofApp?.get(endpoint);
      const other = known && describeOther(expectationOf(known, !headOnly), answer);
      if (other && !odds.has(variant.id)) odds.set(variant.id, { request, other, answer });
    }
  }
  return odds;
}

function describeOther(checked: Checked, answer: Answer): string | null {
  return answer.status === 0 ? `no answer: ${answer.error}` : findDifference(checked, answer);
}
