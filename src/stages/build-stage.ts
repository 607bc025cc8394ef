import { join } from 'node:path';
import { type Checkout, checkOut, type Source } from '../checkout/checkout.ts';
import { type BuildOptions, buildImages } from '../images/build.ts';
import type { Desk } from './desk.ts';
import type { Ground, Prepared } from './prepare-stage.ts';
import type { RecordFile } from './record-file.ts';

/** Builds all images. One that cannot be built costs its variants alone. */
export async function build(
  desk: Desk,
  { found, config }: Prepared,
  { planned }: Ground,
  { record, save }: RecordFile,
): Promise<void> {
  const { host, docker, caller, run, signal } = desk;
  const { say, packageRoot } = caller;
  const runtimes = join(packageRoot, 'runtimes');
  const folders = { shared: join(runtimes, '_shared'), recipe: join(runtimes, '_app') };
  record.built = await withOtherFiles(desk, found?.source ?? null, (otherFiles) =>
    buildImages(host, docker, planned.images, { run, config, folders, signal, say, otherFiles }),
  );
  await save();
}

/** The other commit's files are there while images are built, and gone when they are. */
async function withOtherFiles<T>(
  { host, run, signal }: Desk,
  source: Source | null,
  use: (files: BuildOptions['otherFiles']) => Promise<T>,
): Promise<T> {
  if (source === null) return use(null);
  let checkout: Checkout;
  try {
    checkout = await checkOut(host, source, run, { signal });
  } catch (error) {
    signal.throwIfAborted();
    const reason = `${source.commit.slice(0, 10)} could not be checked out: ${(error as Error).message}`;
    return use({ failure: { stage: 'build', reason, log: '' } });
  }
  try {
    return await use({ folder: checkout.folder });
  } finally {
    await checkout.remove();
  }
}
