import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { describeOther, findOtherSide, sayOther } from '../checkout/other.ts';
import type { Command } from '../config/command.ts';
import { refuseEngines } from '../config/engine-key.ts';
import { realFiles } from '../config/files.ts';
import { parseConfig } from '../config/parse.ts';
import { checkPathPackages } from '../config/parts/composer.ts';
import { checkRootPlace } from '../config/parts/roots.ts';
import type { Config } from '../config/types.ts';
import type { Connection } from '../engine/connection.ts';
import { askEngine, connectDocker } from '../engine/docker.ts';
import { lookForImage } from '../engine/image-store.ts';
import { K6_IMAGE } from '../engine/k6-image.ts';
import { diagnoseNeeds, findMachine, isElsewhere } from '../engine/machine/doctor.ts';
import type { Finding } from '../engine/machine/finding.ts';
import type { Machine } from '../engine/machine/machine.ts';
import { readCompose } from '../engine/services.ts';
import { MachineError, UserError } from '../errors.ts';
import type { Host } from '../host.ts';
import { basesOfApp } from '../images/app-build.ts';
import { basesOf } from '../images/bake.ts';
import { type Cpu, formatCpus } from '../plan/cpus.ts';
import { describeEffort, planPasses } from '../plan/effort.ts';
import { type Plan, plan } from '../plan/plan.ts';
import { type PlannedShard, planShards } from '../plan/shard-plan.ts';
import { describeSubject } from '../plan/subject.ts';
import { planVariants } from '../plan/variants.ts';
import type { EngineLimits } from '../plan/warn/discarded-limits.ts';
import { wantsVerdicts, warnOfFewStarts } from '../plan/warn/few-starts.ts';
import { warnOfSharedCaches } from '../plan/warn/shared-caches.ts';
import type { Warning } from '../results/results.ts';
import { inspectScripts } from '../run/load/inspect.ts';
import { makeRunId } from '../stages/desk.ts';
import { refuseFewClients } from '../stages/load-engines.ts';
import { removeTemporary } from '../temporary.ts';
import { atEngine } from './at-engine.ts';
import { readMachine, type Shell } from './shell.ts';

type Asked = Extract<Command, { command: 'plan' }>;

/** `plan`: what a run would do. */
export async function showPlanned(command: Asked, shell: Shell): Promise<number> {
  const { host, packageRoot, cwd } = shell;
  const asked = parseConfig({ flags: command.flags, cwd, packageRoot });
  refuseEngines(asked, `to see the share of each engine: plan --shards ${asked.engines?.length}`);
  refuseFewClients(asked);
  return atEngine(host, asked.engine, (there, run) => showPlannedAt(there, run, command, asked, shell)).catch(
    (error) => {
      // The plan is shown all the same, without facts about the engine.
      const isLost =
        asked.engine === undefined &&
        error instanceof UserError &&
        ['DOCKER_CONTEXT', 'docker context'].includes(error.detail.where?.name ?? '');
      if (!(error instanceof MachineError) && !isLost) throw error;
      return showPlannedAt(null, makeRunId(host.now()), command, asked, shell);
    },
  );
}

/** @param there the engine; null: it is out of reach, and docker's own may be another one */
async function showPlannedAt(
  there: Connection | null,
  run: string,
  command: Asked,
  asked: Config,
  { host: here, packageRoot, cwd, print }: Shell,
): Promise<number> {
  const host = there?.host ?? here;
  const findImage = async (name: string) =>
    there ? lookForImage(connectDocker(host), name) : ('unknown' as const);
  const around = { host, packageRoot, pull: null, findImage, fetches: false };
  const found = await findOtherSide(asked, around);
  const given = found ? { ...asked, other: found.other } : asked;
  const { scenarios, notes: unread } = await readScripts(given, host, packageRoot, cwd);
  const config: Config = { ...given, scenarios };
  if (command.shards !== null) {
    const shards = planShards(planVariants(config), config, command.shards);
    print(command.json ? JSON.stringify(shards, null, 2) : shards.map(describeShard).join('\n'));
    return 0;
  }
  const machine = await readMachine(here);
  const image = config.images[K6_IMAGE] ?? K6_IMAGE;
  const { cpus, limits } = await lookThere(there, machine, image, run);
  const planned = plan(config, cpus.length > 0 ? cpus : machine.cpus, undefined, limits);
  const lacking = await diagnoseNeeds(host, config, there?.isRemote ?? false);
  const notes = [
    ...planned.warnings,
    ...warnOfFewStarts(planned.instances.length, wantsVerdicts(planned.variants, config.failOn)),
    ...warnOfSharedCaches(planned.variants, await findServices(config, host, run), config),
    ...(cpus.length === 0 ? [CPUS_UNKNOWN] : []),
    ...[...(found?.notes ?? []), ...unread, ...lacking.flatMap(noteLack), ...noteUnbuilt(config)],
  ];
  print(
    command.json
      ? JSON.stringify({ ...showPlan(planned, config, notes), pulls: listPulls(planned, config) }, null, 2)
      : [...describeSubject(config, packageRoot), describePlan(planned, config, notes)].join('\n'),
  );
  return 0;
}

/** The CPUs of the engine's machine, none if they are unknown, and the limits that it enforces. It needs not be there. */
async function lookThere(
  there: Connection | null,
  here: Machine,
  image: string,
  run: string,
): Promise<{ cpus: readonly Cpu[]; limits?: EngineLimits }> {
  if (there === null) return { cpus: [] };
  const engine = await askEngine(connectDocker(there.host)).catch(() => null);
  // One that does not answer is taken to be here.
  if (engine === null) return { cpus: there.isRemote ? [] : here.cpus };
  const where = { here, isElsewhere: isElsewhere(there.isRemote, engine) };
  const { cpus } = await findMachine(there.host, { ...where, image, run });
  return { cpus, limits: engine };
}

const CPUS_UNKNOWN: Warning = {
  code: 'cpus-unknown',
  message:
    'the CPUs of the engine are unknown, as it does not answer or has no image of k6: those of this machine are shown',
  remedy: 'a run looks at them there before it plans',
  variant: null,
};

/** The services of the compose file; none where it cannot be read, which a run reports. */
async function findServices({ services }: Pick<Config, 'services'>, host: Host, run: string) {
  if (!services) return {};
  const world = { docker: connectDocker(host), run, signal: new AbortController().signal, say: () => {} };
  const file = await readCompose(world, services).catch(() => null);
  return file?.services ?? {};
}

/** The machine of a plan may not be that of the run, so what a run would lack here is a note. */
function noteLack({ ok, what }: Finding): Warning[] {
  if (ok) return [];
  return [{ code: 'not-ready', message: what, remedy: 'a run would stop before the build', variant: null }];
}

/** A step before the run may yet bring what the build of an app would lack. */
function noteUnbuilt({ apps }: Pick<Config, 'apps'>): Warning[] {
  return apps.flatMap((app) => {
    try {
      checkRootPlace(app, realFiles, realpathSync);
      checkPathPackages(app.folder, realFiles, realpathSync);
      return [];
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const { found, hint = '' } = error.detail;
      return [{ code: 'not-ready', message: `${error.message}: ${found}`, remedy: hint, variant: null }];
    }
  });
}

/** Looks at k6 scripts where the engine has the image of k6: a plan pulls none. */
async function readScripts(
  { scenarios, images, host: name }: Pick<Config, 'scenarios' | 'images' | 'host'>,
  host: Host,
  packageRoot: string,
  cwd: string,
): Promise<{ scenarios: Config['scenarios']; notes: Warning[] }> {
  if (!scenarios.some(({ journey }) => journey.kind === 'script')) return { scenarios, notes: [] };
  const docker = connectDocker(host);
  const k6Image = images[K6_IMAGE] ?? K6_IMAGE;
  const has = await docker.try(['image', 'inspect', k6Image]).catch(() => null);
  if (has?.code !== 0) {
    const note = {
      code: 'script-unread',
      message: `k6 scripts were not checked because there is no image ${k6Image} here: their thresholds and the duration of their own load are unknown`,
      remedy: 'a run pulls the image and checks them before it builds anything',
      variant: null,
    };
    return { scenarios, notes: [note] };
  }
  const run = makeRunId(host.now());
  const scenariosFolder = join(packageRoot, 'scenarios');
  try {
    const world = { docker, run, k6Image, scenariosFolder, cwd, baseUrl: `http://${name}` };
    return { scenarios: await inspectScripts(world, scenarios), notes: [] };
  } finally {
    await removeTemporary(run);
  }
}

/** The plan as JSON: what would run, in order. */
function showPlan(
  planned: Plan,
  { other, services }: Pick<Config, 'other' | 'services'>,
  warnings: readonly Warning[],
) {
  const { seed, variants, images, cpus, instances, estimatedSeconds, detectable, searches } = planned;
  return {
    seed,
    compareTo: other ? describeOther(other) : null,
    estimatedSeconds,
    passes: planPasses(planned).map(({ pass, seconds }) => ({ pass, seconds })),
    detectable,
    capacity: searches,
    services: services?.file ?? null,
    cpus: Object.fromEntries(listCpus(cpus)),
    variants: variants.map(({ id, label, ref, base, image, options }) => ({
      ...{ id, label, ref, base, image, options },
    })),
    images: images.map(({ key, ref, ready, args, runtime }) => ({
      ...{ key, ref, ready, runtime: runtime.name, args },
    })),
    instances: instances.map(({ startOrder, ports, batches }) => ({
      startOrder,
      ports,
      slices: batches.flatMap(({ scenario, slices }) =>
        slices.map(({ number, variant, block, warmup, durationMs, turnMs, turns }) => ({
          ...{ number, scenario: scenario.name, variant, block, warmup, durationMs, turnMs, turns },
        })),
      ),
    })),
    warnings,
  };
}

/** Which CPUs each part gets. Services and a proxy have some only if there are any. */
function listCpus({ server, front = [], load, services, system }: Plan['cpus']): [string, string][] {
  const some = Object.entries({ front, services }).filter(([, list]) => list.length > 0);
  return [...Object.entries({ server, load, system }), ...some].map(([part, list]) => [
    part,
    formatCpus(list),
  ]);
}

/** The images that a run pulls where they are missing. Those of services are in their compose file. */
function listPulls({ images }: Plan, config: Pick<Config, 'images' | 'prepare'>): string[] {
  const built = images.filter(({ ready }) => ready === null);
  const bases = built.flatMap((image) => basesOf(image, { bases: basesOfApp(image, config) }));
  return [...new Set([K6_IMAGE, ...bases].map((name) => config.images[name] ?? name))];
}

function describePlan(planned: Plan, { other }: Pick<Config, 'other'>, warnings: readonly Warning[]): string {
  const { cpus } = planned;
  const slices = planned.instances
    .flatMap((i) => i.batches.flatMap((b) => b.slices))
    .filter((s) => !s.warmup);
  return [
    `variants:  ${planned.variants.map((v) => v.label).join(', ')}`,
    ...(other ? [`compared:  with ${sayOther(other)}`] : []),
    `images:    ${planned.images.filter(({ ready }) => ready === null).length} to build`,
    `CPUs:      ${listCpus(cpus)
      .map(([part, list]) => `${part} ${list || 'none'}`)
      .join(', ')}`,
    `timeline:  ${planned.instances.length} instances, ${slices.length} measured slices, seed ${planned.seed}`,
    ...describeEffort(planned).map((line) => `effort:    ${line}`),
    ...warnings.map((w) => `note:      ${w.message}; ${w.remedy}`),
  ].join('\n');
}

function describeShard({ index, of, variants }: PlannedShard): string {
  return `--shard ${index}/${of}: ${variants.join(', ')}`;
}
