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
 * may be full, or the database gone. Twice, as a page may be odd now and then.
 */
export async function recheckAnswers(
  world: World,
  servers: readonly Server[],
  learned: Learned,
  fail: (variant: string, failure: Failure) => void,
): Promise<void> {
  const paths = pathsOf(world.job.config.scenarios).filter(({ mayRefuse }) => !mayRefuse);
  if (paths.length === 0) return;
  const find = async (asked: readonly Server[]) => {
    const replies = await askPaths(world, asked, paths);
    return asked.flatMap((server) => {
      const ofApp = learned.get(appOf(server.variant));
      for (const [request, { endpoint, headOnly, answer }] of replies.get(server.variant.id) ?? []) {
        const known = ofApp?.get(endpoint);
        const other = known && describeOther(expectationOf(known, !headOnly), answer);
        if (other) return [{ server, request, other, answer }];
      }
      return [];
    });
  };
  const odd = await find(servers);
  const again = odd.length > 0 ? await find(odd.map(({ server }) => server)) : [];
  for (const { server, request, other, answer } of again) {
    const reason = `${request} answers differently after the load: ${other}`;
    fail(server.variant.id, await explainFailure(world.engine, world.sink, server, 'run', reason, answer));
  }
}

function describeOther(checked: Checked, answer: Answer): string | null {
  return answer.status === 0 ? `no answer: ${answer.error}` : findDifference(checked, answer);
}
