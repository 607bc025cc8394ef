import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { UserError } from '../../errors.ts';
import type { Batch } from '../../plan/timeline/slices.ts';
import type { Measurement, Results } from '../../results/results.ts';
import { type ErrorSample, type K6Summary, loadedFromMs, parseSamples } from '../../run/load/k6.ts';
import { mergeSummaries } from '../../run/load/merge-summaries.ts';
import { SITE } from '../../run/load/site-load.ts';
import { measureSlices } from '../../run/measure/measure.ts';
import { describeScenario } from '../../run/record.ts';
import { Samples } from '../../run/sample/samples.ts';

/** The file in which `eject-load` describes a load, beside the files for Kubernetes. */
export const EJECTED_FILE = 'load.json';
/** The folder in which `report` looks for what the pods printed. */
const PODS = 'pods';

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
  const found = Ejected.safeParse(parse(text));
  if (!found.success) {
    throw new UserError('not a load that `eject-load` has written', { where: { name: file } });
  }
  return resultsOfPods(found.data as unknown as EjectedLoad, await readPods(join(folder, PODS)));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

export interface Pod {
  name: string;
  log: string;
}

async function readPods(folder: string): Promise<Pod[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.log')).sort();
  if (names.length === 0) {
    throw new UserError('no logs of pods found', {
      ...{ where: { name: folder }, allowed: 'a file NAME.log for each pod' },
      hint: 'README.md beside it has the command: kubectl logs POD >pods/POD.log',
    });
  }
  return Promise.all(names.map(async (name) => ({ name, log: await readFile(join(folder, name), 'utf8') })));
}

/** Merges the measurements of all pods. Errors: a pod is missing, is there twice, or wrote no summary. Pure. */
function resultsOfPods(load: EjectedLoad, pods: readonly Pod[]): Results {
  const parts = pods.map((pod) => ({ ...pod, summary: readSummary(pod), errors: parseSamples(pod.log) }));
  checkSegments(load, parts);
  const summary = mergeSummaries(parts.map((part) => ({ summary: part.summary, aheadMs: 0 })));
  const errors = parts.flatMap((part) => part.errors);
  const startMs = loadedFromMs(summary);
  const measurements = measureAll(load, summary, errors, startMs);
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
    warnings: [noteOfCluster(load), ...warnOfStarts(parts.map((part) => loadedFromMs(part.summary)))],
  };
}

function readSummary({ name, log }: Pod): K6Summary {
  for (const line of log.split('\n').reverse()) {
    const at = line.indexOf('{"durationMs":');
    const found = at < 0 ? null : (parse(line.slice(at)) as K6Summary | null);
    if (found && typeof found.metrics === 'object' && Number.isFinite(found.endedMs)) return found;
  }
  throw new UserError('the log of a pod has no summary', {
    ...{ where: { name }, found: lastLine(log), allowed: 'the whole log of a pod that has ended' },
  });
}

const lastLine = (log: string) => log.trim().split('\n').at(-1)?.slice(0, 200) || 'nothing';

/** Each share of the load once. */
function checkSegments(
  { segments }: EjectedLoad,
  parts: readonly { name: string; summary: K6Summary }[],
): void {
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

function measureAll(
  { batch }: EjectedLoad,
  summary: K6Summary,
  errors: readonly ErrorSample[],
  beganMs: number,
): Measurement[] {
  const nothing = {
    cpus: { server: [], load: [], services: [] },
    services: new Map(),
    containers: new Map(),
  };
  const outcome = { batch, instance: 0, summary, trouble: '', errors, samples: new Samples(), arena: 0 };
  return measureSlices({ ...outcome, ...nothing, beganMs });
}

function planOf(
  { batch, segments, baseUrl, headers }: EjectedLoad,
  parts: readonly { name: string; summary: K6Summary }[],
) {
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

/** The operator starts pods one after the other. */
const APART_MS = 1000;

function warnOfStarts(startsMs: readonly number[]): Results['warnings'] {
  const apartMs = Math.max(...startsMs) - Math.min(...startsMs);
  if (apartMs <= APART_MS) return [];
  return [
    {
      code: 'generators-apart',
      message: `pods began up to ${(apartMs / 1000).toFixed(1)} s apart: at the edges of a slice the load was not whole`,
      remedy: 'use slices that are much longer, and nodes that have room for all pods',
      variant: null,
    },
  ];
}
