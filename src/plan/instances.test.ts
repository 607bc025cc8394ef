import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { memoryFiles } from '../../test/fixtures/memory-files.ts';
import { loadRuntimes } from '../config/parts/runtimes.ts';
import type { Runtime } from '../config/types.ts';
import { orderOf } from './instances.ts';
import type { PlannedVariant } from './variants.ts';

const root = resolve(import.meta.dirname, '../..');
const bundled = loadRuntimes(root, '/none', memoryFiles('/none', {}));

test.each([
  ['nginx-fpm', {}, 'turns'],
  ['nginx-fpm', { pm: 'dynamic' }, 'slices'],
  ['frankenphp', {}, 'turns'],
  ['frankenphp', { 'max-threads': 0 }, 'turns'],
  ['frankenphp', { 'max-threads': 16 }, 'turns'],
  ['frankenphp', { 'max-threads': 64 }, 'slices'],
  ['frankenphp', { mode: 'worker', 'max-threads': 64 }, 'slices'],
])('the bundled %s with %j is loaded in %s', (name, set, order) => {
  const runtime = bundled.get(name) as Runtime;
  const defaults = Object.entries(runtime.options).map(([option, spec]) => [option, spec.default]);
  const options = { ...Object.fromEntries(defaults), ...set };
  expect(orderOf(undefined, [{ id: name, runtime, options, base: null } as PlannedVariant])).toBe(order);
});
