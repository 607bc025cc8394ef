/**
 * A share as words: `98.7 %`, `99.98 %`, `< 0.1 %`. Rounded down, so what is not all right never reads as 100 %, and
 * what is not nothing never as 0 %.
 */
export function percent(ratio: number): string {
  if (ratio > 0 && ratio < 0.001) return '< 0.1 %';
  const digits = ratio >= 0.99 && ratio < 1 ? 2 : 1;
  const scale = 10 ** digits;
  return `${Math.floor(ratio * 100 * scale + 1e-9) / scale} %`;
}

/** A share as the user gave it, such as a limit: `98.75 %`. Beside it, what misses it never looks as if it met it. */
export function givenPercent(ratio: number): string {
  return `${Number((ratio * 100).toPrecision(12))} %`;
}
