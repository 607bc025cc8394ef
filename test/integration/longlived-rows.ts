/** Runtimes that keep the app in memory, as the tests of test/integration/longlived*.test.ts ask them all the same. */
import { buildRuntime, findMissingBase } from './docker.ts';
import { buildOctane, LARAVEL_ENV } from './octane-app.ts';

export interface LongLivedRow {
  runtime: string;
  php: string;
  /** With one worker, so that it is the same process that serves all requests. */
  env: Record<string, string>;
  /** It ends when the app cannot be loaded; others try again, and the run gives up on them. */
  ends?: boolean;
  /** Octane serves Laravel, and so the app of test/apps/octane. */
  octane?: boolean;
  /** Reads forms itself: what the app then gets as the body of one. */
  form?: string;
}

const one = { php: '8.4', env: { WORKERS: '1' } };
export const LONG_LIVED: readonly LongLivedRow[] = [
  { ...one, runtime: 'reactphp', ends: true },
  { ...one, runtime: 'workerman', ends: true },
  { ...one, runtime: 'php-pm', ends: true },
  { ...one, runtime: 'swoole', ends: true },
  { ...one, runtime: 'roadrunner', form: 'a=1&b%5B0%5D=2' },
  { ...one, runtime: 'frankenphp', env: { ...one.env, MODE: 'worker' } },
];

/** Laravel by Octane. */
const octane = { php: '8.4', env: { ...LARAVEL_ENV, WORKERS: '1' }, octane: true };
export const OCTANE: readonly LongLivedRow[] = [
  { ...octane, runtime: 'octane-swoole' },
  { ...octane, runtime: 'octane-roadrunner' },
  { ...octane, runtime: 'octane-frankenphp' },
];

/** The runtime that the others are compared with. */
export const FPM: LongLivedRow = { ...one, runtime: 'nginx-fpm' };

/** The base image that is missing for a row; null: it can be built here. */
export const missingFor = ({ runtime, php }: LongLivedRow): string | null =>
  // The runtime without Octane has the same bases, and Composer's, which the app of Octane takes.
  findMissingBase(runtime.replace(/^octane-/, ''), php);

/** Builds a row's image with test/apps/octane/differs.php, or with another folder if it is no row of Octane. */
export const buildRow = ({ runtime, php, octane }: LongLivedRow, folder: string): Promise<string> =>
  octane ? buildOctane(runtime, 'differs', 'test/apps/differs/app.php') : buildRuntime(runtime, php, folder);
