import { join } from 'node:path';
import type { Files } from '../files.ts';
import type { App } from '../types.ts';

type Versions = NonNullable<App['versions']>;

/** A lock file of the largest apps has some MB. */
const MAX_LOCK_BYTES = 64 * 2 ** 20;

/**
 * The major versions of an app's packages, by name: those of composer.lock. Without such a file they are what composer.json
 * allows, as far as its constraints begin with a number.
 */
export function findVersions(folder: string, files: Files): Versions {
  const locked = readJson(files.read(join(folder, 'composer.lock'), MAX_LOCK_BYTES));
  if (locked) return readLock(locked);
  const { require: wanted, extra } = readJson(files.read(join(folder, 'composer.json'))) ?? {};
  const symfony = (extra as { symfony?: { require?: unknown } } | undefined)?.symfony?.require;
  const entries = Object.entries(isObject(wanted) ? wanted : {}).flatMap(([key, own]) => {
    const name = key.toLowerCase();
    // Symfony's plugin Flex narrows all constraints to that one.
    const constraint = symfony !== undefined && name.startsWith('symfony/') ? symfony : own;
    const ranges = typeof constraint === 'string' ? rangesOf(constraint) : [];
    if (ranges.length === 0) return [];
    const from = Math.min(...ranges.map((range) => range.from));
    const to = Math.max(...ranges.map((range) => range.to));
    return [[name, { from, to, written: `${constraint} in composer.json` }] as const];
  });
  return Object.fromEntries(entries);
}

function readLock({ packages }: Record<string, unknown>): Versions {
  const entries = (Array.isArray(packages) ? packages : []).flatMap((one) => {
    const { name, version } = isObject(one) ? one : {};
    if (typeof name !== 'string' || typeof version !== 'string') return [];
    const [range] = rangesOf(version);
    if (range === undefined) return [];
    return [[name.toLowerCase(), { ...range, written: `${version} in composer.lock` }] as const];
  });
  return Object.fromEntries(entries);
}

/** The major versions of each alternative; empty if one of them does not begin with one. */
function rangesOf(constraint: string): { from: number; to: number }[] {
  const ranges = constraint.split(/\|\|?/).map(rangeOf);
  return ranges.every((range) => range !== null) ? ranges : [];
}

function rangeOf(part: string): { from: number; to: number } | null {
  const [, operator = '', major] = /^\s*([\^~=]|>=?)?\s*v?(\d{1,5})\b/.exec(part) ?? [];
  if (major === undefined) return null;
  const from = Number(major);
  const last = /\s-\s+v?(\d{1,5})\b/.exec(part)?.[1];
  if (last !== undefined) return { from, to: Number(last) };
  if (!operator.startsWith('>')) return { from, to: from };
  const [, end, bound, minor] = /(<=?)\s*v?(\d{1,5})((?:\.\d+)*)/.exec(part) ?? [];
  if (bound === undefined) return { from, to: Number.POSITIVE_INFINITY };
  // `<8` and `<8.0` end with 7.
  const isWhole = end === '<' && /^[.0]*$/.test(minor ?? '');
  return { from, to: Number(bound) - (isWhole ? 1 : 0) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Null where there is none, or something else: Composer will report what is wrong with it. */
function readJson(text: string | null): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
