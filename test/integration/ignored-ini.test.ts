/** A runtime of one's own that does not apply BENCH_INI, on a real server: no pass could load anything there. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { leftovers, makeProject, type Project } from './bench.ts';

let project: Project;
beforeAll(async () => {
  project = await makeProject();
  const index = "<?php\nheader('Content-Type: text/plain;charset=UTF-8');\necho 'done';\n";
  project.write({ 'plain/public/index.php': index });
});
afterAll(() => project?.remove());

test('it is warned of before any load, and left out of the passes', async () => {
  const passes = ['--profile', 'faulty', '--count', 'php', '--ini', 'precision=10'];
  const flags = ['--app', 'plain', '--paths', '/', '--runtimes', 'faulty,apache', ...passes];
  const { code, stderr } = await project.bench('ignored', ...flags).done;
  expect(code, stderr).toBe(0);
  const { warnings, profiles, counts, variants } = project.results('ignored');
  expect(variants.map(({ id, facts }) => [id, facts?.ignoresIni])).toEqual([
    ['faulty@8.4', true],
    ['apache@8.4', undefined],
  ]);
  const own = warnings.filter(({ code }) => ['ini-ignored', 'profile', 'count'].includes(code));
  const remedy = expect.stringContaining('`common_options`');
  const message = (what: string) => `faulty@8.4 ${what}: its PHP has not read all of BENCH_INI`;
  expect(own).toEqual([
    { code: 'ini-ignored', message: message('is measured without `ini`'), remedy, variant: 'faulty@8.4' },
    { code: 'profile', message: message('is not profiled'), remedy, variant: 'faulty@8.4' },
    { code: 'count', message: message('has no counts of PHP'), remedy, variant: 'faulty@8.4' },
  ]);
  const [warned, loaded] = ['is not profiled', 'instance 1/1: paths'].map((text) => stderr.indexOf(text));
  expect(warned, stderr).toBeGreaterThan(-1);
  expect(loaded).toBeGreaterThan(warned as number);
  // No start of a profile, as there is no other variant in it.
  expect(stderr).not.toContain('profile: start');
  expect(profiles).toEqual([]);
  expect([...new Set(counts.map(({ variant }) => variant))]).toEqual(['apache@8.4']);
  expect(await leftovers()).toEqual([]);
});
