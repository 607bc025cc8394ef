/** Faults of servers: variants of two runs, one whose servers go wrong under load, one of servers that are odd and right. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Project, slicesOf, variantOf } from '../integration/bench.ts';
import type { Fault, Seen } from './fault.ts';

export interface ServerWorld {
  project: Project;
  /** A run, started once for all of its faults. */
  once(out: 'wrong' | 'odd', flags: readonly string[]): Promise<Seen>;
}

const APP = `<?php
header('Content-Type: text/plain;charset=UTF-8');
echo str_starts_with($_SERVER['REQUEST_URI'], '/second')
    ? str_repeat("Winter follows after autumn.\\n", 40)
    : str_repeat("Oranges, lemons, bananas.\\n", 20);
`;
/** Two pages that nobody takes for each other. */
export const PAGES = { file: 'pages/public/index.php', text: APP };

const idOf = (fault: string) => `faulty@8.4[fault=${fault},from=load]`;
const variants = (faults: readonly string[]) =>
  ['faulty', ...faults.map((fault) => `faulty[fault=${fault},from=load]`)].join(',');
const LOAD = ['--app', 'pages', '--paths', '/first,/second', '--load', 'vus(2, 2s)'];

const WRONG = ['closes-early', 'gigabyte', 'endless-header', 'answers-early', 'answers-others', 'rubbish'];
const ODD = ['no-length', 'log'];

const wrong = (
  what: string,
  fault: string,
  message: string,
  check: (world: ServerWorld, seen: Seen) => void = () => {},
): Fault<ServerWorld> => ({
  what,
  message: `fault=${fault},from=load] failed (run): ${message}`,
  exitCode: 3,
  kept: 'all of the other variants',
  async inject(world) {
    const seen = await world.once('wrong', ['--runtimes', variants(WRONG), ...LOAD]);
    const results = world.project.results('wrong');
    expect(variantOf(results, 'faulty@8.4').failure).toBeNull();
    expect(slicesOf(results, 'faulty@8.4')).toMatchObject([{ outcome: 'ok' }]);
    expect(variantOf(results, idOf(fault)).failure?.stage).toBe('run');
    check(world, seen);
    return seen;
  },
});

const odd = (
  what: string,
  fault: string,
  kept: string,
  check: (world: ServerWorld) => void,
): Fault<ServerWorld> => ({
  ...{ what, message: '', exitCode: 0, kept },
  async inject(world) {
    const seen = await world.once('odd', ['--runtimes', variants(ODD), ...LOAD, '--timeout', '10s']);
    const [slice] = slicesOf(world.project.results('odd'), idOf(fault));
    expect(slice).toMatchObject({ outcome: 'ok', errors: [] });
    check(world);
    return seen;
  },
});

const textOf = ({ project }: ServerWorld, file: string) => readFileSync(join(project.folder, file), 'utf8');

export const serverFaults: readonly Fault<ServerWorld>[] = [
  wrong('a server that closes connections early', 'closes-early', '…no answer: unexpected EOF'),
  wrong('a server that sends 1 GiB', 'gigabyte', 'GET /first answers differently after the load: '),
  wrong(
    'a server that never ends a header',
    'endless-header',
    '…no answer: net/http: server response headers exceeded',
  ),
  wrong('a server that answers before it is asked', 'answers-early', '…characters instead of'),
  wrong('a server that answers what others have asked', 'answers-others', 'other answers: '),
  wrong('binary rubbish in bodies, headers and logs', 'rubbish', '…HTTP 500…binary', (world, { printed }) => {
    const texts = [printed, textOf(world, 'wrong/report.md'), textOf(world, 'wrong/report.html')];
    // Neither a terminal nor a browser gets to obey any of it.
    for (const text of texts) expect(text).not.toMatch(/[^\P{Cc}\n]|<script>\r?\n|�{3}/u);
  }),
  odd('a server that sends no length', 'no-length', 'everything', () => {}),
  odd('a server that logs 1 GiB in one line', 'log', 'everything; of the log the end', (world) => {
    const log = textOf(world, `odd/raw/logs/0/${idOf('log').replace(/[^A-Za-z0-9@.=-]+/g, '_')}.log`);
    expect(log.length).toBeLessThan(32 * 2 ** 20);
    expect(log).toMatch(/xxx/);
  }),
];
