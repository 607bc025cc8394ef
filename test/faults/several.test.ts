// Two engines of the test's own share the variants of one run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProject, type Project } from '../integration/bench.ts';
import { makeEngine, type OwnEngine, whyNoEngine } from './engine.ts';
import { K6, PHP } from './suite.ts';

const why = whyNoEngine();

describe.skipIf(why !== null)(`several engines${why ? `: ${why}` : ''}`, () => {
  let project: Project;
  const engines: OwnEngine[] = [];
  beforeAll(async () => {
    for (let i = 0; i < 2; i++) engines.push(await makeEngine([K6, PHP]));
    project = await makeProject();
  });
  afterAll(async () => {
    project?.remove();
    for (const engine of engines) await engine.remove();
  });

  const RUNTIMES = 'faulty,faulty[from=load],leaky';
  const bench = (out: string) =>
    project.bench(
      out,
      ...['--engines', engines.map(({ host }) => host).join(','), '--runtimes', RUNTIMES],
      ...['--same-answers', 'warn'],
    );
  const variantsOf = (folder: string) =>
    project
      .results(folder)
      .variants.map(({ id }) => id)
      .toSorted();
  const left = ({ docker }: OwnEngine) => docker('container', 'ls', '--all', '--quiet').trim();

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
