import { modelOf } from '../../config/parts/fit.ts';
import { ask, FACTS_PATH, readMisses } from '../load/probe.ts';
import type { Server } from '../servers/servers.ts';
import { addressOf } from '../servers/target.ts';
import { askPaths, pathsOf } from '../verify/requests.ts';
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
    const before = await readAllMisses(world, asked);
    await askPaths(world, asked, paths);
    const behind = await readAllMisses(world, asked, 2);
    return asked.flatMap((server): [Server, number][] => {
      const [from, to, end] = [before, behind].flatMap((all) => all.get(server.variant.id) ?? []);
      if (from === undefined || to === undefined || end === undefined) return [];
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

/** Reads the misses of each server so often, one after the other in any order: the fewest come first. */
async function readAllMisses(
  { engine, job: { config } }: World,
  servers: readonly Server[],
  times = 1,
): Promise<Map<string, number[]>> {
  const numbers = Array.from({ length: times }, (_, i) => i);
  const questions = servers.flatMap(({ variant, port }) => {
    const url = addressOf(config.host, port) + FACTS_PATH;
    return numbers.map((i) => ({ id: `${i} ${variant.id}`, url, host: config.host }));
  });
  const answers = await ask(engine, questions, { perHost: 1 });
  return new Map(
    servers.map(({ variant: { id } }) => {
      const misses = numbers.flatMap((i) => readMisses(answers[`${i} ${id}`]?.body ?? '') ?? []);
      return [id, misses.sort((a, b) => a - b)];
    }),
  );
}
