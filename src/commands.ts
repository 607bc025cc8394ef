import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { mergeResults } from './analyse/merge.ts';
import { runBench } from './bench.ts';
import { connectGit } from './checkout/git.ts';
import { describeOther, findOther, sayOther } from './checkout/other.ts';
import { bundledApps } from './config/apps.ts';
import { parseChoices } from './config/choices.ts';
import { helpText, parseCommand } from './config/command.ts';
import { realFiles } from './config/files.ts';
import { parseConfig } from './config/parse.ts';
import { formatOwnDefaults, loadRuntimes } from './config/runtimes.ts';
import { findScenarios } from './config/scenarios.ts';
import { escapeText, refuse } from './config/text.ts';
import type { Config, Runtime } from './config/types.ts';
import { measureItself } from './doctor-aa.ts';
import { eject, writeEjected } from './eject.ts';
import { connectDocker } from './engine/docker.ts';
import { diagnose, diagnoseBeside, diagnoseNeeds } from './engine/doctor.ts';
import type { Finding } from './engine/finding.ts';
import { lookForImage } from './engine/image-store.ts';
import { K6_IMAGE } from './engine/k6-image.ts';
import { MACHINE_SCRIPT, parseMachine } from './engine/machine.ts';
import { UserError } from './errors.ts';
import { addRuns, openHistory } from './history/local.ts';
import { findTrends } from './history/trend.ts';
import type { Host } from './host.ts';
import { basesOfApp } from './images/app-build.ts';
import { basesOf } from './images/bake.ts';
import { formatCpus } from './plan/cpus.ts';
import { describeEffort } from './plan/effort.ts';
import { type Plan, plan } from './plan/plan.ts';
import { type PlannedShard, planShards } from './plan/shard-plan.ts';
import { describeSubject } from './plan/subject.ts';
import { planVariants } from './plan/variants.ts';
import { renderAs } from './report/formats.ts';
import { renderHistory } from './report/history.ts';
import { renderHistoryPage } from './report/html/html-history.ts';
import { renderNoise } from './report/noise.ts';
import { makeProgress } from './report/progress.ts';
import type { Warning } from './results/results.ts';
import { inspectScripts } from './run/load/inspect.ts';
import { type Caller, makeRunId } from './stages/desk.ts';
import { readOutput } from './store/stored.ts';
import { removeTemporary } from './temporary.ts';

/** One command of the CLI, as typed; returns the exit code. Results go to stdout, the rest to stderr. */
export async function runCommand(argv: readonly string[], host: Host, packageRoot: string): Promise<number> {
  const command = parseCommand(argv);
  const cwd = process.cwd();
  const print = (text: string) => process.stdout.write(text.endsWith('\n') ? text : `${text}\n`);
  const terminal = {
    // 0 of a terminal that does not know.
    width: process.stdout.columns || 120,
    color: process.stdout.isTTY && !process.env.NO_COLOR,
  };

  switch (command.command) {
    case 'help':
      print(helpText(command.of));
      return 0;
    case 'version':
      print(await readVersion(packageRoot));
      return 0;
    case 'run': {
      const config = parseConfig({ flags: command.flags, cwd, packageRoot });
      const { progress, ...caller } = await makeCaller(argv, packageRoot);
      const { results, summary, out, exitCode } = await runBench(config, host, caller);
      progress.end();
      for (const text of renderAs(command.format, [results], terminal, () => summary))
        process.stdout.write(text);
      const written = `written to ${out}: report.html, report.md, results.json, measurements.ndjson, raw/`;
      // What is not for people is for programs, which read all of standard output.
      if (command.format === 'table') print(`\n${written}`);
      else progress.say(written);
      return exitCode;
    }
    case 'plan': {
      const asked = parseConfig({ flags: command.flags, cwd, packageRoot });
      const findImage = (name: string) => lookForImage(connectDocker(host), name);
      const around = { host, packageRoot, pull: null, findImage, fetches: false };
      const found = await findOther(asked, around);
      const given = found ? { ...asked, other: found.other } : asked;
      const { config, notes: unread } = await readScripts(given, host, packageRoot, cwd);
      if (command.shards !== null) {
        const shards = planShards(planVariants(config), config, command.shards);
        print(command.json ? JSON.stringify(shards, null, 2) : shards.map(describeShard).join('\n'));
        return 0;
      }
      const planned = plan(config, (await readMachine(host)).cpus);
      const lacking = await diagnoseNeeds(host, config);
      const notes = [...planned.warnings, ...(found?.notes ?? []), ...unread, ...lacking.flatMap(noteLack)];
      print(
        command.json
          ? JSON.stringify(
              { ...showPlan(planned, config, notes), pulls: await listPulls(planned, config) },
              null,
              2,
            )
          : [...describeSubject(config, packageRoot), describePlan(planned, config, notes)].join('\n'),
      );
      return 0;
    }
    case 'report': {
      const groups = mergeResults(await Promise.all(command.folders.map(readOutput)));
      for (const text of renderAs(command.format, groups, terminal)) process.stdout.write(text);
      return 0;
    }
    case 'history': {
      const file = resolve(cwd, command.file);
      if (command.add.length > 0) {
        const runs = await Promise.all(command.add.map(readOutput));
        const { added } = await addRuns(file, runs, await readHead(host, cwd));
        process.stderr.write(`added ${added} records to ${file}\n`);
      }
      const history = await openHistory(file);
      const trends = findTrends(history.records);
      if (command.format === 'json') print(JSON.stringify({ trends, corrupt: history.corrupt }));
      else if (command.format === 'html') print(renderHistoryPage(trends, history));
      else print(renderHistory(trends, history));
      return 0;
    }
    case 'list':
      print(list(packageRoot, cwd, command.json));
      return 0;
    case 'eject': {
      const choices = parseChoices(command.runtime, loadRuntimes(packageRoot, cwd, realFiles));
      const [choice, other] = choices;
      if (!choice || other)
        throw refuse(
          '`eject` takes exactly one runtime',
          command.runtime,
          "one, such as 'nginx-fpm[workers=32]'",
        );
      const folder = resolve(cwd, command.out ?? choice.as ?? choice.runtime.name);
      await writeEjected(folder, eject(choice, packageRoot, realFiles), realFiles);
      print(`written to ${folder}: see README.md there`);
      return 0;
    }
    case 'doctor': {
      const machine = await readMachine(host);
      // With a configuration that is wrong the machine can be looked at all the same.
      const beside = tryConfig(() => parseConfig({ flags: command.flags, cwd, packageRoot }));
      const findings = [...(await diagnose(host, machine)), ...(await diagnoseBeside(host, machine, beside))];
      if (!command.json) print(findings.map((f) => `${f.ok ? 'ok  ' : 'note'}  ${f.what}`).join('\n'));
      if (!command.aa) {
        if (command.json) print(JSON.stringify(findings, null, 2));
        return 0;
      }
      const config = parseConfig({ flags: command.flags, cwd, packageRoot });
      const { progress, ...caller } = await makeCaller(argv, packageRoot);
      const found = await measureItself(config, machine.cpus, host, caller);
      progress.end();
      print(command.json ? JSON.stringify({ findings, ...found }, null, 2) : renderNoise(found));
      return found.exitCode;
    }
  }
}

/** A configuration, or the message of what is wrong with it. */
function tryConfig(read: () => Config): Config | { message: string } {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return { message: error.format() };
    throw error;
  }
}

/** The machine of a plan may not be that of the run, so what a run would lack here is a note. */
function noteLack({ ok, what }: Finding): Warning[] {
  if (ok) return [];
  return [{ code: 'not-ready', message: what, remedy: 'a run would stop before the build', variant: null }];
}

async function makeCaller(argv: readonly string[], packageRoot: string) {
  const { stderr } = process;
  const progress = makeProgress(
    (text) => stderr.write(text),
    // 0 of a terminal that does not know.
    () => (stderr.isTTY ? stderr.columns || 80 : null),
  );
  const caller: Caller = {
    ...{ version: await readVersion(packageRoot), packageRoot },
    command: ['php-runtime-bench', ...withoutSecrets(argv)],
    ...progress,
  };
  return { ...caller, progress };
}

/** The command line as the report repeats it: what the app is given in its environment may be secret. */
export function withoutSecrets(argv: readonly string[]): string[] {
  return argv.map((word, i) =>
    argv[i - 1] === '--env' || word.startsWith('--env=')
      ? word.replace(/^(--env=)?([^=]*)=.*$/s, '$1$2=…')
      : word,
  );
}

async function readVersion(packageRoot: string): Promise<string> {
  return JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8')).version;
}

/** Looks at k6 scripts where the engine has the image of k6: a plan pulls none. */
async function readScripts(
  config: Config,
  host: Host,
  packageRoot: string,
  cwd: string,
): Promise<{ config: Config; notes: Warning[] }> {
  if (!config.scenarios.some(({ journey }) => journey.kind === 'script')) return { config, notes: [] };
  const docker = connectDocker(host);
  const k6Image = config.images[K6_IMAGE] ?? K6_IMAGE;
  const has = await docker.try(['image', 'inspect', k6Image]).catch(() => null);
  if (has?.code !== 0) {
    const note = {
      code: 'script-unread',
      message: `k6 scripts were not checked because there is no image ${k6Image} here: their thresholds and the duration of their own load are unknown`,
      remedy: 'a run pulls the image and checks them before it builds anything',
      variant: null,
    };
    return { config, notes: [note] };
  }
  const run = makeRunId(host.now());
  const scenariosFolder = join(packageRoot, 'scenarios');
  try {
    return {
      config: await inspectScripts({ docker, run, k6Image, scenariosFolder, cwd }, config),
      notes: [],
    };
  } finally {
    await removeTemporary(run);
  }
}

/** This machine's CPUs; `run` asks the engine's machine, which is another one when the engine is remote. */
async function readMachine(host: Host) {
  const { stdout } = await host.exec('sh', ['-c', MACHINE_SCRIPT]);
  const machine = parseMachine(stdout);
  if (machine.cpus.length > 0) return machine;
  const { cpus } = await import('node:os');
  return { ...machine, cpus: cpus().map((_, cpu) => ({ cpu, core: cpu, package: 0 })) };
}

/** The plan as JSON: what would run, in order. */
function showPlan(
  { seed, variants, images, cpus, instances, estimatedSeconds, detectable, searches }: Plan,
  { other, services }: Config,
  warnings: readonly Warning[],
) {
  return {
    seed,
    compareTo: other ? describeOther(other) : null,
    estimatedSeconds,
    detectable,
    capacity: searches,
    services: services?.file ?? null,
    cpus: { server: formatCpus(cpus.server), load: formatCpus(cpus.load), system: formatCpus(cpus.system) },
    variants: variants.map(({ id, label, ref, base, image, options }) => ({
      ...{ id, label, ref, base, image, options },
    })),
    images: images.map(({ key, ref, ready, args, runtime }) => ({
      ...{ key, ref, ready, runtime: runtime.name, args },
    })),
    instances: instances.map(({ startOrder, ports, batches }) => ({
      startOrder,
      ports,
      slices: batches.flatMap(({ scenario, slices }) =>
        slices.map(({ number, variant, block, warmup, durationMs, turnMs, turns }) => ({
          ...{ number, scenario: scenario.name, variant, block, warmup, durationMs, turnMs, turns },
        })),
      ),
    })),
    warnings,
  };
}

/** The images that a run pulls where they are missing. Those of services are in their compose file. */
async function listPulls({ images }: Plan, config: Config): Promise<string[]> {
  const built = images.filter(({ ready }) => ready === null);
  const bases = await Promise.all(
    built.map(async (image) => basesOf(image, { bases: await basesOfApp(image, config) })),
  );
  return [...new Set([K6_IMAGE, ...bases.flat()].map((name) => config.images[name] ?? name))];
}

function describePlan(planned: Plan, { other }: Config, warnings: readonly Warning[]): string {
  const { cpus } = planned;
  const slices = planned.instances
    .flatMap((i) => i.batches.flatMap((b) => b.slices))
    .filter((s) => !s.warmup);
  return [
    `variants:  ${planned.variants.map((v) => v.label).join(', ')}`,
    ...(other ? [`compared:  with ${sayOther(other)}`] : []),
    `images:    ${planned.images.filter(({ ready }) => ready === null).length} to build`,
    `CPUs:      server ${formatCpus(cpus.server)}, load ${formatCpus(cpus.load)}, system ${formatCpus(cpus.system) || 'none'}`,
    `timeline:  ${planned.instances.length} instances, ${slices.length} measured slices, seed ${planned.seed}`,
    ...describeEffort(planned).map((line) => `effort:    ${line}`),
    ...warnings.map((w) => `note:      ${w.message}; ${w.remedy}`),
  ].join('\n');
}

function describeShard({ index, of, variants }: PlannedShard): string {
  return `--shard ${index}/${of}: ${variants.join(', ')}`;
}

function list(packageRoot: string, cwd: string, json: boolean): string {
  const found = loadRuntimes(packageRoot, cwd, realFiles);
  const runtimes = [...found.values()];
  const scenarios = [...findScenarios({ packageRoot, cwd }, realFiles).keys()];
  const apps = bundledApps(packageRoot, realFiles);
  if (json) {
    const told = runtimes.map(({ folder: _, front: __, ...rest }) => ({
      htaccess: false,
      workerPerConnection: false,
      extends: null,
      tried: null,
      ...rest,
    }));
    const broken = [...(found.broken ?? [])].map(([name, error]) => ({ name, error: error.format() }));
    return JSON.stringify({ runtimes: told, broken, scenarios, apps }, null, 2);
  }
  return [
    'runtimes',
    ...runtimes.flatMap((runtime) => describeRuntime(runtime, found.get(runtime.extends ?? ''))),
    ...[...(found.broken ?? [])].flatMap(([name, error]) => [
      `  ${escapeText(name).padEnd(19)} cannot be used:`,
      ...error
        .format()
        .split('\n')
        .map((line) => `${' '.repeat(22)}${line}`),
    ]),
    `scenarios\n  ${scenarios.join(', ')}`,
    `apps\n  ${apps.join(', ')}`,
  ].join('\n');
}

/** @param base the runtime that it extends */
function describeRuntime(runtime: Runtime, base: Runtime | undefined): string[] {
  const { name, title, model, php, status, apps, options, tried } = runtime;
  return [
    `  ${name.padEnd(19)} ${title} (${model}, PHP ${php.join(' ')}, ${status})`,
    ...[
      base ? `${base.name}[${formatOwnDefaults(runtime, base)}]` : Object.keys(options).join(', '),
      `apps: ${apps.join(', ')}; ${tried === undefined ? 'untried' : `last checked with: ${tried}`}`,
    ].map((line) => `${' '.repeat(22)}${line}`),
  ];
}

/** The commit of a folder; null where it lies in no repository. */
async function readHead(host: Host, cwd: string): Promise<string | null> {
  const { code, stdout } = await connectGit(host, cwd)
    .try(['rev-parse', '--verify', '--quiet', 'HEAD'])
    .catch(() => ({ code: 1, stdout: '' }));
  return code === 0 ? stdout.trim() : null;
}
