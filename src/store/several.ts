import { join } from 'node:path';
import { isSigned, listEntries, refuseFiles } from './output.ts';

/** Files that a run on several engines writes beside a folder for each. */
const REPORTS = ['report.md', 'report.html'];
const SHARE = /^engine-[1-9]\d*$/;

/** UserError where a folder holds anything but what a run on several engines left there. */
export async function refuseForeign(folder: string): Promise<void> {
  const names = await listEntries(folder);
  const shares = names.filter((name) => SHARE.test(name));
  const signed = await Promise.all(shares.map((name) => isSigned(join(folder, name, 'results.json'))));
  // A report alone proves nothing: other programs write one, too.
  const ours = signed.includes(true) ? REPORTS : [];
  const foreign = names.filter((name) => !shares.includes(name) && !ours.includes(name));
  refuseFiles(folder, foreign, 'run on several engines');
}
