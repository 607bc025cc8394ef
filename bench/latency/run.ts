import { execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parse, stringify } from 'yaml';
import { poolLatency } from '../../src/analyse/rows/pool.ts';
import { K6_IMAGE } from '../../src/engine/k6-image.ts';
import type { Measurement, Results } from '../../src/results/results.ts';
import { type LoadSpec, readLoad, toScenario } from './loads.ts';
import { type Cell, isDisturbed, type Machine, PERCENTS, readCells, readMachine } from './rows.ts';
import { environmentOf, wrapK6 } from './settings.ts';
import { printTable } from './table.ts';
import { readServed, servedWithin, truePercentile } from './truth.ts';

const here = import.meta.dirname;
const root = resolve(here, '../..');
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '5' },
    settings: { type: 'string', default: 'ours;default' },
    loads: { type: 'string', default: 'const:20,const:40,const:60,closed:20,closed:40,closed:60' },
    runs: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '5' },
    capacity: { type: 'string' },
    out: { type: 'string' },
    table: { type: 'boolean', default: false },
  },
});

if (given.table) {
  printTable(positionals);
} else {
  const folder = mkdtempSync(join(tmpdir(), 'bench-latency-'));
  try {
    measureAll(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function measureAll(project: string): void {
  const out = resolve(given.out ?? join(here, 'data', `${new Date().toISOString().slice(0, 10)}.ndjson`));
  mkdirSync(dirname(out), { recursive: true });
  cpSync(join(here, 'server'), join(project, '.bench/runtimes/latency'), { recursive: true });
  mkdirSync(join(project, '.bench/scenarios'));
  mkdirSync(join(project, 'app/public'), { recursive: true });
  writeFileSync(join(project, 'app/public/index.php'), '');
  const images = findImages();
  const write = (row: Cell | Machine) => appendFileSync(out, `${JSON.stringify(row)}\n`);

  // Rows of one load are pooled, so they need one rate.
  const capacity = Number(
    given.capacity ?? readMachine(out)?.capacityRps ?? measureCapacity(project, images),
  );
  const rounds = Number(given.rounds);
  let runs = 0;
  const loads = given.loads.split(',').map((text) => readLoad(text, capacity));
  // A setting may hold commas itself.
  const settings = given.settings.split(';');
  // Disturbed cells are kept and measured again. Only the guards decide which.
  for (let round = 1; round <= 3 * rounds; round++) {
    const known = existsSync(out) ? readCells([out]) : [];
    const wanted = (setting: string) =>
      loads.filter(({ name }) => {
        const clean = known.filter(
          (cell) => cell.setting === setting && cell.load === name && !isDisturbed(cell),
        );
        return clean.length < rounds;
      });
    for (const setting of shuffled(settings)) {
      const open = shuffled(wanted(setting));
      if (open.length === 0 || runs++ >= Number(given.runs)) continue;
      const { results, served } = bench(project, images, setting, open, '/mix', Number(given.seconds));
      if (!existsSync(out)) write(machineOf(results, capacity));
      for (const m of results.measurements) {
        const load = loads.find(({ name }) => name === m.scenario) as LoadSpec;
        const truth = servedWithin(served, m.startedMs - 150, m.startedMs + m.durationMs + 150);
        const cell = toCell(results, setting, round, load, m, truth);
        write(cell);
        console.log(lineOf(cell));
      }
    }
  }
}

function measureCapacity(project: string, images: Record<string, string>): number {
  const full = [1, 2, 3].map(() => {
    const spec: LoadSpec = { name: 'full', kind: 'closed', share: 1, rps: 0, vus: 16, reuse: true };
    const [m] = bench(project, images, 'ours', [spec], '/now', 3).results.measurements as [Measurement];
    console.log(`capacity: ${Math.round(m.achievedRps)} rps, k6 busy ${m.generator.busyRatio?.toFixed(2)}`);
    return m.achievedRps;
  });
  full.sort((a, b) => a - b);
  return Math.round(full[1] as number);
}

function toCell(
  results: Results,
  setting: string,
  round: number,
  load: LoadSpec,
  m: Measurement,
  truth: ReturnType<typeof servedWithin>,
): Cell {
  const pooled = poolLatency([m])?.percentiles ?? [];
  const of = (p: number) => pooled.find((point) => point.p === p)?.ms ?? Number.NaN;
  const milliseconds = (ms: number) => Math.round(ms * 1e4) / 1e4;
  return {
    started: new Date(m.startedMs).toISOString(),
    run: results.run.id,
    setting,
    load: load.name,
    kind: load.kind,
    share: load.share,
    vus: load.vus,
    round,
    rps: Math.round(m.achievedRps),
    busyRatio: m.generator.busyRatio,
    dropped: m.dropped,
    requests: m.requests,
    served: truth.answers,
    late: truth.late,
    stalledMs: truth.stalledMs,
    foreignCpuRatio: m.guards.foreignCpuRatio,
    stealRatio: m.guards.stealRatio,
    truthMs: PERCENTS.map((p) => milliseconds(truePercentile(truth, p))),
    pooledMs: PERCENTS.map((p) => milliseconds(of(p))),
    k6Ms: PERCENTS.map((p) => milliseconds(m.latency?.[`p${p}Ms`] ?? Number.NaN)),
  };
}

function lineOf(cell: Cell): string {
  const { setting, load, rps, busyRatio, dropped, requests, served, stalledMs, truthMs, pooledMs, k6Ms } =
    cell;
  const ratios = truthMs.map((ms, i) => `${(((pooledMs[i] as number) / ms - 1) * 100).toFixed(1)}`);
  const exact = truthMs.map((ms, i) => `${(((k6Ms[i] as number) / ms - 1) * 100).toFixed(1)}`);
  return [
    setting.padEnd(24),
    load.padEnd(18),
    `${rps} rps`.padStart(10),
    `busy ${busyRatio?.toFixed(2)}`,
    `truth ${truthMs.join(' ')}`,
    `pooled ${ratios.join(' ')} %`,
    `k6 ${exact.join(' ')} %`,
    `${isDisturbed(cell) ? 'disturbed, ' : ''}dropped ${dropped}, served ${served}/${requests}, stalled ${stalledMs} ms`,
  ].join('  ');
}

/** One run of the CLI over all loads, with k6 in one setting. */
function bench(
  project: string,
  images: Record<string, string>,
  setting: string,
  loads: readonly LoadSpec[],
  path: string,
  seconds: number,
) {
  const environment = environmentOf(setting);
  const mapped = { ...images };
  if (environment) {
    const tag = `php-runtime-bench-latency/k6:${setting.replaceAll(/[^\w.-]+/g, '-')}`;
    const dockerfile = wrapK6(images[K6_IMAGE] ?? K6_IMAGE, environment);
    execFileSync(
      'docker',
      ['buildx', 'build', '--quiet', '--load', '--provenance=false', '--tag', tag, '-'],
      { input: dockerfile },
    );
    mapped[K6_IMAGE] = tag;
  }
  writeFileSync(join(project, 'images.yml'), stringify(mapped));
  for (const load of loads) {
    writeFileSync(join(project, `.bench/scenarios/${load.name}.yaml`), toScenario(load, path, seconds));
  }
  rmSync(join(project, 'out'), { recursive: true, force: true });
  const command = [
    ...(process.env.UNDER ? process.env.UNDER.split(' ') : []),
    ...[
      process.execPath,
      join(root, 'dist/cli.mjs'),
      'run',
      '--app',
      'app',
      '--runtimes',
      'latency',
      '--php',
      '8.4',
    ],
    ...[
      '--scenarios',
      loads.map(({ name }) => name).join(','),
      '--instances',
      '1',
      '--images',
      'images.yml',
      '--out',
      'out',
    ],
  ];
  const [program, ...args] = command as [string, ...string[]];
  const done = spawnSync(program, args, { cwd: project, encoding: 'utf8' });
  if (!existsSync(join(project, 'out/results.json'))) throw new Error(`${done.stdout}\n${done.stderr}`);
  const results: Results = JSON.parse(readFileSync(join(project, 'out/results.json'), 'utf8'));
  if (results.measurements.length !== loads.length) throw new Error(`${done.stdout}\n${done.stderr}`);
  const logs = join(project, 'out/raw/logs/0');
  const served = readdirSync(logs).flatMap((name) => readServed(readFileSync(join(logs, name), 'utf8')));
  return { results, served };
}

/** Stand-ins for the official images where those are not here. */
function findImages(): Record<string, string> {
  const official = spawnSync('docker', ['image', 'inspect', K6_IMAGE]);
  return official.status === 0 ? {} : parse(readFileSync(join(root, 'test/standins/images.yml'), 'utf8'));
}

function machineOf({ host, tool, plan }: Results, capacity: number): Machine {
  return { machine: host, tool, cpus: plan.cpus, capacityRps: capacity };
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => [Math.random(), item] as const)
    .sort(([a], [b]) => a - b)
    .map(([, item]) => item);
}
