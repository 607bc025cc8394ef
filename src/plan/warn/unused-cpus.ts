import type { Config } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';
import { formatCpus } from '../cpus.ts';

/** Warns of keys for CPUs that do not apply to this run. A file may set them for other runs, which is no error. */
export function warnOfUnusedCpus(
  { frontCpus, loadCpus, loadFrom }: Pick<Config, 'frontCpus' | 'loadCpus' | 'loadFrom'>,
  hasFront: boolean,
): Warning[] {
  const unused = (message: string, remedy: string) => ({
    code: 'unused-cpus',
    ...{ message, remedy, variant: null },
  });
  return [
    ...(frontCpus && !hasFront
      ? [
          unused(
            '`front-cpus` has no effect: no variant has nginx in front of it',
            'leave it out, or set the option front=nginx of a runtime',
          ),
        ]
      : []),
    ...(loadCpus && loadFrom
      ? [
          unused(
            `\`load-cpus\` does not apply to \`load-engines\`, which use all CPUs of their machines: it only keeps CPU ${formatCpus(loadCpus)} free here`,
            'leave it out if the servers may use them, too',
          ),
        ]
      : []),
  ];
}
