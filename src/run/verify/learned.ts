import type { Scenario } from '../../config/types.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import { ask } from '../load/probe.ts';
import type { Server } from '../servers/servers.ts';
import { addressOf } from '../servers/target.ts';
import type { World } from '../world.ts';
import {
  type Checked,
  type CheckedEndpoints,
  expectationOf,
  findDifference,
  type Seen,
  see,
} from './checked.ts';
import type { Answer, Round } from './verify.ts';

/** Properties of answers over all starts: by app and ref, then by endpoint, with its journey if it has one. */
export type Learned = Map<string, Map<string, Seen>>;

/**
 * Each answer widens the bounds for answers under load. In later starts, answers beyond the known bounds are ignored:
 * they count as other answers.
 */
export function learn(
  seen: Learned,
  servers: readonly Server[],
  rounds: readonly Round[],
  isFirst: boolean,
): void {
  for (const { variant } of servers) {
    const ofApp = seenOf(seen, variant);
    for (const { endpoint, answer } of rounds.flatMap((round) => [
      ...(round.get(variant.id)?.values() ?? []),
    ])) {
      const known = ofApp.get(endpoint);
      if (isFirst || !known || findDifference(expectationOf(known, true), answer) === null)
        ofApp.set(endpoint, see(known, answer));
    }
  }
}

function seenOf(seen: Learned, variant: PlannedVariant): Map<string, Seen> {
  const app = appOf(variant);
  const ofApp = seen.get(app) ?? new Map<string, Seen>();
  seen.set(app, ofApp);
  return ofApp;
}

/** How often more a path is asked whose answers differ in length, as two show little of how far they do. */
const TIMES_MORE = 18;

export async function askOften(
  {
    engine: { docker, arena, signal },
    job: {
      config: { host },
    },
  }: World,
  seen: Learned,
  servers: readonly Server[],
  paths: readonly { path: string }[],
): Promise<void> {
  for (const [app, ofApp] of seen) {
    const server = servers.find(({ variant }) => appOf(variant) === app);
    const varying = paths.filter(({ path }) => {
      const found = ofApp.get(path);
      return found !== undefined && found.least !== found.most;
    });
    if (!server || varying.length === 0) continue;
    const url = addressOf(host, server.port);
    const questions = varying.flatMap(({ path }) =>
      Array.from({ length: TIMES_MORE }, (_, i) => ({ id: `${i} ${path}`, url: url + path, host })),
    );
    const answers = await ask(docker, arena.name, questions, 0, signal);
    for (const { path } of varying) {
      for (let i = 0; i < TIMES_MORE; i++) {
        const known = ofApp.get(path) as Seen;
        const answer = answers[`${i} ${path}`] as Answer;
        if (known.statuses.includes(answer.status)) ofApp.set(path, see(known, answer));
      }
    }
  }
}

/** Bounds for the answers of a scenario's endpoints under load. */
export function checkedOf(
  seen: Learned,
  variant: PlannedVariant,
  scenario: Scenario,
): CheckedEndpoints | null {
  const { journey } = scenario;
  const ofApp = seen.get(appOf(variant));
  if (!ofApp || journey.kind === 'script') return null;
  if (journey.kind === 'paths') {
    const withBody = scenario.verify !== 'status';
    const paths = journey.paths.flatMap((path): [string, Checked][] => {
      const found = ofApp.get(path);
      return found ? [[path, expectationOf(found, withBody)]] : [];
    });
    return Object.fromEntries(paths);
  }
  // Its own checks are the judges of what else it is answered.
  const steps = [...ofApp].flatMap(([key, found]): [string, Checked][] => {
    const [endpoint = '', name] = key.split('\n');
    return name === journey.name ? [[endpoint, expectationOf(found, false)]] : [];
  });
  return Object.fromEntries(steps);
}

/** Only answers of the same app and ref are compared with each other. */
export const appOf = ({ app, ref }: PlannedVariant) => JSON.stringify([app.name, ref]);
