import type { Results, Variant } from '../results/results.ts';
import { groupPages } from './checked-pages.ts';

/**
 * Merges the results of several runs as far as their numbers may be compared. They need the same machine and request
 * headers, and no scenario or variant may mean different things in two of them: built from another image, or run with
 * other settings. Results that do not fit form a group of their own. A run that is given twice counts once, also as part
 * of earlier merged results. Otherwise its starts would be taken for twice as many.
 *
 * @returns one entry per group, in order of appearance; each can be analysed by itself
 */
export function mergeResults(list: readonly Results[]): Results[] {
  const groups: Results[][] = [];
  for (const results of withoutRepeated(unique(list, ({ run }) => run.id))) {
    const group = groups.find((others) => others.every((other) => fitTogether(other, results)));
    if (group) group.push(results);
    else groups.push([results]);
  }
  return groups.map(concatenate);
}

const JOIN = ' + ';

/** Ids of the runs that it was put together from, or its own. */
const runsIn = ({ run }: Results): string[] => run.id.split(JOIN);

/** Leaves out what another one has as a whole. */
function withoutRepeated(list: readonly Results[]): Results[] {
  return list.filter(
    (results) =>
      !list.some((other) => {
        const [own, others] = [runsIn(results), runsIn(other)];
        return others.length > own.length && own.every((id) => others.includes(id));
      }),
  );
}

function fitTogether(a: Results, b: Results): boolean {
  const runs = runsIn(a);
  return (
    // Common runs would count twice.
    !runsIn(b).some((id) => runs.includes(id)) &&
    isSameHost(a.host, b.host) &&
    a.plan.host === b.plan.host &&
    same(a.plan.headers, b.plan.headers) &&
    same(a.plan.cpus, b.plan.cpus) &&
    same(a.plan.shard, b.plan.shard) &&
    same(placeOf(a), placeOf(b)) &&
    a.tool.k6 === b.tool.k6 &&
    agree(a.plan.scenarios.map(withoutEffort), b.plan.scenarios.map(withoutEffort), ({ name }) => name) &&
    agree(a.variants.map(identity), b.variants.map(identity), (variant) => variant.id) &&
    a.variants.every((one) =>
      b.variants.every((other) => one.id !== other.id || haveSameSettings(one, other)),
    )
  );
}

/** Older versions did not note the image store. */
function isSameHost(a: Results['host'], b: Results['host']): boolean {
  const { imageStore: one, ...first } = a;
  const { imageStore: other, ...second } = b;
  return same(first, second) && (one === other || one === undefined || other === undefined);
}

/** Whether two had the same environment, limits and services, as far as is known: older versions did not note them. */
export const haveSameSettings = (
  { settings: one }: Pick<Variant, 'settings'>,
  { settings: other }: Pick<Variant, 'settings'>,
): boolean => one === other || one === undefined || other === undefined;

/** Round trips and clocks differ each time; what was loaded from where does not. */
function placeOf({ plan: { elsewhere } }: Results) {
  if (!elsewhere) return null;
  const { kind, target, generators } = elsewhere;
  // Pods have new names each time.
  return [kind, target, generators.map(({ name, share }) => [kind === 'cluster' ? '' : name, share])];
}

/** A scenario as it was asked for: with a budget, each run has as many blocks as fit. */
export function withoutEffort({ blocks: _, ...scenario }: Results['plan']['scenarios'][number]) {
  return scenario;
}

/** Identity of a variant across runs: built from the same image, under the same name. */
function identity({ id, label, ref, base, image }: Results['variants'][number]) {
  return { id, label, ref, base, image: image?.id ?? null };
}

/** Things of the same name are the same thing. */
function agree<T>(a: readonly T[], b: readonly T[], nameOf: (item: T) => string): boolean {
  return a.every((item) => b.every((other) => nameOf(item) !== nameOf(other) || same(item, other)));
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function concatenate(group: readonly Results[]): Results {
  const [first, ...others] = group as [Results, ...Results[]];
  if (others.length === 0) return first;
  // Fresh starts of different runs are different instances.
  let offset = 0;
  const moved = group.map((results) => {
    const move = <T extends { instance: number }>(list: readonly T[]): T[] =>
      list.map((item) => ({ ...item, instance: item.instance + begin }));
    const begin = offset;
    offset += countInstances(results);
    return {
      measurements: move(results.measurements),
      duets: move(results.duets),
      searches: move(results.searches),
      profiles: move(results.profiles),
      counts: move(results.counts),
    };
  });
  return {
    ...first,
    run: mergeRuns(group),
    host: group.find(({ host }) => host.imageStore)?.host ?? first.host,
    plan: mergePlans(group),
    variants: mergeVariants(group),
    ...(group.some(({ checked }) => checked) && {
      checked: groupPages(group.flatMap(({ checked }) => checked ?? [])),
    }),
    measurements: moved.flatMap(({ measurements }) => measurements),
    duets: moved.flatMap(({ duets }) => duets),
    searches: moved.flatMap(({ searches }) => searches),
    profiles: moved.flatMap(({ profiles }) => profiles),
    counts: moved.flatMap(({ counts }) => counts),
    comparisons: unique(
      group.flatMap(({ comparisons }) => comparisons),
      ({ variant, reference, against, scenario, metric }) =>
        JSON.stringify([variant, reference, against, scenario, metric]),
    ),
    warnings: [
      {
        code: 'merged-runs',
        message: `combined from ${group.length} runs (${group.map(({ run }) => run.id).join(', ')}). Their variants were not loaded in turn, perhaps not on one machine. Differences between runs include those of time and machine`,
        remedy: 'measure everything that you want to compare in one run',
        variant: null,
      },
      ...unique(
        group.flatMap(({ warnings }) => warnings),
        (warning) => JSON.stringify(warning),
      ),
    ],
  };
}

function mergeRuns(group: readonly Results[]): Results['run'] {
  const [first, ...others] = group as [Results, ...Results[]];
  const seconds = (of: (run: Results['run']) => number) => group.reduce((sum, { run }) => sum + of(run), 0);
  const wallSeconds = seconds((run) => run.wallSeconds);
  const loadSeconds = seconds((run) => run.loadSeconds);
  // Other apps of one checkout were measured, or an older version did not note them.
  const headOf = ({ run: { head } }: Results) => head && { ...head, apps: undefined };
  const isOneHead = others.every((other) => same(headOf(other), headOf(first)));
  const apps = Object.assign({}, ...group.map(({ run }) => run.head?.apps));
  return {
    ...first.run,
    id: group.map(({ run }) => run.id).join(JOIN),
    started: group.map(({ run }) => run.started).sort()[0] as string,
    finished: group
      .map(({ run }) => run.finished)
      .sort()
      .at(-1) as string,
    wallSeconds,
    loadSeconds,
    overheadRatio: wallSeconds > 0 ? 1 - loadSeconds / wallSeconds : 0,
    stopped: group.find(({ run }) => run.stopped)?.run.stopped ?? null,
    head: isOneHead && first.run.head ? { ...first.run.head, apps } : undefined,
    merged: group.flatMap(({ run }) => run.merged ?? [{ seed: run.seed, command: run.command }]),
  };
}

function mergeVariants(group: readonly Results[]): Results['variants'] {
  const all = group.flatMap(({ variants }) => variants);
  return unique(all, ({ id }) => id).map((variant) => {
    const runs = all.filter(({ id }) => id === variant.id);
    const settings = runs.find((run) => run.settings)?.settings;
    return {
      ...variant,
      ...(settings && { settings }),
      coldStartMs: runs.flatMap((run) => run.coldStartMs),
      coldStart: mergeColdStarts(runs),
      failure: runs.find((run) => run.failure)?.failure ?? null,
    };
  });
}

/** The times of all runs that timed the same path with the same tool as the first. */
function mergeColdStarts(runs: Results['variants']): Results['variants'][number]['coldStart'] {
  const [first, ...others] = runs.flatMap(({ coldStart }) => coldStart ?? []);
  if (!first) return null;
  const alike = others.filter(({ tool, path }) => tool === first.tool && path === first.path);
  return { ...first, timesMs: [first, ...alike].flatMap(({ timesMs }) => timesMs) };
}

/** Fewer starts of a scenario that was to have fewer are not missing, unless a run was cut short. */
function fewestStarts(group: readonly Results[]): number {
  const planned = group.map(({ plan }) => plan.instances);
  return group.some(({ run }) => run.stopped !== null) ? Math.max(...planned) : Math.min(...planned);
}

function mergePlans(group: readonly Results[]): Results['plan'] {
  const [{ plan: first }] = group as [Results, ...Results[]];
  const { unjudged: _, ...plan } = first;
  const agreed = <T>(of: (plan: Results['plan']) => T) =>
    group.every((one) => of(one.plan) === of(first)) ? of(first) : null;
  return {
    ...plan,
    instances: fewestStarts(group),
    durationScale: agreed((one) => one.durationScale) ?? 1,
    budgetSeconds: agreed((one) => one.budgetSeconds),
    scenarios: unique(
      group.flatMap(({ plan }) => plan.scenarios),
      (scenario) => scenario.name,
    ),
    estimatedSeconds: group.reduce((sum, { plan }) => sum + plan.estimatedSeconds, 0),
    steps: group.reduce((sum, { plan }) => sum + plan.steps, 0),
    reference: referenceOfMost(group),
    compareTo: group.find(({ plan }) => plan.compareTo)?.plan.compareTo ?? null,
    gates: unique(
      group.flatMap(({ plan }) => plan.gates),
      (gate) => JSON.stringify(gate),
    ),
    ...chooseUnjudged(group),
  };
}

/**
 * The variant that the others are compared with: one that a run asked for. Otherwise, among the references of the runs,
 * the one that most runs have measured: so most pairs were loaded in turn. Null where that is the first one, as in a single
 * run, or all have failed.
 */
function referenceOfMost(group: readonly Results[]): string | null {
  const asked = group.find(({ plan }) => plan.reference)?.plan.reference;
  if (asked) return asked;
  // One that failed in one of the runs counts as failed in all that is put together.
  const failed = new Set(group.flatMap(({ variants }) => variants.flatMap((v) => (v.failure ? [v.id] : []))));
  const usable = group.map(({ variants }) => variants.filter((v) => v.ref === null && !failed.has(v.id)));
  const candidates = usable.flatMap(([first]) => first?.id ?? []);
  const runsWith = (id: string) => usable.filter((variants) => variants.some((v) => v.id === id)).length;
  const most = Math.max(...candidates.map(runsWith));
  const [first] = usable.flat();
  const found = candidates.find((id) => runsWith(id) === most) ?? null;
  return found === first?.id ? null : found;
}

/** As many as were planned, or as a pass has of its own; what was put together before has more than its plan. */
function countInstances({ plan, measurements, profiles, counts }: Results): number {
  const started = [...measurements, ...profiles, ...counts];
  return started.reduce((most, { instance }) => Math.max(most, instance + 1), plan.instances);
}

/** A gate that cannot be judged passes only where every run with gates lets it. */
function chooseUnjudged(group: readonly Results[]): Pick<Results['plan'], 'unjudged'> {
  const gated = group.filter(({ plan }) => plan.gates.length > 0);
  const passes = gated.length > 0 && gated.every(({ plan }) => plan.unjudged === 'pass');
  return passes ? { unjudged: 'pass' } : {};
}

/** One of each key: the last one, in the place of the first. */
function unique<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
