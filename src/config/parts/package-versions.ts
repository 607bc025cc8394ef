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
    const majors = typeof constraint === 'string' ? majorsOf(constraint) : [];
    if (majors.length === 0) return [];
    const bounds = { from: Math.min(...majors), to: Math.max(...majors) };
    return [[name, { ...bounds, written: `${constraint} in composer.json` }] as const];
  });
  return Object.fromEntries(entries);
}

function readLock({ packages }: Record<string, unknown>): Versions {
  const entries = (Array.isArray(packages) ? packages : []).flatMap((one) => {
    const { name, version } = isObject(one) ? one : {};
    if (typeof name !== 'string' || typeof version !== 'string') return [];
    const [major] = majorsOf(version);
    if (major === undefined) return [];
    return [
      [name.toLowerCase(), { from: major, to: major, written: `${version} in composer.lock` }] as const,
    ];
  });
  return Object.fromEntries(entries);
}

/** The lowest major version of each alternative; empty if one of them has no lower bound. */
function majorsOf(constraint: string): number[] {
  const majors = constraint
    .split(/\|\|?/)
    .map((part) => /^\s*(?:[\^~=]|>=?)?\s*v?(\d{1,5})\b/.exec(part)?.[1]);
  return majors.every((major) => major !== undefined) ? majors.map(Number) : [];
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
