import { realpathSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { describeHead } from '../checkout/head.ts';
import { findOtherSide, sayOther } from '../checkout/other.ts';
import { realFiles } from '../config/files.ts';
import { checkPathPackages } from '../config/parts/composer.ts';
import { checkRootPlace } from '../config/parts/roots.ts';
import type { Config } from '../config/types.ts';
import { type Arena, openArena } from '../engine/arena.ts';
import { askEngine } from '../engine/docker.ts';
import { findImage } from '../engine/image-store.ts';
import { askK6Version, getK6 } from '../engine/k6-image.ts';
import { MACHINE_SCRIPT, parseMachine } from '../engine/machine/machine.ts';
import { readCompose, refuseUnseenFiles } from '../engine/services.ts';
import { formatCpus } from '../plan/cpus.ts';
import { describeEffort } from '../plan/effort.ts';
import { FIRST_PORT } from '../plan/instances.ts';
import { plan, planLoad } from '../plan/plan.ts';
import { takeShard } from '../plan/shard-plan.ts';
import { timesColdStarts } from '../plan/timeline/pass-seconds.ts';
import { listHeads, planVariants } from '../plan/variants.ts';
import { wantsVerdicts, warnOfFewStarts } from '../plan/warn/few-starts.ts';
import { warnOfSharedCaches } from '../plan/warn/shared-caches.ts';
import { inspectScripts } from '../run/load/inspect.ts';
import { furnish } from '../run/load/probe.ts';
import { findHyperfine } from '../run/servers/cold.ts';
import { hostName } from '../run/servers/target.ts';
import { sweepTemporary } from '../temporary.ts';
import { type Desk, removeAtEnd } from './desk.ts';
import { reachLoadEngines, refuseFewClients } from './load-engines.ts';
import { takeArenas } from './take-arenas.ts';

/** All that can be known, and refused, before anything is started. */
export async function prepare(desk: Desk, asked: Config) {
  const { host, isRemote, docker, connection, caller, run, signal } = desk;
  const { say, packageRoot } = caller;
  // These checks need no engine, so they come first.
  listHeads(asked);
  refuseFewClients(asked);
  const engine = await askEngine(docker, signal);
  removeAtEnd(desk, connection, docker, 'remove containers and networks of the run');
  const found = await findOtherSide(asked, {
    ...{ host, packageRoot, pull: caller.pull ?? null, branch: caller.branch ?? null, signal },
    findImage: (name) => findImage(docker, name, { say, signal }),
    fetches: true,
  });
  const given = found ? { ...asked, other: found.other } : asked;
  const variants = planVariants(given);
  for (const app of given.apps) {
    checkRootPlace(app, realFiles, realpathSync);
    checkPathPackages(app.folder, realFiles, realpathSync);
  }
  if (found) say(`comparing with ${sayOther(found.other)}`);
  for (const { message } of found?.notes ?? []) say(message);
  const compose = given.services && (await readCompose({ docker, run, signal, say }, given.services));
  const hyperfine = timesColdStarts(given) ? await findHyperfine(host, isRemote) : null;
  const k6Image = await getK6(docker, given.images, { say, signal });
  if (compose && given.services)
    await refuseUnseenFiles({ docker, run, signal, say, isRemote }, k6Image, compose, given.services);
  const scenariosFolder = join(packageRoot, 'scenarios');
  const cwd = process.cwd();
  const baseUrl = `http://${given.host}`;
  const inspect = { docker, run, k6Image, scenariosFolder, cwd, baseUrl, signal };
  const config: Config = { ...given, scenarios: await inspectScripts(inspect, given.scenarios) };
  // A budget that is too small is refused here, not after waiting for another run.
  planLoad(config, (config.shard ? takeShard(variants, config, config.shard) : variants).variants);
  const head = await describeHead(config, host);
  return { engine, found, head, config, variants, compose, hyperfine, k6Image };
}

export type Prepared = Awaited<ReturnType<typeof prepare>>;

/** The engine is ours from here on, and its machine is known. */
export async function openGround(desk: Desk, prepared: Prepared) {
  const { host, docker, caller } = desk;
  const { config, variants, compose, k6Image, engine } = prepared;
  const { say, packageRoot } = caller;
  const { loadFrom } = config;
  const reached = loadFrom ? await reachLoadEngines(desk, loadFrom, config, k6Image) : [];
  const own = { engine: engine.id, open: () => openOwnArena(desk, prepared) };
  const [arena, loadEngines] = await takeArenas(own, reached);
  await sweepTemporary(host, say);
  const machine = parseMachine(await docker.run(['exec', arena.name, 'sh', '-c', MACHINE_SCRIPT]));
  const bare = plan(config, machine.cpus, variants, engine);
  const shared = warnOfSharedCaches(bare.variants, compose?.services ?? {}, config);
  const planned = { ...bare, warnings: [...bare.warnings, ...shared] };
  for (const line of describeEffort(planned)) say(line);
  const isJudged = wantsVerdicts(planned.variants, config.failOn);
  // The report warns of it by the starts that there were.
  for (const { message, remedy } of warnOfFewStarts(planned.instances.length, isJudged))
    say(`note: ${message}; ${remedy}`);
  await docker.run(['container', 'update', '--cpuset-cpus', formatCpus(planned.cpus.load), arena.name]);
  await furnish(docker, arena.name, join(packageRoot, 'scenarios'));
  const waitedMs = loadEngines.reduce((sum, one) => sum + one.arena.waitedMs, arena.waitedMs);
  const k6 = await askK6Version(docker, arena.name);
  return { arena, waitedMs, machine, planned, loadEngines, k6 };
}

async function openOwnArena(desk: Desk, { config, variants, k6Image }: Prepared): Promise<Arena> {
  const { host, isRemote, docker, caller, run, signal, cleanUp } = desk;
  const { loadFrom } = config;
  const arena = await openArena(host, docker, {
    ...{ run, image: k6Image, name: hostName(config.host), wait: config.wait, signal, say: caller.say },
    owner: `by ${userName()} on ${hostname()}, pid ${process.pid}`,
    beats: isRemote,
    ...(loadFrom && {
      publish: {
        address: loadFrom.address,
        first: FIRST_PORT,
        last: FIRST_PORT + variants.variants.length - 1,
      },
    }),
  });
  cleanUp.later('close the arena', arena.close);
  return arena;
}

export type Ground = Awaited<ReturnType<typeof openGround>>;

/** A uid without an entry in the user database, as in containers, has no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}
