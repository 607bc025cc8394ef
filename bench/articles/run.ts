/** Runs the commands of articles, keeps what docs/articles.md shows of it, and writes that page. See ./run. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Results } from '../../src/results/results.ts';
import { makeApps } from './apps.ts';
import { ARTICLES, NAMES, type Name } from './articles.ts';
import { condense } from './condense.ts';
import { formatData } from './data.ts';
import { dataFile, PAGE, readData, renderPage } from './page.ts';

const root = resolve(import.meta.dirname, '../..');

function main(argv: readonly string[]): void {
  const cut = argv.includes('--') ? argv.indexOf('--') : argv.length;
  const { values, positionals } = parseArgs({
    args: argv.slice(0, cut),
    allowPositionals: true,
    options: { page: { type: 'boolean', default: false }, out: { type: 'string' } },
  });
  const names = positionals.length > 0 ? positionals.map(readName) : NAMES;
  if (!values.page) runAll(names, argv.slice(cut + 1), values.out);
  writeFileSync(PAGE, renderPage(readFileSync(PAGE, 'utf8'), readData));
}

function readName(text: string): Name {
  const name = NAMES.find((one) => one === text);
  if (name === undefined) throw new Error(`no article '${text}': one of ${NAMES.join(', ')}`);
  return name;
}

/** An article that fails leaves its data as they were, and the others go on. */
function runAll(names: readonly Name[], extra: readonly string[], out: string | undefined): void {
  const folder = mkdtempSync(join(tmpdir(), 'bench-articles-'));
  try {
    makeApps(root, join(folder, 'octane'));
    for (const name of names) {
      const results = join(out === undefined ? folder : resolve(out), `results-${name}`);
      const flags = [...ARTICLES[name].flags.flat(), '--out', results, '--wait', ...extra];
      const { status } = spawnSync(process.execPath, [join(root, 'dist/cli.mjs'), 'run', ...flags], {
        cwd: ARTICLES[name].octane ? join(folder, 'octane') : folder,
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const file = join(results, 'results.json');
      // 3: some variant was not measured, the others were.
      if ((status === 0 || status === 3) && existsSync(file)) {
        keep(name, Results.parse(JSON.parse(readFileSync(file, 'utf8'))));
      } else {
        console.error(`${name} failed with exit code ${status}`);
        process.exitCode = 1;
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function keep(name: Name, results: Results): void {
  const tool = ['src', 'dist', 'runtimes', 'scenarios', 'apps'];
  const commit = execFileSync('git', ['-C', root, 'log', '-1', '--format=%h', '--', ...tool], {
    encoding: 'utf8',
  });
  mkdirSync(resolve(dataFile(name), '..'), { recursive: true });
  writeFileSync(dataFile(name), formatData(condense(name, results, commit.trim())));
}

main(process.argv.slice(2));
