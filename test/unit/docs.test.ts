import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { OCTANE_APPS, OCTANE_PACKAGES, requireOctane } from '../../bench/articles/apps.ts';
import { TREATMENT_NAMES } from '../../bench/power/series.ts';
import { GENERATED } from '../../script/lib/docs.ts';
import { listFilesWithOwner, nameOwner } from '../../script/lib/owner.ts';
import { EFFECTS } from '../../src/analyse/warn/effects.ts';
import { COMMANDS, parseCommand } from '../../src/config/command.ts';
import { parseEngine } from '../../src/config/engine-key.ts';
import { realFiles } from '../../src/config/files.ts';
import { CONFIG_FLAGS } from '../../src/config/keys/flags.ts';
import { keysOf } from '../../src/config/keys/key-sources.ts';
import { parseConfig } from '../../src/config/parse.ts';
import { loadRuntimes, manifest } from '../../src/config/parts/runtimes.ts';
import { REPOSITORY_URL } from '../../src/project.ts';
import { CSV_COLUMNS } from '../../src/report/format/csv.ts';
import { APPLICATIONS } from '../fixtures/applications.ts';
import { type Block, type Page, readCommands, readPage, readPages, root } from '../fixtures/docs.ts';
import { memoryFiles } from '../fixtures/memory-files.ts';

const cwd = '/project';
const pages = readPages();
/** `OWNER/NAME`, as workflows call the action. */
const OWN = new URL(REPOSITORY_URL).pathname.slice(1);
const action = parse(readFileSync(join(root, 'action.yml'), 'utf8'));

/** Beside the commands of docs/articles.md lie copies of apps that have Octane. */
const octaneApps = Object.fromEntries(
  OCTANE_APPS.flatMap((name) => [
    [`${name}/composer.json`, requireOctane(readFileSync(join(root, 'apps', name, 'composer.json'), 'utf8'))],
    [`${name}/public/index.php`, ''],
  ]),
);

/** The configuration as somebody gets it who has all files of the page in a project with an app. */
function configOf(page: Page, flags: readonly string[], inputs: Record<string, string> = {}) {
  const beside = page.name === 'docs/articles.md' ? octaneApps : {};
  const files = memoryFiles(cwd, { 'public/index.php': '', ...beside, ...page.files });
  return parseConfig({ flags, inputs, cwd, packageRoot: root, files });
}

/** All arguments but flags are files of this repository. */
function expectFiles(args: readonly string[]) {
  for (const file of args.filter((arg) => !arg.startsWith('-')))
    expect(existsSync(join(root, file))).toBe(true);
}

/** Programs that shell snippets may run, with the checks of their arguments. */
const PROGRAMS: Record<string, (args: string[], page: Page) => void> = {
  'php-runtime-bench'(args, page) {
    const command = parseCommand(args);
    if ('flags' in command) configOf(page, command.flags);
  },
  'script/bench'(args, page) {
    const isRun = args[0] === undefined || args[0].startsWith('-');
    PROGRAMS['php-runtime-bench']?.(isRun ? ['run', ...args] : args, page);
  },
  'script/test'(args) {
    const layers = readFileSync(join(root, 'script/lib/layers.ts'), 'utf8');
    for (const layer of args) expect(layers).toContain(`  ${layer}: {`);
  },
  'bench/articles/run': () => expect(existsSync(join(root, 'bench/articles/run'))).toBe(true),
  'bench/generator': () => expect(existsSync(join(root, 'bench/generator'))).toBe(true),
  'bench/watch/run': () => expect(existsSync(join(root, 'bench/watch/run'))).toBe(true),
  'bench/latency/run': (args) => expectFiles(['bench/latency/run', ...args]),
  'bench/power/summarise': (args) => expectFiles(['bench/power/summarise', ...args]),
  'bench/power/run'(args) {
    expect(existsSync(join(root, 'bench/power/run'))).toBe(true);
    const only = args[args.indexOf('--only') + 1]?.split(',') ?? [];
    expect(only.filter((name) => !TREATMENT_NAMES.some((known) => known === name))).toEqual([]);
  },
  node: expectFiles,
  // A context has a name that `engine` takes.
  docker: ([noun, verb, name = '']) => {
    expect([noun, verb]).toEqual(['context', 'create']);
    expect(parseEngine(name)).toBe(name);
  },
  // Run in test/integration/docs.test.ts.
  npm: (args) => expect(args).toEqual(['install', '--global', '.']),
};

/** How files in YAML are read, by their path. */
const YAML_FILES: [RegExp, (block: Block, page: Page) => void][] = [
  [/^\.bench(-\w+)?\.yml$/, ({ file }, page) => void configOf(page, ['--config', file as string])],
  [/^\.bench\/scenarios\/([\w-]+)\.yaml$/, checkScenario],
  [/^\.bench\/runtimes\/([\w-]+)\/runtime\.yaml$/, checkRuntime],
  [/^\.github\/workflows\/[\w-]+\.yml$/, checkWorkflow],
  [/^\w+\/(\.bench\.yml|compose\.yaml)$/, expectApplication],
  [/^arc\/values\.yaml$/, checkRunnerSet],
  // docker compose reads the file; the check of the configuration beside it covers whether that accepts it.
  [
    /^\.bench\/compose(-\w+)?\.yaml$/,
    ({ text }) => void expect(Object.keys(parse(text).services)).not.toEqual([]),
  ],
];

interface PodContainer {
  name: string;
  args?: string[];
  resources: { requests: { cpu: number; memory: string }; limits: { cpu: number; memory: string } };
}

/** CPUs of its own: what Kubernetes asks for that. The script in it is one that sh reads. */
function checkRunnerSet({ text }: Block) {
  const { template, maxRunners } = parse(text);
  const [engine, runner]: PodContainer[] = [...template.spec.initContainers, ...template.spec.containers];
  expect([engine?.name, runner?.name, maxRunners]).toEqual(['dind', 'runner', 1]);
  for (const { resources } of [engine, runner] as PodContainer[]) {
    expect(resources.limits).toEqual(resources.requests);
    expect(resources.limits.cpu).toSatisfy(Number.isInteger);
  }
  execFileSync('sh', ['-n', '-c', engine?.args?.[0] ?? '']);
  expect(engine?.args?.[0]).toContain('--cgroup-parent=');
}

function nameOf({ file }: Block): string {
  return YAML_FILES.flatMap(([path]) => path.exec(file ?? '')?.[1] ?? [])[0] ?? '';
}

function checkScenario(block: Block, page: Page) {
  expect(configOf(page, ['--scenarios', nameOf(block)]).scenarios[0]?.name).toBe(nameOf(block));
}

function checkRuntime(block: Block, page: Page) {
  expect(configOf(page, ['--runtimes', nameOf(block)]).runtimes[0]?.runtime.name).toBe(nameOf(block));
}

/** The values of inputs; that they exist and that the rest of the workflow is right is actionlint's business. */
function checkWorkflow({ text }: Block, page: Page) {
  const workflow = parse(text);
  const calls = Object.values<CallingJob>(workflow.jobs).filter(({ uses }) => uses);
  for (const job of calls) checkCall(job, page);
  // Other jobs beside a call are the reader's own.
  if (calls.length > 0) return;
  const used = Object.values<{
    steps: { uses?: string; with?: Record<string, unknown> }[];
    strategy?: unknown;
  }>(workflow.jobs).flatMap(({ steps, strategy }) => steps.map((step) => ({ ...step, strategy })));
  const ours = used.filter(({ uses }) => uses === `${OWN}@v1`);
  expect(ours).not.toHaveLength(0);
  for (const { with: given = {}, strategy } of ours) {
    const text = (value: unknown) =>
      String(value).replaceAll(
        /\$\{\{ matrix\.(\w+) \}\}/g,
        (_, key) => (strategy as Matrix).matrix[key]?.[0] ?? '',
      );
    const entries = Object.entries(given).map(([name, value]) => [name, text(value)] as const);
    const own = ['comment', 'token', 'artifact-name', 'working-directory'];
    for (const [name] of entries) expect(Object.keys(action.inputs)).toContain(name);
    configOf(page, [], Object.fromEntries(entries.filter(([name]) => !own.includes(name))));
    const comments = given.comment !== false && workflow.on === 'pull_request';
    expect(workflow.permissions['pull-requests']).toBe(comments ? 'write' : undefined);
  }
  // A newer push ends the older run, of this workflow alone. A scheduled or manual run is never ended.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
  const ends = { group: '${{ github.workflow }}-${{ github.ref }}', 'cancel-in-progress': true };
  expect(workflow.concurrency).toEqual(workflow.on === 'pull_request' ? ends : undefined);
}
/** A job that is one of our reusable workflows: its inputs, and that it is granted what the jobs in it ask for. */
function checkCall({ uses = '', with: given = {}, secrets = {}, permissions = {} }: CallingJob, page: Page) {
  const [own, file = ''] = /^(.*)\/(\.github\/workflows\/[\w-]+\.yml)@v1$/.exec(uses)?.slice(1) ?? [];
  expect(own).toBe(OWN);
  const called = parse(readFileSync(join(root, file), 'utf8'));
  const { inputs, secrets: taken = {} } = called.on.workflow_call;
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  expect(Object.keys(taken)).toEqual(expect.arrayContaining(Object.keys(secrets)));
  const keys = Object.entries(given).filter(([name]) => (keysOf('input') as string[]).includes(name));
  configOf(page, [], Object.fromEntries(keys.map(([name, value]) => [name, String(value)])));
  const asked = Object.values<CallingJob>(called.jobs).map((job) => job.permissions);
  expect(permissions).toEqual(Object.assign({}, ...asked));
}
interface CallingJob {
  uses?: string;
  with?: Record<string, unknown>;
  secrets?: Record<string, string>;
  permissions?: Record<string, string>;
}
interface Matrix {
  matrix: Record<string, string[]>;
}

/** Checks for each language of a fenced block. Other languages have no place in the docs. */
const LANGUAGES: Record<string, (block: Block, page: Page) => void> = {
  sh(block, page) {
    if (block.file !== null) return expectRun(block);
    for (const [program = '', ...args] of readCommands(block.text)) {
      const check = PROGRAMS[program];
      if (!check) throw new Error(`no check for the program ${program}`);
      check(args, page);
    }
  },
  yaml(block, page) {
    const check = YAML_FILES.find(([path]) => path.test(block.file ?? ''))?.[1];
    if (!check) throw new Error(`which file is this? ${block.file ?? 'its first line does not say'}`);
    // Several blocks of a page may have one name, and a check reads the last.
    parse(block.text);
    check(block, page);
  },
  js: ({ text }) => void transformSync(text),
  // Packages that Octane needs in a composer.json.
  json: ({ text }) => expect(JSON.parse(text)).toEqual({ require: OCTANE_PACKAGES }),
  dockerfile: expectRun,
  php: (block) => (block.page === 'docs/apps.md' ? expectApplication(block) : expectRun(block)),
  // A picture; its paths are checked as those in the text are.
  text: ({ text }) => checkPaths(text.match(/[\w.]+\/[\w./-]*/g) ?? []),
};

/** test/integration/docs.test.ts writes these files, lints them and runs them. */
function expectRun({ page, file }: Block) {
  expect([page, file]).toEqual([
    'docs/add-a-runtime.md',
    expect.stringMatching(/^\.bench\/runtimes\/php-server\//),
  ]);
}

/** test/integration/corpus.test.ts writes these files and runs the application. */
function expectApplication({ page, file }: Block) {
  expect(page).toBe('docs/apps.md');
  expect(Object.keys(APPLICATIONS)).toContain(file?.split('/')[0]);
}

const HERE = /^(src|runtimes|scenarios|apps|script|test|docs|bench|schema)\/[\w./-]*$/;

function checkPaths(paths: readonly string[]) {
  for (const path of paths.filter((text) => HERE.test(text)))
    expect(existsSync(join(root, path)), path).toBe(true);
}

const blocks = pages.flatMap((page) => page.blocks.map((block) => ({ page, block })));

test.each(blocks)('$block.page:$block.line works ($block.language)', ({ page, block }) => {
  const check = LANGUAGES[block.language];
  if (!check) throw new Error(`no check for the language '${block.language}'`);
  check(block, page);
});

/** A Laravel app from git has no key, and answers 500 without one. Bundled apps have theirs. */
const migrations = blocks.filter(
  ({ block: { text, language } }) =>
    language === 'yaml' && /php artisan migrate/.test(text) && !/^app: laravel$/m.test(text),
);

test.each(migrations)("$block.page:$block.line makes the key of Laravel's app", ({ block }) => {
  expect(block.text).toContain('cp .env.example .env && php artisan key:generate');
});

/** Blocks are checked each by itself, so one could get under another heading. */
const WORKFLOWS = {
  'docs/github.md': {
    'Each pull request': 'bench',
    'Several machines': 'bench-machines',
    'On demand': 'bench-command',
    'Private packages': 'bench-private',
    'Cold starts': 'bench-cold',
    'A build cache': 'bench-cached',
    'Several jobs': 'matrix',
    'Your own machine': 'bench-box',
    'A mirror': 'mirror',
    'Use the results in other steps': 'nightly',
    'Jobs that wait for the benchmark': 'bench-then',
    'Require the benchmark': 'bench-required',
  },
  'docs/forks.md': { 'The solution': 'bench-comment' },
  'docs/keep-a-history.md': { 'On GitHub': 'bench-schedule' },
};

test.each(Object.entries(WORKFLOWS))('%s has each workflow under its heading', (name, expected) => {
  const parts = readFileSync(join(root, name), 'utf8').split(/^## /m).slice(1);
  const found = parts.flatMap((part) => {
    const workflows = [...part.matchAll(/^ *# \.github\/workflows\/([\w-]+)\.yml$/gm)];
    return workflows.map(([, workflow]) => [part.split('\n', 1)[0], workflow]);
  });
  expect(found).toEqual(Object.entries(expected));
});

test('README.md has at most 150 lines, and a workflow of six, whose only job is the reusable one', () => {
  const { text, files } = readPage('README.md');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  const workflow = files['.github/workflows/bench.yml'] ?? '';
  expect(workflow.trimEnd().split('\n').length).toBeLessThanOrEqual(6);
  expect(parse(workflow)).toEqual({
    on: 'pull_request',
    jobs: { bench: expect.objectContaining({ uses: `${OWN}/.github/workflows/bench.yml@v1` }) },
  });
});

/** Texts between backticks outside of blocks. */
function spansOf({ text }: Page): string[] {
  const prose = text.replaceAll(/^ *```[\s\S]*?^ *```$/gm, '');
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
}

function slugs(page: string): string[] {
  const headings = readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(root, 'src', name), 'utf8'))
  .join('\n');

describe.each(pages)('$name', (page) => {
  test('links to what is there', () => {
    for (const [, target = ''] of page.text.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page.name : join(dirname(page.name), path);
      expect(existsSync(join(root, file)), target).toBe(true);
      if (anchor) expect(slugs(file), target).toContain(anchor);
    }
  });

  test('names paths that are there', () => checkPaths(spansOf(page)));

  test('names flags that there are', () => {
    const own = Object.values(COMMANDS).flatMap((command) => Object.keys(command.own));
    const known = [...Object.keys(CONFIG_FLAGS), ...own, 'from', 'help'];
    for (const span of spansOf(page)) {
      const flag = /^--(?:no-)?([a-z-]+)/.exec(span)?.[1];
      if (flag !== undefined) expect(known, span).toContain(flag);
    }
  });

  test('states limits as the source has them', () => {
    for (const span of spansOf(page)) {
      if (/^[A-Z][A-Z0-9_]+ = [\d._]+$/.test(span)) expect(sources).toContain(`const ${span};`);
    }
  });
});

/** First cells of the table that follows a text. */
function columnAfter(page: Page, text: string): string[] {
  const rows = page.text
    .slice(page.text.indexOf(text) + text.length)
    .split('\n')
    .slice(1);
  const table = rows.slice(rows.findIndex((row) => row.startsWith('|')));
  const end = table.findIndex((row) => !row.startsWith('|'));
  return table.slice(2, end).map((row) => row.split('|')[1]?.trim().replaceAll('`', '') ?? '');
}

const pageOf = (name: string) => pages.find((page) => page.name === name) as Page;

test.each(Object.entries(GENERATED))(
  'the generated part of %s is fresh; else run: node script/lib/docs.ts && npm run format',
  (name, render) => {
    // The formatter aligns tables and drops double blank lines.
    const words = (text: string) => text.replaceAll(/\|[ -]+(?=\|)/g, '|').split(/[\s-]+/);
    const { text } = readPage(name);
    expect(words(render(text))).toEqual(words(text));
  },
);

/** `a{B,C}` → `aB`, `aC`. */
function expandBraces(text: string): string[] {
  const [, before, items, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(text) ?? [];
  return items === undefined
    ? [text]
    : items.split(',').flatMap((item) => expandBraces(`${before}${item}${after}`));
}

test('docs/README.md lists each page once, with its title', () => {
  const listed = [...pageOf('docs/README.md').text.matchAll(/^\|.*\| \[([^\]]+)\]\(([^)#]+)\) \|$/gm)];
  const others = pages.filter(({ name }) => name.startsWith('docs/') && name !== 'docs/README.md');
  const titles = others.map(({ name, text }) => [/^# (.*)/.exec(text)?.[1], name.replace('docs/', '')]);
  expect(listed.map(([, title, file]) => [title, file]).toSorted()).toEqual(titles.toSorted());
});

test('docs/reading-the-report.md has the columns of CSV in their order', () => {
  const cells = columnAfter(pageOf('docs/reading-the-report.md'), '### CSV');
  expect(cells.flatMap((cell) => cell.split(', ')).flatMap(expandBraces)).toEqual(CSV_COLUMNS);
});

test('docs/reading-the-report.md lists the code of each warning', () => {
  const codes = [...sources.matchAll(/(?:\bwarning\(\s*|\bcode: )'([a-z-]+)'/g)].map(([, code]) => code);
  // An issue of zod has a code, too.
  const warnings = new Set(codes.filter((code) => code !== 'custom'));
  expect(warnings.size).toBeGreaterThan(40);
  const listed = columnAfter(pageOf('docs/reading-the-report.md'), '## Warnings').join(', ').split(', ');
  expect(listed).toEqual(expect.arrayContaining([...warnings, ...EFFECTS.flat()]));
});

test('docs/github.md lists the inputs of the workflow for comments', () => {
  const { inputs } = parse(readFileSync(join(root, '.github/workflows/bench-command.yml'), 'utf8')).on
    .workflow_call;
  const [, list = ''] = /inputs of `bench\.yml`:\n\n((?:- .*\n)+)/.exec(pageOf('docs/github.md').text) ?? [];
  const listed = [...list.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(Object.keys(inputs).toSorted());
});

test('docs/keep-a-history.md lists the inputs of the workflow by schedule', () => {
  const { inputs } = parse(readFileSync(join(root, '.github/workflows/bench-schedule.yml'), 'utf8')).on
    .workflow_call;
  const { text } = pageOf('docs/keep-a-history.md');
  const [, list = ''] = /^- Inputs for the job are (.*?\.\s+Those for the run are .*?)\./ms.exec(text) ?? [];
  const listed = [...list.matchAll(/`([a-z-]+)`/g)].map(([, name]) => name);
  expect(listed.toSorted()).toEqual(Object.keys(inputs).toSorted());
});

test('docs/forks.md lists the inputs of the workflow for forks', () => {
  const { inputs } = parse(readFileSync(join(root, '.github/workflows/bench-comment.yml'), 'utf8')).on
    .workflow_call;
  const listed = columnAfter(pageOf('docs/forks.md'), 'It has two inputs.');
  expect(listed.toSorted()).toEqual(Object.keys(inputs).toSorted());
});

test.each([
  'the token may not write one',
  'the input token is empty',
  'GitHub does not accept the token',
  'this event has no pull request',
  'the workflow run does not belong to a pull request',
  'the run was stopped',
  'the pull request has newer commits',
  'its pull request is no longer open',
  'there is no open pull request',
  'the branch of the workflow run no longer exists',
])('docs/github.md lists the reason for a missing comment: %s', (reason) => {
  expect(sources).toContain(reason);
  const reasons = columnAfter(pageOf('docs/github.md'), '### If no comment appears');
  expect(reasons.join('\n')).toContain(reason);
});

test('docs/first-run-on-github.md tries what docs/github.md lists as not tried, and what CI runs there', () => {
  const { text } = pageOf('docs/github.md');
  const rows = text.slice(text.indexOf('\n## Runners')).matchAll(/^\| (.+?) \| .+ \| (.+?) \|$/gm);
  const untried = [...rows].flatMap(([, fact = '', tried = '']) => (/\bno(;|$)/.test(tried) ? [fact] : []));
  const tries = { 'the user is not root': 'sudo -n true' };
  expect(untried.map((fact) => fact.replace(/,.*/, ''))).toEqual(Object.keys(tries));
  const { jobs } = parse(readFileSync(join(root, '.github/workflows/ci.yml'), 'utf8'));
  const names = Object.values<{ name: string }>(jobs).map(({ name }) => `'${name.split(' $')[0]}'`);
  expect(names).toHaveLength(3);
  const checklist = pageOf('docs/first-run-on-github.md').text;
  const parts = [...Object.values(tries), ...names];
  expect(parts.filter((part) => !checklist.includes(part))).toEqual([]);
});

test('docs/runners.md removes pulled images by digest and leaves out images without one', () => {
  const command = /`(docker image ls --digests .*) \| xargs -r docker image rm`/.exec(
    pageOf('docs/runners.md').text,
  )?.[1];
  const script = `docker() { printf '%s\\n' 'bench@sha256:a' 'bench@<none>'; }\n${command}`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe('bench@sha256:a\n');
});

test('docs/method.md sums up the repeated trials of profiles as its table has them', () => {
  const { text } = pageOf('docs/method.md');
  const table = text.slice(text.indexOf('| repeated run |')).split('\n\n', 1)[0] ?? '';
  const rows = table
    .split('\n')
    .slice(2)
    .map((row) => row.split('|').map((cell) => cell.trim()));
  const number = (cell = '') => Number(/[−\d.]+/.exec(cell)?.[0].replace('−', '-'));
  const changed = rows.filter(([, run = '']) => !run.includes('equal'));
  const named = changed.filter(([, , first]) => first === 'yes');
  const silent = rows.filter(([, run = '', first]) => run.includes('equal') && first === 'nothing named');
  const factors = named
    .filter(([, , , , change = '']) => !change.includes('not sure'))
    .map(([, , , us, change]) => number(us) / number(change))
    .sort((a, b) => a - b);
  const close = factors.filter((factor) => Math.abs(factor - 1) <= 0.2).length;
  const cheap = rows.filter(([, , , , , cost]) => number(cost) < 5).length;
  const middle = factors[Math.floor(factors.length / 2)]?.toFixed(2);
  for (const sum of [
    `named first in ${named.length} of ${changed.length}, and nothing in ${silent.length} of ${rows.length - changed.length}`,
    `in ${close} of ${factors.length} runs where both were sure, and ${middle} times`,
    `below 5 % in ${cheap} of ${rows.length}`,
  ])
    expect(text.replace(/\s+/g, ' ')).toContain(sum);
});

describe('docs/runtimes.md', () => {
  const page = readPage('docs/runtimes.md');

  test('names every runtime whose server variables were compared', () => {
    const [, sentence = ''] = /on all runtimes that were tested: ([^.]*)\./.exec(page.text) ?? [];
    const named = [...sentence.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(named.filter((name) => name !== 'php-fpm-80')).toEqual(columnAfter(page, '<!-- unlike -->'));
  });

  test('names the PHP that a runtime was checked with', () => {
    for (const { name, tried, php } of loadRuntimes(root, resolve(root), realFiles).values()) {
      const versions = [...(tried ?? '').matchAll(/(?<=\bPHP (?:[\d.]+ and )?)\d\.\d+/g)].map(
        ([version]) => version,
      );
      expect(versions.length > 0, name).toBe(tried !== undefined);
      expect(php, name).toEqual(expect.arrayContaining(versions));
    }
  });

  test('lists every shared file', () => {
    const listed = [...page.text.matchAll(/\(\.\.\/runtimes\/_shared\/([\w.-]+)\)/g)].map(([, name]) => name);
    expect([...new Set(listed)].sort()).toEqual(readdirSync(join(root, 'runtimes/_shared')).sort());
  });

  test('lists the keys of a manifest', () => {
    expect(columnAfter(page, '**runtime.yaml**')).toEqual(Object.keys(manifest.shape));
  });

  test('states the common options as the bundled runtimes have them', () => {
    const common = [...page.text.matchAll(/^\| `([a-z-]+)` +\| `([A-Z_]+)` +\| (\w+) +\|$/gm)];
    expect(common).toHaveLength(7);
    for (const { name, options, extends: base } of loadRuntimes(root, resolve(root), realFiles).values()) {
      if (base !== undefined) continue;
      for (const [, option = '', env, preset] of common) {
        const spec = options[option];
        if (spec)
          expect({ name, option, env: spec.env, preset: String(spec.default) }).toEqual({
            name,
            option,
            env,
            preset,
          });
      }
    }
  });
});

test('all pages and files name the owner that package.json names; else run: node script/lib/docs.ts', () => {
  const texts = listFilesWithOwner(root).map((path) => [path, readFileSync(join(root, path), 'utf8')]);
  const calls = [`${OWN}@v1`, `${OWN}/.github/workflows/bench.yml@v1`];
  for (const call of calls)
    expect(texts.filter(([, text = '']) => text.includes(`uses: ${call}`)).length).toBeGreaterThan(2);
  expect(texts.filter(([, text = '']) => nameOwner(text) !== text).map(([path]) => path)).toEqual([]);
});

test('another owner is written wherever this repository is named, and nowhere else', () => {
  const of = (owner: string) =>
    [
      `uses: ${owner}/php-runtime-bench@v1`,
      `uses: ${owner}/php-runtime-bench/.github/workflows/bench.yml@v1`,
      `allow \`${owner}/php-runtime-bench@*\`, \`${owner}/php-runtime-bench/*@*\``,
      `https://github.com/${owner}/php-runtime-bench/blob/v1.0.0/docs/method.md`,
      'as `you/php-runtime-bench`, in ~/.cache/php-runtime-bench/bin, actions/checkout@v7',
    ].join('\n');
  expect(nameOwner(of('one'), 'https://github.com/other-one/php-runtime-bench')).toBe(of('other-one'));
  expect(() => nameOwner('', 'https://github.com/one/fork')).toThrow(
    "'one/fork' is not OWNER/php-runtime-bench",
  );
});
