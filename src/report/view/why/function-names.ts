import { isFileCode } from '../../../analyse/why/frame-groups.ts';
import type { FunctionName } from '../../../analyse/why/why-model.ts';

/** `App\Repository::find()`, or the file that is included; untrusted text. */
export function callName(one: FunctionName): string {
  return isFileCode(one) || /[)}]$/.test(one.name) ? one.name : `${one.name}()`;
}

/** `src/Repository.php:41`; empty where it is built into PHP, and of a file, whose name is its place. */
export function placeName(one: FunctionName): string {
  const { file, line } = one;
  if (file === null || isFileCode(one)) return '';
  return line === null ? file : `${file}:${line}`;
}

/** `+1.9 ms`, `−42 µs`: two digits, with its sign. */
export function signedTime(us: number, precision = 2): string {
  const size = time(Math.abs(us), precision);
  return size === '0 µs' ? size : `${us < 0 ? '−' : '+'}${size}`;
}

/** `1.9 ms`, `42 µs`. */
export function time(us: number, precision = 2): string {
  const [value, unit] = us >= 999.5 ? [us / 1000, 'ms'] : [us, 'µs'];
  const rounded = Number(value.toPrecision(precision));
  return `${value < 0.05 ? '0' : rounded.toLocaleString('en', { maximumFractionDigits: 2 })} ${unit}`;
}
