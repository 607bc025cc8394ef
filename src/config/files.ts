import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { UserError } from '../errors.ts';

/** All that `config` sees of the disk; tests give a map of their own. */
export interface Files {
  /** Text of a file, null when there is none that can be read. Errors: UserError, it has more than `maxBytes`, 1 MiB. */
  read(path: string, maxBytes?: number): string | null;
  /** The first two bytes of a file, however large it is; fewer where it has no more or cannot be read. */
  start(path: string): Buffer;
  kind(path: string): 'file' | 'folder' | null;
  /** Names in a folder, sorted; empty when there is none. */
  list(path: string): string[];
}

/** Names of the configuration in a project, where no other is given. */
export const CONFIG_FILES: readonly string[] = ['.bench.yml', '.bench.yaml'];

/** Patterns of configurations in an app's folder, also of those for `--config`. They are no part of the app. */
export const SETTINGS_FILES: readonly string[] = [...CONFIG_FILES, '.bench-*.yml', '.bench-*.yaml'];

/** @param name of a file in an app's folder */
export const isSettings = (name: string): boolean => /^\.bench(-[^/]*)?\.ya?ml$/.test(name);

/** A configuration larger than this is a mistake (an archive, a device). */
const MAX_BYTES = 1024 * 1024;

export const realFiles: Files = {
  read(path, maxBytes = MAX_BYTES) {
    if (this.kind(path) !== 'file') return null;
    if (statSync(path).size > maxBytes) {
      throw new UserError('file too large', { where: { name: path }, allowed: `up to ${maxBytes} bytes` });
    }
    try {
      return readFileSync(path, 'utf8');
    } catch {
      return null;
    }
  },
  start(path) {
    const bytes = Buffer.alloc(2);
    try {
      const file = openSync(path, 'r');
      try {
        return bytes.subarray(0, readSync(file, bytes));
      } finally {
        closeSync(file);
      }
    } catch {
      return bytes.subarray(0, 0);
    }
  },
  kind(path) {
    try {
      const stat = statSync(path);
      return stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : null;
    } catch {
      // Missing, forbidden, or a path the system refuses: for the user all the same, it is not there.
      return null;
    }
  },
  list(path) {
    try {
      return readdirSync(path).sort();
    } catch {
      return [];
    }
  },
};
