// Faults of the engine: it is stopped and killed while a run goes on, and started again.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findImages, makeProject, type Project, QUICK } from '../integration/bench.ts';
import { makeEngine, type OwnEngine, whyNoEngine } from './engine.ts';
import { engineFaults } from './engines.ts';
import { expectSeen } from './fault.ts';

const why = whyNoEngine();

describe.skipIf(why !== null)('an engine of its own', () => {
  let project: Project;
  let engine: OwnEngine;
  let images: string[];
  beforeAll(async () => {
    [project, engine, images] = [await makeProject(), await makeEngine(), await findImages()];
  });
  afterAll(async () => {
    project.remove();
    await engine.remove();
  });
  const flags = (out: string, instances: number) => [
    ...['run', ...images, ...QUICK.slice(0, -4), '--runtimes', 'faulty', '--blocks', '1', '--out', out],
    ...['--instances', String(instances)],
  ];

  it.each(engineFaults.map((fault, i) => ({ ...fault, out: `engine-${i}` })))('$what', async (fault) => {
    const env = { DOCKER_HOST: engine.host };
    const bench = () => project.start(flags(fault.out, 3), { env });
    expectSeen(fault, await fault.inject({ project, engine, out: fault.out, bench }));
    expect(project.temporaryFiles()).toEqual([]);
    await engine.start();
    // The next run is as if nothing had been.
    expect(await project.cli(flags(`${fault.out}-next`, 1), { env })).toMatchObject({ code: 0 });
    expect(engine.docker('container', 'ls', '--all', '--quiet')).toBe('');
  });
});
