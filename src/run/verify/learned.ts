import type { Scenario } from '../../config/types.ts';
import { expectEngine } from '../../engine/docker.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Warning } from '../../results/results.ts';
import { cleanLine, cut } from '../../text/plain.ts';
import { ask } from '../load/probe.ts';
import type { Server } from '../servers/servers.ts';
import { addressOf, sentBy } from '../servers/target.ts';
import type { World } from '../world.ts';
import {
  type Checked,
  type CheckedEndpoints,
  expectationOf,
  findDifference,
  type Seen,
  see,
} from './checked.ts';
import { maskBodies } from './mask.ts';
import type { Answer, Round } from './verify.ts';

/** Properties of answers over all starts: by app and ref, then by endpoint, with its journey if it has one. */
export type Learned = Map<string, Map<string, Seen>>;

/**
 * Each answer widens the bounds for answers under load. In later starts, answers beyond the known bounds are ignored:
 * they count as other answers. Bodies that one of `masks` matches have no bounds. Errors: UserError, as maskBodies has them.
 *
 * @returns those that were ignored, for people
 */
export function learn(
  seen: Learned,
  servers: readonly Server[],
  rounds: readonly Round[],
  isFirst: boolean,
  masks: readonly string[] = [],
): string[] {
  const ignored = new Set<string>();
  for (const { variant } of servers) {
    const ofApp = seenOf(seen, variant);
    const replies = rounds.flatMap((round) => [...(round.get(variant.id)?.values() ?? [])]);
    for (const { endpoint, headOnly = false, mayRefuse = false, answer } of replies) {
      const isMasked = maskBodies([answer], masks)[0]?.body !== answer.body;
      const known = ofApp.get(endpoint);
      // The checks of a journey judge its bodies, and nobody knows what a script loads.
      const withBody = !isMasked && !headOnly && !mayRefuse && !endpoint.includes('\n');
      const other = known && !isFirst ? findDifference(expectationOf(known, withBody), answer) : null;
      if (other === null) ofApp.set(endpoint, see(known, answer, isMasked));
      else ignored.add(`${endpoint.split('\n')[0]} on ${variant.label}: ${other}`);
    }
  }
  return [...ignored];
}

/** The number of ignored answers that a warning names. */
const NAMED = 3;
/** The length of each: a redirect's target may be long. */
const CHARACTERS = 300;

/** Warning of answers that one start has and the first has not; null: there are none. */
export function warnOfStarts(ignored: readonly string[]): Warning | null {
  if (ignored.length === 0) return null;
  const named = ignored.slice(0, NAMED).map((text) => cut(cleanLine(text), CHARACTERS));
  return {
    code: 'starts-differ',
    message: `a later start answers differently from the first: ${named.join('; ')}. Answers like these count as wrong under load`,
    remedy: 'let `prepare`, `set-up` and services create the same data at each start, in the same order',
    variant: null,
  };
}

function seenOf(seen: Learned, variant: PlannedVariant): Map<string, Seen> {
  const app = appOf(variant);
  const ofApp = seen.get(app) ?? new Map<string, Seen>();
  seen.set(app, ofApp);
  return ofApp;
}

/** How often more a path is asked whose answers differ in length, as two show little of how far they do. */
const TIMES_MORE = 18;

/** Only widens bounds: if the answers cannot be read, the bounds stay as they are. Errors: MachineError, the engine is lost. */
export async function askOften(
  { engine, job: { config } }: World,
  seen: Learned,
  servers: readonly Server[],
  paths: readonly { path: string }[],
): Promise<void> {
  for (const [app, ofApp] of seen) {
    const server = servers.find(({ variant }) => appOf(variant) === app);
    const varying = paths.filter(({ path }) => {
      const found = ofApp.get(path);
      return found !== undefined && !found.masked && found.least !== found.most;
    });
    if (!server || varying.length === 0) continue;
    const sent = sentBy(config);
    const url = addressOf(sent.host, server.port);
    const questions = varying.flatMap(({ path }) =>
      Array.from({ length: TIMES_MORE }, (_, i) => ({ id: `${i} ${path}`, url: url + path, ...sent })),
    );
    const answers = await ask(engine, questions).catch(() => null);
    engine.signal.throwIfAborted();
    if (answers === null) {
      await expectEngine(engine.docker);
      continue;
    }
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
