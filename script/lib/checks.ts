// The static checks: each one program, run on the files that are its business.
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { emptyTally, type Tally } from './tally.ts';

interface Check {
  name: string;
  command: string[];
  /** Appended to the command; the check is skipped while there are none. Undefined: it finds its files itself. */
  files?: string[];
}

/** Runs each check and shows the output of those that fail. */
export function runChecks(): Tally {
  const tally = emptyTally();
  for (const { name, command, files } of listChecks(listFiles())) {
    if (files?.length === 0) {
      tally.skipped.push({ name, reason: 'there is no such file yet' });
      continue;
    }
    const [program, ...args] = [...command, ...(files ?? [])] as [string, ...string[]];
    const { status, signal, error, stdout, stderr } = spawnSync(program, args, {
      encoding: 'utf8',
      timeout: 300_000,
    });
    if (status === 0) tally.passed++;
    else {
      tally.failed.push(name);
      console.log(
        `✗ ${name}: ${error?.message ?? signal ?? `exit code ${status}`}\n${stdout ?? ''}${stderr ?? ''}`,
      );
    }
  }
  return tally;
}

function listChecks(files: string[]): Check[] {
  const workflows = files.filter((file) => /^\.github\/workflows\/.*\.ya?ml$/.test(file));
  const action = files.filter((file) => /^(\.github\/actions\/[^/]+\/)?action\.yml$/.test(file));
  return [
    { name: 'biome', command: ['node_modules/.bin/biome', 'check', '--error-on-warnings', '.'] },
    { name: 'tsc', command: ['node_modules/.bin/tsc', '--noEmit'] },
    // Code for browsers has their globals, which the rest must not see.
    ...['src/report/html/page', 'test/e2e/browser'].map((folder) => ({
      name: `tsc of ${folder}`,
      command: ['node_modules/.bin/tsc', '--noEmit', '-p', folder],
    })),
    { name: 'shellcheck', command: ['shellcheck', '--check-sourced'], files: files.filter(isShellScript) },
    {
      name: 'hadolint',
      command: ['hadolint'],
      files: files.filter((file) => /(^|\/)Dockerfile$/.test(file)),
    },
    { name: 'actionlint', command: ['actionlint'], files: workflows },
    {
      name: "GitHub's own parser",
      command: ['node', 'script/lib/workflows.ts'],
      files: [...workflows, ...action],
    },
    {
      name: 'zizmor',
      command: ['zizmor', '--offline', '--no-progress', '--persona', 'pedantic'],
      files: [...workflows, ...action],
    },
    {
      name: 'schema of action.yml',
      command: ['check-jsonschema', '--builtin-schema', 'vendor.github-actions'],
      files: action,
    },
    {
      name: 'schema of the workflows',
      command: ['check-jsonschema', '--builtin-schema', 'vendor.github-workflows'],
      files: workflows,
    },
    { name: 'dist/ is fresh', command: ['script/build', '--check'] },
  ];
}

/** Files that git has or would add, without those that it ignores. */
function listFiles(): string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    encoding: 'utf8',
  });
  return [...new Set(listed.split('\0'))].filter((file) => file !== '' && existsSync(file)).sort();
}

/** By its first line, as most have no ending; *.sh is sourced by others and checked where it is. */
function isShellScript(file: string): boolean {
  if (/\.\w+$/.test(file)) return false;
  const start = Buffer.alloc(64);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, start);
  closeSync(descriptor);
  return /^#!\S*[/ ](env )?(ba|da)?sh\b/.test(start.toString());
}
