import { expect, test } from 'vitest';
import type { Scenario } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';
import type { Server } from '../servers/servers.ts';
import type { World } from '../world.ts';
import { checkAnswers, sayHtaccess } from './answers.ts';
import { pathsOf } from './requests.ts';

const scenario = (journey: Scenario['journey'], verify?: 'status') =>
  ({ journey, ...(verify && { verify }) }) as Scenario;
const script = { kind: 'script', name: 'visit', file: 'visit.js' } as const;
const home = { kind: 'paths', paths: ['/'] } as const;

test.each<[string, Scenario[], Omit<ReturnType<typeof pathsOf>[number], 'path'>]>([
  ['a script', [scenario(script)], { mayRefuse: true, mayBeMute: true, headOnly: false }],
  [
    'a script with `verify: status`',
    [scenario(script, 'status')],
    { mayRefuse: true, mayBeMute: true, headOnly: true },
  ],
  [
    'two scripts, one with `verify: status`',
    [scenario(script, 'status'), scenario(script)],
    { mayRefuse: true, mayBeMute: true, headOnly: false },
  ],
  [
    'paths, and a script with `verify: status`',
    [scenario(home), scenario(script, 'status')],
    { mayRefuse: false, mayBeMute: false, headOnly: false },
  ],
  [
    'paths with `verify: status`',
    [scenario(home, 'status')],
    { mayRefuse: false, mayBeMute: false, headOnly: true },
  ],
])('how `/` is compared for %s', (_, scenarios, rules) => {
  expect(pathsOf(scenarios)).toEqual([{ path: '/', ...rules }]);
});

/**
 * Checks a server whose way through the journey `shop` has these steps, or which gives this answer at `/` beside a k6
 * script. Gives its failures, the warnings and the lines of progress.
 */
async function checkWay(
  steps: readonly object[],
  lost: { code: number; isRunning: boolean } | null = null,
  home: object | null = null,
) {
  const progress: string[] = [];
  const warned: string[] = [];
  const remedies: string[] = [];
  const failed: string[] = [];
  const docker = {
    try: async (args: readonly string[]) => {
      if (lost && args.some((arg) => arg.includes('/dev/zero')))
        return { code: lost.isRunning ? 0 : 1, stderr: 'No such container', stdout: '' };
      if (lost && args.includes('walk')) return { code: lost.code, stderr: 'k6 ended', stdout: '' };
      const given = args.includes('walk') ? { a: steps } : { 'http://app.test:1/': home };
      return { code: 0, stderr: '', stdout: JSON.stringify(given) };
    },
  };
  const journey = home === null ? ({ kind: 'bundled', name: 'shop' } as Scenario['journey']) : script;
  const world = {
    engine: { docker, arena: { name: 'arena' }, signal: new AbortController().signal },
    job: { config: { host: 'app.test', scenarios: [scenario(journey)] }, outcomes: new Map() },
    sink: {
      ...{ say: (line: string) => progress.push(line), keepChecked: () => {}, keepRaw: async () => {} },
      warn: ({ code, message, remedy }: Warning) => {
        warned.push(`${code}: ${message}`);
        remedies.push(remedy);
      },
    },
  } as unknown as World;
  const variant = { id: 'a', label: 'a', ref: null, app: { name: 'shop' } };
  const known = { rounds: [], reported: new Set<string>(), learned: new Map() };
  await checkAnswers(world, [{ variant, port: 1, container: 'c' } as unknown as Server], known, {
    fail: (_, { reason }) => failed.push(reason),
    restart: async () => [],
  });
  return { progress, warned, remedies, failed };
}

const page = { error: '', type: 'text/html', body: '' };
const moved = { ...page, status: 301, location: '/en' };
const form = { ...page, status: 302, location: '/cart' };

test('a step of a journey that redirects causes a warning, unless the journey expects it', async () => {
  const { warned, remedies, failed } = await checkWay([
    { endpoint: 'home', headOnly: false, expects: false, answer: moved },
    { endpoint: 'cart', headOnly: false, expects: true, answer: form },
  ]);
  expect(failed).toEqual([]);
  expect(warned).toEqual(['redirect: the load measures redirects, not their targets: home (shop) to /en']);
  // `paths` would take the place of the journey.
  expect(remedies).toEqual([expect.stringMatching(/^write a k6 script that requests the target pages\. /)]);
  expect(remedies[0]).not.toContain('paths');
});

test('a journey that never gets to an endpoint fails the variant', async () => {
  const answer = { ...moved, fault: 'wrong answer', unreached: ['cart'] };
  const { failed } = await checkWay([{ endpoint: 'product', headOnly: false, expects: false, answer }]);
  expect(failed).toEqual(['product (shop) answers HTTP 301 to /en, and its journey never requests cart']);
});

test('a stream at `/` beside a k6 script is not compared, and a step without an answer fails', async () => {
  const none = { ...page, status: 0, error: 'request timeout', location: '' };
  const beside = await checkWay([], null, none);
  expect(beside).toEqual({
    ...{ failed: [], warned: [], remedies: [] },
    progress: ['GET / gets no answer from any variant: it is not compared'],
  });
  const { progress, failed } = await checkWay([
    { endpoint: 'home', headOnly: false, expects: true, answer: none },
  ]);
  expect(progress).toEqual([]);
  expect(failed).toEqual([expect.stringMatching(/^home \(shop\) did not answer: request timeout/)]);
});

test('k6 that fails in a live arena fails the variant, a lost arena the run', async () => {
  const { failed } = await checkWay([], { code: 137, isRunning: true });
  expect(failed).toEqual([expect.stringContaining('its answers cannot be read: ')]);
  await expect(checkWay([], { code: 1, isRunning: false })).rejects.toThrow(
    'the container that k6 runs in failed',
  );
});

test('rules of .htaccess are named only if servers that obey them differ from those that do not', () => {
  const variant = (label: string, htaccess: boolean, ref: string | null = null) =>
    ({ id: label, label, ref, app: { name: 'shop', htaccess: '.htaccess' }, runtime: { htaccess } }) as never;
  const [apache, nginx, caddy] = [variant('apache', true), variant('nginx', false), variant('caddy', false)];
  const base = variant('nginx (base)', false, 'main');
  const remedyFor = (one: never, of: never[], wrong: string[]) =>
    sayHtaccess(
      one,
      of.map((variant) => ({ variant }) as unknown as Server),
      wrong.map((id) => [id, {} as never] as const),
    );
  expect(remedyFor(nginx, [apache, nginx, caddy], ['nginx', 'caddy'])).toMatch(
    /^\. apache obeys \.htaccess, nginx does not: /,
  );
  expect(remedyFor(apache, [apache, nginx], ['apache'])).toMatch(/^\. apache obeys \.htaccess, nginx does/);
  expect(remedyFor(nginx, [apache, nginx, caddy], ['nginx'])).toBe('');
  expect(remedyFor(apache, [apache, nginx], ['apache', 'nginx'])).toBe('');
  // The base has another commit, which may be right.
  expect(remedyFor(apache, [apache, base], ['apache'])).toBe('');
});
