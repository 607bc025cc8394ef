import { expect, test } from 'vitest';
import { pushedTag, withPush } from './registry.ts';

const target = { context: '/app', dockerfile: 'Dockerfile', contexts: {}, args: {} };

test('only what is measured is pushed, under tags that fit', () => {
  const file = {
    target: { app: target, apache: { ...target, tags: ['local:latest'], output: ['type=docker'] } },
  };
  expect(withPush(file, ['apache'], 'registry.test/bench')).toEqual({
    target: {
      app: target,
      apache: { ...target, tags: ['registry.test/bench:apache'], output: ['type=image,push=true'] },
    },
  });
});

test('keys that are too long for a tag get a hash', () => {
  const [one, other] = ['a', 'b'].map((end) => pushedTag('registry.test/bench', `${'x'.repeat(200)}${end}`));
  expect(one).not.toBe(other);
  expect(one?.split(':')[1]).toHaveLength(128);
});
