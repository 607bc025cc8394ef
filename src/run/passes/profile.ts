import { cp } from 'node:fs/promises';
import type { Scenario } from '../../config/types.ts';
import { type Extension, takeExtension } from '../../images/extension-build.ts';
import { PROFILE, profileLoad } from '../../plan/timeline/profile-plan.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Measurement, Profile } from '../../results/results.ts';
import { DEFAULT_OK_RATIO } from '../../stats/limits.ts';
import { fileNameOf } from '../../text/file-name.ts';
import type { Server } from '../servers/servers.ts';
import type { Outfit, World } from '../world.ts';
import { profileLimitsOf, readSamples } from './call-samples.ts';
import { prependLine } from './prepend.ts';
import { formatFolded, formatSpeedscope } from './profile-files.ts';
import type { Pass, ReadyPass } from './run-pass.ts';
import { chooseEvery, type SampledCost } from './sampled-share.ts';

/** The folder of the sampler in a container of the pass, and the folder it writes to. */
const FOLDER = '/usr/local/share/php-runtime-bench-pass';
const WRITTEN = '/tmp/php-runtime-bench/profile';
const [SAMPLES, NAMES, EVERY] = ['samples.txt', 'names.txt', 'every'].map((name) => `${WRITTEN}/${name}`) as [
  string,
  string,
  string,
];
/** The most bytes of each file, as in runtimes/_profile/files/profile.php. */
const MOST_BYTES = 8 << 20;

export interface ProfileTools {
  /** Folder of what is loaded before each script. */
  folder: string;
  /** The sampler by variant; a variant without one is not profiled. */
  excimer: ReadonlyMap<string, Extension>;
}

type ProfileLimits = ReturnType<typeof profileLimitsOf>;

/** The profiles of a scenario by variant, and how much each may hold. */
interface Kept {
  limits: ProfileLimits;
  profiles: Map<string, Profile[]>;
  /** By variant, of the starts so far. */
  costs: Map<string, SampledCost[]>;
}

/**
 * Samples where variants spend their CPU time, on fresh starts with the sampler loaded there alone: a pass for each scenario.
 */
export function planProfiles(
  world: World,
  variants: readonly PlannedVariant[],
  { folder, excimer }: ProfileTools,
): Pass[] {
  const { engine, job } = world;
  const imageOf = ({ id }: PlannedVariant) => {
    const found = excimer.get(id);
    return found && 'image' in found ? found.image : null;
  };
  const sampled = variants.filter((variant) => imageOf(variant) !== null);
  // Shards are put together, and read as one.
  const shards = job.config.shard?.of ?? 1;
  const limits = profileLimitsOf(PROFILE.starts * sampled.length * job.plan.scenarios.length * shards);
  return job.plan.scenarios.map((scenario) => {
    const kept: Kept = { limits, profiles: new Map(), costs: new Map() };
    return {
      code: 'profile',
      title: job.plan.scenarios.length > 1 ? `profile of ${scenario.name}` : 'profile',
      remedy: 'all that was measured is complete; see raw/logs, or run without --profile',
      variants: sampled,
      starts: PROFILE.starts,
      async outfit(variant, to): Promise<Outfit> {
        await cp(folder, to, { recursive: true });
        await takeExtension(engine, 'excimer', imageOf(variant) as string, to);
        const prepend = await prependLine(world, variant.id, `${FOLDER}/profile.php`, to);
        const ini = [`extension = ${FOLDER}/excimer.so`, prepend];
        return { env: {}, ini, folders: { [FOLDER]: to } };
      },
      visit: (ready) => sampleStart(ready, scenario, kept),
    };
  });
}

async function sampleStart(ready: ReadyPass, scenario: Scenario, kept: Kept): Promise<void> {
  for (const [id, { facts }] of [...ready.servers]) {
    if (facts && !facts.extensions.includes('excimer'))
      ready.fail(
        id,
        'the sampler was not loaded: this runtime does not read BENCH_INI, or its PHP cannot load it',
      );
  }
  const { warmup, load, plain } = profileLoad(scenario, ready.world.job.plan.cpus.server.length);
  const warm = warmup && ready.servers.size > 0 ? await ready.load(warmup) : [];
  const every = plain ? chooseEvery(perRequestUs(warm, ready.servers.keys()), kept.costs.values()) : 1;
  await sampleEvery(ready, every);
  // Removes the samples of the warm-up; the names that it has written stay.
  for (const { container } of ready.servers.values()) {
    await ready.world.engine.docker.try(['exec', container, 'rm', '-f', SAMPLES]);
  }
  const loaded = await loadEnough(ready, load);
  const needed = Math.min(DEFAULT_OK_RATIO, scenario.slo.okRatio ?? 1);
  const found = new Map<string, Profile | string>();
  for (const [id, server] of ready.servers) {
    const slices = loaded.filter(({ variant }) => variant === id);
    found.set(id, await readProfile(ready, server, slices, { ...kept, needed }));
  }
  const unsampled = plain ? await loadUnsampled(ready, plain) : [];
  for (const [id, profile] of found) {
    if (typeof profile !== 'string') {
      const overhead = overheadOf(
        profile,
        unsampled.filter(({ variant }) => variant === id),
      );
      await keepProfile(ready, { ...profile, ...overhead, every }, kept.profiles);
      const { overheadRatio } = overhead;
      // A start with few samples was too short, or too disturbed, to show what they cost.
      if (overheadRatio !== undefined && profile.samples >= PROFILE.samples)
        kept.costs.set(id, [...(kept.costs.get(id) ?? []), { every, overhead: overheadRatio }]);
    } else if (ready.start > 0 && !kept.profiles.has(id)) {
      // A start without samples is left out alone; a variant that never has any takes no more time.
      ready.fail(id, profile);
    } else {
      const label = ready.servers.get(id)?.variant.label ?? id;
      ready.world.sink.warn({
        ...{ code: 'profile', variant: id },
        message: `${label}: start ${ready.start + 1} is not in the profile: ${profile}`,
        remedy: 'see the logs and answers in raw/',
      });
    }
  }
}

/** Repeats the load on those that have too few samples: on a busy machine, or where requests wait rather than work. */
async function loadEnough(ready: ReadyPass, load: Scenario): Promise<Measurement[]> {
  const loaded: Measurement[] = [];
  let few = [...ready.servers.keys()];
  for (let ms = 0; few.length > 0 && ms < PROFILE.mostMs; ms += PROFILE.loadMs) {
    loaded.push(...(await ready.load(load, few)));
    if (load.load === null) break;
    few = [];
    for (const [id, { container }] of ready.servers) {
      const counted = await ready.world.engine.docker.try(['exec', container, 'wc', '-l', SAMPLES]);
      if ((Number.parseInt(counted.stdout, 10) || 0) < PROFILE.samples) few.push(id);
    }
  }
  return loaded;
}

/** The same servers under the same load, once the sampler has stopped. */
async function loadUnsampled(ready: ReadyPass, plain: Scenario): Promise<Measurement[]> {
  const stopped = await sampleEvery(ready, 0);
  return stopped.length > 0 ? ready.load(plain, stopped) : [];
}

/** Sets the sampler to take one of so many requests; 0: none. Ids of those that were signalled. */
async function sampleEvery(ready: ReadyPass, every: number): Promise<string[]> {
  const told: string[] = [];
  // The size of the file is what counts: see runtimes/_profile/files/profile.php.
  const script = `mkdir -p -m 777 ${WRITTEN} && head -c ${every} /dev/zero > ${EVERY}.new && mv ${EVERY}.new ${EVERY}`;
  for (const [id, { container }] of ready.servers) {
    const { code } = await ready.world.engine.docker.try(['exec', container, 'sh', '-c', script]);
    if (code === 0) told.push(id);
  }
  return told;
}

/** CPU per request of each variant, as far as it is known. */
function perRequestUs(loaded: readonly Measurement[], ids: Iterable<string>): number[] {
  return [...ids].flatMap((id) => {
    const { cpuUs, requests } = sumOf(loaded.filter(({ variant }) => variant === id));
    return cpuUs !== null && cpuUs > 0 && requests > 0 ? [cpuUs / requests] : [];
  });
}

function overheadOf(
  { cpuUs, requests }: Profile,
  unsampled: readonly Measurement[],
): Pick<Profile, 'overheadRatio'> {
  const plain = sumOf(unsampled);
  if (!cpuUs || !plain.cpuUs || plain.requests === 0) return {};
  return { overheadRatio: cpuUs / requests / (plain.cpuUs / plain.requests) - 1 };
}

/** The profile, or why there is none. */
async function readProfile(
  ready: ReadyPass,
  server: Server,
  slices: readonly Measurement[],
  { limits, needed }: { limits: ProfileLimits; needed: number },
): Promise<Profile | string> {
  const { requests, okCount, cpuUs } = sumOf(slices);
  const [scenario] = slices.map((slice) => slice.scenario);
  if (requests === 0 || scenario === undefined) return slices[0]?.reason ?? 'it was not loaded';
  // Error pages spend their time elsewhere.
  if (okCount < needed * requests) return `${requests - okCount} of ${requests} requests failed`;
  const texts: string[] = [];
  for (const file of [SAMPLES, NAMES]) {
    texts.push(await ready.read(server, file, MOST_BYTES).catch(() => ''));
  }
  const [samples = '', names = ''] = texts;
  const sampled = readSamples(samples, names, limits);
  if (sampled.samples === 0) return 'the sampler took no samples';
  return {
    profile: true,
    ...{ variant: server.variant.id, scenario, instance: ready.start },
    ...{ requests, failures: requests - okCount, cpuUs },
    periodUs: cpuUs === null ? 0 : cpuUs / sampled.samples,
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
  const file = `raw/profiles/${profile.scenario}/${fileNameOf(profile.variant)}`;
  await sink.keepRaw(`${file}.${profile.instance + 1}.folded`, formatFolded(profile));
  const label = job.plan.variants.find(({ id }) => id === profile.variant)?.label ?? profile.variant;
  await sink.keepRaw(`${file}.speedscope.json`, formatSpeedscope(label, all));
}
