import type { Warning } from '../../results/results.ts';
import type { PlannedVariant } from '../variants.ts';

/** Which variants lose requests, by their options, whenever `max-requests` replaces a process. */
export function warnOfLostRequests(variants: readonly PlannedVariant[]): Warning[] {
  return variants
    .filter(({ ref }) => ref === null)
    .flatMap((variant) => {
      const { label, runtime, options } = variant;
      if (Number(options['max-requests'] ?? 0) === 0) return [];
      const losing = Object.entries(runtime.losesRequests ?? {}).find(([option, values]) =>
        values.includes(String(options[option])),
      );
      if (!losing) return [];
      const [option] = losing;
      return {
        code: 'lost-requests',
        message: `${label}: with ${option}=${options[option]}, a process that reaches max-requests closes its connections, and their requests are lost`,
        remedy: `choose another ${option}, or max-requests=0`,
        variant: variant.id,
      };
    });
}
