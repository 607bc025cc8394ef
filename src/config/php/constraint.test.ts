import { expect, test } from 'vitest';
import { PHP_CONSTRAINTS, PHP_VERSIONS } from '../../../test/fixtures/php-constraints.ts';
import { meetsNeed } from './constraint.ts';

const allowed = (constraint: string, floor?: true) =>
  PHP_VERSIONS.filter((version) =>
    meetsNeed(version, { constraint, source: '', ...(floor && { floor }) }),
  ).join(' ');

test.each(PHP_CONSTRAINTS)('%j allows %s', (constraint, versions) => {
  expect(allowed(constraint)).toBe(versions);
});

test.each([
  ['~8.2.0', '8.2 8.3 8.4 8.5 9.0'],
  ['~8.2.0 || ~8.4.0', '8.2 8.3 8.4 8.5 9.0'],
  ['>8.2.99 <8.4', '8.2 8.3 8.4 8.5 9.0'],
  ['<8.0', PHP_VERSIONS.join(' ')],
])('the lower bound of %j allows %s', (constraint, versions) => {
  expect(allowed(constraint, true)).toBe(versions);
});
