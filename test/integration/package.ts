/** The package as users install it, bundled from the sources as they are: once for all test files of a run. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { realHost } from '../../src/host.ts';
import { makeFolder } from '../fixtures/temporary.ts';

const root = resolve(import.meta.dirname, '../..');
/** Names the folder to the workers of the tests. */
const VARIABLE = 'PHP_RUNTIME_BENCH_TEST_PACKAGE';

/** The folder of the package; null: none was made for all, as outside of a run of tests. */
export const findPackage = (): string | null => process.env[VARIABLE] ?? null;

/** Bundles the sources, beside links to what is shipped as it is. */
export async function makePackage(folder: string): Promise<void> {
  mkdirSync(folder);
  const argv = [join(root, 'script/lib/bundle.ts'), folder];
  const { code, stderr } = await realHost.exec(process.execPath, argv, { cwd: root });
  if (code !== 0) throw new Error(`no bundle: ${stderr}`);
  for (const name of ['runtimes', 'scenarios', 'apps', 'package.json']) {
    symlinkSync(join(root, name), join(folder, name));
  }
}

/** Called by vitest before the first test file of each project, and what it returns behind the last of all. */
export default async function setup(): Promise<() => void> {
  if (findPackage() !== null) return () => {};
  const folder = makeFolder();
  const made = join(folder, 'package');
  await makePackage(made);
  process.env[VARIABLE] = made;
  return () => {
    delete process.env[VARIABLE];
    rmSync(folder, { recursive: true });
  };
}
