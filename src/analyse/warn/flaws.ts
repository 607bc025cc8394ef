import { closedClients } from '../../config/parts/load.ts';
import {
  isOtherAnswer,
  RESENT,
  type Results,
  type ScenarioFacts,
  type Warning,
} from '../../results/results.ts';
import {
  BODY_DIFFERENCE,
  GENERATOR_BUSY,
  HEADER_BYTES,
  P99_SAMPLES,
  SERVER_IDLE,
} from '../../stats/limits.ts';
import { percent } from '../../text/percent.ts';
import { sum } from '../rows/pool.ts';
import type { Row, ScenarioSummary } from '../summary.ts';

/** Flaws that make the numbers of a scenario less reliable. Flaws of the other ref are reported as well. */
export function findFlaws(of: ScenarioSummary, results: Results): Warning[] {
  const scenario = { ...of, rows: [...of.rows, ...of.bases] };
  return [
    ...ofGenerator(scenario, results.plan),
    ...ofTimeouts(scenario),
    ...ofLoss(scenario),
    ...ofResets(scenario),
    ...ofMemory(scenario),
    ...ofSamples(scenario),
    ...ofAnswers(scenario, results),
    ...ofConnections(scenario.facts, scenario.rows, results),
  ];
}

export function warning(code: string, message: string, remedy: string, rows: readonly Row[] = []): Warning {
  return { code, message, remedy, variant: rows.length === 1 ? (rows[0]?.variant ?? null) : null };
}

/** `scenario quick: apache, nginx-fpm` */
function about(scenario: ScenarioSummary, rows: readonly Row[]): string {
  return `scenario ${scenario.facts.name}: ${rows.map((row) => row.label).join(', ')}`;
}

/** More load than the generators of a run can send. Those on other machines take nothing from the servers. */
const MORE_LOAD = {
  here: 'give k6 more cores (--load-cpus) and the servers fewer (--server-cpus)',
  engines: 'add machines to `load-engines`, or use some with more CPUs',
  cluster: 'make more pods with --segments, or give each more CPUs',
};

function ofGenerator(scenario: ScenarioSummary, { elsewhere }: Results['plan']): Warning[] {
  const warnings: Warning[] = [];
  const bound = scenario.rows.filter((row) => row.slices.generatorBound > 0);
  if (bound.length > 0) {
    const slices = `${sum(bound, (row) => row.slices.generatorBound)} of ${sum(bound, (row) => row.slices.ok)} slices`;
    warnings.push(
      warning(
        'generator-bound',
        `${about(scenario, bound)}: the load generator was the limit in ${slices}`,
        MORE_LOAD[elsewhere?.kind ?? 'here'],
        bound,
      ),
    );
  }
  const busy = scenario.rows.filter((row) => row.latencyDoubtful && row.state.kind !== 'failed');
  if (busy.length > 0) {
    warnings.push(
      warning(
        'generator-busy',
        `${about(scenario, busy)}: k6 used more than ${GENERATOR_BUSY * 100} % of its CPUs, so part of the latency may be its own`,
        'to measure latency, use a constant rate of at most half of the maximum',
        busy,
      ),
    );
  }
  return warnings;
}

/** With this many times the timeout most pages are answered, or nobody would wait for them. */
const MORE_TIME = 5;

/** So many answers of a variant came too late or not at all. */
interface Late {
  row: Row;
  unanswered: number;
  asked: number;
}

function ofTimeouts({ facts, rows }: ScenarioSummary): Warning[] {
  const all = rows.map((row): Late => {
    const timeouts = row.errors.filter(({ kind }) => kind === 'timeout');
    const unanswered = sum(timeouts, ({ count }) => count) + row.interrupted;
    return { row, unanswered, asked: row.requests + row.interrupted };
  });
  const waits = ({ row: { cpuBusyRatio }, unanswered, asked }: Late) =>
    unanswered > LATE_ABOVE * asked && cpuBusyRatio !== null && cpuBusyRatio < SERVER_IDLE;
  const isMost = (one: Late) => one.unanswered > one.asked / 2 && !waits(one);
  return [...ofMostlyLate(facts, all.filter(isMost)), ...ofWaiting(facts, all.filter(waits))];
}

const longer = ({ timeoutMs }: ScenarioFacts) => `${Number(((timeoutMs / 1000) * MORE_TIME).toFixed(3))}s`;

const number = (count: number) => count.toLocaleString('en');

function countsOf(late: readonly Late[]): string {
  return late
    .map(({ row, unanswered, asked }) => `${row.label} ${number(unanswered)} of ${number(asked)}`)
    .join(', ');
}

/** The share of answers that came too late. */
const LATE_ABOVE = 0.01;

/** Some answers came too late, and not for lack of CPU. */
function ofWaiting(facts: ScenarioFacts, late: readonly Late[]): Warning[] {
  if (late.length === 0) return [];
  const most = Math.max(...late.map(({ row }) => row.cpuBusyRatio ?? 0));
  return [
    warning(
      'app-waits',
      `scenario ${facts.name}: requests without an answer within ${facts.timeoutMs / 1000} s: ${countsOf(late)}; their servers used at most ${percent(most)} of their CPUs, so the app waited for something else`,
      `look for hosts that it cannot reach (updates, mail, telemetry), locks, sleeps, too few workers and a slow database; if it may take so long, increase the limit (--timeout ${longer(facts)})`,
      late.map(({ row }) => row),
    ),
  ];
}

function ofMostlyLate(facts: ScenarioFacts, late: readonly Late[]): Warning[] {
  if (late.length === 0) return [];
  const seconds = facts.timeoutMs / 1000;
  const clients = Math.max(0, ...closedClients(facts.load));
  const fewer =
    clients > 1 ? `load with fewer than ${clients} clients` : `lower the load, which is ${facts.load}`;
  return [
    warning(
      'timeouts',
      `scenario ${facts.name}: most requests had no answer within ${seconds} s: ${countsOf(late)}`,
      `increase the limit (--timeout ${longer(facts)}), ${clients === 1 ? 'or find out what the app waits for' : `or ${fewer}`}`,
      late.map(({ row }) => row),
    ),
  ];
}

function ofLoss(scenario: ScenarioSummary): Warning[] {
  const warnings: Warning[] = [];
  const measured = scenario.rows.filter((row) => row.state.kind !== 'failed');
  // Beyond its knee a variant drops what it cannot do: that is what the knee shows.
  const dropped = measured.filter((row) => row.dropped > 0 && row.holds?.kind !== 'found');
  if (dropped.length > 0) {
    const counts = dropped.map((row) => `${row.label} ${row.dropped}`).join(', ');
    warnings.push(
      warning(
        'dropped-iterations',
        `scenario ${scenario.facts.name}: iterations that could not start in time: ${counts}; real clients would see higher latency`,
        'lower the rate or increase max-vus',
        dropped,
      ),
    );
  }
  const interrupted = measured.filter((row) => row.interrupted > 0);
  if (interrupted.length > 0) {
    const counts = interrupted.map((row) => `${row.label} ${row.interrupted}`).join(', ');
    warnings.push(
      warning(
        'interrupted',
        `scenario ${scenario.facts.name}: requests without an answer when their slice ended: ${counts}`,
        'increase the timeout, or look for workers that hang',
        interrupted,
      ),
    );
  }
  const failed = measured.filter((row) => row.slices.failed > 0 && row.slices.ok > 0);
  if (failed.length > 0) {
    const counts = failed.map((row) => `${row.label} ${row.slices.failed}`).join(', ');
    warnings.push(
      warning(
        'failed-slices',
        `scenario ${scenario.facts.name}: failed slices: ${counts}; RPS and latency come from the other slices`,
        'see the errors and the container logs',
        failed,
      ),
    );
  }
  const isVoid = scenario.rows.filter((row) => row.slices.void > 0 && row.slices.ok > 0);
  if (isVoid.length > 0) {
    const counts = isVoid.map((row) => `${row.label} ${row.slices.void}`).join(', ');
    warnings.push(
      warning(
        'void-slices',
        `scenario ${scenario.facts.name}: slices left out as not reliable: ${counts}`,
        'see the reasons in results.json; use a quieter machine',
        isVoid,
      ),
    );
  }
  return warnings;
}

/** Lost connections that k6 hides with a second attempt. */
function ofResets(scenario: ScenarioSummary): Warning[] {
  const found = scenario.rows.flatMap((row) => {
    const count = sum(
      row.errors.filter(({ kind }) => kind === RESENT),
      (error) => error.count,
    );
    return count > 0 ? [{ row, count }] : [];
  });
  if (found.length === 0) return [];
  const counts = found.map(({ row, count }) => `${row.label} ${count.toLocaleString('en')}`).join(', ');
  return [
    warning(
      'reset-connections',
      `scenario ${scenario.facts.name}: connections that ended before the answer: at least ${counts}; k6 repeats such requests, but other clients may not, so they count as errors`,
      'look for workers that exit while clients are connected (max-requests, exit, memory limit), and for idle connections that close early (keep-alive)',
      found.map(({ row }) => row),
    ),
  ];
}

function ofSamples(scenario: ScenarioSummary): Warning[] {
  const few = scenario.rows.filter((row) => row.latency && row.latency.samples < P99_SAMPLES);
  if (few.length === 0) return [];
  return [
    warning(
      'few-samples',
      `${about(scenario, few)}: p99 rests on fewer than ${P99_SAMPLES.toLocaleString('en')} requests`,
      'use a longer load, or more --blocks',
      few,
    ),
  ];
}

function ofMemory(scenario: ScenarioSummary): Warning[] {
  const leaking = scenario.rows.filter((row) => row.soak?.leaks);
  if (leaking.length === 0) return [];
  const words = leaking.map(({ label, soak }) => {
    const { value, half } = (soak as NonNullable<typeof soak>).bytesPerThousand;
    const [size, unit] = value < 1024 ** 2 ? [1024, 'KiB'] : [1024 ** 2, 'MiB'];
    const inUnit = (found: number) => Number((found / size).toPrecision(3)).toLocaleString('en');
    return `${label} by ${inUnit(value)} ${unit} (${inUnit(value - half)} to ${inUnit(value + half)})`;
  });
  return [
    warning(
      'leak',
      `scenario ${scenario.facts.name}: memory grew with every 1,000 requests: ${words.join(', ')}`,
      'look for data that outlives a request; until then, restart workers regularly (max-requests)',
      leaking,
    ),
  ];
}

/** Too few for their slices to be void. */
function ofOthers(scenario: ScenarioSummary): Warning[] {
  const told = scenario.rows.flatMap((row) => {
    const others = row.errors.filter(isOtherAnswer);
    if (others.length === 0 || row.state.kind === 'failed') return [];
    const kinds = others.map(({ count, kind, endpoint }) => `${count} of ${kind} at ${endpoint}`);
    return [{ row, text: `${row.label} ${kinds.join(', ')}` }];
  });
  if (told.length === 0) return [];
  return [
    warning(
      'other-answers',
      `scenario ${scenario.facts.name}: answers that were not the checked ones: ${told.map(({ text }) => text).join('; ')}; they count as OK`,
      'see the first of each kind under errors; if the page varies that much, use verify: status in a scenario',
      told.map(({ row }) => row),
    ),
  ];
}

/** The same endpoint of an app must give the same answer everywhere, also in size. */
function ofAnswers(scenario: ScenarioSummary, results: Results): Warning[] {
  const warnings: Warning[] = [];
  const missed = scenario.rows.filter((row) => row.sloMissed.length > 0 && row.state.kind !== 'failed');
  if (missed.length > 0) {
    const words = missed.map((row) => `${row.label} ${row.sloMissed.join(', ')}`).join('; ');
    warnings.push(
      warning(
        'slo-missed',
        `scenario ${scenario.facts.name}: ${words}`,
        `use more workers or CPUs, or less load; the criteria are in the slo of the scenario${scenario.facts.thresholds?.length ? ' and the thresholds of its script' : ''}`,
        missed,
      ),
    );
  }
  warnings.push(...ofOthers(scenario));
  const different = differentSizes(scenario.rows, results);
  if (different.length > 0) {
    warnings.push(
      warning(
        'body-size',
        `scenario ${scenario.facts.name}: answers differ in size: ${different.join('; ')}`,
        'check compression, and text about the server in the page; fewer bytes are less work',
      ),
    );
  }
  return warnings;
}

/**
 * Endpoints whose answers differ in size between servers of one app in one version, with the least and the most. Sizes of the
 * base are shown only if those of the head are alike.
 */
function differentSizes(all: readonly Row[], { variants }: Results): string[] {
  const rows = all.filter(
    ({ state: { kind } }) => kind === 'ranked' || kind === 'base' || kind === 'generator-bound',
  );
  const codeOf = new Map(variants.map((variant) => [variant.id, variant]));
  const sizes = rows.flatMap(({ variant, label, endpoints }) =>
    endpoints.slice(0, -1).flatMap(({ name, bytesPerResponse: bytes }) => {
      const { app, ref } = codeOf.get(variant) ?? { app: '', ref: null };
      return bytes ? [{ page: JSON.stringify([name, app]), ref, name, label, bytes }] : [];
    }),
  );
  return [...Map.groupBy(sizes, ({ page }) => page).values()].flatMap((page) => {
    const versions = [...Map.groupBy(page, ({ ref }) => ref).values()];
    const differences = versions.flatMap((own) => {
      const sorted = own.toSorted((a, b) => a.bytes - b.bytes);
      const [least, most] = [sorted[0], sorted.at(-1)];
      if (!least || !most || most.bytes <= least.bytes * (1 + BODY_DIFFERENCE) + HEADER_BYTES) return [];
      return [
        `${least.name}: ${Math.round(least.bytes)} bytes from ${least.label}, ${Math.round(most.bytes)} from ${most.label}`,
      ];
    });
    return differences.slice(0, 1);
  });
}

/** A connection kept open holds a prefork or fpm worker: with more connections than workers the rest wait in line. */
function ofConnections(facts: ScenarioFacts, rows: readonly Row[], { variants }: Results): Warning[] {
  const clients = Math.max(0, ...closedClients(facts.load));
  const byId = new Map(variants.map((variant) => [variant.id, variant]));
  const short = rows.filter((row) => {
    const variant = byId.get(row.variant);
    const workers = variant?.options.workers;
    return (
      variant?.model === 'per-request' && typeof workers === 'number' && workers < clients && row.latency
    );
  });
  if (short.length === 0) return [];
  return [
    warning(
      'connections-exceed-workers',
      `scenario ${facts.name}: ${clients} clients, but fewer workers in ${short.map((row) => row.label).join(', ')}: requests may wait for a free worker, and latency includes that`,
      `workers=${clients} or more, or fewer clients`,
      short,
    ),
  ];
}
