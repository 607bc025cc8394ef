import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { folder as cwd, useFolder } from '../../../test/fixtures/folder.ts';
import { parseCommand } from '../../config/command.ts';
import { type Host, realHost } from '../../host.ts';
import { ejectLoad } from './eject-load-command.ts';

useFolder(() => {
  mkdirSync(join(cwd, 'public'));
  writeFileSync(join(cwd, 'public/index.php'), '');
});

const eject = (scenario: string, flags: readonly string[], host: Host = realHost) => {
  const command = parseCommand([
    'eject-load',
    scenario,
    '--base-url',
    'http://site.test',
    '--out',
    'o',
    ...flags,
  ]);
  if (command.command !== 'eject-load') throw new Error('another command');
  const packageRoot = resolve(import.meta.dirname, '../../..');
  return ejectLoad(command, { argv: [], host, packageRoot, cwd, print: () => {} });
};

/** A script with a load of its own, and an engine whose k6 shows these options of it. */
function makeScript(options: object): Host {
  writeFileSync(join(cwd, 'own.js'), 'export default () => {};');
  const found = { iterations: null, duration: '5s', stages: null, thresholds: null, ...options };
  return {
    ...realHost,
    exec: async (_, args) => {
      const stdout = args.includes('start') ? JSON.stringify(found) : 'unix:///var/run/docker.sock\n';
      return { code: 0, stdout, stderr: '' };
    },
  };
}

test.each([
  ['requests(3, 20)', 3],
  ['requests(20, 3)', 3],
  ['vus(5, 2s)', 5],
  ['const(100, 2s)', 11],
])('%s is for up to %i pods: the operator refuses pods without a client', async (load, most) => {
  const at = (segments: number) => eject('quick', ['--load', load, '--segments', `${segments}`]);
  await expect(at(most + 1)).rejects.toMatchObject({
    message: 'more segments than clients',
    detail: {
      found: `${most + 1}`,
      allowed: `up to ${most}, as the load, or a step of it, has so many clients`,
    },
  });
  await at(most);
});

test('a script with its own load is for as many pods as k6 counts clients in it', async () => {
  const host = makeScript({ maxVUs: 4, totalDuration: '35s', scenarios: {} });
  const at = (segments: number) => eject('own', ['--journey', 'own.js', '--segments', `${segments}`], host);
  await expect(at(5)).rejects.toMatchObject({
    message: 'more segments than clients',
    detail: { found: '5', allowed: 'up to 4, as the load, or a step of it, has so many clients' },
  });
  await at(4);
});

test('the README changes the site in two places, and they are there', async () => {
  await eject('quick', []);
  const testrun = readFileSync(join(cwd, 'o/testrun.yaml'), 'utf8');
  expect(readFileSync(join(cwd, 'o/README.md'), 'utf8')).toContain('change `BASE_URL` in both places');
  expect(testrun.match(/- name: BASE_URL\n *value: http:\/\/site\.test\n/g)).toHaveLength(2);
});

/** Minutes that the README waits for the end of the load. */
const waitMinutes = () =>
  Number(/ --timeout=(\d+)m /.exec(readFileSync(join(cwd, 'o/README.md'), 'utf8'))?.[1]);

test.each([
  ['vus(2, 5s)', 5, 30],
  ['vus(2, 4h)', 4 * 60, 5 * 60],
  ['requests(1000, 2)', 30, 60],
])('the README waits as long as the load %s may take', async (load, atLeast, atMost) => {
  await eject('quick', ['--load', load, '--warmup', '0s', '--blocks', '1']);
  expect(waitMinutes()).toBeGreaterThan(atLeast);
  expect(waitMinutes()).toBeLessThan(atMost);
});

test('the README waits as long as the own load of a script may take', async () => {
  const host = makeScript({ maxVUs: 4, totalDuration: '3h0m30s', scenarios: {} });
  await eject('own', ['--journey', 'own.js'], host);
  expect(waitMinutes()).toBeGreaterThan(180);
});

test('the slice of the own load of a script is the tag by which k6 keeps statistics', async () => {
  const library = resolve(import.meta.dirname, '../../../scenarios/lib/kept-statistics.js');
  const { SLICE_TAG } = await import(library);
  await eject('own', ['--journey', 'own.js'], makeScript({ maxVUs: 4, totalDuration: '35s', scenarios: {} }));
  expect(readFileSync(join(cwd, 'o/testrun.yaml'), 'utf8')).toContain(`--tag ${SLICE_TAG}=s0`);
});
