import type { Scenario } from '../../config/types.ts';
import { removeContainers } from '../../engine/docker.ts';
import { findCounted } from '../../plan/shard-plan.ts';
import type { PlannedVariant } from '../../plan/variants.ts';
import type { CheckedPage, Count } from '../../results/results.ts';
import { fileNameOf } from '../../text/file-name.ts';
import { cleanLine, cut, listNames } from '../../text/plain.ts';
import { guard } from '../passes/run-pass.ts';
import { listPresent, type World } from '../world.ts';
import {
  askPage,
  COUNTED,
  type Counting,
  countPage,
  LIMIT_SECONDS,
  pageOf,
  REPEATS,
  Uncountable,
} from './count-page.ts';
import { nameFiles, packText } from './kept-output.ts';
import { findDifferences, findExtremes, findPageDifference, floorOf, MOST_FLOOR, meanOf } from './repeats.ts';
import { containerOfSide, openSide, type Side } from './side.ts';

/** A page of the load. */
interface Target {
  path: string;
  scenario: Scenario;
  /** Name of what is kept of callgrind. */
  file: string;
}

/** Facts of the run about its pages. */
interface KnownPages {
  checked: readonly CheckedPage[];
  /** As the load names itself. */
  agent: string;
}

/**
 * Counts the instructions of each path, of both versions at once, on the first variant of an app and PHP version: which server
 * it has, is not in the count. A page that cannot be counted is a warning.
 */
export async function countInstructions(world: World, known: KnownPages): Promise<void> {
  const { job, sink } = world;
  const targets = listTargets(job.config.scenarios);
  if (targets.some(({ path }) => path === null)) warn(world, null, SCRIPTED, SCRIPTED_REMEDY);
  const paths = targets.flatMap(({ path }) => path ?? []);
  const files = nameFiles(paths);
  const pages = targets.flatMap(({ path, scenario }): Target[] =>
    path === null ? [] : [{ path, scenario, file: files.get(path) as string }],
  );
  if (pages.length === 0) return;
  const pairs = listPairs(world);
  const minutes = (2 * LIMIT_SECONDS) / 60;
  if (pairs.length > 0)
    sink.say(`counting the instructions of ${paths.join(', ')}: up to ${minutes} minutes each`);
  const pass = { code: 'count', title: 'count of instructions', remedy: REMEDY } as const;
  for (const pair of pairs) await guard(world, pass, pair, () => countPair(world, known, pair, pages));
}

const SCRIPTED = 'instructions are counted of paths alone, not of what a k6 script asks for';
const SCRIPTED_REMEDY = 'name the pages in a scenario of your own with `paths`';

/** Each path once; null: a script asks. */
function listTargets(scenarios: readonly Scenario[]): { path: string | null; scenario: Scenario }[] {
  const all = scenarios.flatMap((scenario): { path: string | null; scenario: Scenario }[] => {
    const { journey } = scenario;
    return journey.kind === 'paths'
      ? journey.paths.map((path) => ({ path, scenario }))
      : [{ path: null, scenario }];
  });
  return all.filter(({ path }, i) => all.findIndex((one) => one.path === path) === i);
}

/** Versions of an app, those that are checked out first. */
function listPairs({ job }: World): PlannedVariant[][] {
  // Nobody has checked the answers of variants that failed.
  const variants = listPresent(job);
  const heads = findCounted(job.config, variants, job.plan.variants);
  return heads.map((head) => [head, ...variants.filter(({ id }) => id === head.base)]);
}

async function countPair(
  world: World,
  known: KnownPages,
  variants: readonly PlannedVariant[],
  pages: readonly Target[],
): Promise<void> {
  const { engine, sink } = world;
  const sides: Side[] = [];
  try {
    for (const variant of variants) sides.push(await openSide(world, variant, sides.length));
    for (const page of pages) {
      sink.at(`counting instructions of ${page.path}`, 1);
      try {
        await countTarget(world, known, sides, page);
      } catch (error) {
        engine.signal.throwIfAborted();
        if (!(error instanceof Uncountable)) throw error;
        warn(world, variants[0] ?? null, `${page.path} cannot be counted: ${error.message}`, REMEDY);
      }
    }
  } catch (error) {
    engine.signal.throwIfAborted();
    if (!(error instanceof Uncountable)) throw error;
    warn(world, variants[0] ?? null, `its instructions cannot be counted: ${error.message}`, REMEDY);
  } finally {
    await removeContainers(
      engine.docker,
      variants.map((_, i) => containerOfSide(world, i)),
    );
  }
}

/** All repeats of a page, each with what the other version counts at the same time. */
async function countTarget(
  world: World,
  known: KnownPages,
  sides: readonly Side[],
  { path, scenario, file }: Target,
): Promise<void> {
  const { docker, signal } = world.engine;
  const page = pageOf(world, path, known.agent);
  const countings = await settle(
    sides.map(async ({ variant, container }): Promise<Counting[]> => {
      const where = { docker, container, signal };
      const answer = await askPage(where, page);
      const other = findPageDifference(findChecked(known.checked, variant, path), answer);
      if (other !== null) throw new Uncountable(other);
      const repeats: Counting[] = [];
      for (let repeat = 0; repeat < REPEATS; repeat++) {
        repeats.push(await countPage(where, page, repeat, answer));
      }
      return repeats;
    }),
  );
  await keepFiles(world, sides, file, countings);
  const repeats = countings.map((ofSide) => ofSide.map(({ repeat }) => repeat));
  const floorRatio = floorOf(repeats);
  if (floorRatio > MOST_FLOOR) throw new Uncountable(describeFloor(floorRatio, repeats));
  const [head, base] = repeats.map((ofSide) => ofSide[0]?.at(-1));
  const differences = head && base ? findDifferences(base, head, MOST_FUNCTIONS) : [];
  for (const [i, { variant }] of sides.entries()) {
    const own = repeats[i] ?? [];
    const functions = differences.map(({ name, self, calls }) => {
      const at = i === 0 ? 1 : 0;
      return { name: cut(cleanLine(name), MOST_CHARACTERS), perRequest: self[at], calls: calls[at] };
    });
    await world.sink.keepCount({
      ...({ count: true, variant: variant.id, scenario: scenario.name, instance: 0 } as const),
      ...({ by: 'instructions', endpoint: path, requests: COUNTED, failures: 0 } as const),
      values: [{ name: 'instructions', perRequest: own.map(meanOf) }],
      floorRatio,
      ...(functions.length > 0 && { functions }),
    } satisfies Count);
  }
}

/** Functions that are kept of a page, and characters of a name. */
const MOST_FUNCTIONS = 20;
const MOST_CHARACTERS = 200;

/** Nobody goes on counting when it is known that a page cannot be counted. */
async function settle<T>(work: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

function findChecked(
  checked: readonly CheckedPage[],
  variant: PlannedVariant,
  path: string,
): CheckedPage | undefined {
  return checked.find(
    ({ endpoint, journey, variants }) =>
      journey === null && (endpoint === path || endpoint === cut(path, 200)) && variants.includes(variant.id),
  );
}

/** Keeps callgrind's output for one request of each side. */
async function keepFiles(
  { sink }: World,
  sides: readonly Side[],
  file: string,
  countings: readonly (readonly Counting[])[],
): Promise<void> {
  for (const [i, { variant }] of sides.entries()) {
    const [name, content] = packText(file, countings[i]?.[0]?.text ?? '');
    await sink.keepRaw(`raw/instructions/${fileNameOf(variant.id)}/${name}`, content);
  }
}

function describeFloor(floorRatio: number, repeats: readonly (readonly Counting['repeat'][])[]): string {
  const worst = repeats.reduce((a, b) => (floorOf([b]) > floorOf([a]) ? b : a));
  const [least, most] = findExtremes(worst);
  const names = findDifferences(least, most, 3).map(({ name }) => cut(cleanLine(name), MOST_CHARACTERS));
  const percent = (ratio: number) => `${Number((ratio * 100).toPrecision(2))} %`;
  return `equal counts of it differ by ${percent(floorRatio)}, more than ${percent(MOST_FLOOR)}, most in ${listNames(names)}`;
}

const REMEDY = 'compare CPU per request, which every run measures';

function warn({ sink }: World, variant: PlannedVariant | null, what: string, remedy: string): void {
  const message = `${variant ? `${variant.label}: ` : ''}${cleanLine(what)}`;
  sink.warn({ code: 'not-counted', message, remedy, variant: variant?.id ?? null });
}
