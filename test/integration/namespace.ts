/**
 * Names in the engine that only this worker of this checkout uses, so that runs of several test files do not wait for
 * each other. Every run of the CLI that a test starts inherits the variable.
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const checkout = createHash('sha256').update(root).digest('hex').slice(0, 6);

export const NAMESPACE = `php-runtime-bench-test-${checkout}-${process.env.VITEST_POOL_ID ?? 0}`;
process.env.PHP_RUNTIME_BENCH_NAMESPACE = NAMESPACE;
