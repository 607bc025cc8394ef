import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../../errors.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { Measurement, Results } from '../../results/results.ts';
import { apart } from '../../run/elsewhere/starts.ts';
import { type ErrorSample, type K6Summary, loadedFromMs, parseSamples, sliceId } from '../../run/load/k6.ts';
import { mergeLogs, parseLog } from '../../run/load/k6-log.ts';
import { mergeSummaries } from '../../run/load/merge-summaries.ts';
import { SITE } from '../../run/load/site-load.ts';
import { measureSlices } from '../../run/measure/measure.ts';
import { failedSetup } from '../../run/measure/script-slice.ts';
import { describeScenario } from '../../run/record.ts';
import { Samples } from '../../run/sample/samples.ts';
import { type Pod, parseJson, readPods } from './pods.ts';

/** The file in which `eject-load` describes a load, beside the files for Kubernetes. */
export const EJECTED_FILE = 'load.json';

interface EjectedLoad {
  version: string;
  k6: string;
  baseUrl: string;
  segments: number;
  /** The headers that were set, with values that are no secrets; left out: none. */
  headers?: readonly string[];
  batch: Batch;
}

/** Paths of the machine on which it was written are nobody's business. */
export function writeEjectedLoad(load: EjectedLoad): string {
  const { scenario } = load.batch;
  const { journey, script } = scenario;
  const bare: Batch['scenario'] = {
    ...scenario,
    journey: journey.kind === 'paths' ? journey : { ...journey, file: '' },
    ...(script && { script: { ...script, folder: '', root: '' } }),
  };
  const batch = { ...load.batch, scenario: bare };
  return `${JSON.stringify({ kind: 'ejected-load', ...load, batch }, null, 1)}\n`;
}

const Ejected = z.looseObject({
  kind: z.literal('ejected-load'),
  version: z.string().regex(/^\d+\.\d+\.\d+(-[\w.-]+)?$/),
  k6: z.string(),
  baseUrl: z.string(),
  segments: z.int().positive(),
  headers: z.array(z.string()).optional(),
  batch: z.looseObject({
    drainMs: z.number(),
    scenario: z.looseObject({ name: z.string(), title: z.string() }),
    slices: z.array(z.looseObject({ number: z.int().nonnegative(), variant: z.literal(SITE) })).min(1),
  }),
});

/** The results of an ejected load, from what its pods printed; null: the folder is none of that kind. */
export async function readEjectedResults(folder: string): Promise<Results | null> {
  const file = join(folder, EJECTED_FILE);
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) return null;
  const found = Ejected.safeParse(parseJson(text));
  if (!found.success) {
    throw new UserError('not a load that `eject-load` has written', { where: { name: file } });
  }
  return resultsOfPods(found.data as unknown as EjectedLoad, await readPods(folder));
}

/** The share of the load that a pod made. */
interface Part extends Pod {
  /** The clocks of pods are not compared: 0. */
  aheadMs: number;
  errors: readonly ErrorSample[];
}

/** Merges the measurements of all pods. Errors: a pod is missing, is there twice, or loaded another site. Pure. */
function resultsOfPods(ejected: EjectedLoad, pods: readonly Pod[]): Results {
  const parts = pods.map((pod) => ({ ...pod, aheadMs: 0, errors: parseSamples(pod.log) }));
  checkSegments(ejected, parts);
  const load = { ...ejected, baseUrl: findSite(ejected, parts) };
  const summary = mergeSummaries(parts);
  const startMs = loadedFromMs(summary);
  const { trouble, warnings } = judgeStarts(load.batch, parts, summary);
  const measurements = measureAll(load, summary, parts, trouble);
  const loadSeconds = measurements.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
  const wallSeconds = summary.durationMs / 1000;
  return {
    schema: 1,
    tool: { name: 'php-runtime-bench', version: load.version, k6: load.k6 },
    run: {
      ...{ id: `cluster-${Math.round(startMs).toString(36)}`, seed: 0, command: [], stopped: null },
      ...{ started: new Date(startMs).toISOString(), finished: new Date(summary.endedMs).toISOString() },
      ...{ wallSeconds, loadSeconds, overheadRatio: Math.max(0, 1 - loadSeconds / wallSeconds) },
    },
    host: NO_HOST,
    plan: planOf(load, parts),
    variants: [siteOf(load)],
    ...{ measurements, duets: [], searches: [], profiles: [], counts: [], comparisons: [] },
    warnings: [noteOfCluster(load), ...warnings],
  };
}

/** Each share of the load once. */
function checkSegments({ segments }: EjectedLoad, parts: readonly Part[]): void {
  const names = new Map<string, string>();
  for (const { name, summary } of parts) {
    const share = summary.segment ?? '0:1';
    const other = names.get(share);
    if (other !== undefined) {
      throw new UserError('two logs have the same part of the load', {
        ...{
          where: { name },
          found: `${other} has ${share} as well`,
          allowed: 'each pod of one test run once',
        },
      });
    }
    names.set(share, name);
  }
  if (names.size === segments) return;
  throw new UserError('the logs of some pods are missing', {
    ...{ found: `${names.size}: ${[...names.keys()].join(', ')}`, allowed: `${segments}, one for each pod` },
    hint: 'copy the log of each pod: a part of them is not the whole load',
  });
}

/** The site that the pods loaded: their environment has it, not what `eject-load` wrote. */
function findSite({ baseUrl }: EjectedLoad, parts: readonly Part[]): string {
  const sites = new Map(parts.map(({ name, summary }) => [siteIn(summary.baseUrl ?? baseUrl), name]));
  const [[site = baseUrl] = [], other] = sites;
  if (!other) return site;
  throw new UserError('the pods loaded different sites', {
    ...{ found: [...sites].map(([one, name]) => `${name}: ${one}`).join(', ') },
    ...{ allowed: 'pods of one test run', hint: 'save the logs of each test run in a folder of its own' },
  });
}

/** Without a name and a password, which may be secret. */
function siteIn(text: string): string {
  const { protocol, host, pathname } = URL.parse(text) ?? { protocol: '', host: text, pathname: '' };
  return `${protocol && `${protocol}//`}${host}${pathname.replace(/\/$/, '')}`;
}

function measureAll(
  { batch }: EjectedLoad,
  summary: K6Summary,
  parts: readonly Part[],
  trouble: string,
): Measurement[] {
  const nothing = {
    cpus: { server: [], load: [], services: [] },
    services: new Map(),
    containers: new Map(),
  };
  // A pod whose setup failed loaded nothing, and its log is that of all slices.
  const unset = parts
    .map((part) => ({ summary: part.summary, log: parseLog(part.log, null) }))
    .find((part) => failedSetup(part) !== null);
  const made = unset?.summary ?? summary;
  return batch.slices.flatMap((slice) =>
    measureSlices({
      batch: { ...batch, slices: [slice] },
      ...{ instance: 0, summary: trouble ? null : made, trouble, beganMs: loadedFromMs(summary) },
      errors: parts.flatMap(({ errors }) => errors),
      log: unset?.log ?? mergeLogs(parts.map(({ log }) => parseLog(linesOf(batch, slice, log), null))),
      ...{ samples: new Samples(), arena: 0, ...nothing },
    }),
  );
}

/**
 * The lines of a pod's log that are about a slice. k6 names the slice of an exception alone. Messages that a script prints
 * count in the last slice, and an abort in each.
 */
function linesOf({ slices }: Batch, slice: Batch['slices'][number], log: string): string {
  if (slices.length === 1) return log;
  const isLast = slice === slices.at(-1);
  return log
    .split('\n')
    .filter((line) => {
      const id = / scenario=(s\d+)_\d+( source=stacktrace)?$/.exec(line)?.[1];
      return id === undefined ? isLast || !/ source=\w+$/.test(line) : id === sliceId(slice);
    })
    .join('\n');
}

function planOf({ batch, segments, baseUrl, headers }: EjectedLoad, parts: readonly Part[]) {
  const generators = parts.map(({ name, summary }) => ({
    ...{ name: name.replace(/\.log$/, ''), share: summary.segment ?? '0:1' },
    ...{ roundTripMs: null, hops: null, mtu: null, skewMs: null },
  }));
  return {
    ...{
      instances: 1,
      estimatedSeconds: 0,
      steps: segments * batch.slices.length,
      reference: null,
      shard: null,
    },
    ...{ budgetSeconds: null, durationScale: 1, compareTo: null, gates: [] },
    cpus: { server: [], load: [], system: [], services: [], source: 'given' as const },
    scenarios: [describeScenario(batch.scenario)],
    ...(headers && { headers: [...headers] }),
    elsewhere: { kind: 'cluster' as const, target: baseUrl, generators },
  };
}

/** Nothing is known of where it serves. */
const NO_HOST: Results['host'] = {
  ...{
    cpuModel: 'a site in a cluster',
    cpus: 0,
    cores: 0,
    threadsPerCore: 1,
    governor: null,
    memoryBytes: 0,
  },
  ...{ kernel: '', os: '', arch: '', cgroup: '2', virtual: false, engine: '', buildx: '' },
};

function siteOf({ baseUrl }: EjectedLoad): Results['variants'][number] {
  return {
    ...{ id: SITE, label: baseUrl, app: SITE, ref: null, base: null, php: '', runtime: SITE, title: baseUrl },
    ...{ model: 'per-request', options: {}, image: null, facts: null, coldStartMs: [], coldStart: null },
    failure: null,
  };
}

function noteOfCluster({ baseUrl, segments }: EjectedLoad): Results['warnings'][number] {
  return {
    code: 'load-elsewhere',
    message: `${segments} ${segments === 1 ? 'pod' : 'pods'} of a cluster loaded ${baseUrl}: latency includes the network, and CPU was not measured`,
    remedy: 'compare it only with runs of the same pods on the same site',
    variant: null,
  };
}

/**
 * Pods may begin apart by this share of a slice. A saturated server serves as much while one pod loads alone, so RPS is too high
 * by up to that share. Merged percentiles are off by up to 1 % as well.
 */
const WARN_SHARE = 0.01;
/** RPS that may be a tenth too high is no result. */
const VOID_SHARE = 0.1;

/** How far apart the pods began, as the operator starts one after the other. */
function judgeStarts(
  { slices, scenario }: Batch,
  parts: readonly Part[],
  { durationMs: wholeMs }: K6Summary,
): { trouble: string; warnings: Results['warnings'] } {
  // A script with scenarios of its own notes no start of a slice.
  const beganMs = parts.map(({ summary }) => loadedFromMs(summary));
  const apartMs =
    scenario.load === null ? Math.max(...beganMs) - Math.min(...beganMs) : apart({ slices }, parts);
  // Without a planned end, the load is counted from the first start to the last end: RPS is not too high.
  const isTimed = slices.every(({ durationMs }) => durationMs !== null);
  const lengths = slices.flatMap(({ warmup, durationMs }) => (warmup ? [] : (durationMs ?? wholeMs)));
  const share = apartMs / Math.min(...lengths);
  if (share <= WARN_SHARE) return { trouble: '', warnings: [] };
  const isVoid = isTimed && share > VOID_SHARE;
  const message = `pods began ${Math.round(apartMs)} ms apart, ${(100 * share).toFixed(share < 0.1 ? 1 : 0)} % of a slice`;
  const effect = `RPS may be too ${isTimed ? 'high' : 'low'} by as much${isVoid ? ', so those slices are void' : ''}`;
  const warning = {
    code: 'generators-apart',
    message: `${message}: ${effect}`,
    remedy: 'use a longer load (`--load`), and nodes that have room for all pods',
    variant: null,
  };
  return { trouble: isVoid ? message : '', warnings: [warning] };
}
