/** Results of some checks: how many passed, and the rest by name. Nothing is tried twice. */
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

/** Data that the reporter writes about a run. */
export interface Reported {
  projects: Record<string, Tally>;
  /** Errors outside of any test. */
  errors: string[];
  /** False: it was written while tests were under way. */
  ended: boolean;
}

/**
 * Reads what the reporter wrote about a vitest run of some layers. A project of which nothing was written or run counts as one
 * failure, and so does a run that ended badly without naming one: silence is not success.
 *
 * @param text the reporter's file, undefined when it wrote none
 * @param end how the process ended: 'exit code 0', 'exit code 1', 'signal SIGKILL'
 * @param layers their projects
 * @returns by layer; failures of the whole run have all their names
 */
export function readRun(
  text: string | undefined,
  end: string,
  layers: Readonly<Record<string, readonly string[]>>,
): Record<string, Tally> {
  const reported = text === undefined ? undefined : parseReport(text);
  const tallies: Record<string, Tally> = {};
  for (const [layer, projects] of Object.entries(layers)) {
    const tally = addUp(projects.flatMap((project) => reported?.projects[project] ?? []));
    if (!reported) tally.failed.push(`vitest gave no report (${end})`);
    else tally.failed.push(...projects.filter((one) => isSilent(reported.projects[one])).map(nameSilent));
    tallies[layer] = tally;
  }
  const failures = [...(reported?.errors ?? [])];
  const failed = [...failures, ...Object.values(tallies).flatMap((tally) => tally.failed)];
  if (reported && !reported.ended) failures.push(`vitest ended before its tests (${end})`);
  else if (end !== 'exit code 0' && failed.length === 0)
    failures.push(`vitest named no failure, but ended with ${end}`);
  if (failures.length === 0) return tallies;
  const all = Object.keys(layers).join(', ');
  return { ...tallies, [all]: addUp([tallies[all] ?? emptyTally(), { ...emptyTally(), failed: failures }]) };
}

const nameSilent = (project: string) => `vitest ran no test of the project ${project}`;

const isSilent = ({ passed, failed, skipped }: Tally = emptyTally()) =>
  passed + failed.length + skipped.length === 0;

const addUp = (tallies: readonly Tally[]): Tally => ({
  passed: tallies.reduce((sum, { passed }) => sum + passed, 0),
  failed: tallies.flatMap(({ failed }) => failed),
  skipped: tallies.flatMap(({ skipped }) => skipped),
});

function parseReport(text: string): Reported | undefined {
  try {
    const { projects, errors, ended } = JSON.parse(text);
    const isTally = ({ passed, failed, skipped }: Tally) =>
      Number.isInteger(passed) && [failed, skipped].every(Array.isArray);
    return Object.values(projects as Reported['projects']).every(isTally) && Array.isArray(errors)
      ? { projects, errors, ended: ended === true }
      : undefined;
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
