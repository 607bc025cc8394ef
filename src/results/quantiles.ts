/** The percentiles of response time that have names: they are ranked, compared and limited. */
export const QUANTILES = ['p50', 'p95', 'p99'] as const;
export type Quantile = (typeof QUANTILES)[number];

type Percent<Q> = Q extends `p${infer P extends number}` ? P : never;

/** `p95` → 95 */
export function percentOf(quantile: Quantile): Percent<Quantile> {
  return Number(quantile.slice(1)) as Percent<Quantile>;
}

/** Something for each of them, by its name: `p50`, with a suffix `p50Ms`. */
export function eachQuantile<T, S extends string = ''>(
  of: (quantile: Quantile) => T,
  suffix: S = '' as S,
): Record<`${Quantile}${S}`, T> {
  return Object.fromEntries(QUANTILES.map((quantile) => [quantile + suffix, of(quantile)])) as Record<
    `${Quantile}${S}`,
    T
  >;
}
