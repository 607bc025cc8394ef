/** Parts that the tests of a file share: a project, and if possible an engine of their own. */
import { afterAll, beforeAll } from 'vitest';
import { makeProject, type Project } from '../integration/bench.ts';
import { makeEngine, type OwnEngine, whyNoEngine } from './engine.ts';

export interface Suite {
  project: Project;
  /** Null: it is the engine that everybody uses. */
  engine: OwnEngine | null;
}

/**
 * Filled before the first test. All commands of docker go to the own engine.
 *
 * @param images what that has; null: the engine that everybody uses, which has the network that some builds need
 */
export function openSuite(images: readonly string[] | null): Suite {
  const suite = {} as Suite;
  beforeAll(async () => {
    suite.engine = images && whyNoEngine() === null ? await makeEngine(images) : null;
    if (suite.engine) process.env.DOCKER_HOST = suite.engine.host;
    suite.project = await makeProject();
  });
  afterAll(async () => {
    suite.project?.remove();
    await suite.engine?.remove();
  });
  return suite;
}

export { K6_IMAGE as K6 } from '../../src/engine/k6-image.ts';
export const PHP = 'php:8.4-cli';
