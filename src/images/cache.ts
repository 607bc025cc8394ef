import type { BakeFile } from './bake.ts';

/**
 * The same bake file with each target's layers taken from, and kept in, the cache of GitHub's Actions
 * (https://docs.docker.com/build/cache/backends/gha/). Each has a scope of its own there: one would push out the others.
 * A cache that fails must not fail a build. buildx itself takes the address and the token from the environment that the
 * runner gives to actions.
 */
export function withGitHubCache(file: BakeFile): BakeFile {
  const target = Object.entries(file.target).map(([key, one]) => {
    const scope = `scope=php-runtime-bench-${key}`;
    const caches = {
      'cache-from': [`type=gha,${scope}`],
      'cache-to': [`type=gha,${scope},mode=max,ignore-error=true`],
    };
    return [key, { ...one, ...caches }] as const;
  });
  return { target: Object.fromEntries(target) };
}
