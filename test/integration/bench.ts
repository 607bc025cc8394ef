/** The CLI as users run it: bundled, in a project folder of its own, against the real engine. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type TestContext, test } from 'vitest';
import { parse } from 'yaml';
import { isDisturbed } from '../../src/analyse/judge/pairs.ts';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import { type ExecOptions, type Finished, type Running, realHost } from '../../src/host.ts';
import type { Measurement, Results, Variant } from '../../src/results/results.ts';
import { commitFiles, git, writeFiles } from '../fixtures/commits.ts';
import { makeFolder } from '../fixtures/temporary.ts';
import { NAMESPACE } from './namespace.ts';
import { findPackage, makePackage } from './package.ts';

export const root = resolve(import.meta.dirname, '../..');
export const ARENA = `${NAMESPACE}-arena`;
export const LABEL = `label=${NAMESPACE}`;

/** For cold starts; `script/bootstrap` installs it where it can. */
export const hasHyperfine = (await realHost.exec('hyperfine', ['--version']).catch(() => null))?.code === 0;

/** Adds a test that is skipped where others of its file leave out cold starts. */
export function noteColdStarts() {
  if (!hasHyperfine) test('cold starts', ({ skip }) => skip('no hyperfine here: cold starts are not tested'));
}

/** Little load, for tests that are not about numbers. Machines stand still for a second now and then, and a slice of one has no request then. */
const QUICK = [
  ...['--paths', '/json?n=5', '--load', 'vus(2, 2s)', '--warmup', '0s', '--timeout', '500ms'],
  ...['--instances', '1', '--blocks', '1'],
];

/** A run of the CLI that goes on. */
export interface Run {
  /** The output so far. */
  readonly stdout: string;
  readonly stderr: string;
  kill: Running['kill'];
  done: Promise<Finished>;
}

/** `cwd`: another folder than the project's. `shell`: a script that runs the CLI as "$@". */
type StartOptions = Pick<ExecOptions, 'env' | 'cwd'> & { shell?: string };

/** A user's folder: the runtimes of test/fixtures are its own. */
export interface Project {
  folder: string;
  /** Where its temporary files go. */
  temporary: string;
  /** Runs git there; returns what it prints. */
  git(...args: string[]): string;
  write(files: Readonly<Record<string, string>>): void;
  /** Writes files and commits all that is there, in a repository of its own; returns the commit. */
  commit(files: Readonly<Record<string, string>>): string;
  /** Starts the CLI there, with no flags but these. */
  start(argv: readonly string[], options?: StartOptions): Run;
  /** Runs it to its end. */
  cli(argv: readonly string[], options?: StartOptions): Promise<Finished>;
  /** Starts `run` with images as this machine has them, QUICK load, and then these flags; results go to `out`. */
  bench(out: string, ...flags: string[]): Run;
  /** The same by a shell script that runs the CLI as "$@". */
  benchInShell(shell: string, out: string, ...flags: string[]): Run;
  /** The same without QUICK: the load is what the flags say. */
  run(out: string, ...flags: string[]): Run;
  /** The content of results.json, checked against the shipped schema. */
  results(out: string): Results;
  /** The temporary files that runs have left. */
  temporaryFiles(): string[];
  remove(): void;
}

/**
 * Makes a project that runs the sources as they were bundled for all files, or are.
 *
 * @param options.own a package of its own, beside the project's folder
 */
export async function makeProject({ own = false } = {}): Promise<Project> {
  const folder = makeFolder();
  const cwd = join(folder, 'project');
  const temporary = join(folder, 'tmp');
  for (const path of [cwd, temporary]) mkdirSync(path);
  const shared = own ? null : findPackage();
  const package_ = shared ?? join(folder, 'package');
  if (shared === null) await makePackage(package_);
  cpSync(join(root, 'test/fixtures/runtimes'), join(cwd, '.bench/runtimes'), { recursive: true });
  const images = await findImages();
  const schema = JSON.parse(readFileSync(join(package_, 'schema/results.schema.json'), 'utf8'));
  const fits = addFormats
    .default(new Ajv2020.default({ strictTuples: false, allowUnionTypes: true }))
    .compile(schema);

  const start: Project['start'] = (argv, options = {}) => {
    const printed = { stdout: '', stderr: '' };
    const preload = ['--import', join(import.meta.dirname, 'end-with-parent.ts')];
    const command = [process.execPath, ...preload, join(package_, 'dist/cli.mjs'), ...argv];
    const shell = options.shell === undefined ? [] : ['sh', '-c', options.shell, 'sh'];
    const [program, ...rest] = [...shell, ...command] as [string, ...string[]];
    const running = realHost.start(program, rest, {
      cwd: options.cwd ?? cwd,
      env: { TMPDIR: temporary, ...options.env },
      onLine: (line, stream) => {
        printed[stream] += `${line}\n`;
      },
    });
    return Object.assign(printed, { done: running.done, kill: running.kill });
  };
  const quick = (out: string, flags: readonly string[]) => [
    ...['run', ...images, ...override(QUICK, flags), '--out', out],
  ];
  return {
    folder: cwd,
    temporary,
    git: (...args) => git(cwd, ...args),
    write: (files) => void writeFiles(cwd, files),
    commit(files) {
      if (!existsSync(join(cwd, '.git'))) git(cwd, 'init', '--quiet', '--initial-branch=main');
      return commitFiles(cwd, files);
    },
    start,
    cli: (argv, options) => start(argv, options).done,
    bench: (out, ...flags) => start(quick(out, flags)),
    benchInShell: (shell, out, ...flags) => start(quick(out, flags), { shell }),
    run: (out, ...flags) => start(['run', ...images, ...flags, '--out', out]),
    results(out) {
      const results: unknown = JSON.parse(readFileSync(join(cwd, out, 'results.json'), 'utf8'));
      if (fits(results)) return results as Results;
      throw new Error(`results.json does not fit its schema: ${JSON.stringify(fits.errors)}`);
    },
    temporaryFiles: () => readdirSync(temporary),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

/** The flags that take another value in `flags` are left out of `presets`. All of them have a value. */
function override(presets: readonly string[], flags: readonly string[]): string[] {
  const kept = presets.filter((_, i) => !flags.includes(presets[i - (i % 2)] as string));
  return [...kept, ...flags];
}

/** The flags that map official images to stand-ins: those of BENCH_IMAGES, or those that are there. */
export async function findImages(): Promise<string[]> {
  const file = join(root, 'test/standins/images.yml');
  if (process.env.BENCH_IMAGES) return ['--images', resolve(process.env.BENCH_IMAGES)];
  const k6 = parse(readFileSync(file, 'utf8'))[K6_IMAGE] as string;
  return (await realHost.exec('docker', ['image', 'inspect', k6])).code === 0 ? ['--images', file] : [];
}

/** Standard output of a docker command that has to succeed. */
export async function docker(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await realHost.exec('docker', args);
  if (code !== 0) throw new Error(`docker ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

/** Names of the containers with our label, running or not. */
export async function ourContainers(): Promise<string[]> {
  return lines(await docker('container', 'ls', '--all', '--filter', LABEL, '--format', '{{.Names}}'));
}

/** A running container and its first process, by the number that the engine's machine has for it. */
export interface Found {
  id: string;
  pid: number;
}

/** Finds the running containers with such names while a run goes on; waits for one. */
export async function findContainers(run: Run, name: RegExp): Promise<Found[]> {
  let ids: string[] = [];
  await during(run, async () => {
    const all = await docker('ps', '--filter', LABEL, '--no-trunc', '--format', '{{.ID}} {{.Names}}');
    ids = lines(all).flatMap((line) => (name.test(line) ? (line.split(' ')[0] as string) : []));
    return ids.length > 0;
  });
  const pids = await docker('container', 'inspect', '--format', '{{.State.Pid}}', ...ids);
  return lines(pids).map((pid, i) => ({ id: ids[i] as string, pid: Number(pid) }));
}

/**
 * Signals the first processes of containers by ourselves, as a busy engine may take longer for that than a load does. It is
 * asked where they are on another machine or somebody else's.
 */
export async function signalContainers(
  found: readonly Found[],
  name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT',
): Promise<void> {
  for (const { id, pid } of found) {
    const group = `/proc/${pid}/cgroup`;
    const isOurs = process.getuid?.() === 0 && existsSync(group) && readFileSync(group, 'utf8').includes(id);
    if (isOurs) process.kill(pid, name);
    else await docker('container', 'kill', `--signal=${name}`, id);
  }
}

/** Everything in the engine that should be gone after a run. */
export async function leftovers(): Promise<string[]> {
  const list = async (kind: string) =>
    lines(await docker(kind, 'ls', '--filter', LABEL, '--format', `${kind} {{.Name}}`));
  return (await Promise.all([ourContainers(), list('network'), list('volume')])).flat();
}

/** Waits for something that happens while the run goes on; throws when it ends without. */
export async function during(run: Run, holds: () => boolean | Promise<boolean>): Promise<void> {
  let over = false;
  run.done.then(() => {
    over = true;
  });
  for (;;) {
    const wasOver = over;
    if (await holds()) return;
    if (wasOver) throw new Error(`the run ended without ${holds}:\n${run.stderr}`);
    await realHost.sleep(50);
  }
}

/** Waits until the run has printed that. */
export function told(run: Run, text: string): Promise<void> {
  return during(run, () => run.stderr.includes(text));
}

/**
 * Ends the next process of k6 that makes load as the kernel would, a second after it began. It is waited for in the
 * arena: a busy engine may take longer to reach into that than the load does.
 */
export async function killLoad(): Promise<void> {
  const script = `
    while sleep 0.1; do
      for process in /proc/[0-9]*; do
        case $(readlink "$process/exe") in */k6)
          if grep -q lib/main.js "$process/cmdline"; then sleep 1; kill -KILL "\${process#/proc/}" && exit; fi ;;
        esac
      done
    done`;
  await docker('exec', '--detach', ARENA, 'sh', '-c', script);
}

export function variantOf(results: Results, id: string): Variant {
  const found = results.variants.find((variant) => variant.id === id);
  if (!found) throw new Error(`no variant ${id} among ${results.variants.map((v) => v.id).join(', ')}`);
  return found;
}

export function slicesOf(results: Pick<Results, 'measurements'>, id: string): Measurement[] {
  return results.measurements.filter(({ variant }) => variant === id);
}

/** The measurements as they were appended. A full disk, or a run that was killed, cuts the last line off. */
export function readMeasurements(folder: string): Measurement[] {
  const file = join(folder, 'measurements.ndjson');
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  return lines(text.slice(0, text.lastIndexOf('\n') + 1)).map((line) => JSON.parse(line));
}

function lines(text: string): string[] {
  return text.split('\n').filter(Boolean);
}

/** Skips a test about numbers where the guards say that other work has had a part in most of these slices. */
export function needQuiet(test: TestContext, slices: readonly Pick<Measurement, 'guards'>[]) {
  const disturbed = slices.filter(isDisturbed).length;
  test.skip(
    2 * disturbed > slices.length,
    `other work has disturbed ${disturbed} of ${slices.length} slices`,
  );
}

/** Runs one instance, and gives its results. Throws for exit codes that no finished run has. */
export async function bench(
  project: Project,
  out: string,
  ...flags: string[]
): Promise<{ results: Results; stdout: string; code: number }> {
  const { code, stdout, stderr } = await project.run(out, '--instances', '1', ...flags).done;
  if (code !== 0 && code !== 1 && code !== 3) throw new Error(`exit code ${code}\n${stdout}\n${stderr}`);
  return { results: project.results(out), stdout, code };
}
