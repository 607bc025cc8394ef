// Prints the section of a version in CHANGELOG.md, for its release. Fails if there is none, or if package.json has
// another version or another repository. npm refuses a package whose origin it cannot confirm.
//   node script/lib/notes.ts VERSION URL-OF-REPOSITORY [FOLDER]
// FOLDER has both files. Default: this repository.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The text below `## [1.2.3] - 2026-11-21`, up to the next version. Throws when there is none, or it has no date. */
export function notesOf(version: string, changelog: string): string {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new Error(`'${version}' is not a version such as 1.2.3`);
  const sections = changelog.split(/^## /m).slice(1);
  const section = sections.find((text) => text.startsWith(`[${version}]`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section [${version}]`);
  const [heading = '', ...lines] = section.split('\n');
  if (!/\] - \d{4}-\d\d-\d\d$/.test(heading)) throw new Error(`CHANGELOG.md does not date [${version}]`);
  // Links at the end of the file belong to no section.
  const notes = lines
    .filter((line) => !/^\[[^\]]+\]: /.test(line))
    .join('\n')
    .trim();
  if (notes === '') throw new Error(`CHANGELOG.md has no notes for [${version}]`);
  return notes;
}

if (process.argv[1] === import.meta.filename) {
  const [, , version = '', repository = '', folder = resolve(import.meta.dirname, '../..')] = process.argv;
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const own = JSON.parse(read('package.json'));
  try {
    const notes = notesOf(version, read('CHANGELOG.md'));
    if (own.version !== version) throw new Error(`package.json has version ${own.version}, not ${version}`);
    if (own.repository.url !== `git+${repository}.git`) {
      throw new Error(`package.json names the repository ${own.repository.url}, not git+${repository}.git`);
    }
    console.log(notes);
  } catch (error) {
    console.error(`notes: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
