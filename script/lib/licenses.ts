// The notices that the licences of bundled packages ask for: each package, and each licence text once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** A package in a bundle, with the parts of its notice. */
interface Bundled {
  name: string;
  version: string;
  license: string;
  author: string;
  /** Lines that name who holds the rights. */
  copyright: string[];
  /** The licence without these lines; empty where the package brings none. */
  text: string;
}

/** Folders of the packages whose code is in a bundle, relative to where esbuild ran. */
export function bundledFolders(metafiles: readonly Metafile[]): string[] {
  const folders = metafiles
    .flatMap(({ outputs }) => Object.values(outputs))
    .flatMap(({ inputs }) => Object.entries(inputs))
    .flatMap(([path, { bytesInOutput }]) => {
      const [, folder] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
      return folder !== undefined && bytesInOutput > 0 ? [folder] : [];
    });
  return [...new Set(folders)].sort();
}

/** The text of dist/licenses.txt. */
export function renderLicenses(metafiles: readonly Metafile[], root: string): string {
  const packages = bundledFolders(metafiles).map((folder) => readPackage(join(root, folder)));
  const groups = Map.groupBy(packages, ({ text }) => essence(text));
  const sections = [...groups.values()].map((group) => {
    const names = group.map(({ name, version, license }) => `${name} ${version} (${license})`);
    const rights = group.flatMap(({ copyright, author }) =>
      copyright.length > 0 ? copyright : author ? [`Copyright ${author}`] : [],
    );
    const text = group[0]?.text || 'These packages name a licence and come without its text.';
    return [...new Set(names), '', ...new Set(rights), '', text].join('\n');
  });
  return `The files of this folder contain code of these packages.\n\n${sections.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}

function readPackage(folder: string): Bundled {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const lines = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split(/\r?\n/));
  const isCopyright = (line: string) => /^\W*(copyright\s+(\(c\)|©|\d)|\(c\)\s|©)/i.test(line);
  return {
    ...{ name, version, license: license ?? 'no licence named' },
    author: typeof author === 'string' ? author : (author?.name ?? ''),
    copyright: lines.filter(isCopyright).map((line) => line.trim()),
    text: lines
      .filter((line) => !isCopyright(line))
      .join('\n')
      .replace(/\n{3,}/g, '\n\n')
      .trim(),
  };
}

/** Two copies of a licence differ in line breaks, marks and headings. */
const essence = (text: string) =>
  text
    .replace(/^\W*(the )?(mit|isc) license\W*(\(mit\))?\W*$/gim, '')
    .replace(/\W+/g, '')
    .toLowerCase();
