/** The tool that measures, frozen at a commit: what is edited meanwhile must not change a series. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import type { Finished, Host } from '../../src/host.ts';

/** Root of this checkout, or of the frozen tool if this file runs from there. */
export const ROOT = resolve(import.meta.dirname, '../..');
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'php-runtime-bench/power');
const PHP = '8.4';

export interface Tool {
  folder: string;
  commit: string;
}

/** Takes the sources of a commit and bundles them, once. */
export async function freezeTool(host: Host, commit: string): Promise<Tool> {
  const folder = join(CACHE, commit.slice(0, 12));
  if (existsSync(folder)) {
    // The checkout that froze it may be gone.
    linkPackages(folder);
    return { folder, commit };
  }
  const draft = `${folder}.new`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  const archive = join(draft, 'tree.tar');
  await must(host, 'git', ['-C', ROOT, 'archive', '--output', archive, commit]);
  await must(host, 'tar', ['-xf', archive, '-C', draft]);
  rmSync(archive);
  linkPackages(draft);
  rmSync(join(draft, 'dist'), { recursive: true });
  await must(host, process.execPath, ['script/lib/bundle.ts', '.'], draft);
  renameSync(draft, folder);
  return { folder, commit };
}

function linkPackages(folder: string): void {
  const link = join(folder, 'node_modules');
  rmSync(link, { force: true });
  symlinkSync(join(ROOT, 'node_modules'), link);
}

/** Flags that map base images to stand-ins, where those are here and the official ones are not. */
export async function findImages(host: Host, tool: Tool): Promise<string[]> {
  if ((await host.exec('docker', ['image', 'inspect', K6_IMAGE])).code === 0) return [];
  return ['--images', join(tool.folder, 'test/standins/images.yml')];
}

/** A PHP for the command line, for what is not measured. */
export async function findPhp(host: Host, tool: Tool): Promise<string> {
  const official = `php:${PHP}-cli`;
  const isHere = (await host.exec('docker', ['image', 'inspect', official])).code === 0;
  return isHere ? official : standIn(tool, official);
}

function standIn(tool: Tool, name: string): string {
  return parse(readFileSync(join(tool.folder, 'test/standins/images.yml'), 'utf8'))[name] as string;
}

/** Runs the CLI; what it prints goes to standard error. */
export function runTool(
  host: Host,
  { folder }: Tool,
  argv: readonly string[],
  signal: AbortSignal,
): Promise<Finished> {
  return host.exec(process.execPath, [join(folder, 'dist/cli.mjs'), 'run', ...argv], {
    cwd: folder,
    signal,
    onLine: (line, stream) => stream === 'stderr' && process.stderr.write(`    ${line}\n`),
  });
}

/** Throws with what it printed when it fails. */
export async function must(
  host: Host,
  program: string,
  args: readonly string[],
  cwd?: string,
): Promise<Finished> {
  const finished = await host.exec(program, args, cwd === undefined ? {} : { cwd });
  if (finished.code !== 0) {
    throw new Error(
      `${program} ${args.slice(0, 3).join(' ')} …: ${finished.stderr.trim() || finished.stdout.trim()}`,
    );
  }
  return finished;
}

/** Temporary folder for results and arms of one comparison. */
export function scratch(tool: Tool, name: string): string {
  return join(tool.folder, 'scratch', name);
}
