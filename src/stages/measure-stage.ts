import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLogs, startServices } from '../engine/services.ts';
import type { Plan } from '../plan/plan.ts';
import { checkedLines } from '../report/words/checked-lines.ts';
import type { LoadElsewhere } from '../run/elsewhere/load-elsewhere.ts';
import { loadByEngines } from '../run/elsewhere/loaders.ts';
import { countInstructions } from '../run/instructions/count-instructions.ts';
import { listPasses } from '../run/passes/passes.ts';
import { runPasses } from '../run/passes/run-pass.ts';
import { plannedLoadMs, runPlan } from '../run/run.ts';
import { measureColdStarts } from '../run/servers/cold.ts';
import type { Sink, World } from '../run/world.ts';
import type { PassExtensions } from './build-stage.ts';
import { makeClock } from './clock.ts';
import type { Desk } from './desk.ts';
import { readLoadEngines } from './load-engines.ts';
import type { Ground, Prepared } from './prepare-stage.ts';
import type { RecordFile } from './record-file.ts';

/** Starts the services and carries the plan out; what is measured goes into the record at once. */
export async function measure(
  desk: Desk,
  prepared: Prepared,
  ground: Ground,
  file: RecordFile,
  extensions: PassExtensions,
): Promise<void> {
  const { host, docker, caller, run, signal } = desk;
  const { engine, config, hyperfine, k6Image } = prepared;
  const { arena, planned } = ground;
  const { built: images, outcomes } = file.record;
  let kind = '';
  try {
    const services = await startWanted(desk, prepared, ground);
    const sink = makeSink(desk, ground, file, config.budgetMs);
    const script = await readFile(join(caller.packageRoot, 'scenarios/lib/sampler.sh'), 'utf8');
    const own = { host, docker, arena, run, signal };
    const loaders =
      config.loadFrom &&
      (await readLoadEngines(desk, ground.loadEngines, config.loadFrom, sink, { image: k6Image, script }));
    const loadElsewhere: LoadElsewhere | undefined =
      loaders && ((batch, target) => loadByEngines(own, loaders, sink, batch, target));
    const asked: World = {
      engine: { ...own, memoryBytes: engine.memoryBytes, ...(loadElsewhere && { loadElsewhere }) },
      job: { config, plan: planned, outcomes, services, images },
      sink,
    };
    // Passes number their starts behind those of the last plan.
    const world = await runPlan(asked, { image: k6Image, script });
    if (hyperfine) await measureColdStarts(world, hyperfine, file.output.folder);
    const tools = { folder: join(caller.packageRoot, 'runtimes/_profile/files'), ...extensions };
    if (config.count?.includes('services')) {
      // A database may log each statement while it is counted, which would push out what it logged before.
      await keepServiceLogs(desk, prepared, file, kind).catch(() => {});
      kind = '.count';
    }
    await runPasses(world, { image: k6Image, script }, listPasses(world, tools));
    if (config.count?.includes('instructions')) {
      await countInstructions(world, { checked: file.record.checked, agent: `Grafana k6/${ground.k6}` });
    }
  } finally {
    await keepServiceLogs(desk, prepared, file, kind).catch(() => {});
  }
}

async function startWanted(
  { host, docker, caller, run, signal }: Desk,
  { compose, config }: Prepared,
  { arena, planned: { cpus, variants } }: Ground,
) {
  if (!config.services || !compose) return null;
  const world = { docker, host, run, config, signal, say: caller.say, arena: arena.name, cpus, variants };
  return startServices(world, compose, config.services);
}

/** Keeps the logs of all services that were started, also of those that did not come up. */
async function keepServiceLogs(
  { docker, run }: Pick<Desk, 'docker' | 'run'>,
  { compose }: Prepared,
  { output }: RecordFile,
  kind: string,
): Promise<void> {
  for (const [service, log] of compose ? await readLogs({ docker, run }) : []) {
    await output.write(`raw/services/${service}${kind}.log`, log);
  }
}

function makeSink(
  { host, caller }: Pick<Desk, 'host' | 'caller'>,
  { planned }: Ground,
  { output, record }: RecordFile,
  budgetMs: number | undefined,
): Sink {
  const { say } = caller;
  const { measured } = record;
  const clockOf = (plan: Plan) => makeClock(plan, plannedLoadMs(plan) / 1000, (budgetMs ?? Infinity) / 1000);
  let clock = clockOf(planned);
  const beganMs = host.elapsed();
  return {
    say,
    at: (what, share) => {
      const { done, left } = clock(share, (host.elapsed() - beganMs) / 1000);
      caller.at(what, done, left);
    },
    warn: (warning) => {
      record.plan = { ...record.plan, warnings: [...record.plan.warnings, warning] };
      say(warning.message);
    },
    keepPlan: (rest) => {
      clock = clockOf(rest);
      record.plan = { ...rest, warnings: record.plan.warnings };
    },
    keepChecked: (pages) => {
      record.checked = pages;
      for (const line of checkedLines(pages, planned.variants)) say(`checked: ${line}`);
    },
    keep: async (measurements, duets) => {
      measured.measurements.push(...measurements);
      measured.duets.push(...duets);
      await output.append([...measurements, ...duets]);
    },
    keepElsewhere: (elsewhere) => {
      record.elsewhere = elsewhere;
    },
    keepSearch: async (search) => {
      measured.searches.push(search);
      await output.append([search]);
    },
    keepProfile: async (profile) => {
      measured.profiles.push(profile);
      await output.append([profile]);
    },
    keepCount: async (count) => {
      measured.counts.push(count);
      await output.append([count]);
    },
    keepRaw: output.write,
    appendRaw: output.appendRaw,
  };
}
