import type { Comparison, Profile, Results } from '../../results/results.ts';
import { DEFAULT_OK_RATIO } from '../../stats/limits.ts';
import { explainUnlike } from '../../text/unlike-rows.ts';
import { mergeTrees, type Weighed } from './call-tree.ts';
import { findCaller } from './callers.ts';
import { findCulprits } from './culprits.ts';
import { alignEntries } from './entries.ts';
import { groupOf, keyOf, pathOf } from './frame-groups.ts';
import { type Paired, type ProfiledStart, readStart, sumOf, testChanges, timesOf } from './functions.ts';
import type { FunctionName, FunctionTime, Sides, Why } from './why-model.ts';

/** The list has at most so many functions. The tree has the rest, as far as it goes. */
export const MAX_FUNCTIONS = 500;

/** The CPU time of each variant by function, and its changes against the base. In the order of plan and variants. */
export function explainCpu(results: Results, comparisons: readonly Comparison[]): Why[] {
  const profiles = Map.groupBy(results.profiles, ({ scenario, variant }) =>
    JSON.stringify([scenario, variant]),
  );
  return results.plan.scenarios.flatMap(({ name, slo }) => {
    const needed = Math.min(DEFAULT_OK_RATIO, slo.okRatio ?? 1);
    // A start with error pages shows where those spend their time. Older versions kept such starts.
    const of = (variant: string) =>
      (profiles.get(JSON.stringify([name, variant])) ?? []).filter(
        ({ requests, failures }) => requests - failures >= needed * requests,
      );
    const own = comparisons.filter(({ scenario, metric }) => scenario === name && metric === 'cpu');
    return [...explainVariants(results, name, of, own), ...explainRows(results, name, of, own)];
  });
}

function explainVariants(
  { variants, plan }: Results,
  scenario: string,
  of: (variant: string) => readonly Profile[],
  comparisons: readonly Comparison[],
): Why[] {
  const isBase = new Set(variants.flatMap(({ base }) => base ?? []));
  return variants.flatMap(({ id, app, base }) => {
    const own = readSides(of(id), base === null ? [] : of(base));
    if (!own || isBase.has(id)) return [];
    const verdict = comparisons.find(({ variant, against }) => variant === id && against === 'base');
    const changed = new Set(plan.compareTo?.changed?.[app] ?? []);
    const isPaired = base !== null && own.bases.length > 0;
    const named = { scenario, variant: id, base: isPaired ? base : null };
    return [describe({ ...named, against: isPaired ? 'base' : null }, own, changed, verdict)];
  });
}

/** The second of two rows against the first, where exactly two were profiled that have no other version. */
function explainRows(
  { variants }: Results,
  scenario: string,
  of: (variant: string) => readonly Profile[],
  comparisons: readonly Comparison[],
): Why[] {
  const rows = variants.filter(({ id, ref, base }) => ref === null && base === null && of(id).length > 0);
  const [first, second, ...others] = rows;
  if (!first || !second || others.length > 0 || explainUnlike(first, second) !== null) return [];
  const sides = readSides(...alignEntries(of(second.id), of(first.id)));
  if (!sides || sides.bases.length === 0) return [];
  const verdict = comparisons.find(
    ({ variant, reference, against }) =>
      variant === second.id && reference === first.id && against === 'reference',
  );
  const named = { scenario, variant: second.id, base: first.id, against: 'row' } as const;
  return [describe(named, sides, new Set(), verdict)];
}

interface Read {
  profile: Profile;
  start: ProfiledStart;
}

interface ReadSides {
  variants: readonly Read[];
  bases: readonly Read[];
}

/** Starts that were measured on both sides; all of the variant where no start has both. Null: nothing was sampled. */
function readSides(variants: readonly Profile[], bases: readonly Profile[]): ReadSides | null {
  const read = (list: readonly Profile[]) =>
    list.flatMap((profile) => {
      const start = readStart(profile);
      return start ? [{ profile, start }] : [];
    });
  const [own, others] = [read(variants), read(bases)];
  if (own.length === 0) return null;
  const pairs = own.flatMap((one) => {
    const other = others.find(({ profile }) => profile.instance === one.profile.instance);
    return other ? [[one, other] as const] : [];
  });
  if (pairs.length === 0) return { variants: own, bases: [] };
  return { variants: pairs.map(([one]) => one), bases: pairs.map(([, other]) => other) };
}

function describe(
  named: Pick<Why, 'scenario' | 'variant' | 'base' | 'against'>,
  sides: ReadSides,
  changed: ReadonlySet<string>,
  verdict: Comparison | undefined,
): Why {
  const paired: Paired = {
    variants: sides.variants.map(({ start }) => start),
    bases: sides.bases.map(({ start }) => start),
  };
  const nameOf = makeNames(sides, changed);
  const mean = (starts: readonly ProfiledStart[]) =>
    starts.length > 0 ? sumOf(starts.map(({ perRequestUs }) => perRequestUs)) / starts.length : 0;
  const perRequestUs: Sides = { variant: mean(paired.variants), base: mean(paired.bases) };
  const functions = listFunctions(paired, nameOf);
  const count = (starts: readonly ProfiledStart[]) => sumOf(starts.map(({ samples }) => samples));
  const all = [...sides.variants, ...sides.bases];
  const tree = mergeTrees([...weigh(sides.variants, 'variant'), ...weigh(sides.bases, 'base')], nameOf);
  return {
    ...named,
    starts: paired.variants.length,
    samples: { variant: count(paired.variants), base: count(paired.bases) },
    perRequestUs,
    periodUs: middleOf(all.map(({ profile }) => profile.periodUs)) ?? 0,
    overhead: middleOf(all.flatMap(({ profile }) => profile.overheadRatio ?? [])),
    every: everyOf(all),
    ...changeOf(perRequestUs, paired.bases.length > 0, verdict),
    tests: functions.filter(({ change }) => change).length,
    culprits: findCulprits(paired, nameOf).map((one) => ({ ...one, caller: findCaller(tree, one) })),
    functions: functions.slice(0, MAX_FUNCTIONS),
    left: Math.max(0, functions.length - MAX_FUNCTIONS),
    tree,
  };
}

/** The median: one of a few starts that was disturbed shows little. Null: of none. */
function middleOf(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const at = (i: number) => sorted[Math.floor(i)] as number;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}

function everyOf(starts: readonly Read[]): Why['every'] {
  const known = starts.flatMap(({ profile }) => profile.every ?? []);
  return known.length === 0 ? null : { least: Math.min(...known), most: Math.max(...known) };
}

/** That of the verdict is the surer one. */
function changeOf(
  { variant, base }: Sides,
  isCompared: boolean,
  verdict: Comparison | undefined,
): Pick<Why, 'changeUs' | 'isSure'> {
  const { interval = null, values = null } = verdict ?? {};
  if (!isCompared) return { changeUs: 0, isSure: false };
  // If too many answers were wrong, there is an interval, but nothing is concluded from it.
  const isConcluded = verdict !== undefined && verdict.verdict !== 'inconclusive';
  const isSure = isConcluded && interval !== null && (interval.low > 1 || interval.high < 1);
  return { changeUs: isSure && values ? values.variant - values.reference : variant - base, isSure };
}

/**
 * The name of a function, by its key. A line is that of the variant where both have it. Closures with one key that stand in
 * several lines have none.
 */
function makeNames(
  { variants, bases }: ReadSides,
  changed: ReadonlySet<string>,
): (key: string) => FunctionName {
  const [own, others] = [linesOf(variants), linesOf(bases)];
  const lineOf = (key: string) => {
    const known = [own.get(key), others.get(key)];
    const [line = null] = known.some((lines) => lines && lines.size > 1) ? [] : (known[0] ?? known[1] ?? []);
    return line;
  };
  const frames = [...bases, ...variants].flatMap(({ profile }) => profile.frames);
  const names = new Map(
    frames.map((frame): [string, FunctionName] => [
      keyOf(frame),
      {
        ...{ ...frame, line: lineOf(keyOf(frame)), group: groupOf(frame) },
        changed: frame.file !== null && changed.has(pathOf(frame.file)),
      },
    ]),
  );
  const unknown: FunctionName = { name: '?', file: null, line: null, group: 'php', changed: false };
  return (key) => names.get(key) ?? unknown;
}

/** Lines of one version, by the key of their function. */
function linesOf(side: readonly Read[]): Map<string, Set<number>> {
  const found = new Map<string, Set<number>>();
  for (const frame of side.flatMap(({ profile }) => profile.frames)) {
    const key = keyOf(frame);
    const lines = found.get(key) ?? new Set();
    found.set(key, frame.line === null ? lines : lines.add(frame.line));
  }
  return found;
}

/** Sorted: sure changes of own functions, then of others, each by size; then the rest by time. */
function listFunctions(paired: Paired, nameOf: (key: string) => FunctionName): FunctionTime[] {
  // Apart from each other: the times of callers contain those of what they call.
  const { self: changes } = testChanges(paired, ['self']);
  const { inclusive: withCallees } = testChanges(paired, ['inclusive']);
  const inclusive = timesOf(paired, 'inclusive');
  const functions = [...timesOf(paired, 'self')].map(
    ([key, selfUs]): FunctionTime => ({
      ...nameOf(key),
      selfUs,
      inclusiveUs: inclusive.get(key) ?? selfUs,
      change: changes.get(key) ?? null,
      inclusiveChange: withCallees.get(key) ?? null,
    }),
  );
  const place = ({ change, group }: FunctionTime) => (change?.sure ? (group === 'own' ? 0 : 1) : 2);
  const size = ({ change, selfUs }: FunctionTime) =>
    change?.sure ? Math.abs(change.us) : Math.max(selfUs.variant, selfUs.base);
  return functions.sort((a, b) => place(a) - place(b) || size(b) - size(a));
}

function weigh(starts: readonly Read[], side: Weighed['side']): Weighed[] {
  return starts.map(({ profile, start }) => ({ profile, worth: start.worth / starts.length, side }));
}
