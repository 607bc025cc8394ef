import { join } from 'node:path';
import { type Checkout, checkOut, type Source } from '../checkout/checkout.ts';
import type { Config } from '../config/types.ts';
import { readMachineError } from '../errors.ts';
import { type BuildOptions, type Built, buildImages, findBroken, idsOf } from '../images/build.ts';
import { buildExtension, type Extension } from '../images/extension-build.ts';
import { listPulled } from '../images/registry.ts';
import { buildForAll, pullShared, readShared } from '../images/shared-images.ts';
import type { Plan } from '../plan/plan.ts';
import { warnOfPlainCount } from '../plan/timeline/errors-plan.ts';
import type { PlannedImage, PlannedVariant } from '../plan/variants.ts';
import type { Warning } from '../results/results.ts';
import type { Desk } from './desk.ts';
import type { Ground, Prepared } from './prepare-stage.ts';
import type { RecordFile } from './record-file.ts';

/** Extensions of PHP that passes load, by variant. */
export interface PassExtensions {
  /** The sampler, for variants that are to be profiled. */
  excimer: ReadonlyMap<string, Extension>;
  /** The counter of errors, for variants whose PHP counts. */
  errors: ReadonlyMap<string, Extension>;
}

/** Builds all images, and what passes load. An image that cannot be built costs its variants alone. */
export async function build(
  desk: Desk,
  { found, config, variants }: Prepared,
  { planned }: Ground,
  { record, save }: RecordFile,
): Promise<PassExtensions> {
  const { host, docker, caller, run, signal, cleanUp } = desk;
  const { say, packageRoot, sharedImages } = caller;
  const runtimes = join(packageRoot, 'runtimes');
  const folders = { shared: join(runtimes, '_shared'), recipe: join(runtimes, '_app') };
  const source = found?.source ?? null;
  const buildAll = (images: readonly PlannedImage[], more: Pick<BuildOptions, 'registry' | 'keep'> = {}) =>
    withOtherFiles(desk, source, (otherFiles) =>
      buildImages(host, docker, images, { run, config, folders, signal, say, otherFiles, ...more }),
    );
  if (sharedImages === undefined) record.built = await buildAll(planned.images);
  else {
    const [all, ready] = [variants.images.filter(isBuilt), planned.images.filter((one) => !isBuilt(one))];
    const commit = source?.commit ?? null;
    let shared = await readShared(sharedImages);
    const { registry } = shared;
    const before = await listPulled(docker, registry);
    const own = ready.length === 0 ? new Map<string, Built>() : await buildAll(ready);
    if (shared.images === null) {
      const keep = idsOf(own);
      shared = await buildForAll(sharedImages, shared, commit, () => buildAll(all, { registry, keep }));
    }
    // Like containers, they are here for this run alone.
    const onPull = (pushed: string) => {
      if (!before.has(pushed)) cleanUp.later(`remove ${pushed}`, () => docker.try(['image', 'rm', pushed]));
    };
    const about = { ownCommit: commit, say, signal, onPull };
    const pulled = await pullShared(docker, planned.images.filter(isBuilt), shared, about);
    record.built = new Map([...pulled, ...own]);
  }
  await save();
  return buildExtensions(desk, config, planned, record);
}

/** Each engine has its own copy of an image that is there already. */
const isBuilt = ({ ready }: PlannedImage) => ready === null;

/** One that cannot be compiled is reported before anything is measured. */
async function buildExtensions(
  { docker, caller: { packageRoot, say }, signal }: Pick<Desk, 'docker' | 'caller' | 'signal'>,
  config: Pick<Config, 'buildCache' | 'images'>,
  { profile, errors, variants }: Plan,
  record: RecordFile['record'],
): Promise<PassExtensions> {
  const served = variants.filter((variant) => findBroken(record.built, variant) === undefined);
  const world = { docker, config, folder: join(packageRoot, 'runtimes', '_profile'), signal };
  const buildFor = async (
    name: Parameters<typeof buildExtension>[1],
    bases: Readonly<Record<string, string>>,
    warnOf: (variant: PlannedVariant, reason: string) => Warning,
  ): Promise<Map<string, Extension>> => {
    const wanted = served.flatMap(({ id }) => bases[id] ?? []);
    const built = await buildExtension(world, name, wanted);
    const found = new Map<string, Extension>();
    for (const variant of served) {
      const base = bases[variant.id];
      const one = base === undefined ? undefined : built.get(base);
      if (one === undefined) continue;
      found.set(variant.id, one);
      if ('image' in one) continue;
      const warning = warnOf(variant, `${base}: ${one.reason}`);
      record.plan = { ...record.plan, warnings: [...record.plan.warnings, warning] };
      say(warning.message);
    }
    return found;
  };
  return {
    excimer: await buildFor('excimer', profile?.variants ?? {}, warnOfNoSampler),
    errors: await buildFor('bench_errors', errors.variants, (variant, reason) =>
      warnOfPlainCount(variant, `the extension that counts all could not be compiled on ${reason}`),
    ),
  };
}

const warnOfNoSampler = ({ id, label }: PlannedVariant, reason: string): Warning => ({
  code: 'profile',
  message: `${label} is not profiled: the sampler could not be installed on ${reason}`,
  remedy: 'the measuring goes on without it; check that the base image can install excimer',
  variant: id,
});

/** The other commit's files are there while images are built, and gone when they are. */
async function withOtherFiles<T>(
  { host, run, signal }: Pick<Desk, 'host' | 'run' | 'signal'>,
  source: Source | null,
  use: (files: BuildOptions['otherFiles']) => Promise<T>,
): Promise<T> {
  if (source === null) return use(null);
  let checkout: Checkout;
  try {
    checkout = await checkOut(host, source, run, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const failure = readMachineError(error);
    if (failure) throw failure;
    const reason = `${source.commit.slice(0, 10)} could not be checked out: ${(error as Error).message}`;
    return use({ failure: { stage: 'build', reason, log: '' } });
  }
  try {
    return await use({ folder: checkout.folder });
  } finally {
    await checkout.remove();
  }
}
