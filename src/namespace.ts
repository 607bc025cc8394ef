/**
 * Prefix of the names and labels of everything in the engine: containers, networks, images. Runs in one namespace
 * wait for each other. The tests set one for each of their workers; a measurement beside another one is worth nothing.
 */
export const NAMESPACE =
  process.env.PHP_RUNTIME_BENCH_NAMESPACE?.replaceAll(/[^a-z0-9-]/g, '') || 'php-runtime-bench';
