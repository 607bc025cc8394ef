import type { Warning } from '../../results/results.ts';

/** The machine disturbs what is measured on it, or may. */
export const OF_MACHINE = [
  ...['shared-cores', 'sibling-cores', 'mixed-cores', 'no-system-core', 'shared-services', 'busy-when-idle'],
  ...['steal', 'foreign-cpu', 'stalls'],
];

/** Codes of warnings by their effect on the numbers, the strongest first. Those of any other code come last. */
export const EFFECTS: readonly (readonly string[])[] = [
  // Perhaps something else is measured than the reader means.
  [
    ...[
      'looks-unfinished',
      'login-form',
      'same-page',
      'redirect',
      'answers-differ',
      'starts-differ',
      'variables',
      'htaccess',
    ],
    ...[
      'other-answers',
      'body-size',
      'checks-failed',
      'script-threw',
      'script-errors',
      'script-aborted',
      'script-failed',
    ],
    ...[
      'no-base',
      'not-in-base',
      'same-as-base',
      'not-in-git',
      'submodules',
      'lfs',
      'service-ended',
      'timeouts',
      'app-waits',
    ],
  ],
  // Numbers are distorted.
  [
    ...['generator-bound', 'generator-busy', 'generators-apart', 'load-elsewhere', 'merged-runs'],
    ...['dropped-iterations', 'reset-connections', 'interrupted', 'failed-slices', 'leak', 'earlier-differs'],
    ...[
      'connections-exceed-workers',
      'ini-ignored',
      'opcache-off',
      'debug-on',
      'uncached',
      'recompiled',
      'php-differs',
      'dev-packages',
      'shared-cache',
      'memory-unlimited',
    ],
    ...OF_MACHINE,
  ],
];

/** Warnings in the order of their effect; those of one effect stay in theirs. */
export function sortByEffect(warnings: readonly Warning[]): Warning[] {
  const rankOf = ({ code }: Warning) => {
    const rank = EFFECTS.findIndex((codes) => codes.includes(code));
    return rank < 0 ? EFFECTS.length : rank;
  };
  return [...warnings].sort((a, b) => rankOf(a) - rankOf(b));
}
