import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';

/** Several uploads of one name happen where steps or matrix jobs share a workflow's defaults: a matrix has at most 256. */
const MAX_NAMES = 256;

/**
 * Uploads a folder as an artifact of this workflow run and returns its number there, null when the folder
 * has no files. It tries `name-2` and so on if this attempt has a `name`: raw data must not be lost to a clash.
 */
export async function uploadFolder(
  folder: string,
  name: string,
): Promise<{ id: number; name: string } | null> {
  const files = await listFiles(folder);
  if (files.length === 0) return null;
  // 2.8 MB that most commands never need.
  const { DefaultArtifactClient } = await import('@actions/artifact');
  const client = new DefaultArtifactClient();
  for (let n = 1; ; n++) {
    const tried = n === 1 ? name : `${name}-${n}`;
    try {
      const { id } = await client.uploadArtifact(tried, files, folder);
      if (id === undefined) throw new Error('the artifact service gave no id');
      return { id, name: tried };
    } catch (error) {
      if (n === MAX_NAMES || !/\b409\b|already exists/.test(String(error))) throw error;
    }
  }
}

/**
 * Regular files, none hidden. A symbolic link from a container could lead to any file of the runner. With `out: .` the
 * folder has a `.git` with the job's token.
 */
async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch((error) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter(
      (file) =>
        !relative(folder, file)
          .split(sep)
          .some((part) => part.startsWith('.')),
    )
    .sort();
}
