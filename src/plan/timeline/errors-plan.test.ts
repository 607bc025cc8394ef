import { expect, test } from 'vitest';
import type { Config, Scenario } from '../../config/types.ts';
import type { PlannedVariant } from '../variants.ts';
import { planErrors } from './errors-plan.ts';

const variant = (name: string, base: string[], ref: string | null = null) =>
  ({
    ...{ id: `${name}@8.4${ref === null ? '' : ':base'}`, label: name, php: '8.4', ref },
    runtime: { name, base },
  }) as unknown as PlannedVariant;
const scenarios = [{ load: { source: '', segments: [] } }] as unknown as Scenario[];
const php: Pick<Config, 'count' | 'scenarios'> = { count: ['php'], scenarios };
const apache = ['composer:2', 'php:{php}-apache'];

test('the extension is compiled on the image with PHP of each variant', () => {
  const both = [variant('apache', apache), variant('apache', apache, 'main')];
  expect(planErrors(php, both)).toEqual({
    variants: { 'apache@8.4': 'php:8.4-apache', 'apache@8.4:base': 'php:8.4-apache' },
    warnings: [],
  });
});

test('a variant whose image with PHP is not known has a warning before the run', () => {
  const { variants, warnings } = planErrors(php, [variant('apache', apache), variant('own', [])]);
  expect(Object.keys(variants)).toEqual(['apache@8.4']);
  expect(warnings).toMatchObject([{ code: 'count', variant: 'own@8.4' }]);
  const other = { kind: 'image', image: 'shop:1', given: 'shop:1', ref: 'shop:1' } as const;
  const image = planErrors({ ...php, other }, [variant('apache', apache, 'shop:1')]);
  expect(image.warnings).toMatchObject([{ variant: 'apache@8.4:base' }]);
});

test('nothing is compiled or warned of where PHP counts nothing', () => {
  const none = { variants: {}, warnings: [] };
  expect(planErrors({ ...php, count: ['services'] }, [variant('own', [])])).toEqual(none);
  const own = [{ load: null }] as unknown as Scenario[];
  expect(planErrors({ ...php, scenarios: own }, [variant('own', [])])).toEqual(none);
});
