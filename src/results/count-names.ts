/** Counts per request, and the source of each. Keys, gates, tables and the history use this one table. */

export const COUNTERS = ['services', 'php', 'instructions'] as const;
export type Counter = (typeof COUNTERS)[number];

interface CountName {
  by: Counter;
  /** As a sentence begins: `Database queries 3 → 14 per request`. */
  title: string;
  unit?: 'bytes';
}

export const COUNT_NAMES: Readonly<Record<string, CountName>> = {
  queries: { by: 'services', title: 'Database queries' },
  'rows-read': { by: 'services', title: 'Database rows read' },
  'rows-written': { by: 'services', title: 'Database rows written' },
  'temporary-tables': { by: 'services', title: 'Temporary tables' },
  'temporary-tables-on-disk': { by: 'services', title: 'Temporary tables on disk' },
  'cache-commands': { by: 'services', title: 'Cache commands' },
  'cache-hits': { by: 'services', title: 'Cache hits' },
  'cache-misses': { by: 'services', title: 'Cache misses' },
  notices: { by: 'php', title: 'PHP notices' },
  warnings: { by: 'php', title: 'PHP warnings' },
  deprecations: { by: 'php', title: 'PHP deprecations' },
  'included-files': { by: 'php', title: 'Included files' },
  'peak-memory': { by: 'php', title: 'Peak memory of PHP', unit: 'bytes' },
  'opcache-misses': { by: 'php', title: 'Opcache misses' },
  'response-bytes': { by: 'php', title: 'Response size', unit: 'bytes' },
  instructions: { by: 'instructions', title: 'Instructions' },
};

/** Names in results of other versions need not be known. */
export function describeCount(name: string): Omit<CountName, 'by'> {
  return Object.hasOwn(COUNT_NAMES, name) ? (COUNT_NAMES[name] as CountName) : { title: name };
}
