import { expect, test } from 'vitest';
import type { PlannedVariant } from '../variants.ts';
import { warnOfVersions } from './versions.ts';

const variant = (name: string, php: string, ref: string | null = null) =>
  ({ php, ref, runtime: { name, php: ['8.4', '8.5'] } }) as unknown as PlannedVariant;

test('reports each version once that a manifest does not list', () => {
  const found = warnOfVersions([
    ...[variant('apache', '8.5'), variant('apache', '8.6'), variant('unit', '8.6'), variant('unit', '8.6')],
    ...[variant('unit', '8.3'), variant('unit', '8.7', 'main')],
  ]);
  expect(found.map(({ code, message }) => [code, message])).toEqual([
    [
      'unlisted-php',
      'PHP 8.6 is not in the manifest of apache, unit: it is tried, but its images may not exist',
    ],
    ['unlisted-php', 'PHP 8.3 is not in the manifest of unit: it is tried, but its images may not exist'],
  ]);
});
