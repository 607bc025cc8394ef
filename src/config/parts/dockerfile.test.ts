import { expect, test } from 'vitest';
import { findBaseImages } from './dockerfile.ts';

const find = (text: string, unknown: string[] = []) =>
  findBaseImages(text, { PHP_VERSION: '{php}' }, unknown);

test.each([
  ['FROM php:8.4-cli', ['php:8.4-cli']],
  ['# FROM a\nfrom --platform=linux/amd64 b:1 as one\n  FROM one\nCOPY --from=ONE x y', ['b:1']],
  ['ARG PHP_VERSION=8.1\nFROM php:$PHP_VERSION-cli', ['php:{php}-cli']],
  [`ARG TAG="3"\nARG IMAGE=x:\${TAG}\nFROM \${IMAGE}`, ['x:3']],
  [`FROM x:\${TAG:-4}`, ['x:4']],
  ['FROM a:1\nCOPY --from=0 . .\nCOPY --chown=1:1 --from=b:2 . .\nCOPY --from=shared x y', ['a:1', 'b:2']],
  [
    'FROM a:1\nRUN --mount=type=bind,from=c:2,source=/x \\\n  --mount=from=d:3 \\\n  # why\n  cp x y',
    ['a:1', 'c:2', 'd:3'],
  ],
  ['FROM scratch\nCOPY --from=app . /', null],
  [`FROM x:\${NOBODY_SAYS}`, null],
  ['', null],
])('%j', (text, images) => {
  expect(find(text)).toEqual(images);
});

test('what an option decides is not known', () => {
  expect(find(`ARG FLAVOUR=cli\nFROM php:8.4-\${FLAVOUR}`)).toEqual(['php:8.4-cli']);
  expect(find(`ARG FLAVOUR=cli\nFROM php:8.4-\${FLAVOUR}`, ['FLAVOUR'])).toBeNull();
});
