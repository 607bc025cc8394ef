// Two engines that make the load of a third, one reached over ssh, one over TCP, as far as one machine has three.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProject, type Project } from '../integration/bench.ts';
import { makeEngine, type OwnEngine, TCP_PORT } from './engine.ts';
import { expectSeen } from './fault.ts';
import { type Lan, makeLan } from './lan.ts';
import { type LoadMachine, loaderFaults } from './loaders.ts';
import { openWay, whyNoSsh } from './ssh.ts';
import { K6, PHP } from './suite.ts';

const why = whyNoSsh();

describe.skipIf(why !== null)(`load engines elsewhere${why ? `: ${why}` : ''}`, () => {
  const { PATH } = process.env;
  let project: Project;
  let lan: Lan;
  let servers: OwnEngine;
  const loaders: LoadMachine[] = [];
  beforeAll(async () => {
    lan = makeLan();
    servers = await makeEngine([K6, PHP]);
    lan.join(servers);
    for (let i = 0; i < 2; i++) {
      const engine = await makeEngine([K6]);
      lan.join(engine);
      const way = await openWay(engine);
      loaders.push({ engine, way, url: i === 0 ? way.url : `tcp://${way.address}:${TCP_PORT}` });
    }
    process.env.PATH = [...loaders.map(({ way }) => way.bin), PATH].join(':');
    project = await makeProject();
  });
  afterAll(async () => {
    process.env.PATH = PATH;
    project?.remove();
    for (const { way, engine } of loaders) {
      await way.remove();
      await engine.remove();
    }
    await servers?.remove();
    await lan?.remove();
  });

  const faults = loaderFaults.map((fault, i) => ({ ...fault, out: `lost-${i}` }));
  // An engine that hangs takes minutes of waiting.
  it.each(faults)('$what', { timeout: 600_000 }, async (fault) => {
    expectSeen(fault, await fault.inject({ project, servers, loaders, out: fault.out }));
    expect(project.temporaryFiles()).toEqual([]);
  });
});
