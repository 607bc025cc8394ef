import { modelOf } from '../../config/parts/fit.ts';
import type { Config, Load, Scenario, Segment } from '../../config/types.ts';
import type { Warning } from '../../results/results.ts';
import { explainUnlike } from '../../text/unlike-rows.ts';
import { isWatched, type PlannedVariant } from '../variants.ts';
import { passStartSeconds } from './pass-seconds.ts';
import { phpBaseOf } from './php-base.ts';
import { COMMON_START_MS } from './timeline.ts';

/**
 * Fresh starts of each variant in the pass that samples where time goes, and the load of one, ms: repeated until there are
 * `samples`, or `mostMs` are over. `plainMs` follow without the sampler, which shows what it costs.
 */
export const PROFILE = {
  ...{ starts: 4, samples: 600 },
  ...{ warmupMs: 1000, loadMs: 5000, mostMs: 20_000, plainMs: 2000 },
} as const;

export interface PlannedProfile {
  /** Id → the image with PHP that it is built on. */
  variants: Readonly<Record<string, string>>;
  starts: number;
  /** Time that all of it takes, without compiling the sampler. */
  seconds: number;
  /** Warnings about variants that cannot be profiled. */
  warnings: readonly Warning[];
}

/** Both sides of each pair where there are pairs, else all; of them those that `profile` names. Null: none is wanted. */
export function planProfile(
  config: Pick<Config, 'profile' | 'scenarios' | 'other' | 'loadFrom' | 'services' | 'setUp'>,
  variants: readonly PlannedVariant[],
): PlannedProfile | null {
  const { profile, scenarios, other, loadFrom } = config;
  if (profile === undefined) return null;
  const named = ({ id, label, runtime }: PlannedVariant) =>
    profile.length === 0 || profile.some(({ name }) => [id, label, runtime.name].includes(name));
  const heads = variants.filter((variant) => variant.ref === null && named(variant));
  const paired = heads.filter(({ base }) => base !== null);
  const twins = paired.flatMap(({ base }) => variants.filter(({ id }) => id === base));
  const all = [...(paired.length > 0 ? paired : heads), ...twins];
  const baseOf = (variant: PlannedVariant) => (isWatched(variant) ? phpBaseOf(variant, other) : null);
  const bases = all.map((variant) => [variant, baseOf(variant)] as const);
  const known = bases.flatMap(([{ id }, base]) => (base === null ? [] : [[id, base] as const]));
  const ms = scenarios.reduce(
    (sum, scenario) => sum + scenarioMs(scenario, loadFrom ? COMMON_START_MS : 0),
    0,
  );
  const startSeconds = passStartSeconds(config, known.length) * scenarios.length;
  const seconds = PROFILE.starts * (startSeconds + (known.length * ms) / 1000);
  return {
    variants: Object.fromEntries(known),
    starts: PROFILE.starts,
    seconds: Math.round(seconds),
    warnings: [
      ...bases.flatMap(([variant, base]) => (base === null ? [warnOfNone(variant)] : [])),
      ...(profile.length > 0
        ? warnOfUnlike(all.filter(({ id }) => known.some(([other]) => other === id)))
        : []),
    ],
  };
}

/** Two rows were named, so the user expects their difference. */
function warnOfUnlike(profiled: readonly PlannedVariant[]): Warning[] {
  const [first, second, ...others] = profiled;
  if (!first || !second || others.length > 0 || first.base !== null || second.base !== null) return [];
  const cause = explainUnlike(rowOf(first), rowOf(second));
  if (cause === null) return [];
  return [
    {
      code: 'profile',
      message: `the functions of ${first.label} and ${second.label} are not compared: ${cause}`,
      remedy:
        'see their flame graphs, side by side in report.html, or name two servers of one kind, with one app and one version of PHP',
      variant: null,
    },
  ];
}

const rowOf = ({ label, runtime, options, app, php }: PlannedVariant) => ({
  label,
  model: modelOf(runtime, options),
  app: app.name,
  php,
});

function warnOfNone(variant: PlannedVariant): Warning {
  const { id, label } = variant;
  if (!isWatched(variant))
    return {
      code: 'profile',
      message: `${label} is not profiled: its processes load the app without the sampler`,
      remedy: 'nothing to do: it is measured as the others; leave it out of `profile` to hide this',
      variant: id,
    };
  return {
    code: 'profile',
    message: `${label} is not profiled: its base image with PHP is not known`,
    remedy:
      "name it in `base` of the runtime's runtime.yaml; an image given in compare-to cannot be profiled",
    variant: id,
  };
}

/** @param startMs from asking for each of the loads to its beginning */
function scenarioMs({ load, script }: Scenario, startMs: number): number {
  return load === null
    ? startMs + (script?.loadMs ?? PROFILE.loadMs)
    : 3 * startMs + PROFILE.loadMs + PROFILE.warmupMs + PROFILE.plainMs;
}

/**
 * The scenario with the load of the pass: its journey for a few seconds, at its rate, of a ramp the middle. A closed load has
 * one client for each CPU of the servers: where more requests wait for a CPU, a sample comes late, and may come too late. A
 * script that brings its own load is run as it is, without warm-up and with the sampler alone.
 */
export function profileLoad(
  scenario: Scenario,
  serverCpus: number,
): { warmup: Scenario | null; load: Scenario; plain: Scenario | null } {
  const one = { ...scenario, blocks: 1, warmupMs: 0 };
  const [first] = scenario.load?.segments ?? [];
  if (!first) return { warmup: null, load: one, plain: null };
  const under = (ms: number): Scenario => ({ ...one, load: steady(first, ms, serverCpus) });
  return {
    warmup: under(PROFILE.warmupMs),
    load: under(PROFILE.loadMs),
    plain: under(PROFILE.plainMs),
  };
}

function steady(segment: Segment, ms: number, serverCpus: number): Load {
  const segmentOf = (): Segment => {
    switch (segment.kind) {
      case 'vus':
      case 'requests':
        return { kind: 'vus', vus: Math.max(1, Math.min(segment.vus, serverCpus)), ms };
      case 'const':
        return { ...segment, ms };
      default:
        return { kind: 'const', rps: (segment.fromRps + segment.toRps) / 2, ms };
    }
  };
  return { source: 'of the profile', segments: [segmentOf()] };
}
