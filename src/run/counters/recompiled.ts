import { modelOf } from '../../config/parts/fit.ts';
import { ask, FACTS_PATH, type Question, readMisses } from '../load/probe.ts';
import type { Server } from '../servers/servers.ts';
import { addressOf } from '../servers/target.ts';
import { pathsOf, questionsOf } from '../verify/requests.ts';
import type { World } from '../world.ts';

/** From so many files a request on. Below, one path of several may have had a reason of its own. */
const NOTABLE = 0.5;

/**
 * The number of files that PHP compiles again in each request, by variant: the misses of OPcache while each path is asked
 * once. It is to be called behind all load, so that everything has been compiled before. The misses of the facts page
 * itself are subtracted. Counts that are not notable are 0, and so are those that a second count does not confirm:
 * something may have run for the first time. Servers that keep the app, or that report no misses, are left out.
 */
export async function countRecompiled(
  world: World,
  servers: readonly Server[],
): Promise<Map<string, number>> {
  const paths = pathsOf(world.job.config.scenarios).filter(({ mayRefuse }) => !mayRefuse);
  if (paths.length === 0) return new Map();
  const count = async (asked: readonly Server[]) => {
    if (asked.length === 0) return [];
    const misses = await readMissesAround(world, asked, paths);
    return asked.flatMap((server): [Server, number][] => {
      const [from, to, end] = misses(server);
      if (from == null || to == null || end == null) return [];
      return [[server, Math.max(0, to - from - (end - to)) / paths.length]];
    });
  };
  const once = await count(
    servers.filter(({ variant: { runtime, options } }) => modelOf(runtime, options) === 'per-request'),
  );
  const again = new Map(await count(once.filter(([, files]) => files >= NOTABLE).map(([server]) => server)));
  return new Map(
    once.map(([server, files]) => {
      const least = Math.min(files, again.get(server) ?? 0);
      return [server.variant.id, least >= NOTABLE ? least : 0];
    }),
  );
}

/** Asks servers for all paths, and for the facts page once before and twice behind. Returns the misses that this shows of each. */
async function readMissesAround(
  { engine, job: { config } }: World,
  servers: readonly Server[],
  paths: ReturnType<typeof pathsOf>,
): Promise<(server: Server) => (number | null)[]> {
  const idOf = ({ variant }: Server, turn: number) => `${turn} ${variant.id}`;
  const facts = (turn: number) =>
    servers.map((server): Question => {
      const url = addressOf(config.host, server.port) + FACTS_PATH;
      return { id: idOf(server, turn), url, host: config.host, turn };
    });
  const pages = questionsOf(config, servers, paths).map((question) => ({ ...question, turn: 1 }));
  const answers = await ask(engine, [...facts(0), ...pages, ...facts(2), ...facts(3)], { perHost: 1 });
  return (server) => [0, 2, 3].map((turn) => readMisses(answers[idOf(server, turn)]?.body ?? ''));
}
