/** Markdown as GitHub reads it: cmark-gfm is GitHub's own parser. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const PYTHON = join(
  process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '', '.cache'),
  'php-runtime-bench/checks/bin/python',
);
const PROGRAM = `
import sys
from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options
sys.stdout.reconfigure(encoding="utf-8")
text = sys.stdin.buffer.read().decode("utf-8")
print(github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE))
`;

export const NO_MARKDOWN = 'there is no cmarkgfm here; script/bootstrap --for test installs it';

export function hasMarkdown(): boolean {
  return existsSync(PYTHON) && spawnSync(PYTHON, ['-c', 'import cmarkgfm']).status === 0;
}

/** HTML before GitHub takes out of it what is not allowed there: what we let in would show. */
export function renderGitHub(markdown: string): string {
  const { status, stdout, stderr } = spawnSync(PYTHON, ['-c', PROGRAM], {
    input: markdown,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}
