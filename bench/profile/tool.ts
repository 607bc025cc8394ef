import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const CLI = resolve(import.meta.dirname, '../../src/cli.ts');

/** As short as can be: only the profile is looked at. */
const SHORT = ['--load', 'vus(2, 1s)', '--warmup', '0s', '--instances', '1', '--blocks', '1'];

/**
 * Runs the app in this folder with `--profile`, into its folder `out`. Returns what stderr had.
 *
 * @param measured flags of the measuring before the profile
 */
export function runCli(
  folder: string,
  flags: readonly string[],
  path = '/',
  measured: readonly string[] = SHORT,
): string {
  const load = ['--paths', path, ...measured, '--timeout', '20s'];
  const images = process.env.BENCH_IMAGES ? ['--images', process.env.BENCH_IMAGES] : [];
  const all = ['run', '--app', '.', ...flags, ...load, ...images, '--profile', 'true', '--out', 'out'];
  return execute(process.execPath, [CLI, ...all], folder, [0, 3]).stderr;
}

export function execute(
  program: string,
  args: readonly string[],
  cwd: string,
  codes: readonly number[] = [0],
) {
  const ended = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (!codes.includes(ended.status ?? -1))
    throw new Error(`${program} ended with ${ended.status}: ${ended.stderr}\n${ended.stdout}`);
  return ended;
}
