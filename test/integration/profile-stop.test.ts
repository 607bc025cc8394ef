/** The pass that profiles: under a user's own k6 script, and where Ctrl-C ends it. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Results } from '../../src/results/results.ts';
import { leftovers, makeProject, type Project, told } from './bench.ts';

const FILES = {
  'slow/public/index.php': `<?php
function work(): int { $sum = 0; for ($i = 0; $i < 400000; $i++) { $sum += $i & 3; } return $sum; }
echo 'done ', work();
`,
  'own.js': `import http from 'k6/http';
import { check } from 'k6';
export const options = { scenarios: { own: { executor: 'constant-vus', vus: 2, duration: '6s' } } };
export default function () {
  check(http.get(\`\${__ENV.BASE_URL}/\`), { 'is done': (response) => response.body.startsWith('done') });
}
`,
};

let project: Project;
let results: Results;
let printed: { code: number; stdout: string; stderr: string };
beforeAll(async () => {
  project = await makeProject();
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project.folder, name)), { recursive: true });
    writeFileSync(join(project.folder, name), text);
  }
  const journey = ['--app', 'slow', '--journey', 'own.js', '--timeout', '20s'];
  const starts = ['--instances', '1', '--blocks', '1', '--runtimes', 'apache', '--profile', 'true'];
  const run = project.run('stopped', ...journey, ...starts);
  await told(run, 'start 2/4');
  run.kill('SIGINT');
  printed = await run.done;
  results = project.results('stopped');
}, 600_000);
afterAll(() => project?.remove());

test('Ctrl-C in the pass keeps what was measured, and the verdict', () => {
  expect(printed.code, printed.stderr).toBe(130);
  expect(results.run.stopped).toBe('SIGINT');
  expect(results.measurements).toHaveLength(1);
  expect(results.measurements[0]?.outcome).toBe('ok');
  expect(results.variants.map(({ failure }) => failure)).toEqual([null]);
  const report = readFileSync(join(project.folder, 'stopped/report.md'), 'utf8');
  expect(report).toContain('stopped by SIGINT');
  expect(report).toMatch(/CPU per request|rps/);
});

test('starts that were complete are kept, under a script that brings its own load', () => {
  expect(results.profiles.map(({ instance }) => instance)).toEqual([0]);
  const [profile] = results.profiles;
  expect(profile?.requests).toBeGreaterThan(0);
  // Where a script decides the load, the same is not made without the sampler.
  expect(profile?.overheadRatio).toBeUndefined();
  const work = profile?.frames.findIndex(({ name }) => name === 'work');
  const own = profile?.tree.filter(([, frame]) => frame === work).reduce((sum, [, , n]) => sum + n, 0) ?? 0;
  expect(own / (profile?.samples ?? 0)).toBeGreaterThan(0.5);
  const raw = readdirSync(join(project.folder, 'stopped/raw/profiles'), { recursive: true }).map(String);
  expect(raw.filter((name) => name.endsWith('.folded'))).toHaveLength(1);
});

test('nothing is left behind', async () => {
  expect(await leftovers()).toEqual([]);
  expect(project.temporaryFiles()).toEqual([]);
});
