/** What came of some checks: how many passed, and the rest by name. Nothing is tried twice. */
export interface Tally {
  passed: number;
  failed: string[];
  skipped: { name: string; reason: string }[];
}

export const emptyTally = (): Tally => ({ passed: 0, failed: [], skipped: [] });

/** Adds tallies up, each name prefixed by its layer's. */
export function sumTallies(layers: Record<string, Tally>): Tally {
  const sum = emptyTally();
  for (const [layer, tally] of Object.entries(layers)) {
    sum.passed += tally.passed;
    sum.failed.push(...tally.failed.map((name) => `${layer}: ${name}`));
    sum.skipped.push(...tally.skipped.map((skip) => ({ ...skip, name: `${layer}: ${skip.name}` })));
  }
  return sum;
}

/**
 * Reads what the reporter wrote about a vitest run. A run that wrote nothing, ran nothing or ended badly without
 * naming a failure counts as one failure: silence is not success.
 *
 * @param text the reporter's file, undefined when it wrote none
 * @param end how the process ended: 'exit code 0', 'exit code 1', 'signal SIGKILL'
 */
export function readRun(text: string | undefined, end: string): Tally {
  const tally = text === undefined ? undefined : parseTally(text);
  if (!tally) return { ...emptyTally(), failed: [`vitest gave no report (${end})`] };
  if (tally.failed.length > 0) return tally;
  if (end !== 'exit code 0') return { ...tally, failed: [`vitest named no failure, but ended with ${end}`] };
  if (tally.passed + tally.skipped.length === 0) return { ...tally, failed: ['vitest ran no test'] };
  return tally;
}

function parseTally(text: string): Tally | undefined {
  try {
    const { passed, failed, skipped } = JSON.parse(text);
    const isTally = Number.isInteger(passed) && [failed, skipped].every(Array.isArray);
    return isTally ? { passed, failed, skipped } : undefined;
  } catch {
    return undefined;
  }
}

/** The end of the output: each skip with its reason, each failure by name, and as the last line the sum. */
export function renderTally({ passed, failed, skipped }: Tally): string {
  return [
    ...skipped.map(({ name, reason }) => `- ${name} (skipped: ${reason})`),
    ...failed.map((name) => `✗ ${name}`),
    '',
    `${passed} passed, ${failed.length} failed, ${skipped.length} skipped`,
  ].join('\n');
}
