import { type Connection, connect } from '../engine/connection.ts';
import type { MachineError } from '../errors.ts';
import type { Host } from '../host.ts';
import { makeRunId } from '../stages/desk.ts';
import { removeTemporary } from '../temporary.ts';

/** Asks an engine something, outside a run. Errors: those of the connection, also where it is lost meanwhile. */
export async function atEngine<T>(
  host: Host,
  engine: string | undefined,
  work: (connection: Connection, run: string) => Promise<T>,
  signal = new AbortController().signal,
): Promise<T> {
  const run = makeRunId(host.now());
  const lost: MachineError[] = [];
  try {
    const connection = await connect(host, { engine, run, signal, onLost: (error) => lost.push(error) });
    try {
      return await work(connection, run);
    } finally {
      await connection.close();
    }
  } catch (error) {
    throw lost[0] ?? error;
  } finally {
    await removeTemporary(run);
  }
}
