import { cp } from 'node:fs/promises';
import type { Scenario } from '../../config/types.ts';
import { type Excimer, takeExcimer } from '../../images/excimer-build.ts';
import { PROFILE, profileLoad } from '../../plan/timeline/profile-plan.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Measurement, Profile } from '../../results/results.ts';
import type { Server } from '../servers/servers.ts';
import type { Outfit, World } from '../world.ts';
import { readSamples } from './call-samples.ts';
import { formatFolded, formatSpeedscope } from './profile-files.ts';
import type { Pass, ReadyPass } from './run-pass.ts';

/** Where the sampler lies in a container of the pass, and where it writes. */
const FOLDER = '/usr/local/share/php-runtime-bench-pass';
const WRITTEN = '/tmp/php-runtime-bench/profile';
/** Of each file, as in runtimes/_profile/files/profile.php. */
const MOST_BYTES = 8 << 20;

export interface ProfileTools {
  /** Folder of what is loaded before each script. */
  folder: string;
  /** The sampler by variant; a variant without one is not profiled. */
  excimer: ReadonlyMap<string, Excimer>;
}

/**
 * Samples where variants spend their CPU time, on fresh starts with the sampler loaded there alone: a pass for each scenario.
 *
 * @param measured what the slices that decided found
 */
export function planProfiles(
  { engine, job }: World,
  variants: readonly PlannedVariant[],
  { folder, excimer }: ProfileTools,
  measured: readonly Measurement[],
): Pass[] {
  const imageOf = ({ id }: PlannedVariant) => {
    const found = excimer.get(id);
    return found && 'image' in found ? found.image : null;
  };
  return job.plan.scenarios.map((scenario) => {
    const profiles = new Map<string, Profile[]>();
    return {
      code: 'profile',
      title: job.plan.scenarios.length > 1 ? `profile of ${scenario.name}` : 'profile',
      remedy: 'all that was measured is complete; see raw/logs, or run without --profile',
      variants: variants.filter((variant) => imageOf(variant) !== null),
      starts: PROFILE.starts,
      async outfit(variant, to): Promise<Outfit> {
        await cp(folder, to, { recursive: true });
        await takeExcimer(engine.docker, engine.run, imageOf(variant) as string, to);
        const ini = [`extension = ${FOLDER}/excimer.so`, `auto_prepend_file = ${FOLDER}/profile.php`];
        return { env: {}, ini, folders: { [FOLDER]: to } };
      },
      visit: (ready) => sampleStart(ready, scenario, profiles, measured),
    };
  });
}

async function sampleStart(
  ready: ReadyPass,
  scenario: Scenario,
  profiles: Map<string, Profile[]>,
  measured: readonly Measurement[],
): Promise<void> {
  const { engine } = ready.world;
  for (const [id, { facts }] of [...ready.servers]) {
    if (facts && !facts.extensions.includes('excimer'))
      ready.fail(id, 'the sampler was not loaded: this runtime does not read BENCH_INI');
  }
  const { warmup, load } = profileLoad(scenario, ready.world.job.plan.cpus.server.length);
  if (warmup && ready.servers.size > 0) await ready.load(warmup);
  // What was sampled in the warm-up; the names that it has written stay.
  for (const { container } of ready.servers.values()) {
    await engine.docker.try(['exec', container, 'rm', '-f', `${WRITTEN}/samples.txt`]);
  }
  if (ready.servers.size === 0) return;
  const loaded = await ready.load(load);
  for (const [id, server] of [...ready.servers]) {
    const slices = loaded.filter(({ variant }) => variant === id);
    const usual = measured.filter((slice) => slice.variant === id && slice.scenario === scenario.name);
    const profile = await readProfile(ready, server, slices, usual);
    if (typeof profile === 'string') ready.fail(id, profile);
    else await keepProfile(ready, profile, profiles);
  }
}

/** The profile, or why there is none. */
async function readProfile(
  ready: ReadyPass,
  server: Server,
  slices: readonly Measurement[],
  usual: readonly Measurement[],
): Promise<Profile | string> {
  const { requests, okCount, cpuUs } = sumOf(slices);
  const [scenario] = slices.map((slice) => slice.scenario);
  if (requests === 0 || scenario === undefined) return slices[0]?.reason ?? 'it was not loaded';
  const texts: string[] = [];
  for (const name of ['samples.txt', 'names.txt']) {
    texts.push(await ready.read(server, `${WRITTEN}/${name}`, MOST_BYTES).catch(() => ''));
  }
  const [samples = '', names = ''] = texts;
  const sampled = readSamples(samples, names);
  if (sampled.samples === 0) return 'the sampler took no samples';
  const before = sumOf(usual);
  const overheadRatio =
    cpuUs && before.cpuUs ? cpuUs / requests / (before.cpuUs / before.requests) - 1 : null;
  return {
    profile: true,
    ...{ variant: server.variant.id, scenario, instance: ready.start },
    ...{ requests, failures: requests - okCount, cpuUs },
    periodUs: cpuUs === null ? 0 : cpuUs / sampled.samples,
    ...(overheadRatio !== null && { overheadRatio }),
    ...sampled,
  };
}

/** CPU is null where one slice has none. */
function sumOf(slices: readonly Measurement[]) {
  let [requests, okCount] = [0, 0];
  let cpuUs: number | null = slices.length > 0 ? 0 : null;
  for (const { requests: sent, okCount: ok, cpu, outcome } of slices) {
    if (outcome === 'void') continue;
    requests += sent;
    okCount += ok;
    cpuUs = cpuUs === null || cpu === null ? null : cpuUs + cpu.usedUs;
  }
  return { requests, okCount, cpuUs };
}

async function keepProfile(
  { world }: ReadyPass,
  profile: Profile,
  profiles: Map<string, Profile[]>,
): Promise<void> {
  const { sink, job } = world;
  await sink.keepProfile(profile);
  const all = [...(profiles.get(profile.variant) ?? []), profile];
  profiles.set(profile.variant, all);
  // An id holds `/`, `[`, `=` and `,`.
  const name = profile.variant.replace(/[^A-Za-z0-9@.=-]+/g, '_');
  const file = `raw/profiles/${profile.scenario}/${name}`;
  await sink.keepRaw(`${file}.${profile.instance + 1}.folded`, formatFolded(profile));
  const label = job.plan.variants.find(({ id }) => id === profile.variant)?.label ?? profile.variant;
  await sink.keepRaw(`${file}.speedscope.json`, formatSpeedscope(label, all));
}
