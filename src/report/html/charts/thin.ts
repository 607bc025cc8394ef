/** Four digits are more than a chart can show. */
export function round(value: number): number {
  return Number(value.toPrecision(4));
}

export type Combine = 'mean' | 'max' | 'last';

/** Takes neighbours together until there are at most `limit` of them: what stands out stays where the highest is kept. */
export function thin(values: readonly (number | null)[], limit: number, combine: Combine): (number | null)[] {
  const size = Math.ceil(values.length / limit);
  if (size <= 1) return values.map((value) => (value === null ? null : round(value)));
  return Array.from({ length: Math.ceil(values.length / size) }, (_, i) => {
    const known = values.slice(i * size, (i + 1) * size).filter((value) => value !== null);
    if (known.length === 0) return null;
    if (combine === 'last') return round(known.at(-1) as number);
    if (combine === 'max') return round(Math.max(...known));
    return round(known.reduce((sum, value) => sum + value, 0) / known.length);
  });
}
