// Runs the test layers named by the arguments, or all; one that fails does not stop the next.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../test/fixtures/temporary.ts';
import { runChecks } from './checks.ts';
import { emptyTally, readRun, renderTally, sumTallies, type Tally } from './tally.ts';

/** Their projects in vitest, and after how many minutes a hung run is ended: layers after it still run. */
interface VitestLayer {
  projects: readonly string[];
  minutes: number;
  /** It uses the engine. Such layers run at once: while files of one wait, those of another work. */
  engine?: true;
}

/** In the order in which they run where none is named. Null: it has no tests of vitest. */
const LAYERS: Readonly<Record<string, VitestLayer | null>> = {
  static: null,
  unit: { projects: ['unit'], minutes: 10 },
  integration: { projects: ['integration', 'alone'], minutes: 50, engine: true },
  faults: { projects: ['faults'], minutes: 15, engine: true },
  e2e: { projects: ['e2e'], minutes: 20, engine: true },
};

/** Groups of layers that run at once, in the order in which they were named. */
function group(names: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const name of names) {
    const last = groups.at(-1);
    if (last && [...last, name].every((one) => LAYERS[one]?.engine)) last.push(name);
    else groups.push([name]);
  }
  return groups;
}

async function runGroup(names: readonly string[]): Promise<Record<string, Tally>> {
  const layers = Object.fromEntries(names.flatMap((name) => (LAYERS[name] ? [[name, LAYERS[name]]] : [])));
  if (Object.keys(layers).length === 0) return { [names[0] as string]: await runChecks() };
  const projects = Object.fromEntries(Object.entries(layers).map(([name, layer]) => [name, layer.projects]));
  const folder = makeFolder();
  const file = join(folder, 'tally.json');
  const flags = Object.values(projects).flatMap((all) => all.map((project) => `--project=${project}`));
  const reporters = ['--reporter=default', `--reporter=${import.meta.dirname}/reporter.ts`];
  const argv = ['node_modules/vitest/vitest.mjs', 'run', ...flags, ...reporters];
  const vitest = spawn(process.execPath, argv, {
    stdio: ['ignore', 'inherit', 'inherit'],
    // The CLI starts hundreds of times, and is compiled once.
    env: { ...process.env, TALLY_FILE: file, NODE_COMPILE_CACHE: join(folder, 'compiled') },
    timeout: Object.values(layers).reduce((sum, { minutes }) => sum + minutes, 0) * 60_000,
    killSignal: 'SIGKILL',
  });
  const end = await new Promise<string>((resolve) => {
    vitest.on('error', (error) => resolve(error.message));
    vitest.on('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const tallies = readRun(readIfThere(file), end, projects);
  try {
    // A command that a test has killed may still write there.
    rmSync(folder, { recursive: true, maxRetries: 5 });
  } catch (error) {
    console.error(`test: ${folder} is left: ${error}`);
  }
  return tallies;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

async function main(wanted: string[]): Promise<number> {
  const unknown = wanted.find((name) => !(name in LAYERS));
  if (unknown !== undefined) {
    console.error(`test: there is no layer '${unknown}'; there are: ${Object.keys(LAYERS).join(', ')}`);
    return 2;
  }
  const tallies: Record<string, Tally> = {};
  const times: string[] = [];
  for (const names of group([...new Set(wanted.length > 0 ? wanted : Object.keys(LAYERS))])) {
    const began = performance.now();
    console.log(`\n── ${names.join(', ')} ──`);
    try {
      Object.assign(tallies, await runGroup(names));
    } catch (error) {
      tallies[names.join(', ')] = { ...emptyTally(), failed: [`could not run: ${error}`] };
    }
    times.push(`${names.join(', ')} ${((performance.now() - began) / 1000).toFixed(1)} s`);
    console.log(times.at(-1));
  }
  const sum = sumTallies(tallies);
  console.log(`\nTime: ${times.join(' · ')}\n${renderTally(sum)}`);
  return sum.failed.length > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
