import { expect, test } from 'vitest';
import { DOCKERIGNORES, IGNORABLE } from '../../../test/fixtures/dockerignores.ts';
import { isIgnored } from './dockerignore.ts';

test.each(DOCKERIGNORES)('%j', (text, left) => {
  const files = IGNORABLE;
  expect(files.filter((path) => !isIgnored(text, path))).toEqual(left);
});
