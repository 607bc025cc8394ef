import { isAbsolute, join, relative } from 'node:path';
import { realFiles } from '../config/files.ts';
import { listOutside } from '../config/parts/composer.ts';
import { findMisfit } from '../config/parts/fit.ts';
import { makesIndex, ROOTS } from '../config/parts/roots.ts';
import type { PhpNeed } from '../config/php/constraint.ts';
import { describeNeed, findUnmetNeed } from '../config/php/php-versions.ts';
import { escapeText } from '../config/text.ts';
import type { App, Config, OtherApp, Runtime, RuntimeChoice, Whereabouts } from '../config/types.ts';
import type { Warning } from '../results/results.ts';
import { listNames, plural } from '../text/plain.ts';
import { listChanged } from './changed.ts';
import type { Found, Surroundings } from './found.ts';
import { listUncommitted, settingsIn } from './head.ts';
import { findNeedsAt } from './needs-at.ts';
import { listOnlyHere } from './only-here.ts';
import { locate, type Repository, typeAt } from './repository.ts';
import { findVendor, INSTALL } from './vendor.ts';

/** The project whose base is looked for. */
export interface Subject {
  config: Pick<Config, 'out' | 'runtimes' | 'php' | 'env' | 'prepare'>;
  around: Surroundings;
  repository: Repository;
  /** The path of each app in the repository. */
  apps: ReadonlyMap<App, string>;
}

/** A commit, what was given for it, and what that means. */
export interface Tree {
  given: string;
  ref: string;
  commit: string;
}

/** Finds the apps and the project's own runtimes in a commit; a missing one becomes a note. */
export async function describeTree(tree: Tree, subject: Subject): Promise<Found> {
  const { config, repository } = subject;
  const notes: Warning[] = [];
  const apps: Record<string, OtherApp | { missing: string }> = {};
  const bring: { from: string; to: string }[] = [];
  for (const [app, path] of subject.apps) {
    const found = await findAppAt(repository, tree, app, path);
    if ('code' in found) {
      notes.push(found);
      apps[app.name] = { missing: found.message };
    } else {
      const { root, vendor } = found;
      const install = vendor === INSTALL;
      const outside = install ? noteOutside(tree, app) : null;
      if (outside) {
        notes.push(outside);
        apps[app.name] = { missing: outside.message };
        continue;
      }
      const conflicts = config.runtimes.flatMap(({ runtime }) => runtime.conflicts ?? []);
      const at = { path, env: config.env, isInstalled: install, conflicts };
      // Packages of the checkout serve both, and were checked with it.
      const isBrought = vendor !== INSTALL && vendor.length > 0;
      const needs = isBrought ? {} : await findNeedsAt(repository, tree.commit, app, at);
      const misfits = [
        findMisfitAt(tree, app, needs.php ?? [], config.php),
        findUnservedAt(tree, app, { ...app, ...needs }, config.runtimes),
      ].filter((misfit) => misfit !== null);
      notes.push(...misfits.map(({ note }) => note));
      const whole = misfits.find(({ isWhole }) => isWhole);
      if (whole) {
        apps[app.name] = { missing: whole.note.message };
        continue;
      }
      apps[app.name] = { folder: path, root, install, ...needs };
      if (vendor !== INSTALL) bring.push(...vendor);
    }
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
  const served = [...subject.apps.keys()].filter(({ name }) => {
    const there = apps[name];
    return there && 'folder' in there && (there.install || bring.some(({ to }) => isBelow(to, there.folder)));
  });
  notes.push(
    ...(await noteState(subject, tree, paths)),
    ...(await noteOnlyHere(subject, tree, built, served)),
  );
  return {
    other: { kind: 'commit', ...tree, apps, runtimes },
    source: { top: repository.top, commit: tree.commit, bring },
    earlier: null,
    notes,
    changed: await listChangedByApp(tree, subject),
  };
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
const nameOf = ({ given, commit }: Tree) => `${given} (${commit.slice(0, 10)})`;

/** The packages of the two differ, and Composer cannot install them in the build; null: it can. */
function noteOutside(tree: Tree, { name, folder }: App): Warning | null {
  const outside = listOutside(folder, realFiles);
  if (outside.length === 0) return null;
  return {
    code: 'no-base',
    message: `app '${name}' is not compared: ${nameOf(tree)} has other packages, and the build cannot install ${outside[0]}, outside the app's folder`,
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
  if (root === null) {
    return {
      code: 'not-in-base',
      message: `app '${app.name}' is not compared: ${nameOf(tree)} has no index.php in ${path || 'its top folder'}`,
      remedy: 'nothing to do if the app is new',
      variant: null,
    };
  }
  return { root, vendor: await findVendor(repository, tree.commit, { folder: app.folder, path }) };
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
    message: `app '${app.name}' is not compared on PHP ${unmet.join(', ')}: ${nameOf(tree)} requires ${describeNeed(need)}`,
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
    message: `app '${app.name}' is not compared on ${[...names].join(', ')}: ${nameOf(tree)} does not require ${[...lacking].join(', ')}`,
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
    const message = `runtime '${runtime.name}' is not compared: ${nameOf(tree)} has no ${place.path}`;
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

/** Warns of uncommitted changes, which are measured, and of a base that is incomplete or does not differ. */
async function noteState(
  { repository, config }: Subject,
  tree: Tree,
  paths: readonly string[],
): Promise<Warning[]> {
  const out = relative(repository.top, config.out);
  const { git } = repository;
  const notes: Warning[] = [];
  const dirty = await listUncommitted(git, paths, out);
  if (dirty.length > 0) {
    const names = dirty.slice(0, 3).map((path) => escapeText(path));
    const some = [...names, ...(dirty.length > 3 ? ['…'] : [])].join(', ');
    notes.push({
      code: 'uncommitted',
      message: `the checkout has ${plural(dirty.length, 'uncommitted change')} (${some}), which ${dirty.length === 1 ? 'is' : 'are'} measured but not part of HEAD`,
      remedy: 'commit first, so that the comparison can be repeated',
      variant: null,
    });
  } else if (await haveSame(repository, tree.commit, paths)) {
    notes.push({
      code: 'same-as-base',
      message: `no compared file has changed since ${nameOf(tree)}: all differences are noise`,
      remedy: 'name a ref whose app is another in compare-to',
      variant: null,
    });
  }
  return [...notes, ...(await noteGaps(repository, tree, paths))];
}

/** Warns of files that the checkout is built with and the base is not. Both have the packages of the apps in `served`. */
async function noteOnlyHere(
  { repository, config }: Subject,
  tree: Tree,
  apps: readonly (readonly [App, string])[],
  served: readonly App[],
): Promise<Warning[]> {
  const out = relative(repository.top, config.out);
  const lists = apps.map(([app, path]) =>
    listOnlyHere(repository.git, app, path, { out, prepare: config.prepare, packages: served.includes(app) }),
  );
  const found = [...new Set((await Promise.all(lists)).flat())];
  if (found.length === 0) return [];
  const some = listNames(found, escapeText);
  return [
    {
      code: 'not-in-git',
      message: `git ignores ${some}: the checkout is built with ${found.length === 1 ? 'it' : 'them'}, ${nameOf(tree)} without`,
      remedy:
        'list in .dockerignore what production has not, and make the rest with `prepare`, which both sides run',
      variant: null,
    },
  ];
}

/** Warns of files that git keeps elsewhere and the base lacks: submodules and Git LFS. */
async function noteGaps(repository: Repository, tree: Tree, paths: readonly string[]): Promise<Warning[]> {
  const { git } = repository;
  const note = (code: string, message: string): Warning => ({
    ...{ code, message, remedy: 'compare with an image of it: compare-to: shop:1.2', variant: null },
  });
  const list = async (...args: string[]) =>
    (await git.try(['ls-tree', '-z', '--full-tree', ...args])).stdout.split('\0');
  const entries = await list('-r', tree.commit, '--', ...(paths.includes('') ? [] : paths));
  const modules = entries.flatMap((line) => /^160000 .*\t(.*)$/s.exec(line)?.[1] ?? []);
  let big = false;
  const above = await list(tree.commit, '--', ...paths.flatMap(attributesAbove));
  for (const line of [...entries, ...above]) {
    const attributes = /^\d+ blob ([0-9a-f]+)\t(?:.*\/)?\.gitattributes$/s.exec(line)?.[1];
    if (attributes === undefined || big) continue;
    const { stdout } = await git.try(['cat-file', 'blob', attributes]);
    big = /^[^#\n]*\sfilter=lfs\b/m.test(stdout);
  }
  const where = nameOf(tree);
  return [
    ...(modules.length > 0
      ? [
          note(
            'submodules',
            `submodules are empty folders in ${where}: ${escapeText(modules.slice(0, 3).join(', '))}`,
          ),
        ]
      : []),
    ...(big ? [note('lfs', `files in Git LFS are in ${where} as pointer files`)] : []),
  ];
}

/** The .gitattributes that count in a folder, except for those within it. */
function attributesAbove(path: string): string[] {
  const folders = path.split('/').map((_, i, names) => names.slice(0, i));
  return folders.map((names) => [...names, '.gitattributes'].join('/'));
}

/** Whether HEAD has the same files in these folders, except for our settings, which are no part of an app. */
async function haveSame({ git }: Repository, commit: string, paths: readonly string[]): Promise<boolean> {
  const within = paths.map((path) => path || '.');
  const options = ['-r', '-z', '--name-only', '--no-renames', '--ignore-submodules=none'];
  const { code, stdout } = await git.try(['diff-tree', ...options, commit, 'HEAD', '--', ...within]);
  const settings = settingsIn(paths);
  return code === 0 && stdout.split('\0').every((path) => path === '' || settings.includes(path));
}
