import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mergeResults } from '../analyse/merge.ts';
import type { Command } from '../config/command.ts';
import { CONFIG_FLAGS, splitArguments } from '../config/keys/flags.ts';
import { parseBoolean } from '../config/text.ts';
import type { Config } from '../config/types.ts';
import { findEngine } from '../engine/connection.ts';
import { Stopped, UserError } from '../errors.ts';
import type { Host, Running } from '../host.ts';
import { type PlannedShard, planShards } from '../plan/shard-plan.ts';
import { planVariants } from '../plan/variants.ts';
import type { TableOptions } from '../report/format/terminal.ts';
import { renderAs } from '../report/formats.ts';
import type { Results } from '../results/results.ts';
import { openFolder } from '../store/output.ts';
import { refuseForeign } from '../store/several.ts';
import { findResults } from '../store/stored.ts';
import { openSharing, type Sharing } from './share-images.ts';
import { type Shell, writeOut } from './shell.ts';

type Asked = Extract<Command, { command: 'run' }>;

/** The outcome of one engine's share. */
interface Share {
  engine: string;
  shard: PlannedShard;
  /** The folder with its results. */
  folder: string;
  /** Null: it was not started. */
  code: number | null;
}

/** Context that the functions below share. */
interface Around {
  config: Config;
  command: Asked;
  shell: Shell;
  signal: AbortSignal;
  say(line: string): void;
}

/**
 * `run --engines a,b`: each engine measures its share of the variants, and the reference, all at once: a `run` of its own
 * with `--shard`. Their results are put into one report as `report` does. An engine that fails costs its share alone.
 */
export async function runOnEngines(
  config: Config,
  engines: readonly string[],
  command: Asked,
  shell: Shell,
  terminal: TableOptions,
): Promise<number> {
  const stop = new AbortController();
  const { signal } = stop;
  const forget = shell.host.onSignal((name) => stop.abort(new Stopped(name)));
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const around: Around = { config, command, shell, signal, say };
  try {
    await checkEngines(engines, shell, signal);
    await refuseForeign(config.out);
    const beganMs = shell.host.now();
    const shares = await shareOut(engines, around);
    const results = await Promise.all(shares.map(({ folder }) => findOwn(folder, beganMs)));
    sayEnds(shares, results, around);
    const kept = results.filter((found) => found !== null);
    if (kept.length > 0) await report(kept, terminal, around);
    const stopped = signal.reason instanceof Stopped ? [signal.reason.exitCode] : [];
    return worstOf([...shares.flatMap(({ code }) => code ?? []), ...stopped]);
  } finally {
    forget();
  }
}

/** Runs all shares to their ends. */
async function shareOut(engines: readonly string[], around: Around): Promise<Share[]> {
  const { config, shell, signal, say } = around;
  const shards = planShards(planVariants(config), config, engines.length);
  for (const engine of engines.slice(shards.length)) say(`${engine}: no variants left to measure`);
  const used = engines.slice(0, shards.length);
  const sharing =
    config.registry === undefined ? null : await openSharing(config.registry, used, shell, signal);
  try {
    signal.throwIfAborted();
    await openFolder(config.out);
    const shares = shards.map((shard, i) => ({
      ...{ shard, engine: engines[i] as string, folder: join(config.out, `engine-${i + 1}`) },
    }));
    return await runShares(shares, sharing, around);
  } finally {
    await sharing?.remove();
  }
}

function sayEnds(
  shares: readonly Share[],
  results: readonly (Results | null)[],
  { signal, say }: Around,
): void {
  const why = signal.aborted ? signal.reason.message : `${shares[0]?.engine} built no images to share`;
  for (const [i, { engine, shard, code, folder }] of shares.entries()) {
    if (code === null) say(`${engine}: not started: ${why}`);
    else if (results[i]) say(`${engine}: exit code ${code}, results in ${folder}`);
    else say(`${engine}: exit code ${code}, no results. Not measured: ${shard.variants.join(', ')}`);
  }
}

/** One report for all, beside their folders and on the terminal. */
async function report(
  kept: readonly Results[],
  terminal: TableOptions,
  { config: { out }, command: { format }, say }: Around,
): Promise<void> {
  const groups = mergeResults(kept);
  for (const kind of ['md', 'html'] as const) {
    await writeFile(join(out, `report.${kind}`), [...renderAs(kind, groups, terminal)].join(''));
  }
  for (const text of renderAs(format, groups, terminal)) writeOut(text);
  say(`written to ${out}: report.html, report.md, and a folder for each engine`);
}

/** Results of this run: where nothing was measured, a share has put back those of an earlier one. */
async function findOwn(folder: string, beganMs: number): Promise<Results | null> {
  const found = await findResults(folder).catch(() => null);
  return found !== null && Date.parse(found.run.started) >= beganMs ? found : null;
}

/** Before anything starts. */
async function checkEngines(engines: readonly string[], { host }: Shell, signal: AbortSignal): Promise<void> {
  const where = { name: '--engines' };
  const urls = await Promise.all(
    engines.map((engine) => findEngine(host, engine, { key: 'engines', signal })),
  );
  for (const [i, engine] of engines.entries()) {
    if (urls[i] !== null && urls.indexOf(urls[i] as string) !== i) {
      throw new UserError('the same engine twice', { where, found: engine, allowed: 'different engines' });
    }
  }
}

/**
 * All at once; where they share images, the others begin when the first has built them.
 *
 * @param sharing null: each builds its own images
 */
async function runShares(
  shares: readonly Omit<Share, 'code'>[],
  sharing: Sharing | null,
  around: Around,
): Promise<Share[]> {
  const { signal, shell } = around;
  const [first, ...others] = shares.map((share) => () => startShare(share, sharing, around));
  const running: Running[] = [];
  const pass = () => {
    for (const one of running) one.kill(signal.reason.signal);
  };
  signal.addEventListener('abort', pass);
  try {
    if (first) running.push(first());
    const goOn = !sharing || (await awaitImages(shell.host, sharing, running[0] as Running));
    if (goOn && !signal.aborted) running.push(...others.map((start) => start()));
    const ended = await Promise.all(running.map(({ done }) => done));
    return shares.map((share, i) => ({ ...share, code: ended[i]?.code ?? null }));
  } catch (error) {
    // Nobody would wait for those that go on.
    for (const one of running) one.kill('SIGTERM');
    await Promise.allSettled(running.map(({ done }) => done));
    throw error;
  } finally {
    signal.removeEventListener('abort', pass);
  }
}

function startShare(
  { engine, shard: { index, of }, folder }: Omit<Share, 'code'>,
  sharing: Sharing | null,
  { config, command, shell, say }: Around,
): Running {
  const own = [`--engine=${engine}`, `--shard=${index}/${of}`, `--out=${folder}`, `--seed=${config.seed}`];
  const flags = withoutOwn(command.flags);
  const program = [...process.execArgv, process.argv[1] as string, 'run', ...flags, ...own];
  return shell.host.start(process.execPath, program, {
    ...(sharing && { env: sharing.env }),
    onLine: (line, stream) => stream === 'stderr' && say(`${engine}: ${line}`),
  });
}

/** False: the one that builds them has ended without. */
async function awaitImages(host: Host, sharing: Sharing, builder: Running): Promise<boolean> {
  const over = new AbortController();
  const end = () => over.abort();
  builder.done.then(end, end);
  for (;;) {
    const { aborted } = over.signal;
    if (await sharing.isBuilt()) return true;
    if (aborted) return false;
    await host.sleep(200, over.signal);
  }
}

/** The flags without those that each share has of its own. */
function withoutOwn(argv: readonly string[]): string[] {
  const own = ['engines', 'registry', 'engine', 'shard', 'out', 'seed'];
  const given = [...splitArguments(argv, CONFIG_FLAGS).flags].filter(([name]) => !own.includes(name));
  return given.flatMap(([name, texts]) =>
    texts.map((text) => {
      if (CONFIG_FLAGS[name] !== 'boolean') return `--${name}=${text}`;
      return parseBoolean(text) ? `--${name}` : `--no-${name}`;
    }),
  );
}

/** As of one run, by what matters most. */
const WORST = [70, 130, 143, 4, 2, 3, 1, 0];

/** One that no run ends with by itself, such as 137 of a kill, is worse than all that it explains. */
function worstOf(codes: readonly number[]): number {
  return codes.find((code) => !WORST.includes(code)) ?? WORST.find((code) => codes.includes(code)) ?? 0;
}
