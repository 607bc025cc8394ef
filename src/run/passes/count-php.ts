import { cp } from 'node:fs/promises';
import { modelOf } from '../../config/parts/fit.ts';
import type { Scenario } from '../../config/types.ts';
import { type Extension, takeExtension } from '../../images/extension-build.ts';
import { countAround, countWarmUp, PHP_COUNT } from '../../plan/timeline/count-plan.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { Server } from '../servers/servers.ts';
import type { World } from '../world.ts';
import { explainNoLines, joinRepeats, readCountLines } from './php-lines.ts';
import { prependLine } from './prepend.ts';
import type { Pass, ReadyPass } from './run-pass.ts';

const FOLDER = '/usr/local/share/php-runtime-bench-pass';
const FILE = '/tmp/php-runtime-bench/count/requests.txt';
const MOST_BYTES = 4 << 20;
const { starts, repeats: REPEATS } = PHP_COUNT;
/** Iterations of a repeat, for each path. */
const ITERATIONS = 20;
const REMEDY = 'all that was measured is complete; see raw/logs, or run without --count php';

export interface CountTools {
  /** Folder of what is loaded before each script. */
  folder: string;
  /** The counter of errors by variant. */
  errors: ReadonlyMap<string, Extension>;
}

/** Counts what PHP does per request, with one client and no other load. */
export function planPhpCounts(
  world: World,
  variants: readonly PlannedVariant[],
  { folder, errors }: CountTools,
): Pass[] {
  const { engine, job, sink } = world;
  const imageOf = (variant: PlannedVariant) => findErrorCounter(variant, variants, errors);
  const warned = new Set<string>();
  const warnOfHandler = (variant: string, label: string) => {
    if (warned.has(variant)) return;
    warned.add(variant);
    sink.warn({
      code: 'count',
      message: `${label}: notices, warnings and deprecations are not counted: the app sets an error handler of its own`,
      remedy: 'nothing to do: files, memory, opcache misses and bytes are counted',
      variant,
    });
  };
  return job.plan.scenarios
    .filter(({ load }) => load !== null)
    .map((scenario) => ({
      ...{ code: 'count', title: 'count of PHP', remedy: REMEDY, variants, starts },
      async outfit(variant, to) {
        await cp(folder, to, { recursive: true });
        const ini = [await prependLine(world, variant.id, `${FOLDER}/count.php`, to)];
        const image = imageOf(variant);
        if (image !== null) {
          await takeExtension(engine, 'bench_errors', image, to);
          ini.unshift(`extension = ${FOLDER}/bench_errors.so`);
        }
        return { env: {}, ini, folders: { [FOLDER]: to } };
      },
      visit: (ready) =>
        countStart(ready, scenario, {
          warnOfHandler,
          explain: ({ variant, facts }) =>
            explainNoLines(
              { model: modelOf(variant.runtime, variant.options), isGiven: imageOf(variant) !== null },
              facts?.extensions ?? null,
            ),
        }),
    }));
}

/**
 * The image with the counter of errors. Both sides of a pair have one, or none: without it, less is counted, which would look
 * like a difference.
 */
function findErrorCounter(
  { id, base }: PlannedVariant,
  variants: readonly PlannedVariant[],
  errors: ReadonlyMap<string, Extension>,
): string | null {
  const other = base ?? variants.find((variant) => variant.base === id)?.id ?? id;
  const [own, others] = [id, other].map((one) => errors.get(one));
  return own && 'image' in own && others && 'image' in others ? own.image : null;
}

interface CountWords {
  warnOfHandler(variant: string, label: string): void;
  /** Why a server has no counts. */
  explain(server: Server): string;
}

async function countStart(
  ready: ReadyPass,
  scenario: Scenario,
  { warnOfHandler, explain }: CountWords,
): Promise<void> {
  const { world } = ready;
  const { journey } = scenario;
  const requests = ITERATIONS * (journey.kind === 'paths' ? journey.paths.length : 1);
  const load = { source: 'of the count', segments: [{ kind: 'requests', requests, vus: 1 }] } as const;
  const counting: Scenario = { ...scenario, load, blocks: 1, warmupMs: 0 };
  const clear = async () => {
    for (const { container } of ready.servers.values())
      await world.engine.docker.try(['exec', container, 'rm', '-f', FILE]);
  };
  const readFile = (server: Server) => ready.read(server, FILE, MOST_BYTES).catch(() => '');
  await ready.load(countWarmUp(scenario));
  const around = countAround(scenario);
  const apart = new Map<string, string>();
  if (around !== null) {
    await clear();
    await ready.load(around);
    for (const [id, server] of ready.servers) apart.set(id, await readFile(server));
  }
  const found = new Map<string, { values: Map<string, number>; requests: number; failures: number }[]>();
  for (let repeat = 0; repeat < REPEATS && ready.servers.size > 0; repeat++) {
    await clear();
    const measured = await ready.load(counting);
    for (const [id, server] of [...ready.servers]) {
      const slice = measured.find(({ variant }) => variant === id);
      const read = readCountLines(await readFile(server), slice?.requests ?? 0, apart.get(id));
      if (!slice || slice.requests === 0 || read.requests === 0) {
        ready.fail(id, slice?.reason ?? explain(server));
        continue;
      }
      if (read.hidden) warnOfHandler(id, server.variant.label);
      read.values.set('response-bytes', slice.bytesReceived / slice.requests);
      const failures = slice.requests - slice.okCount;
      found.set(id, [...(found.get(id) ?? []), { values: read.values, requests: slice.requests, failures }]);
    }
  }
  for (const id of ready.servers.keys()) {
    const repeats = found.get(id) ?? [];
    if (repeats.length < REPEATS) continue;
    await world.sink.keepCount({
      ...({ count: true, by: 'php', variant: id, scenario: scenario.name } as const),
      ...{ instance: ready.start, endpoint: null, requests: repeats[0]?.requests ?? 0 },
      failures: repeats.reduce((sum, { failures }) => sum + failures, 0),
      values: joinRepeats(repeats.map(({ values }) => values)),
    });
  }
}
