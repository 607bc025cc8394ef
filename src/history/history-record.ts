import * as z from 'zod';
import { analyse } from '../analyse/analyse.ts';
import type { CountRow } from '../analyse/counted.ts';
import type { Row } from '../analyse/summary.ts';
import { originOf } from '../results/elsewhere.ts';
import { eachQuantile } from '../results/quantiles.ts';
import type { Results } from '../results/results.ts';
import { CompareMetric } from '../results/results.ts';
import type { Estimate } from '../stats/estimate.ts';
import { cleanLine, cut } from '../text/plain.ts';
import { shortHash } from '../text/short-hash.ts';

/**
 * A line of the history: one variant in one scenario of one run, with what is needed to draw how it went on. Units are
 * in the names. Absolute numbers belong to their machine; `toReference` may be set beside that of another.
 */

/** `half`: half the width of the 95 % interval, over slices where `n` is 1; null where nothing is known of it. `n`: fresh starts. */
const Number95 = z.object({ value: z.number(), half: z.number().nullable(), n: z.int() });
const text = z.string().max(300);

export const HistoryRecord = z.object({
  v: z.literal(1),
  /** When the run started. */
  date: z.iso.datetime(),
  run: text,
  /** The commit that was measured. */
  commit: text.nullable(),
  tool: text,
  k6: text,
  /** `nginx-fpm@8.4[workers=80]` */
  variant: text,
  label: text,
  runtime: text,
  /** As the server reported it, `8.4.16`; null: it never ran. */
  php: text.nullable(),
  server: text.nullable(),
  scenario: text,
  load: text,
  /**
   * Parts of the request that the names of scenario and load leave open: paths or script, Host header, other headers
   * (empty: none). `settings`: the mark of the app's settings. `app`: its folder in the repository or else its name, unless
   * the variant names it. Left out: an older version did not note it. Untrusted text.
   */
  asked: z
    .object({ app: text, journey: text, host: text, headers: text, settings: text })
    .partial()
    .optional(),
  machine: z.object({ cpu: text, cpus: z.int(), serverCpus: z.int(), virtual: z.boolean() }),
  /** `2/3`: measured on a machine of its own, beside the reference. */
  shard: text.nullable(),
  /** Only what is `ranked` shows how fast it is; of `generator-bound` RPS is a lower bound. */
  state: z.enum(['ranked', 'generator-bound', 'unranked', 'failed']),
  rps: Number95.nullable(),
  ...eachQuantile(() => Number95.nullable(), 'Ms'),
  cpuMsPerRequest: Number95.nullable(),
  memoryBytes: z.number().nullable(),
  coldStartMs: z.number().nullable(),
  okRatio: z.number().nullable(),
  /**
   * Per request, by name: the mean over the paths that were counted. Absent: nothing was. `paths`: a hash of their names;
   * left out: an older version did not note it.
   */
  counts: z
    .record(text, z.object({ value: z.number(), constant: z.boolean(), paths: text.optional() }))
    .optional(),
  /** Against the reference on the same machine in the same minutes, with the 99 % interval; null: it is the reference. */
  toReference: z
    .object({
      variant: text,
      metric: CompareMetric,
      ratio: z.number(),
      interval: z.object({ low: z.number(), high: z.number() }).nullable(),
    })
    .nullable(),
});
export type HistoryRecord = z.infer<typeof HistoryRecord>;

function nameFrom(scenario: string, plan: Results['plan']): string {
  const origin = originOf(plan);
  return origin === null ? scenario : `${scenario}, load from ${origin}`;
}

/** Records that a run adds to the history. One that was cut short adds none. Variants of another ref are left out. */
export function recordsOf(results: Results, commit: string | null): HistoryRecord[] {
  if (results.run.stopped !== null) return [];
  const { scenarios, host, plan, tool, run, variants } = analyse(results);
  return scenarios.flatMap((scenario) =>
    scenario.rows.flatMap((row): HistoryRecord[] => {
      const variant = variants.find(({ id }) => id === row.variant);
      const { kind } = row.state;
      if (!variant || kind === 'base') return [];
      const compared = scenario.comparisons.find(
        ({ against, variant: id }) => against === 'reference' && id === row.variant,
      );
      return [
        {
          ...{
            v: 1,
            date: run.started,
            run: line(run.id),
            commit: commit && line(commit),
            tool: line(tool.version),
            k6: line(tool.k6),
          },
          ...{ variant: line(variant.id), label: line(variant.label), runtime: line(variant.runtime) },
          php: variant.facts && line(variant.facts.php),
          server: variant.facts && line(variant.facts.server),
          // Under a name of its own: latency over a network is another number than within a machine.
          ...{ scenario: line(nameFrom(scenario.facts.name, plan)), load: line(scenario.facts.load) },
          asked: {
            ...nameApp(variant, run),
            journey: brief(scenario.facts.journey),
            ...(plan.host !== undefined && { host: brief(plan.host) }),
            headers: brief(plan.headers?.join(', ') ?? ''),
            ...(variant.settings !== undefined && { settings: brief(variant.settings) }),
          },
          machine: {
            ...{ cpu: line(host.cpuModel), cpus: host.cpus, virtual: host.virtual },
            serverCpus: plan.cpus.server.length,
          },
          shard: plan.shard && `${plan.shard.index}/${plan.shard.of}`,
          state: kind,
          ...numbersOf(row),
          ...countsOf(scenario.counts.filter(({ variant: id }) => id === row.variant)),
          toReference:
            compared?.ratio == null
              ? null
              : {
                  ...{ variant: line(compared.reference), metric: compared.metric },
                  ratio: round(compared.ratio),
                  interval: compared.interval && {
                    low: round(compared.interval.low),
                    high: round(compared.interval.high),
                  },
                },
        },
      ];
    }),
  );
}

/** A clone may have any name: a folder in it is known by its path. */
function nameApp({ id, app }: Results['variants'][number], { head }: Results['run']): { app?: string } {
  const known = head ? head.apps?.[app] : app;
  return known === undefined || id.startsWith(`${app}/`) ? {} : { app: brief(known) };
}

function countsOf(all: readonly CountRow[]): Pick<HistoryRecord, 'counts'> {
  // A count of failed requests is of other work.
  const rows = all.filter(({ side }) => side.failures === 0);
  if (rows.length === 0) return {};
  const names = [...new Set(rows.map(({ name }) => name))];
  const counts = names.map((name) => {
    const own = rows.filter((one) => one.name === name);
    // A count of the whole needs no mean over its parts.
    const whole = own.filter(({ endpoint }) => endpoint === null);
    const parts = whole.length > 0 ? whole : own;
    const value = parts.reduce((sum, { side }) => sum + side.perRequest, 0) / parts.length;
    const paths = shortHash(JSON.stringify(parts.map(({ endpoint }) => endpoint).sort()), 8);
    return [line(name), { value: round(value), constant: parts.every(({ side }) => side.constant), paths }];
  });
  return { counts: Object.fromEntries(counts) };
}

function numbersOf(row: Row) {
  // Beyond its saturation point, the latency of a ramp shows how far the ramp went.
  const isCut = row.holds?.kind === 'found';
  return {
    ...{ rps: number(row.rps), cpuMsPerRequest: number(row.cpuMsPerRequest) },
    ...eachQuantile((quantile) => (isCut ? null : number(row[quantile])), 'Ms'),
    memoryBytes: row.memory && round(row.memory.medianBytes),
    coldStartMs: row.coldStartMs === null ? null : round(row.coldStartMs),
    okRatio: row.okRatio === null ? null : round(row.okRatio),
  };
}

function number(estimate: Estimate | null): z.infer<typeof Number95> | null {
  if (!estimate) return null;
  const { value, half, n, over } = estimate;
  return { value: round(value), half: half === null ? null : round(half), n: over === 'slices' ? 1 : n };
}

/** Six digits are enough. */
const round = (value: number) => Number(value.toPrecision(6));

/** Long text is cut, and ends with 8 digits of its hash: what differs behind the cut differs. */
function brief(words: string): string {
  const whole = cleanLine(words);
  if (whole.length <= 100) return whole;
  return `${cut(whole, 90)} ${shortHash(whole, 8)}`;
}

const line = (words: string) => cut(cleanLine(words), 299);
