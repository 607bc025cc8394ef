import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { ExecOptions } from '../../src/host.ts';
import { realHost } from '../../src/host.ts';
import { REPOSITORY_URL } from '../../src/project.ts';
import { Results } from '../../src/results/results.ts';
import { readCommands, readPage, readPages, root } from '../fixtures/docs.ts';
import { ask, docker, removeAll, serve, startArena, tryDocker } from './docker.ts';
import { NAMESPACE } from './namespace.ts';

/** Runs a program that has to succeed; what it printed. */
async function run(program: string, args: string[], options: ExecOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await realHost.exec(program, args, options);
  expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
  return stdout;
}

/** The image that the run of the example builds. */
const image = `${NAMESPACE}/php-server-8-4-plain:latest`;

let project: string;
beforeAll(() => {
  project = mkdtempSync(join(tmpdir(), 'bench-docs-'));
});
afterAll(async () => {
  rmSync(project, { recursive: true });
  await removeAll();
  await tryDocker('rmi', image);
});

function write(files: Readonly<Record<string, string>>) {
  for (const [file, text] of Object.entries(files)) {
    const path = join(project, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    if (text.startsWith('#!')) chmodSync(path, 0o755);
  }
}

test('the workflows are right, and so are the inputs and outputs of the action', async () => {
  const workflows = Object.fromEntries(
    readPages().flatMap(({ name, blocks }) =>
      blocks
        .filter(({ file }) => file?.startsWith('.github/workflows/'))
        .map(
          ({ line, text }) => [`.github/workflows/${name.replaceAll('/', '-')}-${line}.yml`, text] as const,
        ),
    ),
  );
  expect(Object.keys(workflows).length).toBeGreaterThan(3);
  // actionlint knows the inputs and outputs of an action that lies in the repository.
  for (const [file, text] of Object.entries(workflows))
    workflows[file] = text
      .replaceAll(`${new URL(REPOSITORY_URL).pathname.slice(1)}@v1`, './action')
      .replaceAll(/[\w-]+\/php-runtime-bench(\/\.github\/workflows\/[\w-]+\.yml)@v1/g, '.$1');
  const called = readdirSync(join(root, '.github/workflows')).map((name) => `.github/workflows/${name}`);
  write({
    ...workflows,
    ...Object.fromEntries(called.map((file) => [file, readFileSync(join(root, file), 'utf8')])),
    '.github/actionlint.yaml': 'self-hosted-runner: { labels: [bench] }\n',
    'action/action.yml': readFileSync(join(root, 'action.yml'), 'utf8'),
    // It looks whether they are there, no further.
    ...{ 'action/dist/action.mjs': '', 'action/dist/post.mjs': '' },
  });
  await run('git', ['init', '--quiet', project]);
  await run('actionlint', Object.keys(workflows), { cwd: project });
});

test('the command can be installed from a clone', async () => {
  const prefix = join(project, 'npm');
  await run('npm', ['install', '--global', '--prefix', prefix, '.'], { cwd: root });
  const version = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version;
  expect(await run(join(prefix, 'bin/php-runtime-bench'), ['--version'])).toBe(`${version}\n`);
});

describe('adding a runtime', () => {
  const page = readPage('docs/add-a-runtime.md');
  const commands = page.blocks
    .filter(({ language, file }) => language === 'sh' && file === null)
    .flatMap(({ text }) => readCommands(text));

  test('passes the checks that ours pass', async () => {
    write(page.files);
    const folder = join(project, '.bench/runtimes/php-server');
    await run('hadolint', ['--config', join(root, '.hadolint.yaml'), join(folder, 'Dockerfile')]);
    await run('shellcheck', [join(folder, 'serve')]);
  });

  test('step by step ends in a table', async () => {
    write(page.files);
    const cli = ['--disable-warning=ExperimentalWarning', join(root, 'src/cli.ts')];
    expect(commands.map(([, command]) => command)).toEqual(['list', 'plan', 'run']);
    const outputs: string[] = [];
    for (const [, command = '', ...args] of commands) {
      const images = process.env.BENCH_IMAGES;
      const short = ['--wait', '--instances', '1', '--blocks', '1', ...(images ? ['--images', images] : [])];
      const more = command === 'run' ? short : [];
      outputs.push(await run(process.execPath, [...cli, command, ...args, ...more], { cwd: project }));
    }
    const [list, plan, table] = outputs;
    expect(list).toContain("PHP's development server");
    expect(plan).toContain('variants:  php-server@8.4\n');
    expect(table).toContain('php-server@8.4[workers=8]');

    const results = Results.parse(
      JSON.parse(readFileSync(join(project, 'bench-results/results.json'), 'utf8')),
    );
    expect(results.variants.map(({ failure }) => failure)).toEqual([null, null]);
    expect(results.variants.find(({ runtime }) => runtime === 'php-server')?.facts).toMatchObject({
      sapi: 'cli-server',
      server: 'php-server',
      opcache: true,
    });
    expect(results.measurements.map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    // Eight of them, as the option says, the first one and the shell that started it.
    expect(results.measurements.find(({ variant }) => variant.startsWith('php-server'))?.processes?.max).toBe(
      10,
    );
  });

  test('stops as the manifest says, and answers what is in flight', async () => {
    const arena = await startArena();
    const server = await serve(arena, image);
    const observer = await serve(arena, image);
    // Long enough for a busy engine, and less than the 10 s that a stop takes at most.
    const answer = ask(server, ['/io?ms=6000'], { from: observer.container });
    const established = new RegExp(`:${server.port.toString(16).toUpperCase()} \\S+ 01 `);
    await expect.poll(() => docker('exec', observer.container, 'cat', '/proc/net/tcp')).toMatch(established);
    const { stop } = parse(page.files['.bench/runtimes/php-server/runtime.yaml'] ?? '');
    await docker('kill', '--signal', stop.signal, server.container);
    expect((await answer)[0]).toMatchObject({ status: 200, body: '{"type":"io","ms":6000}' });
    expect(await docker('wait', server.container)).toBe('0');
  });
});
