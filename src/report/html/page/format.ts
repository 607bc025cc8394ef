import { bytes, digits } from '../../words/numbers.ts';
import type { Unit } from '../charts/chart.ts';

/** A value as people read it, with its unit. */
export function format(value: number, unit: Unit): string {
  switch (unit) {
    case 'ms':
      return `${digits(value)} ms`;
    case 'seconds':
      return `${Number(value.toFixed(1))} s`;
    case 'minutes':
      return `${Number(value.toFixed(2))} min`;
    case 'rps':
      return `${digits(value)} rps`;
    case 'vus':
      return `${plain(value)} clients`;
    case 'bytes':
      return bytes(value);
    case 'cores':
      return `${digits(value)} CPUs`;
    case 'share':
      return `${Number((value * 100).toFixed(1))} %`;
    case 'perSecond':
      return `${digits(value)}/s`;
    case 'nines':
      return `p${percentileOf(value)}`;
    case 'count':
      return plain(value);
  }
}

/** The same on an axis, whose title names the unit. */
export function formatTick(value: number, unit: Unit): string {
  if (unit === 'nines' || unit === 'share') return format(value, unit);
  return unit === 'bytes' ? bytes(value) : plain(value);
}

function plain(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}

/** 2 → `99`, 3.301 → `99.95`. */
function percentileOf(nines: number): string {
  const percent = 100 * (1 - 10 ** -nines);
  return String(Number(percent.toFixed(nines < 1 ? 0 : Math.ceil(nines) - 1)));
}

/** Round values from low to high, about as many as wanted; for sizes by powers of two. */
export function ticks(low: number, high: number, wanted: number, unit: Unit): number[] {
  const base = unit === 'bytes' ? 2 : 10;
  const raw = (high - low) / Math.max(1, wanted);
  const power = base ** Math.floor(Math.log(raw) / Math.log(base));
  const step = base === 2 ? power * (raw / power > 1.4 ? 2 : 1) : power * niceFactor(raw / power);
  const found: number[] = [];
  for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-9; value += step) {
    found.push(Number(value.toPrecision(12)));
  }
  return found;
}

function niceFactor(ratio: number): number {
  return ratio > 5 ? 10 : ratio > 2 ? 5 : ratio > 1 ? 2 : 1;
}
