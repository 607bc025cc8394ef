import { relative } from 'node:path';
import { escapeText } from '../config/text.ts';
import type { App } from '../config/types.ts';
import type { Warning } from '../results/results.ts';
import { listNames, plural } from '../text/plain.ts';
import { nameTree, type Subject, type Tree } from './found.ts';
import { isSettingsIn, listUncommitted } from './head.ts';
import { listOnlyHere, type Packages } from './only-here.ts';
import type { Repository } from './repository.ts';

/** Warns of uncommitted changes, which are measured, and of a base that is incomplete or does not differ. */
export async function noteState(
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
      message: `no compared file has changed since ${nameTree(tree)}: all differences are noise`,
      remedy: 'name a ref whose app is another in compare-to',
      variant: null,
    });
  }
  return [...notes, ...(await noteGaps(repository, tree, paths))];
}

/** Warns of files that the checkout is built with and the base is not. */
export async function noteOnlyHere(
  { repository, config }: Subject,
  tree: Tree,
  apps: readonly (readonly [App, string])[],
  packagesOf: (app: App) => Packages,
): Promise<Warning[]> {
  const out = relative(repository.top, config.out);
  const lists = apps.map(([app, path]) =>
    listOnlyHere(repository.git, app, path, { out, prepare: config.prepare, packages: packagesOf(app) }),
  );
  const found = [...new Set((await Promise.all(lists)).flat())];
  if (found.length === 0) return [];
  const some = listNames(found, escapeText);
  return [
    {
      code: 'not-in-git',
      message: `git ignores ${some}: the checkout is built with ${found.length === 1 ? 'it' : 'them'}, ${nameTree(tree)} without`,
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
  const where = nameTree(tree);
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
  return code === 0 && stdout.split('\0').every((path) => path === '' || isSettingsIn(paths, path));
}
