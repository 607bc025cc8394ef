import { DockerError, expectEngine } from '../../engine/docker.ts';
import type { Failure } from '../../results/results.ts';
import type { Server } from '../servers/servers.ts';
import type { World } from '../world.ts';
import { askPaths, pathsOf } from './answers.ts';
import { explainFailure } from './app-evidence.ts';
import { type Checked, expectationOf, findDifference } from './checked.ts';
import { appOf, type Learned } from './learned.ts';
import type { Answer } from './verify.ts';

/**
 * Asks the paths once more when all of a start's load is done. Variants that answer otherwise by then fail: the disk
 * may be full, or the database gone. Twice, as a page may be odd now and then. Each variant by itself, as before the load.
 */
export async function recheckAnswers(
  world: World,
  servers: readonly Server[],
  learned: Learned,
  fail: (variant: string, failure: Failure) => void,
): Promise<void> {
  const paths = pathsOf(world.job.config.scenarios).filter(({ mayRefuse }) => !mayRefuse);
  if (paths.length === 0) return;
  for (const server of servers) {
    const { id } = server.variant;
    let odd: Odd | null;
    try {
      odd = await findOdd(world, server, paths, learned);
      if (odd !== null) odd = await findOdd(world, server, paths, learned);
    } catch (error) {
      world.engine.signal.throwIfAborted();
      // A lost arena or engine is no fault of a variant.
      if (error instanceof DockerError && !error.finished.timedOut) throw error;
      if (error instanceof DockerError) await expectEngine(world.engine.docker);
      const reason = `its answers after the load cannot be read: ${(error as Error).message}`;
      fail(id, { stage: 'run', reason, log: '' });
      continue;
    }
    if (odd === null) continue;
    const reason = `${odd.request} answers differently after the load: ${odd.other}`;
    fail(id, await explainFailure(world.engine, world.sink, server, 'run', reason, odd.answer));
  }
}

interface Odd {
  request: string;
  other: string;
  answer: Answer;
}

/** The first answer of a server that is another than those before the load; null: there is none. */
async function findOdd(
  world: World,
  server: Server,
  paths: ReturnType<typeof pathsOf>,
  learned: Learned,
): Promise<Odd | null> {
  const replies = await askPaths(world, [server], paths);
  const ofApp = learned.get(appOf(server.variant));
  for (const [request, { endpoint, headOnly, answer }] of replies.get(server.variant.id) ?? []) {
    const known = ofApp?.get(endpoint);
    const other = known && describeOther(expectationOf(known, !headOnly), answer);
    if (other) return { request, other, answer };
  }
  return null;
}

function describeOther(checked: Checked, answer: Answer): string | null {
  return answer.status === 0 ? `no answer: ${answer.error}` : findDifference(checked, answer);
}
