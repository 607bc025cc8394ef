// Two engines of the test's own share the variants of one run.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProject, type Project } from '../integration/bench.ts';
import { makeEngine, type OwnEngine, quietly, whyNoEngine } from './engine.ts';
import { type Lan, makeLan, REGISTRY_ADDRESS } from './lan.ts';
import { K6, PHP } from './suite.ts';

const why = whyNoEngine();
const whyNoRegistry = quietly('sh', ['-c', 'command -v docker-registry'])
  ? null
  : 'a registry of its own takes docker-registry';
const OPEN = `${REGISTRY_ADDRESS}:5000`;
const LOCKED = `${REGISTRY_ADDRESS}:5001`;
const CLOSED = `${REGISTRY_ADDRESS}:5002`;

describe.skipIf(why !== null)(`several engines${why ? `: ${why}` : ''}`, () => {
  let project: Project;
  let lan: Lan;
  const engines: OwnEngine[] = [];
  beforeAll(async () => {
    lan = makeLan();
    const more = { 'insecure-registries': [OPEN, LOCKED, CLOSED] };
    for (let i = 0; i < 2; i++) engines.push(await makeEngine([K6, PHP], {}, more));
    for (const engine of engines) lan.join(engine);
    project = await makeProject();
  });
  afterAll(async () => {
    project?.remove();
    for (const engine of engines) await engine.remove();
    await lan?.remove();
  });

  const RUNTIMES = 'faulty,faulty[from=load],leaky';
  const bench = (out: string, ...flags: string[]) =>
    project.bench(
      out,
      ...['--engines', engines.map(({ host }) => host).join(','), '--runtimes', RUNTIMES],
      ...['--same-answers', 'warn', ...flags],
    );
  const imagesOf = (folder: string) =>
    project.results(folder).variants.map(({ id, image }) => [id, image?.pushed, image?.id] as const);
  const variantsOf = (folder: string) =>
    project
      .results(folder)
      .variants.map(({ id }) => id)
      .toSorted();
  const left = ({ docker }: OwnEngine) => docker('container', 'ls', '--all', '--quiet').trim();

  describe.skipIf(whyNoRegistry !== null)(
    `with a registry${whyNoRegistry ? `: ${whyNoRegistry}` : ''}`,
    () => {
      it('the first builds, and both measure what it has pushed', async () => {
        await lan.startRegistry(5000);
        const { code, stdout, stderr } = await bench('pushed', '--registry', `${OPEN}/team/bench`).done;
        expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
        const [first = [], second = []] = [1, 2].map((i) => imagesOf(`pushed/engine-${i}`));
        const all = [...first, ...second];
        expect(new Set(all.map(([id]) => id)).size).toBe(3);
        for (const [, pushed] of all)
          expect(pushed).toMatch(new RegExp(`^${OPEN}/team/bench@sha256:[0-9a-f]{64}$`));
        // Of both runtimes one, wherever it was measured.
        expect(new Set(all.map(([, pushed]) => pushed)).size).toBe(2);
        expect(first.find(([id]) => id === 'faulty@8.4')).toEqual(second.find(([id]) => id === 'faulty@8.4'));
        // What an engine has built it has as cache: the one has, the other not.
        const cached = engines.map(({ docker }) => /Total:\s+(\S+)/.exec(docker('builder', 'du'))?.[1]);
        expect(cached).toEqual([expect.not.stringMatching(/^0B$/), '0B']);
        expect(engines.map(left)).toEqual(['', '']);
      });

      it('one that refuses, and one that is not there, are told before anything is built', async () => {
        await lan.startRegistry(5001, true);
        for (const [registry, found] of [
          [LOCKED, 'no basic auth credentials'],
          [CLOSED, 'connection refused'],
        ]) {
          const out = `refused-${registry}`;
          const { code, stderr } = await bench(out, '--registry', `${registry}/bench`).done;
          expect(code, stderr).toBe(2);
          expect(stderr).toContain(`registry: ${engines[0]?.host} could not push to the registry`);
          expect(stderr).toContain(found);
          expect(existsSync(join(project.folder, out))).toBe(false);
        }
        expect(project.temporaryFiles()).toEqual([]);
      });
    },
  );

  it('each measures its share and the reference, and one report has all', async () => {
    const { code, stdout, stderr } = await bench('both').done;
    expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
    const [first = [], second = []] = [1, 2].map((i) => variantsOf(`both/engine-${i}`));
    const shared = first.filter((id) => second.includes(id));
    // None is measured twice but the reference, and none is missing.
    expect(shared).toEqual(['faulty@8.4']);
    expect([...new Set([...first, ...second])]).toHaveLength(3);
    const report = readFileSync(join(project.folder, 'both/report.md'), 'utf8');
    for (const id of [...first, ...second]) expect(report).toContain(id);
    expect(engines.map(left)).toEqual(['', '']);
  });

  it('one that fails costs its share alone', async () => {
    const run = bench('one');
    engines[1]?.signal('SIGKILL');
    const { code, stderr } = await run.done;
    expect(code).toBe(4);
    expect(stderr).toMatch(new RegExp(`${engines[1]?.host}: exit code 4`));
    expect(variantsOf('one/engine-1')).toContain('faulty@8.4');
    expect(readFileSync(join(project.folder, 'one/report.md'), 'utf8')).toContain('faulty@8.4');
    expect(left(engines[0] as OwnEngine)).toBe('');
  });

  it('the same engine twice is refused before anything starts', async () => {
    const host = engines[0]?.host ?? '';
    const { code, stderr } = await project.cli(['run', '--out', 'twice', '--engines', `${host},${host}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('the same engine twice')]);
  });
});
