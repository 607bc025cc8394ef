import type { ScriptLabel } from '../../config/requests/script-facts.ts';
import type { Scenario } from '../../config/types.ts';
import type { Batch, Slice } from '../../plan/timeline/slices.ts';
import { DUET_LAG_MS, groupTurns } from '../../plan/timeline/timeline.ts';
import type { LogBuckets } from '../../stats/histogram.ts';
import { readable } from '../../text/readable.ts';
import { allBut } from '../elsewhere/reach.ts';
import { addressOf, hostsOf, type Sent } from '../servers/target.ts';
import type { CheckedEndpoints, CheckedOf } from '../verify/checked.ts';

/** Environment of a user's script, which may read it before it has a function to call. */
export function scriptEnvironment(baseUrl: string, slice: string, timeoutMs: number): Record<string, string> {
  return { BASE_URL: baseUrl, TIMEOUT: `${timeoutMs}ms`, SLICE: slice };
}

/** Flags of docker, or of k6, that set variables. */
export function envFlags(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
}

/** Content of plan.json, which scenarios/lib/main.js reads. */
export interface K6Plan {
  timeoutMs: number;
  reuse: boolean;
  /** The journey is the user's own script: its options are kept where they do not touch the load. */
  userOptions: boolean;
  ownScenarios: boolean;
  paths: readonly string[];
  /** Host header of every request; null: the name in the URL. */
  host: string | null;
  /** Other headers of every request. */
  headers: Readonly<Record<string, string>>;
  /** k6's own option. */
  hosts: Readonly<Record<string, string>>;
  /** When the load begins, unix ms by the clock of the machine that loads; null: at once. */
  startAtMs: number | null;
  /** Networks that no script reaches, whatever address it names; k6's own option. */
  blockedIps: readonly string[];
  kinds: readonly string[];
  /** Tags of a script's requests that failed. */
  failures: readonly string[];
  /** The tags of a script's requests that have rows of their own. */
  labels: readonly ScriptLabel[];
  trendStats: readonly string[];
  otherKinds: readonly string[];
  /** Answers of the endpoints before the load, one entry for each app and ref; slices refer to it by index. */
  checked: readonly CheckedEndpoints[];
  slices: readonly (Pick<Slice, 'startMs' | 'durationMs' | 'steps' | 'warmup'> & {
    id: string;
    /** Null: BASE_URL in k6's environment has it. */
    baseUrl: string | null;
    /** Null: there is nothing to compare its answers with. */
    checked: number | null;
    /** Null: it is loaded in one piece. */
    block: string | null;
  })[];
  blocks: readonly K6Block[];
}

/** A stretch of load in which slices take turns. */
interface K6Block {
  id: string;
  startMs: number;
  turnMs: number;
  /** Order of the turns, by the slice's id. */
  order: readonly string[];
}

/** Output of main.js: the values of each metric, under k6's name for metric and tags. Our tags are `slice` and `step` here. */
export interface K6Summary {
  /** From the beginning of the first load to the end of the last. */
  durationMs: number;
  /** When that end was, unix ms. */
  endedMs: number;
  /** As the journey names them; a user's script names none. */
  endpoints: readonly string[];
  /** Its share of the load, as k6 writes it: `1/4:1/2`. Null: all of it. */
  segment?: string | null;
  /** BASE_URL in its environment: the site that pods of a cluster load. Older scripts do not print it. */
  baseUrl?: string | null;
  metrics: Record<string, Record<string, number>>;
  /** Latencies of several generators together, by k6's name for metric and tags: percentiles cannot be added up. */
  histograms?: Readonly<Record<string, LogBuckets>>;
  /** Checks of a user's script, its own metrics, and the metrics of its thresholds. Names are untrusted. */
  script?: {
    checks: { name: string; group: string; passes: number; fails: number }[];
    metrics: K6Metric[];
  } | null;
}

export interface K6Metric {
  name: string;
  custom: boolean;
  type: 'trend' | 'rate' | 'counter' | 'gauge';
  contains: string;
  values: Record<string, number>;
  /** The values of a trend of several generators together. */
  histogram?: LogBuckets;
}

/** When k6 began to load, unix ms. */
export function loadedFromMs({ endedMs, durationMs }: K6Summary): number {
  return endedMs - durationMs;
}

/** The first failing answer of its kind. Untrusted text. */
export interface ErrorSample {
  slice: string;
  endpoint: string;
  kind: string;
  /** How it differs from the checked one, where that is what is wrong with it. */
  what?: string;
  status?: number;
  headers?: string;
  body: string;
}

const STATUSES = [
  400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 419, 422, 429, 500, 501, 502, 503, 504,
];

/** Kinds of requests without an answer. */
const UNANSWERED = ['timeout', 'refused', 'reset', 'no answer'];

/** Kinds of error that scenarios/lib/bench.js counts. */
export const ERROR_KINDS = [
  ...UNANSWERED,
  'wrong answer',
  ...STATUSES.map((status) => `http ${status}`),
  'http other',
];

/** Statuses that a script may call wrong by `http.setResponseCallback`. */
const MAYBE_WRONG = [200, 201, 204, 301, 302, 303, 307, 308];

/**
 * Failed requests of a script that k6 itself counts, by its tags. `kinds`: lib/bench.js counts them by endpoint. A script may
 * expect any status, but none expects no answer.
 */
export const FAILURES: readonly { kind: string; tags: string; kinds: readonly string[] }[] = [
  { kind: 'no answer', tags: 'status:0', kinds: UNANSWERED },
  ...[...MAYBE_WRONG, ...STATUSES].map((status) => {
    const kind = `http ${status}`;
    return { kind, tags: `status:${status},expected_response:false`, kinds: [kind] };
  }),
];

/** Kinds of answers that scenarios/lib/watch.js counts since they are others than the checked ones. */
export const OTHER_KINDS = ['other status', 'other length', 'other content'] as const;

/** Percentiles that the report names. */
export const NAMED = [50, 66, 75, 80, 85, 90, 95, 98, 99, 99.9, 99.99];

/** Grid of percentiles from which a mergeable histogram is made: finer towards the slow end. */
export const GRID: readonly number[] = [
  ...range(0.25, 90, 0.25),
  ...range(90.1, 99, 0.1),
  ...range(99.02, 99.9, 0.02),
  ...range(99.91, 100, 0.01),
];

function range(from: number, below: number, by: number): number[] {
  const n = Math.ceil((below - from) / by - 1e-9);
  return Array.from({ length: n }, (_, i) => Number((from + i * by).toFixed(4)));
}

export const TREND_STATS: readonly string[] = [
  ...['count', 'min', 'avg', 'max'],
  ...[...new Set([...GRID, ...NAMED])].map((p) => `p(${p})`),
];

/** Load reaches this machine alone: all but 127.0.0.0/8, and IPv6 but ::1. */
const ALL_BUT_THIS_MACHINE = [
  ...['0.0.0.0/2', '64.0.0.0/3', '96.0.0.0/4', '112.0.0.0/5', '120.0.0.0/6', '124.0.0.0/7', '126.0.0.0/8'],
  ...['128.0.0.0/1', '64:ff9b::/96', '2000::/3', 'fc00::/7', 'fe80::/10', 'ff00::/8'],
];

export function sliceId(slice: Slice): string {
  return `s${slice.number}`;
}

/** A load from another machine. */
export interface FromElsewhere {
  /** The address at which k6 finds the servers; it reaches nothing else. */
  address: string;
  /** Unix ms, by the clock of that machine. */
  startAtMs: number;
}

export function makeK6Plan(
  batch: Batch,
  ports: Readonly<Record<string, number>>,
  { host, headers = {} }: Sent,
  checkedOf: CheckedOf = () => null,
  from: FromElsewhere | null = null,
): K6Plan {
  const { scenario, slices } = batch;
  const { journey } = scenario;
  const own = journey.kind === 'script';
  const checked: CheckedEndpoints[] = [];
  const indexOf = (found: CheckedEndpoints | null) => {
    if (found === null) return null;
    const text = JSON.stringify(found);
    const known = checked.findIndex((one) => JSON.stringify(one) === text);
    return known < 0 ? checked.push(found) - 1 : known;
  };
  const indices = new Map(slices.map(({ variant }) => [variant, indexOf(checkedOf(variant, scenario))]));
  return {
    timeoutMs: scenario.timeoutMs,
    reuse: scenario.reuse,
    userOptions: own,
    ownScenarios: scenario.load === null,
    paths: journey.kind === 'paths' ? journey.paths : [],
    host,
    headers,
    // A script has a process for each slice, so that the name represents one variant there.
    hosts: hostsOf(host, own ? ports[slices[0]?.variant ?? ''] : undefined, from?.address),
    startAtMs: from?.startAtMs ?? null,
    blockedIps: from ? allBut(from.address) : ALL_BUT_THIS_MACHINE,
    kinds: ERROR_KINDS,
    failures: own ? FAILURES.map(({ tags }) => tags) : [],
    labels: scenario.script?.labels ?? [],
    trendStats: TREND_STATS,
    otherKinds: OTHER_KINDS,
    checked,
    blocks: groupTurns(slices)
      .filter(([slice]) => slice?.turns)
      .map(makeBlock),
    slices: groupTurns(slices).flatMap((group) =>
      group.map((slice, place) => ({
        id: sliceId(slice),
        warmup: slice.warmup,
        block: slice.turns ? blockId(slice) : null,
        baseUrl: own ? `http://${host}` : addressOf(host, ports[slice.variant] as number),
        checked: indices.get(slice.variant) ?? null,
        ...(slice.duet === null ? timesOf(slice, 0) : timesOf(slice, place * DUET_LAG_MS)),
      })),
    ),
  };
}

/** The times of a slice that starts `lagMs` late: both slices of a duet end together. */
function timesOf(slice: Slice, lagMs: number): Pick<Slice, 'startMs' | 'durationMs' | 'steps'> {
  const shorten = (ms: number | null) => (ms === null ? null : ms - lagMs);
  return {
    startMs: slice.startMs + lagMs,
    durationMs: shorten(slice.durationMs),
    steps: slice.steps.map((step) => ({ ...step, durationMs: shorten(step.durationMs) })),
  };
}

/** Slices that take turns begin together, so their start identifies their block. */
function blockId({ startMs }: Pick<Slice, 'startMs'>): string {
  return `b${Math.round(startMs)}`;
}

function makeBlock(slices: readonly Slice[]): K6Block {
  const { startMs, turnMs } = slices[0] as Slice;
  const order: string[] = [];
  for (const slice of slices) for (const turn of slice.turns ?? []) order[turn] = sliceId(slice);
  return { id: blockId({ startMs }), startMs, turnMs: turnMs as number, order };
}

/** The journey as main.js imports it: bundled ones lie beside it, the user's own in a folder of its own. */
export function journeyModule({ journey, script }: Pick<Scenario, 'journey' | 'script'>): string {
  const file =
    journey.kind === 'paths'
      ? './journeys/paths.js'
      : journey.kind === 'bundled'
        ? `./journeys/${journey.name}.js`
        : `./user/${script?.entry ?? journey.file.split('/').at(-1)}`;
  const from = JSON.stringify(file);
  // A script may do without a default function when its scenarios name others.
  return `import * as journey from ${from};\nexport * from ${from};\nexport default journey.default;\n`;
}

/**
 * Settings under which k6 disturbs least. On one core, the Go runtime has two threads. Garbage is collected only when
 * memory for it is used up: each collection delays what is in flight by some milliseconds (measured by bench/latency,
 * see docs/evidence.md).
 */
export function k6Environment(loadCpus: number, memoryBytes: number): Record<string, string> {
  const cap = Math.floor(Math.min(memoryBytes / 4, 4 * 2 ** 30) / 2 ** 20);
  return {
    GOMAXPROCS: String(Math.max(2, loadCpus)),
    GOGC: 'off',
    GOMEMLIMIT: `${cap}MiB`,
    K6_NO_USAGE_REPORT: 'true',
  };
}

/** The first of a kind; one without a body, as it was not read, where there is no other. */
export function findSample(
  samples: readonly ErrorSample[],
  { slice, endpoint, kind }: Pick<ErrorSample, 'slice' | 'endpoint' | 'kind'>,
): ErrorSample | undefined {
  const own = samples.filter((s) => s.slice === slice && s.endpoint === endpoint && s.kind === kind);
  return own.find(({ body }) => body !== '') ?? own[0];
}

/** Finds the samples of failing bodies in k6's log. */
export function parseSamples(log: string): ErrorSample[] {
  const samples: ErrorSample[] = [];
  for (const line of log.split('\n')) {
    const text = /msg="bench-sample (.*)" source=console$/.exec(line)?.[1];
    if (text === undefined) continue;
    try {
      // logfmt: the message is a Go-quoted string, which JSON can read for all that JSON.stringify writes.
      const sample: ErrorSample = JSON.parse(JSON.parse(`"${text}"`));
      samples.push({ ...sample, body: readable(sample.body) });
    } catch {
      // A sample that cannot be read is no loss: the error is counted all the same.
    }
  }
  return samples;
}

/** The first request of a user's script without an answer, in k6's own words. */
export function parseFailed(log: string, slice: string): ErrorSample[] {
  const text = /level=warning msg="Request Failed" error="((?:[^"\\]|\\.)*)"/.exec(log)?.[1];
  if (text === undefined) return [];
  const reason = readable(text.replaceAll('\\"', '"'));
  // As JavaScript writes a value that is not there: the host is `app.testundefined`.
  const isMissing = /^\w+ "https?:\/\/[^/"]*(undefined|null|NaN)\b/.test(reason);
  const isOutside = /: no such host|is in a blacklisted range|: server misbehaving|^\w+ "https:/.test(reason);
  const hint = isMissing ? MISSING : isOutside ? ONLY_APP : '';
  const body = hint ? `${reason}\n${hint}` : reason;
  return [{ slice, endpoint: 'all', kind: 'no answer', status: 0, body }];
}

const ONLY_APP =
  'A load reaches only the app, over plain HTTP. Send requests to BASE_URL, or set `host` to the name in the script.';
const MISSING =
  'The script put a missing value into this address. Check the selector or the field that the script reads it from.';
