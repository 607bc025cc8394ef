import { inspectContainer, readLog } from '../../engine/docker.ts';
import { setUp } from '../../engine/execute.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import { findCause } from '../../text/log-cause.ts';
import { createArguments } from '../servers/servers.ts';
import type { World } from '../world.ts';
import { Uncountable } from './count-page.ts';

/** One version of an app, in a container in which pages are asked for one by one. */
export interface Side {
  variant: PlannedVariant;
  container: string;
}

/** callgrind keeps a copy of all code that ran, so the limit of a server would not do. */
const MEMORY_BYTES = 2 ** 31;
const READY_SECONDS = 30;

export function containerOfSide({ engine }: Pick<World, 'engine'>, index: number): string {
  return `php-runtime-bench-${engine.run}-count-${index}`;
}

/** Starts it with the app's environment and settings, its database made anew and set up. Errors: Uncountable. */
export async function openSide(world: World, variant: PlannedVariant, index: number): Promise<Side> {
  const { engine, job } = world;
  const { docker, signal } = engine;
  const container = containerOfSide(world, index);
  const image = imageOf(world, variant);
  const reset = await job.services?.reset(variant);
  if (reset) throw new Uncountable(reset.reason);
  // Not ended by a signal: a client that dies in between leaves a container which nobody has seen yet.
  for (const args of createArguments(onOneCpu(world, index), { variant, image }, container, PORT + index)) {
    await docker.run(['container', 'create', ...args]);
  }
  signal.throwIfAborted();
  await docker.run(['container', 'start', container]);
  await awaitReady(world, container);
  const { failure } = await setUp(world, container);
  if (failure) throw new Uncountable(failure.reason);
  return { variant, container };
}

/** The port of the first side. The second has the next one: both share a network. A `set-up` may call the app there. */
const PORT = 18_080;

function imageOf({ job }: World, { counter }: PlannedVariant): string {
  const built = counter === undefined ? undefined : job.images.get(counter);
  if (built && 'facts' in built) return built.facts.name;
  throw new Uncountable(built?.failure.reason ?? 'an image that is given has no php-cgi under callgrind');
}

/** Both versions are counted at once, each on a CPU of its own where there are two. */
function onOneCpu(world: World, index: number): World {
  const { job } = world;
  const { server } = job.plan.cpus;
  const cpu = server[index % server.length] ?? 0;
  const memoryBytes = Math.min(MEMORY_BYTES, world.engine.memoryBytes);
  return {
    ...world,
    job: {
      ...job,
      config: { ...job.config, memoryBytes },
      plan: { ...job.plan, cpus: { ...job.plan.cpus, server: [cpu] } },
    },
  };
}

async function awaitReady({ engine }: Pick<World, 'engine'>, container: string): Promise<void> {
  const { docker, host, signal } = engine;
  const untilMs = host.elapsed() + READY_SECONDS * 1000;
  for (;;) {
    const ready = await docker.try(['exec', container, 'test', '-e', '/tmp/php-runtime-bench/ready'], {
      signal,
    });
    signal.throwIfAborted();
    if (ready.code === 0) return;
    if (!(await inspectContainer(docker, container))?.running) {
      throw new Uncountable(`its container ended: ${findCause(await readLog(docker, container, 20))}`);
    }
    if (host.elapsed() > untilMs) throw new Uncountable(`not ready after ${READY_SECONDS} s`);
    await host.sleep(200, signal);
  }
}
