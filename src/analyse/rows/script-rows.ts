import type { Measurement, ScenarioFacts } from '../../results/results.ts';
import { DEFAULT_BUNDLED_CHECKS, DEFAULT_CHECKS, MAX_SCRIPT_ERRORS } from '../../stats/limits.ts';
import { givenPercent } from '../../text/percent.ts';
import { plural, someOf } from '../../text/plain.ts';
import type { CheckRow, ErrorRow, Row, ScriptEvent, ScriptRow, ThresholdRow } from '../summary.ts';
import { sum } from './pool.ts';
import { digitsOfOutcome, judgeThreshold, poolMetric } from './thresholds.ts';

/** Report of a user's k6 script over all slices of a variant; null without a script. */
export function poolScript(slices: readonly Measurement[], facts: ScenarioFacts): ScriptRow | null {
  const scripts = slices.flatMap(({ script }) => (script ? [script] : []));
  if (scripts.length === 0) return null;
  const names = new Set(
    scripts.flatMap(({ metrics }) => metrics.flatMap(({ name, custom }) => (custom ? [name] : []))),
  );
  const event = (of: (script: (typeof scripts)[number]) => ScriptEvent): ScriptEvent => ({
    count: sum(scripts, (script) => of(script).count),
    first: scripts.map(of).find(({ first }) => first !== null)?.first ?? null,
  });
  const slicesWith = (key: 'aborted' | 'failed'): ScriptEvent => {
    const reasons = scripts.flatMap((script) => script[key] ?? []);
    return { count: reasons.length, first: reasons[0] ?? null };
  };
  return {
    slices: scripts.length,
    thrown: event(({ thrown }) => thrown),
    printed: event(({ printed }) => printed),
    aborted: slicesWith('aborted'),
    failed: slicesWith('failed'),
    iterations: sum(slices, ({ iterations }) => iterations),
    left: Math.max(...scripts.map(({ left }) => left)),
    metrics: [...names].flatMap((name) => {
      const pooled = poolMetric(
        scripts.flatMap(({ metrics }) => metrics.filter((metric) => metric.name === name)),
      );
      if (pooled === null) return [];
      const { at: _, ...row } = pooled;
      return [row];
    }),
    thresholds: (facts.thresholds ?? []).map((threshold) => judgeThreshold(threshold, slices)),
  };
}

/**
 * Checks of the answers, worst first: those of `check` in a script; a bundled journey counts the wrong answers of each
 * endpoint.
 */
export function poolChecks(slices: readonly Measurement[], errors: readonly ErrorRow[]): CheckRow[] {
  const rows = new Map<string, CheckRow>();
  for (const { name, group, passes, fails } of slices.flatMap(({ script }) => script?.checks ?? [])) {
    const key = JSON.stringify([group, name]);
    const row = rows.get(key) ?? { name, group, passes: 0, fails: 0 };
    rows.set(key, { ...row, passes: row.passes + passes, fails: row.fails + fails });
  }
  const endpoints = slices.flatMap((slice) => slice.endpoints);
  for (const { endpoint, kind, count } of errors) {
    if (kind !== 'wrong answer') continue;
    // Wrong answers of failed slices count, so their requests do.
    const asked = sum(
      endpoints.filter(({ name }) => name === endpoint),
      ({ requests }) => requests,
    );
    const name = `right answer of ${endpoint}`;
    rows.set(name, { name, group: '', passes: Math.max(0, asked - count), fails: count });
  }
  return [...rows.values()].sort((a, b) => passedRatio(a) - passedRatio(b));
}

export function passedRatio({ passes, fails }: Pick<CheckRow, 'passes' | 'fails'>): number {
  return passes + fails > 0 ? passes / (passes + fails) : 1;
}

/** `checks: 0 of 706 (`has a token`)` of the worst. */
export function sayChecks({ name, passes, fails }: CheckRow): string {
  return `checks: ${passes} of ${passes + fails} (\`${name}\`)`;
}

/** The share in which each check has to pass. */
function neededChecks({ slo, thresholds }: ScenarioFacts): number {
  return slo.checksRatio ?? (thresholds ? DEFAULT_CHECKS : DEFAULT_BUNDLED_CHECKS);
}

/** Why a variant cannot be ranked by what its script or journey did: it did not do what it is meant to measure. */
export function judgeScript(
  { checks, script }: Pick<Row, 'checks' | 'script'>,
  facts: ScenarioFacts,
): { cause: 'checks' | 'script'; reason: string } | null {
  const needed = neededChecks(facts);
  const [worst] = checks;
  const events: (ScriptEvent & { of: number; say(count: number): string; most?: number })[] = [];
  if (script) {
    const { slices, iterations } = script;
    const inSlices = (count: number) => someOf(count, slices, 'slice');
    events.push(
      { ...script.aborted, of: slices, say: (count) => `${inSlices(count)}: the script stopped the test` },
      {
        ...{ ...script.failed, of: slices },
        say: (count) => `${inSlices(count)}: the script marked the test as failed`,
        // A script marks the whole test, so one mark is enough.
        most: 0,
      },
      {
        ...script.thrown,
        of: iterations,
        say: (count) => `${someOf(count, iterations, 'iteration')} threw`,
      },
      {
        ...{ ...script.printed, of: iterations },
        // An iteration may print several.
        say: (count) =>
          `${plural(count, 'error')} written by the script in ${plural(iterations, 'iteration')}`,
      },
    );
  }
  const many = events.find(({ count, of, most = MAX_SCRIPT_ERRORS }) => count > most * of);
  if (many) return { cause: 'script', reason: `${many.say(many.count)}: ${many.first ?? 'no message'}` };
  if (worst && passedRatio(worst) < needed) {
    return { cause: 'checks', reason: `${sayChecks(worst)}, ${givenPercent(needed)} needed` };
  }
  return null;
}

/** The script's own criteria that were missed, in words. */
export function missedByScript(
  { checks, script }: Pick<Row, 'checks' | 'script'>,
  { slo }: ScenarioFacts,
): string[] {
  const wanted = slo.checksRatio;
  const [worst] = checks;
  const failed =
    wanted !== undefined && worst && passedRatio(worst) < wanted
      ? [`${sayChecks(worst)} < ${givenPercent(wanted)}`]
      : [];
  const missed = (script?.thresholds ?? []).filter(({ state }) => state === 'missed');
  return [...failed, ...missed.map(sayMissed)];
}

function sayMissed(threshold: ThresholdRow): string {
  const { metric, condition, value } = threshold;
  const found = value === null ? '?' : Number(value.toPrecision(digitsOfOutcome(threshold, value)));
  return `threshold ${metric} ${condition} (${found})`;
}
