import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import { expect, test } from 'vitest';
import { memoryFiles } from '../../test/fixtures/memory-files.ts';
import { parseCommand } from './command.ts';
import { parseConfig } from './parse.ts';

const packageRoot = fileURLToPath(new URL('../..', import.meta.url));
const cwd = '/project';

/** Files (`# path` or `// path` on their first line) and command lines in a page of docs. */
function readSnippets(page: string) {
  const files: Record<string, string> = { 'public/index.php': '' };
  const commands: string[] = [];
  const text = readFileSync(`${packageRoot}docs/${page}`, 'utf8');
  for (const [, indent = '', language, body = ''] of text.matchAll(/^( *)```(\w+)\n([\s\S]*?)^ *```$/gm)) {
    const snippet = body.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    const path = /^(?:#|\/\/) (\S+)\n/.exec(snippet)?.[1];
    if (language === 'sh') commands.push(...snippet.trim().split('\n'));
    else if (path) files[path] = snippet;
    else throw new Error(`a ${language} snippet of ${page} does not say which file it is`);
  }
  return { files, commands };
}

/** Splits as a shell does, as far as docs need it. */
const words = (line: string) =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare ?? '');

test('every snippet on scenarios works', () => {
  const { files, commands } = readSnippets('scenarios.md');
  const parse = (flags: readonly string[]) =>
    parseConfig({ flags, cwd, packageRoot, files: memoryFiles(cwd, files) });
  expect(commands.length).toBeGreaterThan(3);
  for (const line of commands) {
    const command = parseCommand(words(line).slice(1));
    if (command.command !== 'run' && command.command !== 'plan') throw new Error(`not tested: ${line}`);
    expect(parse(command.flags).runtimes, line).toHaveLength(2);
  }
  const names = Object.keys(files).flatMap((path) => /scenarios\/(\w+)\.yaml$/.exec(path)?.[1] ?? []);
  expect(names).toEqual(['shop', 'day', 'login']);
  expect(parse(['--scenarios', names.join(',')]).scenarios).toHaveLength(names.length);
  for (const [path, text] of Object.entries(files)) if (path.endsWith('.js')) transformSync(text);
});
