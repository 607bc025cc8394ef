import type { Limit } from '../../analyse/summary.ts';
import type { Estimate } from '../../stats/estimate.ts';
import { percent } from '../../text/percent.ts';

/** Placeholder for values that were not measured. */
export const NOTHING = '–';

/** Digits before the point of the largest power of ten in a number: 0 for 1…9.99. */
function magnitude(value: number): number {
  return value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)) + 1e-12);
}

/** By the number of decimals: making one takes a hundred times as long as using it. */
const formats = new Map<number, Intl.NumberFormat>();

function formatOf(decimals: number): Intl.NumberFormat {
  const known = formats.get(decimals);
  if (known) return known;
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
  const made = new Intl.NumberFormat('en', digits);
  formats.set(decimals, made);
  return made;
}

function atStep(value: number, step: number): string {
  const rounded = step > 0 ? Math.round(value / 10 ** step) * 10 ** step : value;
  return formatOf(Math.max(0, -step)).format(rounded);
}

/** Three significant digits, thousands apart: `12,300`, `1.77`, `0.632`; nothing is `0`. */
export function digits(value: number): string {
  if (value === 0) return '0';
  const step = magnitude(value) - 2;
  // 9.996 rounds up to 10.00, which has one digit too many.
  const rounded = Math.round(value / 10 ** step) * 10 ** step;
  return atStep(value, magnitude(rounded) - 2);
}

/** Three significant digits, and at least one decimal: `8,591.3`, `2.09`. */
export function digitsWithTenths(value: number): string {
  return Math.abs(value) < 99.95 ? digits(value) : formatOf(1).format(value);
}

/** `8,596.0 → 8,595.2`: exact numbers, both with the decimals that show their difference within a tenth. */
export function digitsOfBoth(from: number, to: number): string {
  const largest = Math.max(Math.abs(from), Math.abs(to));
  const difference = to - from;
  // Less is an error of floating point.
  const unseen = Math.max(Math.abs(difference) / 10, 1e-9 * largest);
  const at = (value: number, step: number) => Math.round(value / 10 ** step) * 10 ** step;
  let step = Math.min(magnitude(largest) - 2, 0);
  while (Math.abs(at(to, step) - at(from, step) - difference) > unseen) step--;
  return `${atStep(from, step)} → ${atStep(to, step)}`;
}

/** A lower bound, rounded down to three significant digits: `≥ 20,300`. */
export function atLeast(value: number): string {
  const step = magnitude(value) - 2;
  return `≥ ${atStep(Math.floor(value / 10 ** step + 1e-9) * 10 ** step, step)}`;
}

/**
 * A number and half its interval, cut where the interval makes further digits pointless. The half keeps one digit, or
 * two if it starts with 1 or 2. The number has as many places, from two to four digits: with one, numbers in a column
 * would look equal or out of order. Without an interval: three digits.
 */
export function withHalf({ value, half }: Pick<Estimate, 'value' | 'half'>): { value: string; half: string } {
  if (half === null) return { value: digits(value), half: '' };
  if (half === 0) return { value: digits(value), half: '0' };
  if (value === 0) return { value: '0', half: digits(half) };
  const wanted = magnitude(half) - (half / 10 ** magnitude(half) < 2.95 ? 1 : 0);
  const least = magnitude(value) - 3;
  const step = Math.min(Math.max(wanted, least), least + 2);
  const halfStep = Math.max(wanted, step);
  return { value: atStep(value, step), half: atStep(Math.max(half, 10 ** halfStep), halfStep) };
}

/** `1,234 ± 12`, or the number alone. */
export function estimated(estimate: Estimate | null): string {
  if (!estimate) return NOTHING;
  const { value, half } = withHalf(estimate);
  return half === '' ? value : `${value} ± ${half}`;
}

/** Result of a ramp or a search: `620 ± 20`, `≥ 1,000`, `< 5`. */
export function held(found: Limit | null): string {
  if (found?.kind === 'beyond') return atLeast(found.value);
  if (found?.kind === 'below') return `< ${digits(found.value)}`;
  return estimated(found);
}

export function ms(value: number | null | undefined): string {
  return value === null || value === undefined ? NOTHING : digits(value);
}

export function count(value: number): string {
  return value.toLocaleString('en');
}

export function share(ratio: number | null): string {
  return ratio === null ? NOTHING : percent(ratio);
}

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Three digits in KiB, MiB or GiB. */
export function bytes(value: number): string {
  const power = unitOf(value);
  return `${inUnit(value, power)} ${UNITS[power]}`;
}

/** `61.0 → 87.0 MiB`, `0 → 64 bytes`: both in the unit of the larger one, in three digits unless `tell` has more. */
export function bytesOfBoth(from: number, to: number, tell?: typeof digitsOfBoth): string {
  const power = unitOf(Math.max(from, to));
  const isWhole = power === 0 && Number.isInteger(from) && Number.isInteger(to);
  const both =
    tell && !isWhole
      ? tell(from / 1024 ** power, to / 1024 ** power)
      : `${inUnit(from, power)} → ${inUnit(to, power)}`;
  return `${both} ${UNITS[power]}`;
}

/** The unit that `bytes` shows a size in, and how many bytes it has. */
export function byteUnit(value: number): { unit: string; size: number } {
  const power = unitOf(value);
  return { unit: UNITS[power] as string, size: 1024 ** power };
}

/** Power of 1024. */
function unitOf(value: number): number {
  return Math.min(Math.max(0, Math.floor(Math.log2(Math.max(value, 1)) / 10)), UNITS.length - 1);
}

function inUnit(value: number, power: number): string {
  return power === 0 ? String(Math.round(value)) : digits(value / 1024 ** power);
}

/** `9.4 s`, `2 min 22 s`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const whole = Math.round(seconds);
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A difference as a share in two digits: `8.1 %`, `25 %`. A share of nearly all has more: it never reads as 100 %. */
export function points(ratio: number): string {
  const value = ratio * 100;
  if (value >= 99.5 && value < 100) return percent(ratio);
  return `${Math.abs(value) < 9.95 ? value.toFixed(1) : Math.round(value)} %`;
}

/** A change with its sign as it stands in one place and its interval beside it: `+4.8 %` and `+3.9…+5.7`. */
export interface ChangeText {
  value: string;
  /** Empty where there is none. */
  interval: string;
}

/** Few fresh starts leave a ratio open upwards: digits of such a bound mean nothing. */
const ENDLESS = 1000;
/** Decimals of a percentage, at most. */
const MOST_PLACES = 3;

/**
 * A ratio to another variant as a change. As many places as the interval justifies, at most one; the interval is
 * rounded outwards, so it claims no more than is known. A bound beyond no change does not read as none, down to 0.001 %.
 * A ratio of four or more, or an interval that reaches that, becomes a factor: `×12`.
 */
export function change(ratio: number, interval: { low: number; high: number } | null): ChangeText {
  const { low, high } = interval ?? { low: ratio, high: ratio };
  if (Math.max(ratio, high) >= 4) {
    const factor = (value: number, round: (value: number) => number) => {
      const step = Math.max(magnitude(value), 0) - 2;
      return `×${atStep(round(Number((value / 10 ** step).toFixed(6))) * 10 ** step, step)}`;
    };
    const isEndless = high > Math.max(ENDLESS, 10 * ratio);
    const upper = isEndless ? `>${factor(ENDLESS, Math.round)}` : factor(high, Math.ceil);
    return {
      value: factor(ratio, Math.round),
      interval: interval ? `${factor(low, Math.floor)}…${upper}` : '',
    };
  }
  const places = (high - low) / 2 < 0.0995 && Math.abs(ratio - 1) < 0.9995 ? 1 : 0;
  const rounded = (value: number, round: (value: number) => number, at: number) =>
    round(Number(((value - 1) * 100 * 10 ** at).toFixed(6))) / 10 ** at;
  const bound = (value: number, round: (value: number) => number) => {
    let at = places;
    // The verdict is a matter of which side of no change it is on.
    while (at < MOST_PLACES && value !== 1 && rounded(value, round, at) === 0) at++;
    return signed(rounded(value, round, at), at);
  };
  const isAll = ratio > 0 && rounded(ratio, Math.round, places) === -100;
  return {
    // With something left it never reads as all of it.
    value: isAll
      ? `${signed(rounded(ratio, Math.ceil, places + 1), places + 1)} %`
      : `${signed(rounded(ratio, Math.round, places), places)} %`,
    interval: interval ? `${bound(low, Math.floor)}…${bound(high, Math.ceil)}` : '',
  };
}

/** With a true minus sign; nothing has no sign. */
function signed(value: number, decimals: number): string {
  const sign = value > 0 ? '+' : value < 0 ? '−' : '';
  return `${sign}${Math.abs(value).toFixed(decimals)}`;
}

/** A share that something stays below, rounded up, at least a tenth of a percent: `1.2 %`. */
export function atMost(share: number): string {
  const scale = share < 0.0995 ? 1000 : 100;
  const percent = Math.max((Math.ceil(share * scale - 1e-9) / scale) * 100, 0.1);
  return `${scale === 1000 ? percent.toFixed(1) : percent.toFixed(0)} %`;
}
