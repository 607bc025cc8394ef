import { expect, test } from 'vitest';
import type { Docker } from '../../engine/docker.ts';
import type { World } from '../world.ts';
import { countInstructions } from './count-instructions.ts';

/** A run of these scenarios on one variant whose counter has this image, or none. */
function makeWorld(journeys: readonly object[], built: object | null, failure: object | null = null) {
  const asked: string[] = [];
  const warned: string[] = [];
  const docker: Docker = {
    run: async (args) => {
      asked.push(args.slice(0, 2).join(' '));
      return '';
    },
    try: async (args) => {
      asked.push(args.slice(0, 2).join(' '));
      return { code: 0, stdout: '', stderr: '' };
    },
  };
  const variant = {
    id: 'a',
    label: 'a',
    ref: null,
    base: null,
    php: '8.4',
    app: { name: 'shop' },
    counter: 'c',
  };
  const world = {
    engine: { docker, run: 'r', signal: new AbortController().signal, memoryBytes: 1e9 },
    job: {
      config: {
        scenarios: journeys.map((journey) => ({ name: 'page', journey })),
        host: 'app.test',
        failOn: [],
      },
      plan: { variants: [variant] },
      outcomes: new Map([['a', { failure }]]),
      images: new Map(built ? [['c', built]] : []),
      services: null,
    },
    sink: { say: () => {}, at: () => {}, warn: ({ message }: { message: string }) => warned.push(message) },
  } as unknown as World;
  return { world, asked, warned };
}

const known = { checked: [], agent: 'k6' };

test('of a script nothing is counted, and nothing is started for it', async () => {
  const { world, asked, warned } = makeWorld([{ kind: 'script', name: 'buy', file: 'buy.js' }], null);
  await countInstructions(world, known);
  expect(warned).toEqual(['instructions are counted of paths alone, not of what a k6 script asks for']);
  expect(asked).toEqual([]);
});

test('an image that was not built is a warning with the reason, and what was started is removed', async () => {
  const failure = { stage: 'build', reason: 'no php-cgi in this base image', log: '' };
  const { world, asked, warned } = makeWorld([{ kind: 'paths', paths: ['/'] }], { failure });
  await countInstructions(world, known);
  expect(warned).toEqual(['a: its instructions cannot be counted: no php-cgi in this base image']);
  expect(asked).toEqual(['container rm']);
});

test('a variant that failed in the run is not counted: nobody has checked its answers', async () => {
  const facts = { name: 'image' };
  const { world, asked, warned } = makeWorld(
    [{ kind: 'paths', paths: ['/'] }],
    { facts },
    { stage: 'verify' },
  );
  await countInstructions(world, known);
  expect({ asked, warned }).toEqual({ asked: [], warned: [] });
});
