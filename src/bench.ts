import { refuseEngines } from './config/engine-key.ts';
import type { Config } from './config/types.ts';
import { MachineError, Stopped } from './errors.ts';
import type { Host } from './host.ts';
import { build } from './stages/build-stage.ts';
import { conclude } from './stages/conclude-stage.ts';
import { type Bench, type Caller, type Desk, failureOfMachine, openDesk } from './stages/desk.ts';
import { measure } from './stages/measure-stage.ts';
import { openGround, prepare } from './stages/prepare-stage.ts';
import { openRecord, type RecordFile } from './stages/record-file.ts';

/**
 * The main job: prepare, build, measure, conclude. Each stage adds its clean-up to the desk. All of it runs at the end,
 * the last first, whatever happens.
 * Throws UserError or Stopped before there is anything to keep; from then on it returns what was measured.
 */
export async function runBench(asked: Config, host: Host, caller: Caller): Promise<Bench> {
  refuseEngines(asked, 'on GitHub the reusable workflow shares variants among runners');
  const desk = await openDesk(host, asked, caller, host.now());
  const bench = await work(desk, asked).finally(() => desk.cleanUp.run());
  const { reason } = desk.signal;
  if (!(reason instanceof MachineError) || bench.exitCode === 4) return bench;
  // The connection was lost while things were cleaned up: all that was measured is written.
  for (const line of reason.format().split('\n')) caller.say(line);
  return { ...bench, exitCode: 4 };
}

async function work(desk: Desk, asked: Config): Promise<Bench> {
  try {
    const prepared = await prepare(desk, asked);
    const ground = await openGround(desk, prepared);
    const file = await openRecord(desk, prepared, ground);
    const failure = await untilStopped(desk, file, async () => {
      const extensions = await build(desk, prepared, ground, file);
      await measure(desk, prepared, ground, file, extensions);
    });
    return await conclude(desk, file, failure);
  } catch (error) {
    desk.signal.throwIfAborted();
    throw failureOfMachine(error) ?? error;
  }
}

/**
 * Runs the work and keeps all results, whatever happens. A stop or a failure of the machine ends it early; the failure
 * is returned. An error, the user's or internal, is thrown once all is written.
 */
export async function untilStopped(
  desk: Pick<Desk, 'host' | 'caller' | 'signal'>,
  file: RecordFile,
  work: () => Promise<void>,
): Promise<MachineError | null> {
  const { signal, caller } = desk;
  const { record } = file;
  try {
    await work();
    record.stopped = null;
    return null;
  } catch (error) {
    // A connection that was lost stops a run, too.
    const failure = failureOfMachine(signal.aborted ? signal.reason : error);
    if (signal.reason instanceof Stopped) {
      record.stopped = signal.reason.signal;
      caller.say(`${signal.reason.message}; results so far are kept`);
      return null;
    }
    if (failure) {
      record.stopped = 'a failure of the engine or the machine';
      for (const line of failure.format().split('\n')) caller.say(line);
      caller.say('results so far are kept');
      return failure;
    }
    // That it cannot be kept is not the error that matters.
    await conclude(desk, file, null).catch(() => {});
    throw error;
  }
}
