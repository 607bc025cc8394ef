// Two engines that make the load of a third, each reached over ssh, as far as one machine has three.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProject, type Project } from '../integration/bench.ts';
import { makeEngine, type OwnEngine, quietly } from './engine.ts';
import { expectSeen } from './fault.ts';
import { type Lan, makeLan } from './lan.ts';
import { loaderFaults } from './loaders.ts';
import { openWay, type SshWay, whyNoSsh } from './ssh.ts';
import { K6, PHP } from './suite.ts';

const why = whyNoSsh();

describe.skipIf(why !== null)(`load engines over ssh${why ? `: ${why}` : ''}`, () => {
  const { PATH } = process.env;
  let project: Project;
  let lan: Lan;
  let servers: OwnEngine;
  const loaders: { engine: OwnEngine; way: SshWay }[] = [];
  beforeAll(async () => {
    lan = makeLan();
    servers = await makeEngine([K6, PHP]);
    lan.join(servers);
    for (let i = 0; i < 2; i++) {
      const engine = await makeEngine([K6]);
      lan.join(engine);
      loaders.push({ engine, way: await openWay(engine) });
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

  it.each(loaderFaults.map((fault, i) => ({ ...fault, out: `lost-${i}` })))('$what', async (fault) => {
    for (const { engine } of loaders) {
      if (!quietly('docker', ['--host', engine.host, 'version'])) await engine.start();
    }
    expectSeen(fault, await fault.inject({ project, servers, loaders, out: fault.out }));
    expect(project.temporaryFiles()).toEqual([]);
  });
});
