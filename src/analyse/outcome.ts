import type { GateResult, Row, Summary } from './summary.ts';

/** Whether a run fails, and because of what. */
export interface Outcome {
  /**
   * 0: it passes; 1: a pass criterion was missed or a gate failed; 3: something was not measured or not judged; 4: the
   * engine's disk is full.
   */
  code: 0 | 1 | 3 | 4;
  failedGates: readonly GateResult[];
  /** Gates of which nothing could be judged, where that fails the run. */
  openGates: readonly GateResult[];
  /** Labels of variants that were needed and not measured. */
  unmeasured: readonly string[];
  /** Labels of variants that missed a pass criterion of their scenario. */
  missed: readonly string[];
  /** A gate needs the other ref, and there is none. */
  lacksBase: boolean;
}

/** Missing measurements or verdicts count for more than a missed criterion or a failed gate. */
export function outcomeOf(summary: Summary): Outcome {
  const { plan, gates, scenarios, warnings } = summary;
  const isGated = plan.gates.length > 0 && plan.compareTo !== null;
  // One that names a variant is about its base, which is among the unmeasured.
  const lacksBase = isGated && warnings.some(({ code, variant }) => code === 'no-base' && variant === null);
  const unmeasured = unmeasuredOf(summary, isGated);
  // A criterion is for the app as it is checked out, not for the other ref.
  const missed = scenarios.flatMap(({ rows }) => rows).filter(({ sloMissed }) => sloMissed.length > 0);
  const failedGates = gates.filter(({ failed }) => failed);
  const openGates = plan.unjudged === 'pass' ? [] : gates.filter(({ unjudged }) => unjudged);
  const causes = { failedGates, openGates, unmeasured, missed: labelsOf(missed), lacksBase };
  if (summary.variants.some(isOutOfDisk)) return { code: 4, ...causes };
  if (unmeasured.length > 0 || lacksBase) return { code: 3, ...causes };
  if (missed.length > 0 || failedGates.length > 0) return { code: 1, ...causes };
  return { code: openGates.length > 0 ? 3 : 0, ...causes };
}

/**
 * The engine's disk: its builder and its storage use the words of the system. Once a server answers, its messages
 * about a disk concern the app.
 */
function isOutOfDisk({ failure }: Summary['variants'][number]): boolean {
  if (failure === null || (failure.stage !== 'build' && failure.stage !== 'start')) return false;
  return /no space left on device/i.test(`${failure.reason}\n${failure.log}`);
}

/** Variants of the other ref are needed by gates only, and may fail under load: the comparison shows that. */
function unmeasuredOf({ scenarios, variants }: Summary, isGated: boolean): string[] {
  const broken = new Set(variants.flatMap(({ id, failure }) => (failure ? [id] : [])));
  const isMissing = (row: Row) => broken.has(row.variant) || row.slices.ok === 0;
  return labelsOf(
    scenarios.flatMap(({ rows, bases }) => [
      ...rows.filter((row) => row.state.kind === 'failed' || isMissing(row)),
      ...(isGated ? bases.filter(isMissing) : []),
    ]),
  );
}

function labelsOf(rows: readonly Row[]): string[] {
  return [...new Set(rows.map(({ label }) => label))];
}
