/**
 * Tries the rules for disturbed windows on simulated machines and on recorded series, and prints what came of each.
 *   node bench/noise/run.ts [--runs N] [--all] [FILE…]    files as of bench/power, default those in bench/power/data;
 *                                                        --all: each world by itself
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeRandom } from '../../src/stats/random.ts';
import { judge, testPairs } from '../../src/stats/verdict.ts';
import { readLines } from '../power/data.ts';
import { TREATMENTS } from '../power/series.ts';
import { ANCHORS } from './anchors.ts';
import { candidates, type Starts } from './candidates.ts';
import { exchange, readStarts } from './recorded.ts';
import { type Simulated, simulate, worlds } from './worlds.ts';

/** Many starts of one block, as a budget plans them, and fewer of several, as without one. */
const DESIGNS = [
  { starts: 12, blocks: 1 },
  { starts: 6, blocks: 4 },
];
const EFFECT = Math.log(1.05);
const KINDS = ['duets', 'cpu', 'rps'] as const;
type Kind = (typeof KINDS)[number];

/** The share of each verdict among some comparisons. */
interface Tally {
  runs: number;
  wrong: number;
  found: number;
  holds: number;
  either: number;
}

/** @param make one comparison, whose sides differ by so much (ln of CPU per request) */
function tally(name: string, kind: Kind, runs: number, make: (run: number, effect: number) => Starts): Tally {
  const rule = candidates[name] as (typeof candidates)[string];
  const sums: Tally = { runs, wrong: 0, found: 0, holds: 0, either: 0 };
  const truth = kind === 'rps' ? -EFFECT : EFFECT;
  for (let run = 0; run < runs; run++) {
    const equal = testPairs(rule(make(run, 0)) ?? []);
    if (equal && /er$/.test(judge(equal, equal.p ?? 1, kind === 'rps').verdict)) sums.wrong++;
    const other = testPairs(rule(make(run, truth)) ?? []);
    if (!other?.interval) continue;
    const found = judge(other, other.p ?? 1, kind === 'rps').verdict === 'slower';
    const holds = other.interval.low <= Math.exp(truth) && Math.exp(truth) <= other.interval.high;
    if (found) sums.found++;
    if (holds) sums.holds++;
    if (found || holds) sums.either++;
  }
  return sums;
}

/** Rules by kind, and what each came to in each world. */
const outcomes = new Map<string, { world: string; tally: Tally }[]>();

function rulesOf(kind: Kind): string[] {
  return Object.keys(candidates).filter((name) => kind !== 'duets' || name !== 'steal');
}

function note(world: string, kind: Kind, name: string, tally: Tally): void {
  const key = `${kind} | ${name}`;
  outcomes.set(key, [...(outcomes.get(key) ?? []), { world, tally }]);
}

const share = (count: number, runs: number) => `${((100 * count) / runs).toFixed(1)} %`;

/** The worst over the worlds, but of what is found the mean. */
function printTable(wanted: (world: string) => boolean): void {
  console.log(
    '| number | rule | wrong, at most | 5 % found, mean | interval holds it, at least | either, at least |',
  );
  console.log('| --- | --- | --: | --: | --: | --: |');
  for (const [key, all] of outcomes) {
    const own = all.filter(({ world }) => wanted(world)).map(({ tally }) => tally);
    const rates = (of: (one: Tally) => number) => own.map((one) => of(one) / one.runs);
    const found = rates(({ found }) => found).reduce((sum, rate) => sum + rate / own.length, 0);
    const cells = [
      Math.max(...rates(({ wrong }) => wrong)),
      found,
      Math.min(...rates(({ holds }) => holds)),
      Math.min(...rates(({ either }) => either)),
    ];
    console.log(`| ${[key, ...cells.map((rate) => share(rate, 1))].join(' | ')} |`);
  }
}

function printAll(): void {
  console.log('| number | rule | where | wrong | 5 % found | interval holds it | either |');
  console.log('| --- | --- | --- | --: | --: | --: | --: |');
  for (const [key, all] of outcomes) {
    for (const { world, tally } of all) {
      const { runs, wrong, found, holds, either } = tally;
      const cells = [wrong, found, holds, either].map((count) => share(count, runs));
      console.log(`| ${[key, world, ...cells].join(' | ')} |`);
    }
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '10000' }, all: { type: 'boolean' } },
});
const runs = Number(values.runs);
worlds.forEach((world, w) => {
  for (const design of DESIGNS) {
    // All rules see the same machines.
    const of = (effect: number) =>
      Array.from({ length: runs }, (_, run) => simulate(world, ANCHORS, design, effect, 1 + run + 1e6 * w));
    const [equal, other] = [of(0), of(EFFECT)] as [Simulated[], Simulated[]];
    for (const kind of KINDS) {
      for (const name of rulesOf(kind)) {
        // RPS goes the other way already.
        const make = (run: number, effect: number) => (effect === 0 ? equal : other)[run]?.[kind] ?? [];
        note(`${world.name}, ${design.starts} × ${design.blocks}`, kind, name, tally(name, kind, runs, make));
      }
    }
  }
});
const simulated = new Set([...outcomes.values()].flat().map(({ world }) => world));

const data = join(import.meta.dirname, '../power/data');
const files = positionals.length > 0 ? positionals : readdirSync(data).map((file) => join(data, file));
const equals = new Map<string, Simulated[]>();
for (const line of files.flatMap(readLines)) {
  if (line.kind !== 'comparison' || TREATMENTS[line.treatment].slowdown > 0) continue;
  const starts = readStarts(line);
  if (starts) equals.set(line.treatment, [...(equals.get(line.treatment) ?? []), starts]);
}
const TIMES = 200;
for (const [treatment, recorded] of equals) {
  for (const kind of KINDS) {
    for (const name of rulesOf(kind)) {
      const make = (run: number, effect: number) =>
        exchange((recorded[Math.floor(run / TIMES)] as Simulated)[kind], effect, makeRandom(run + 1));
      note(
        `${treatment}, ${recorded.length} recorded`,
        kind,
        name,
        tally(name, kind, TIMES * recorded.length, make),
      );
    }
  }
}

if (values.all) printAll();
else {
  console.log('Simulated\n');
  printTable((world) => simulated.has(world));
  for (const treatment of equals.keys()) {
    console.log(`\nRecorded: ${treatment}, ${equals.get(treatment)?.length}\n`);
    printTable((world) => world.startsWith(`${treatment},`));
  }
}
