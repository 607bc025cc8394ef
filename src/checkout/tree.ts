import { isAbsolute, join, relative } from 'node:path';
import { realFiles } from '../config/files.ts';
import { listOutside } from '../config/parts/composer.ts';
import { findMisfit } from '../config/parts/fit.ts';
import { makesIndex, ROOTS } from '../config/parts/roots.ts';
import type { PhpNeed } from '../config/php/constraint.ts';
import { describeNeed, findUnmetNeed } from '../config/php/php-versions.ts';
import type { App, OtherApp, Runtime, RuntimeChoice, Whereabouts } from '../config/types.ts';
import type { Warning } from '../results/results.ts';
import { type Found, nameTree, type Subject, type Tree } from './found.ts';
import { listChanged } from './head.ts';
import { findNeedsAt } from './needs-at.ts';
import type { Packages } from './only-here.ts';
import { locate, type Repository, typeAt } from './repository.ts';
import { noteOnlyHere, noteState } from './tree-notes.ts';
import { findVendor, INSTALL } from './vendor.ts';

/** Finds the apps and the project's own runtimes in a commit; a missing one becomes a note. */
export async function describeTree(tree: Tree, subject: Subject): Promise<Found> {
  const { config, repository } = subject;
  const notes: Warning[] = [];
  const apps: Record<string, AppAt['there']> = {};
  const bring: AppAt['bring'] = [];
  for (const [app, path] of subject.apps) {
    const found = await describeApp(tree, subject, app, path);
    apps[app.name] = found.there;
    notes.push(...found.notes);
    bring.push(...found.bring);
  }
  const runtimes = await findRuntimesAt(tree, subject, notes);
  const isThere = (there: object | undefined) => !there || !('missing' in there);
  const { runtimes: choices } = config;
  if (!Object.values(apps).some(isThere) || !choices.some(({ runtime }) => isThere(runtimes[runtime.name]))) {
    const reason = notes.map(({ message }) => message).join('; ');
    return { other: { kind: 'none', ...tree, reason }, source: null, earlier: null, notes };
  }
  const compared = [...Object.values(apps), ...Object.values(runtimes)];
  const paths = [
    ...compared.flatMap((there) => ('folder' in there ? [there.folder] : [])),
    ...bring.flatMap(({ from }) => (isAbsolute(from) ? [] : [from])),
  ];
  const built = [...subject.apps].filter(([{ name }]) => isThere(apps[name]));
  const packagesOf = ({ name }: App): Packages => {
    const there = apps[name];
    if (!there || !('folder' in there)) return 'unlike';
    if (there.install) return 'installed';
    return bring.some(({ to }) => isBelow(to, there.folder)) ? 'brought' : 'unlike';
  };
  notes.push(
    ...(await noteState(subject, tree, paths)),
    ...(await noteOnlyHere(subject, tree, built, packagesOf)),
  );
  return {
    other: { kind: 'commit', ...tree, apps, runtimes },
    source: { top: repository.top, commit: tree.commit, bring },
    earlier: null,
    notes,
    changed: await listChangedByApp(tree, subject),
  };
}

/** The part of a commit that belongs to an app. */
interface AppAt {
  there: OtherApp | { missing: string };
  notes: Warning[];
  /** Folders of packages to copy from the checkout. */
  bring: { from: string; to: string }[];
}

async function describeApp(
  tree: Tree,
  { config, repository }: Subject,
  app: App,
  path: string,
): Promise<AppAt> {
  const lack = (note: Warning, notes = [note]): AppAt => ({
    there: { missing: note.message },
    notes,
    bring: [],
  });
  const found = await findAppAt(repository, tree, app, path);
  if ('code' in found) return lack(found);
  const { root, vendor } = found;
  const install = vendor === INSTALL;
  const outside = install ? noteOutside(tree, app) : null;
  if (outside) return lack(outside);
  const bring = install ? [] : [...vendor];
  const conflicts = config.runtimes.flatMap(({ runtime }) => runtime.conflicts ?? []);
  const at = { path, env: config.env, isInstalled: install, conflicts };
  // Packages of the checkout serve both, and were checked with it.
  const needs = bring.length > 0 ? {} : await findNeedsAt(repository, tree.commit, app, at);
  const misfits = [
    findMisfitAt(tree, app, needs.php ?? [], config.php),
    findUnservedAt(tree, app, { ...app, ...needs }, config.runtimes),
  ].filter((misfit) => misfit !== null);
  const notes = misfits.map(({ note }) => note);
  const whole = misfits.find(({ isWhole }) => isWhole);
  if (whole) return lack(whole.note, notes);
  return { there: { folder: path, root, install, ...needs }, notes, bring };
}

async function listChangedByApp(
  tree: Tree,
  { repository, apps }: Subject,
): Promise<Record<string, string[]>> {
  const changed: [string, string[]][] = [];
  for (const [{ name }, folder] of apps) {
    changed.push([name, await listChanged(repository.git, tree.commit, folder)]);
  }
  return Object.fromEntries(changed);
}

const isBelow = (path: string, folder: string) => folder === '' || path.startsWith(`${folder}/`);

/** The packages of the two differ, and Composer cannot install them in the build; null: it can. */
function noteOutside(tree: Tree, { name, folder }: App): Warning | null {
  const outside = listOutside(folder, realFiles);
  if (outside.length === 0) return null;
  return {
    code: 'no-base',
    message: `app '${name}' is not compared: ${nameTree(tree)} has other packages, and the build cannot install ${outside[0]}, outside the app's folder`,
    remedy: "make the top folder the app: see 'A monorepo' in docs/apps.md",
    variant: null,
  };
}

/** Its document root there, and what Composer has installed if git does not have that. */
async function findAppAt(
  repository: Repository,
  tree: Tree,
  app: App,
  path: string,
): Promise<{ root: string; vendor: Awaited<ReturnType<typeof findVendor>> } | Warning> {
  let root: string | null = null;
  for (const candidate of [app.root, ...ROOTS]) {
    const file = join(path, candidate, 'index.php');
    if (root === null && (await typeAt(repository, tree.commit, file)) === 'blob') root = candidate;
  }
  if (root === null && (await canMakeIndex(repository, tree, app, path))) {
    // With the packages of the checkout, Composer would make none.
    const isInstalled = makesIndex(app.packages);
    const vendor = isInstalled
      ? INSTALL
      : await findVendor(repository, tree.commit, { folder: app.folder, path });
    return { root: app.root, vendor };
  }
  if (root === null)
    return noteNew(tree, app, path, (await typeAt(repository, tree.commit, path)) === 'tree');
  return { root, vendor: await findVendor(repository, tree.commit, { folder: app.folder, path }) };
}

/** A pull request may also have renamed its front controller. */
function noteNew(tree: Tree, app: App, path: string, hasFolder: boolean): Warning {
  const files = [...new Set([app.root, ...ROOTS])].map((at) => join(path, at, 'index.php'));
  const lack = hasFolder ? `none of ${files.join(', ')}` : `no index.php in ${path}`;
  return {
    code: 'not-in-base',
    message: `app '${app.name}' is not compared: ${nameTree(tree)} has ${lack}`,
    remedy: `nothing if the app is new${hasFolder ? '; if its index.php had another name, compare with a commit that has index.php' : ''}`,
    variant: null,
  };
}

/** Whether the build of the base makes its index.php, as that of the checkout does or did. */
async function canMakeIndex(repository: Repository, tree: Tree, app: App, path: string): Promise<boolean> {
  if (makesIndex(app.packages))
    return (await typeAt(repository, tree.commit, join(path, 'composer.json'))) === 'blob';
  return app.makesIndex === true && (await typeAt(repository, tree.commit, path)) === 'tree';
}

/** Why some variants of an app have no base, and whether none of them has one. */
interface Misfit {
  note: Warning;
  isWhole: boolean;
}

/** The versions of PHP that fit the checkout alone; null: they fit both. */
function findMisfitAt(
  tree: Tree,
  app: App,
  php: readonly PhpNeed[],
  versions: readonly string[],
): Misfit | null {
  const measured = versions.filter((version) => !findUnmetNeed(app, version));
  const unmet = measured.filter((version) => findUnmetNeed({ php }, version));
  const [need] = unmet.flatMap((version) => findUnmetNeed({ php }, version) ?? []);
  if (!need) return null;
  const note = {
    code: 'no-base',
    message: `app '${app.name}' is not compared on PHP ${unmet.join(', ')}: ${nameTree(tree)} requires ${describeNeed(need)}`,
    remedy: 'set `php` to a version that both allow, or choose another ref in compare-to',
    variant: null,
  };
  return { note, isWhole: unmet.length === measured.length };
}

/** The runtimes that need a package which the checkout alone requires; null: all serve both. */
function findUnservedAt(tree: Tree, app: App, there: App, all: readonly RuntimeChoice[]): Misfit | null {
  const measured = all.filter((choice) => findMisfit(choice, app) === null);
  const unserved = measured.filter((choice) => findMisfit(choice, there) !== null);
  if (unserved.length === 0) return null;
  const names = new Set(unserved.map(({ runtime }) => runtime.name));
  const required = unserved.flatMap(({ runtime }) => runtime.requires);
  const lacking = new Set(required.filter((name) => !there.packages.includes(name)));
  const note = {
    code: 'not-in-base',
    message: `app '${app.name}' is not compared on ${[...names].join(', ')}: ${nameTree(tree)} does not require ${[...lacking].join(', ')}`,
    remedy: 'nothing to do if the package is new',
    variant: null,
  };
  return { note, isWhole: unserved.length === measured.length };
}

/** The project's own runtimes, as they are in the commit. */
async function findRuntimesAt(
  tree: Tree,
  { config, around, repository }: Subject,
  notes: Warning[],
): Promise<Record<string, Whereabouts>> {
  // Without a prototype: a runtime may have any name, `constructor` included.
  const found: Record<string, Whereabouts> = Object.create(null);
  for (const { runtime } of config.runtimes) {
    if (isBundled(runtime, around.packageRoot) || found[runtime.name]) continue;
    const place = await locate(around.host, runtime.folder);
    // One that lies elsewhere belongs to no commit of this repository: it serves both sides as it is.
    if ('reason' in place || place.top !== repository.top) continue;
    if ((await typeAt(repository, tree.commit, join(place.path, 'Dockerfile'))) === 'blob') {
      found[runtime.name] = { folder: place.path };
      continue;
    }
    const message = `runtime '${runtime.name}' is not compared: ${nameTree(tree)} has no ${place.path}`;
    notes.push({
      code: 'not-in-base',
      message,
      remedy: 'nothing to do if the runtime is new',
      variant: null,
    });
    found[runtime.name] = { missing: message };
  }
  return found;
}

/** Ours are no part of what is compared. */
function isBundled({ folder }: Runtime, packageRoot: string): boolean {
  return !relative(join(packageRoot, 'runtimes'), folder).startsWith('..');
}
