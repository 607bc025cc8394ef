import { DockerError } from '../engine/docker.ts';
import { MachineError, UserError } from '../errors.ts';
import { failureOfMachine } from './desk.ts';

/** An engine whose arena a run wants. */
export interface ArenaPlace<T> {
  /** The engine's own id. */
  engine: string;
  open(): Promise<T>;
}

/**
 * Takes the arenas one after the other, by the ids of their engines. Runs that want the same engines wait for them in the same
 * order, so none has what another waits for.
 *
 * @param servers of the engine with the servers
 */
export async function takeArenas<S, L>(
  servers: ArenaPlace<S>,
  loads: readonly ArenaPlace<L>[],
): Promise<[S, L[]]> {
  const taken = new Map<ArenaPlace<unknown>, unknown>();
  const all: readonly ArenaPlace<unknown>[] = [servers, ...loads];
  // Engines of cloned machines may have the same id: they stay in their order.
  const sorted = all.toSorted((a, b) => (a.engine < b.engine ? -1 : a.engine > b.engine ? 1 : 0));
  for (const place of sorted) taken.set(place, await place.open());
  return [taken.get(servers) as S, loads.map((place) => taken.get(place) as L)];
}

/** Errors of a load engine name it, and the key: Docker does not name which of several engines is busy or away. */
export async function namingEngine<T>(engine: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    // A command of Docker that fails is that engine's failure, too.
    const error = thrown instanceof DockerError ? failureOfMachine(thrown) : thrown;
    if (!(error instanceof UserError)) throw error;
    const { found = '', ...detail } = error.detail;
    const named = found.includes(engine) ? found : [engine, found].filter(Boolean).join(': ');
    const Kind = error instanceof MachineError ? MachineError : UserError;
    throw new Kind(error.message, { ...detail, where: { name: 'load-engines' }, found: named });
  }
}
