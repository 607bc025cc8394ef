// Two engines of the test's own share the variants of one run.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { during, makeProject, type Project } from '../integration/bench.ts';
import { NAMESPACE } from '../integration/namespace.ts';
import { makeEngine, type OwnEngine, quietly, whyNoEngine } from './engine.ts';
import { expectClean } from './fault.ts';
import { type Lan, makeLan, REGISTRY_ADDRESS } from './lan.ts';
import { K6, PHP } from './suite.ts';

const why = whyNoEngine();
const whyNoRegistry = quietly('sh', ['-c', 'command -v docker-registry'])
  ? null
  : 'a registry of its own takes docker-registry';
const LOCKED = `${REGISTRY_ADDRESS}:5001`;
const CLOSED = `${REGISTRY_ADDRESS}:5002`;
const SILENT = `${REGISTRY_ADDRESS}:5003`;

describe.skipIf(why !== null)(`several engines${why ? `: ${why}` : ''}`, () => {
  let project: Project;
  let lan: Lan;
  const engines: OwnEngine[] = [];
  beforeAll(async () => {
    lan = makeLan();
    const more = { 'insecure-registries': [CLOSED] };
    const env = { SSL_CERT_FILE: lan.certificate };
    for (let i = 0; i < 2; i++) engines.push(await makeEngine([K6, PHP], {}, more, env));
    for (const engine of engines) lan.join(engine);
    project = await makeProject();
  });
  afterAll(async () => {
    project?.remove();
    for (const engine of engines) await engine.remove();
    await lan?.remove();
  });

  const RUNTIMES = 'faulty,faulty[from=load],leaky';
  const bench = (out: string, ...flags: string[]) => benchThese(RUNTIMES, out, ...flags);
  const benchThese = (runtimes: string, out: string, ...flags: string[]) =>
    project.bench(
      out,
      ...['--engines', engines.map(({ host }) => host).join(','), '--runtimes', runtimes],
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
  /** All images, but those that a run builds: they are its cache. */
  const imagesIn = ({ docker }: OwnEngine) =>
    docker('image', 'ls', '--all', '--digests', '--format', '{{.Repository}}:{{.Tag}}@{{.Digest}} {{.ID}}')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith(`${NAMESPACE}/`))
      .toSorted();
  /** Nothing runs, nor is anything written, that the run has started. */
  const expectGone = async () => {
    expect(engines.map(left)).toEqual(['', '']);
    await expectClean(project);
  };

  describe.skipIf(whyNoRegistry !== null)(
    `with a registry${whyNoRegistry ? `: ${whyNoRegistry}` : ''}`,
    () => {
      const { DOCKER_CONFIG } = process.env;
      const REGISTRY = ['--registry', `${LOCKED}/team/bench`];
      const logOut = () => {
        if (DOCKER_CONFIG === undefined) delete process.env.DOCKER_CONFIG;
        else process.env.DOCKER_CONFIG = DOCKER_CONFIG;
      };
      beforeAll(async () => {
        await lan.startRegistry(5001);
        process.env.DOCKER_CONFIG = lan.logIn(5001);
      });
      afterAll(logOut);

      it('the first builds, and both measure what it has pushed, over TLS and with a password', async () => {
        const before = engines.map(imagesIn);
        const { code, stdout, stderr } = await bench('pushed', ...REGISTRY).done;
        expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
        const [first = [], second = []] = [1, 2].map((i) => imagesOf(`pushed/engine-${i}`));
        const all = [...first, ...second];
        expect(new Set(all.map(([id]) => id)).size).toBe(3);
        for (const [, pushed] of all)
          expect(pushed).toMatch(new RegExp(`^${LOCKED}/team/bench@sha256:[0-9a-f]{64}$`));
        // Of both runtimes one, wherever it was measured.
        expect(new Set(all.map(([, pushed]) => pushed)).size).toBe(2);
        expect(first.find(([id]) => id === 'faulty@8.4')).toEqual(second.find(([id]) => id === 'faulty@8.4'));
        // An engine caches its builds: the first has built, the second has not.
        const cached = engines.map(({ docker }) => /Total:\s+(\S+)/.exec(docker('builder', 'du'))?.[1]);
        expect(cached).toEqual([expect.not.stringMatching(/^0B$/), '0B']);
        await expectGone();
        expect(engines.map(imagesIn)).toEqual(before);
      });

      it('Ctrl-C in the load ends both, and removes what they have pulled, but not what was there before', async () => {
        const [pulled = ''] = imagesOf('pushed/engine-2').map(([, pushed]) => pushed);
        engines[1]?.docker('image', 'pull', '--quiet', pulled);
        const before = engines.map(imagesIn);
        expect(before[1]?.join('\n')).toContain(pulled.split('@')[1]);
        const run = bench('stopped', ...REGISTRY, '--instances', '20', '--load', 'vus(2, 2s)');
        const loads = new RegExp(`${engines[1]?.host}: .*instance 2/20: paths`);
        await during(run, () => loads.test(run.stderr));
        run.kill('SIGINT');
        const { code, stderr } = await run.done;
        expect(code, stderr).toBe(130);
        for (const { host } of engines) expect(stderr).toContain(`${host}: exit code 130, results in`);
        await expectGone();
        expect(engines.map(imagesIn)).toEqual(before);
        engines[1]?.docker('image', 'rm', pulled);
      });

      it('an image to compare with is not pushed, and leaves what was pulled as it is', async () => {
        const [first] = engines as [OwnEngine];
        const built = `${NAMESPACE}/faulty-8-4-plain:latest`;
        const other = `${NAMESPACE}/other:1`;
        first.docker('image', 'tag', built, other);
        const before = engines.map(imagesIn);
        const flags = [...REGISTRY, '--app', 'plain', '--compare-to', other];
        const { code, stdout, stderr } = await benchThese('faulty', 'image', ...flags).done;
        expect([code, code === 0 ? '' : stdout + stderr]).toEqual([0, '']);
        expect(imagesOf('image/engine-1')).toEqual([
          ['faulty@8.4', expect.stringContaining('@sha256:'), expect.any(String)],
          ['faulty@8.4:base', undefined, expect.any(String)],
        ]);
        await expectGone();
        expect(engines.map(imagesIn)).toEqual(before);
        first.docker('image', 'rm', other);
      });

      it('Ctrl-C while a registry that hangs is checked ends it, too', async () => {
        const before = engines.map(imagesIn);
        const isAsked = await lan.startSilence(5003);
        const run = bench('hung', '--registry', `${SILENT}/bench`);
        await during(run, isAsked);
        run.kill('SIGINT');
        const { code, stderr } = await run.done;
        expect([code, stderr]).toEqual([130, 'stopped by SIGINT\n']);
        await expectGone();
        expect(engines.map(imagesIn)).toEqual(before);
      });

      /** Starts a run and waits until the first engine builds, which takes it an hour. */
      const comeToBuild = async (out: string) => {
        const run = benchThese('faulty,faulty[from=load],unbuildable[seconds=3600]', out, ...REGISTRY);
        await during(run, () => existsSync(join(project.folder, out, 'engine-1/results.json')));
        return run;
      };

      it('Ctrl-C in the build ends it, and starts no other', async () => {
        const before = engines.map(imagesIn);
        const run = await comeToBuild('unbuilt');
        run.kill('SIGINT');
        const { code, stderr } = await run.done;
        expect(code, stderr).toBe(130);
        expect(stderr).toContain(`${engines[1]?.host}: not started: stopped by SIGINT`);
        await expectGone();
        expect(engines.map(imagesIn)).toEqual(before);
      });

      it('where somebody removes what the engines know each other by, all end', async () => {
        const run = await comeToBuild('lost');
        const shared = readdirSync(project.temporary).filter((name) =>
          existsSync(join(project.temporary, name, 'images.json')),
        );
        expect(shared).toHaveLength(1);
        for (const name of shared) rmSync(join(project.temporary, name), { recursive: true });
        const { code, stderr } = await run.done;
        expect(code, stderr).toBe(4);
        expect(stderr).toContain('the list of shared images was lost');
        await expectGone();
      });

      it('one that refuses, and one that is not there, are reported before anything is built', async () => {
        logOut();
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
