import { join } from 'node:path';
import { expect, test } from 'vitest';
import { realFiles } from '../files.ts';
import { loadRuntimes } from '../parts/runtimes.ts';
import { formatChoice, parseChoices } from './choices.ts';
import { expandTune, parseTune } from './tune-key.ts';

const root = join(import.meta.dirname, '../../..');
const runtimes = loadRuntimes(root, root, realFiles);
const expand = (choices: string, tune: string) =>
  expandTune(parseChoices(choices, runtimes), parseTune(tune), runtimes).map(
    (choice) => `${choice.as ? `${choice.as}=` : ''}${formatChoice(choice)}`,
  );

test('each value of the option, the chosen one first and once', () => {
  expect(expand('nginx-fpm[listen=unix]', 'workers=4,16,64')).toEqual([
    'nginx-fpm[listen=unix]',
    'nginx-fpm[workers=4,listen=unix]',
    'nginx-fpm[workers=64,listen=unix]',
  ]);
  expect(expand('few=apache[workers=4]', 'workers=4,8')).toEqual([
    'few=apache[workers=4]',
    'few-8=apache[workers=8]',
  ]);
});

test('what is chosen anyway is there once, also by its default', () => {
  expect(expand('nginx-fpm[workers=4],nginx-fpm[workers=16]', 'workers=4,16')).toEqual([
    'nginx-fpm[workers=4]',
    'nginx-fpm[workers=16]',
  ]);
  expect(expand('nginx-fpm,nginx-fpm[workers=4]', 'workers=4,16')).toEqual([
    'nginx-fpm',
    'nginx-fpm[workers=4]',
  ]);
  expect(() => expand('a=nginx-fpm[workers=4],a-16=nginx-fpm[workers=8]', 'workers=16')).toThrow(
    'alias used twice',
  );
});

test('powers of two by default', () => {
  expect(expand('apache', 'workers')).toHaveLength(7);
});

test('zero, where the option allows it', () => {
  expect(expand('apache', 'max-requests=0,500')).toEqual(['apache', 'apache[max-requests=500]']);
  expect(expand('apache[max-requests=500]', 'max-requests=0')).toEqual([
    'apache[max-requests=500]',
    'apache[max-requests=0]',
  ]);
});

test.each([
  ['', 'nothing to tune'],
  ['workers=', 'not a whole number'],
  ['workers=0', "option 'workers': number out of bounds"],
  ['workers=8,5000', "option 'workers': number out of bounds"],
  ['gzip', 'no selected runtime has this numeric option'],
])('%s: %s', (tune, message) => {
  expect(() => expand('apache', tune)).toThrow(message);
});
