import type { Summary } from '../../../analyse/summary.ts';
import type { Variant } from '../../../results/results.ts';
import { bytes, duration, NOTHING } from '../../words/numbers.ts';
import { type ColdStartRow, startsLegend, startsOf } from '../../words/start-words.ts';
import { type Column, grid, left, right, type Section, section, type Text, variantColumn } from '../model.ts';

/** How long fresh containers took to their first answer; nothing where that was not timed by itself. */
export function startSection({ variants }: Summary): Section[] {
  const starts = startsOf(variants);
  if (starts.length === 0) return [];
  const legend = startsLegend(variants).replace(/^f/, 'F');
  return section('Cold starts', [
    { kind: 'line', text: { text: `${legend}:` } },
    grid('Cold starts', STARTS, starts),
  ]);
}

const STARTS: Column<ColdStartRow>[] = [
  variantColumn,
  right('median', ({ median }) => median, 'ms'),
  right('mean', ({ mean }) => mean, 'ms'),
  right('range', ({ range }) => range, 'ms'),
  right('starts', ({ starts }) => starts),
  right('image', ({ size }) => size),
  right('build', ({ build }) => build),
];

/** Components of the variants. */
export function variantGrid({ variants }: Summary) {
  const hasSettings = variants.some(({ facts }) => facts?.settings);
  return grid(
    'Variants',
    VARIANTS.filter((column) => column !== APP || hasSettings),
    variants.map((variant) => ({ ...variant, variant: variant.id })),
  );
}

const short = (id: string) => id.replace(/^(sha256:)?(.{12}).*$/, '$2');

/** Settings of apps whose framework reports them. */
const APP: Column<Variant & { variant: string }> = left(
  'App',
  ({ facts }) => {
    const settings = Object.entries(facts?.settings ?? {}).map(([name, value]) => `${name} ${value}`);
    return settings.length > 0 ? { text: settings.join(', ') } : NOTHING;
  },
  { long: true },
);

const VARIANTS: Column<Variant & { variant: string }>[] = [
  variantColumn,
  left('Id', ({ id }) => ({ name: id })),
  left('PHP', ({ facts, php, failure }) => {
    if (facts) return { text: `${facts.php} ${facts.sapi}${facts.zts ? ' ZTS' : ''}` };
    return { text: failure ? `${php} (not running)` : php || NOTHING };
  }),
  left('Server', ({ facts }) => (facts ? { text: facts.server } : NOTHING)),
  left('Opcache', ({ facts }) => {
    if (!facts) return NOTHING;
    return facts.opcache ? 'on' : { strong: 'off', tone: 'bad' };
  }),
  left('JIT', ({ facts }) => (facts ? { text: facts.jit } : NOTHING)),
  APP,
  left('Options', ({ options }) => ({ code: optionsOf(options) }), { long: true }),
  left('Image', ({ image }) => (image ? { code: short(image.id) } : NOTHING)),
  right('Size', ({ image }) => (image ? bytes(image.sizeBytes) : NOTHING)),
  right('Build', ({ image }) => (image ? duration(image.buildSeconds) : NOTHING)),
  left('Based on', ({ image }) => (image ? basesOf(image.bases) : NOTHING), { long: true }),
];

function optionsOf(options: Variant['options']): string {
  return Object.entries(options)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function basesOf(bases: NonNullable<Variant['image']>['bases']): Text {
  return bases.map(({ name, used, digest, id }, i): Text => {
    const image: Text = used === name ? { name } : [{ name: used }, ' instead of ', { name }];
    const pinned = digest ?? id;
    return [i > 0 ? ', ' : '', image, ...(pinned ? [' ', { code: short(pinned) }] : [])];
  });
}
