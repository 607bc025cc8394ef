// Runs the test layers named by the arguments, or all; one that fails does not stop the next.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runChecks } from './checks.ts';
import { emptyTally, readRun, renderTally, sumTallies, type Tally } from './tally.ts';

/** In the order in which they run where none is named. */
const layers: Record<string, () => Promise<Tally> | Tally> = {
  static: runChecks,
  unit: () => runVitest(['unit'], 10),
  integration: () => runVitest(['integration', 'alone'], 50),
  faults: () => runVitest(['faults'], 15),
  e2e: () => runVitest(['e2e'], 20),
};

/** @param minutes when a hung run is ended, so that the layers after it still have their say */
async function runVitest(projects: string[], minutes: number): Promise<Tally> {
  const folder = mkdtempSync(join(tmpdir(), 'php-runtime-bench-tally-'));
  const file = join(folder, 'tally.json');
  const args = ['node_modules/vitest/vitest.mjs', 'run', ...projects.map((name) => `--project=${name}`)];
  const reporters = ['--reporter=default', `--reporter=${import.meta.dirname}/reporter.ts`];
  const vitest = spawn(process.execPath, [...args, ...reporters], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TALLY_FILE: file },
    timeout: minutes * 60_000,
    killSignal: 'SIGKILL',
  });
  const end = await new Promise<string>((resolve) => {
    vitest.on('error', (error) => resolve(error.message));
    vitest.on('exit', (code, signal) => resolve(signal ? `signal ${signal}` : `exit code ${code}`));
  });
  const text = readIfThere(file);
  rmSync(folder, { recursive: true });
  return readRun(text, end);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

async function main(wanted: string[]): Promise<number> {
  const unknown = wanted.find((name) => !(name in layers));
  if (unknown !== undefined) {
    console.error(`test: there is no layer '${unknown}'; there are: ${Object.keys(layers).join(', ')}`);
    return 2;
  }
  const tallies: Record<string, Tally> = {};
  const times: string[] = [];
  for (const name of new Set(wanted.length > 0 ? wanted : Object.keys(layers))) {
    const began = performance.now();
    console.log(`\n── ${name} ──`);
    try {
      tallies[name] = await (layers[name] as () => Promise<Tally> | Tally)();
    } catch (error) {
      tallies[name] = { ...emptyTally(), failed: [`could not run: ${error}`] };
    }
    times.push(`${name} ${((performance.now() - began) / 1000).toFixed(1)} s`);
    console.log(times.at(-1));
  }
  const sum = sumTallies(tallies);
  console.log(`\nTime: ${times.join(' · ')}\n${renderTally(sum)}`);
  return sum.failed.length > 0 ? 1 : 0;
}

process.exitCode = await main(process.argv.slice(2));
