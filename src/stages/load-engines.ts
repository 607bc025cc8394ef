import { hostname } from 'node:os';
import { join } from 'node:path';
import { nameEngine } from '../config/engine-key.ts';
import { loadMs } from '../config/parts/load.ts';
import type { Config, LoadFrom } from '../config/types.ts';
import { openArena } from '../engine/arena.ts';
import { connect } from '../engine/connection.ts';
import { askEngine, connectDocker, type Docker, LABEL, LIMITS_MS } from '../engine/docker.ts';
import { inspectImage, type Pulling } from '../engine/image-store.ts';
import { getK6 } from '../engine/k6-image.ts';
import { MACHINE_SCRIPT, parseMachine } from '../engine/machine/machine.ts';
import { UserError } from '../errors.ts';
import { compileLoad } from '../plan/timeline/load-steps.ts';
import { allowsDuets } from '../plan/timeline/turns.ts';
import { type Loader, type Loaders, makeLoaders, type ReadyLoader } from '../run/elsewhere/loaders.ts';
import { furnish } from '../run/load/probe.ts';
import { mostGenerators } from '../run/load/segments.ts';
import { type SamplerTool, startSampler } from '../run/sample/sampler.ts';
import { hostName } from '../run/servers/target.ts';
import type { Sink } from '../run/world.ts';
import { makeTemporary } from '../temporary.ts';
import { type Desk, removeAtEnd } from './desk.ts';
import { type ArenaPlace, namingEngine } from './take-arenas.ts';

/** A load engine that is ours from here on; its CPU is not read yet. */
type LoadEngine = Pick<Loader, 'name' | 'host' | 'docker' | 'arena' | 'cpus' | 'memoryBytes'>;

/** Each generator has at least one client. Errors: UserError. */
export function refuseFewClients({
  scenarios,
  loadFrom,
  compareTo,
}: Pick<Config, 'scenarios' | 'loadFrom' | 'compareTo'>): void {
  if (!loadFrom) return;
  for (const scenario of scenarios) {
    const { name, load } = scenario;
    const steps = load === null ? [] : compileLoad(load, scenario);
    const slice = { warmup: false, duet: null, steps };
    const hasDuets = compareTo !== undefined && load !== null && allowsDuets(scenario, steps, loadMs(load));
    const clients = mostGenerators(hasDuets ? [slice, { ...slice, duet: '' }] : [slice]);
    if (clients >= loadFrom.engines.length) continue;
    const isOpen = steps.every(({ rps }) => rps !== null);
    throw new UserError('more load engines than clients', {
      ...{ where: { name: 'load-engines' }, found: `${loadFrom.engines.length} engines` },
      allowed:
        hasDuets && isOpen
          ? `up to ${clients}, as half of the clients of ${name} load each version of \`compare-to\``
          : `up to ${clients}, as the load of ${name} has so many clients`,
      ...(isOpen && { hint: 'increase `max-vus`' }),
    });
  }
}

/** A load engine that answers, before it is ours. */
interface ReachedEngine extends ArenaPlace<LoadEngine> {
  name: string;
}

type LoadOptions = Pick<Config, 'host' | 'images' | 'wait'>;

/** Connects to the engines that load, and brings the image of k6. Errors: UserError, MachineError, with the engine's name. */
export async function reachLoadEngines(
  desk: Desk,
  { engines }: LoadFrom,
  config: LoadOptions,
  k6Image: string,
): Promise<ReachedEngine[]> {
  const reached: ReachedEngine[] = [];
  const tool = { k6Image, saveK6: makeSaver(desk, k6Image) };
  for (const engine of engines) {
    const one = await namingEngine(engine, () => reachLoadEngine(desk, engine, config, tool));
    reached.push({ ...one, open: () => namingEngine(engine, one.open) });
  }
  return reached;
}

/** Writes the image of k6 to a file, once, however many engines want it. */
function makeSaver(
  { docker, run, signal }: Pick<Desk, 'docker' | 'run' | 'signal'>,
  image: string,
): () => Promise<string> {
  let saved: Promise<string> | null = null;
  const save = async () => {
    const file = join(await makeTemporary(run, 'k6'), 'image.tar');
    await docker.run(['image', 'save', '--output', file, image], { signal, timeoutMs: LIMITS_MS.copy });
    return file;
  };
  return () => {
    saved ??= save();
    return saved;
  };
}

interface Tool {
  k6Image: string;
  saveK6: () => Promise<string>;
}

async function reachLoadEngine(
  desk: Desk,
  engine: string,
  config: LoadOptions,
  tool: Tool,
): Promise<ReachedEngine> {
  const { local, caller, run, signal, cleanUp, onLost } = desk;
  const name = nameEngine(engine);
  const say = (line: string) => caller.say(`${name}: ${line}`);
  const connection = await connect(local, { engine, run, signal, onLost });
  cleanUp.later(`close the connection to ${name}`, connection.close);
  const { host } = connection;
  const docker = connectDocker(host);
  const { id, memoryBytes } = await askEngine(docker, signal);
  const image = await bringK6(docker, config, tool, { say, signal });
  const open = async (): Promise<LoadEngine> => {
    await refuseOurs(docker, name, run);
    removeAtEnd(desk, connection, docker, `remove what is left on ${name}`);
    const owner = `by pid ${process.pid} on ${hostname()}, which loads from there`;
    const about = { run, image, name: hostName(config.host), owner, wait: config.wait, signal, say };
    const arena = await openArena(host, docker, { ...about, beats: connection.isRemote, loads: true });
    cleanUp.later(`close the arena on ${name}`, arena.close);
    await furnish(docker, arena.name, join(caller.packageRoot, 'scenarios'));
    const machine = parseMachine(await docker.run(['exec', arena.name, 'sh', '-c', MACHINE_SCRIPT]));
    const cpus = machine.cpus.map(({ cpu }) => cpu);
    return { name, host, docker, arena, cpus: cpus.length > 0 ? cpus : [0], memoryBytes };
  };
  return { name, engine: id, open };
}

/** The arena there would be taken for one that loads. Errors: UserError. */
async function refuseOurs(docker: Docker, name: string, run: string): Promise<void> {
  if ((await docker.run(['container', 'ls', '--quiet', `--filter=label=${LABEL}=${run}`])) === '') return;
  throw new UserError('two of the engines are one and the same', {
    ...{ where: { name: 'load-engines' }, found: name },
    hint: 'leave `load-engines` out if the engine with the servers makes the load',
  });
}

/** Pulls the image of k6; where that fails, it comes from the servers' engine, through this machine. */
async function bringK6(
  docker: Docker,
  { images }: Pick<LoadOptions, 'images'>,
  { k6Image: image, saveK6 }: Tool,
  { say, signal }: Pulling,
): Promise<string> {
  if (await inspectImage(docker, image)) return image;
  try {
    return await getK6(docker, images, { say, signal });
  } catch {
    signal.throwIfAborted();
    say(`copying ${image} from the engine of the servers`);
    const file = await saveK6();
    await docker.run(['image', 'load', '--quiet', '--input', file], { signal, timeoutMs: LIMITS_MS.copy });
    return image;
  }
}

/** From here on their CPU is read. */
export async function readLoadEngines(
  { run, signal, cleanUp }: Pick<Desk, 'run' | 'signal' | 'cleanUp'>,
  opened: readonly LoadEngine[],
  { address }: LoadFrom,
  sink: Pick<Sink, 'say' | 'warn'>,
  tool: Omit<SamplerTool, 'cpus'>,
): Promise<Loaders> {
  const started = await Promise.allSettled(
    opened.map(async (engine): Promise<ReadyLoader> => {
      const { name } = engine;
      const own = { ...engine, run, signal };
      const cpus = {
        server: [],
        load: [...engine.cpus],
        system: [],
        services: [],
        source: 'given' as const,
      };
      const say: Sink['say'] = (line) => sink.say(`${name}: ${line}`);
      const warn: Sink['warn'] = (one) => sink.warn({ ...one, message: `${name}: ${one.message}` });
      const sampler = await namingEngine(name, () => startSampler(own, { say, warn }, { ...tool, cpus }));
      cleanUp.later(`stop the sampler on ${name}`, sampler.close);
      const watch = await sampler.watch([], undefined, async () => {});
      return { ...engine, sampler, watch };
    }),
  );
  // All have started or failed by now, so that none adds its clean-up too late.
  const all = started.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  return makeLoaders(all, address);
}
