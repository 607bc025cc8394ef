import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { realFiles } from '../../src/config/files.ts';
import { keysOf } from '../../src/config/keys/key-sources.ts';
import { loadRuntimes } from '../../src/config/parts/runtimes.ts';
import { readWorkflow } from '../../src/publish/job.ts';
import { evaluate } from '../fixtures/expressions.ts';
import { folder, useFolder } from '../fixtures/folder.ts';

useFolder();

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Step {
  if?: string;
  uses?: string;
  run?: string;
  env?: Record<string, string>;
  with?: Record<string, unknown>;
}
interface Job {
  uses?: string;
  'timeout-minutes'?: number | string;
  secrets?: Record<string, string>;
  with?: Record<string, unknown>;
  permissions?: Record<string, string>;
  steps?: Step[];
}
interface Workflow {
  on: {
    workflow_call?: {
      inputs: Record<string, { type: string; default?: string }>;
      secrets?: Record<string, { required: boolean }>;
    };
  };
  permissions?: unknown;
  jobs: Record<string, Job>;
}

const workflows = readdirSync(join(root, '.github/workflows')).map((name) => {
  const text = read(`.github/workflows/${name}`);
  return { name, text, workflow: parse(text) as Workflow };
});
const actions = [
  'action.yml',
  ...readdirSync(join(root, '.github/actions')).map((name) => `.github/actions/${name}/action.yml`),
];
/** The action of this repository, as its own workflows name it. */
const OWN_ACTION = '$/.github/actions/bench';
const bench = workflows.find(({ name }) => name === 'bench.yml')?.workflow as Workflow;

describe.each(workflows)('$name', ({ text, workflow }) => {
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps ?? []);

  test('has no permission but what its jobs ask for, with a reason beside it', () => {
    expect(workflow.permissions).toEqual({});
    for (const line of text.split('\n')) {
      if (/^ +[a-z-]+: (read|write)\b/.test(line)) expect(line).toMatch(/ # \w/);
    }
  });

  test('takes the actions of others by commit', () => {
    const used = [...text.matchAll(/uses: (\S+)(.*)/g)].filter(([, uses]) => !uses?.startsWith('$/'));
    for (const [, uses, rest] of used) {
      expect(uses).toMatch(/^[\w-]+\/[\w./-]+@[0-9a-f]{40}$/);
      expect(rest).toMatch(/^ # v\d+\.\d+\.\d+$/);
    }
  });

  test('has no expression in a script: text of others would be code there', () => {
    for (const { run = '' } of steps) expect(run).not.toContain('${{');
  });

  test('replaces the artifacts of a job that is run again: GitHub keeps those of the first attempt', () => {
    const uploads = steps.filter(({ uses = '' }) => uses.startsWith('actions/upload-artifact@'));
    for (const { with: given } of uploads) expect(given).toMatchObject({ overwrite: true });
  });

  test('gives its own actions what they take', () => {
    for (const { uses = '', with: given = {} } of steps) {
      if (!uses.startsWith('$/')) continue;
      const action = parse(read(join(uses.slice(2), 'action.yml')));
      const inputs: Record<string, { required?: boolean }> = action.inputs ?? {};
      expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
      for (const [name, { required }] of Object.entries(inputs)) {
        if (required) expect(Object.keys(given)).toContain(name);
      }
    }
  });
});

test('no workflow names the bare `$/`, which GitHub does not document', () => {
  for (const { text } of workflows) expect(text).not.toMatch(/uses: \$\/\s/);
});

test.each(actions)('%s runs what there is a source of', (path) => {
  const { main, post } = parse(read(path)).runs;
  for (const file of [main, post].filter(Boolean)) {
    const entry = join(path, '..', file)
      .replace(/^dist\//, 'src/')
      .replace(/\.mjs$/, '.ts')
      .replace(/^src\/steps\/.*(?=\.ts$)/, '$&-step');
    expect(entry).toMatch(/^src\//);
    expect(existsSync(join(root, entry)), entry).toBe(true);
    expect(read(entry).split('\n').length).toBeLessThanOrEqual(40);
  }
});

test('the reusable workflow takes every input of the action and hands it on', () => {
  const inputs = bench.on.workflow_call?.inputs ?? {};
  // A shard says where it writes and which part it is; runners of one machine always take turns.
  const keys = keysOf('input').filter((key) => !['shard', 'out', 'wait'].includes(key));
  expect(Object.keys(inputs)).toEqual(
    expect.arrayContaining([...keys, 'working-directory', 'comment', 'artifact-name']),
  );
  const given = bench.jobs.bench?.steps?.find(({ uses }) => uses === OWN_ACTION)?.with ?? {};
  for (const key of keys) {
    expect(given[key]).toBe(`\${{ inputs.${key} }}`);
    // A default would win over the config file.
    expect(inputs[key]).toMatchObject({ type: 'string', default: '' });
  }
});

test('a machine that is run again leaves an artifact of its own, which the report finds', () => {
  const name = bench.jobs.bench?.steps?.find(({ uses }) => uses === OWN_ACTION)?.with?.['artifact-name'];
  const nameIn = (run_attempt: string) => {
    const matrix = { shard: { index: 2 } };
    const contexts = { inputs: { 'artifact-name': 'bench' }, matrix, github: { run_attempt } };
    return String(name).replace(/\$\{\{.*?\}\}/g, (expression) => evaluate(expression, contexts));
  };
  expect([nameIn('1'), nameIn('2')]).toEqual(['bench-shard-2-1', 'bench-shard-2-2']);
  const pattern = bench.jobs.report?.steps?.[0]?.with?.pattern;
  // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
  expect(pattern).toBe('${{ inputs.artifact-name }}-shard-*');
});

test('an empty time limit is the default one, for the plan and for the machine', () => {
  const { default: minutes } = bench.on.workflow_call?.inputs['timeout-minutes'] ?? {};
  expect(bench.jobs.bench?.['timeout-minutes']).toBe(
    `\${{ fromJSON(inputs.timeout-minutes || '${minutes}') }}`,
  );
  const inputs = JSON.stringify({ 'timeout-minutes': '' });
  expect(readWorkflow({ GITHUB_WORKSPACE: '/', INPUT_INPUTS: inputs }).minutes).toBe(Number(minutes));
});

test('the workflow for forks takes what separates the comments of two calls, and hands it on', () => {
  const forks = workflows.find(({ name }) => name === 'bench-comment.yml')?.workflow as Workflow;
  const { inputs = {} } = forks.on.workflow_call ?? {};
  const steps = forks.jobs.comment?.steps ?? [];
  const given = steps.find(({ uses }) => uses === '$/.github/actions/comment')?.with ?? {};
  for (const name of ['comment', 'artifact-name']) {
    expect(inputs[name]?.default).toBe(bench.on.workflow_call?.inputs[name]?.default);
    expect(given[name]).toBe(`\${{ inputs.${name} }}`);
  }
});

test('jobs that may write run none of the code that is measured, and no shell', () => {
  for (const { workflow } of workflows.filter(({ name }) => name.startsWith('bench'))) {
    for (const { permissions = {}, steps = [], uses } of Object.values(workflow.jobs)) {
      if (!Object.values(permissions).includes('write')) continue;
      // Our workflows have jobs with fewer rights of their own.
      if (uses) expect(uses).toBe('$/.github/workflows/bench.yml');
      for (const { uses: used = 'a script' } of steps) {
        expect([
          ...['actions/download-artifact', 'actions/github-script'],
          ...['$/.github/actions/comment', '$/.github/actions/request', '$/.github/actions/history'],
        ]).toContain(used.replace(/@.*/, ''));
      }
    }
  }
});

test('no comment decides where and with what environment it is measured', () => {
  const command = workflows.find(({ name }) => name === 'bench-command.yml')?.workflow as Workflow;
  const given = command.jobs.bench?.with ?? {};
  for (const name of [
    ...['runs-on', 'setup', 'prepare', 'env', 'ini', 'services', 'images', 'config', 'app', 'root', 'memory'],
    ...['set-up', 'working-directory', 'server-cpus', 'front-cpus', 'load-cpus'],
  ]) {
    expect(given[name]).toBe(`\${{ inputs.${name} }}`);
  }
  const offered = bench.on.workflow_call?.inputs ?? {};
  expect(Object.keys(offered)).toEqual(expect.arrayContaining(Object.keys(given)));
  // A shard says where it writes; what is pushed into the branch's cache, its other workflows would take.
  const left = ['shard', 'out', 'wait', 'build-cache'];
  expect(Object.keys(given)).toEqual(
    expect.arrayContaining(keysOf('input').filter((key) => !left.includes(key))),
  );
});

test('credentials for packages reach the step that builds, and nothing else', () => {
  const found = workflows
    .filter(({ name }) => name.startsWith('bench'))
    .flatMap(({ name, workflow }) => findSecrets(workflow, name));
  const at = bench.jobs.bench?.steps?.findIndex(({ uses }) => uses === OWN_ACTION);
  expect(Object.fromEntries(found)).toEqual({
    // A fork's code would run beside them.
    'bench-command.yml.jobs.bench.secrets.COMPOSER_AUTH':
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
      "${{ needs.request.outputs.own == 'true' && secrets.COMPOSER_AUTH || '' }}",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
    'bench-schedule.yml.jobs.bench.secrets.COMPOSER_AUTH': '${{ secrets.COMPOSER_AUTH }}',
    [`bench.yml.jobs.bench.steps.${at}.env.COMPOSER_AUTH`]:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
      "${{ github.event_name != 'pull_request_target' && secrets.COMPOSER_AUTH || '' }}",
  });
  for (const { workflow } of workflows) {
    const { secrets = {} } = workflow.on.workflow_call ?? {};
    for (const { required } of Object.values(secrets)) expect(required).toBe(false);
  }
});

/** Where in a workflow its secrets are named, by path, and how. */
function findSecrets(value: unknown, path: string): [string, string][] {
  if (typeof value === 'string') return /\bsecrets\b|^inherit$/.test(value) ? [[path, value]] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) => findSecrets(one, `${path}.${key}`));
}

test('CI and a release run all tests by the same steps, within the same time', () => {
  const jobOf = (file: string, job: string) => parse(read(`.github/workflows/${file}`)).jobs[job] as Job;
  const [ci, release] = [jobOf('ci.yml', 'test'), jobOf('release.yml', 'check')];
  for (const { steps = [] } of [ci, release]) {
    expect(steps.filter(({ uses }) => uses === '$/.github/actions/all-tests')).toHaveLength(1);
    // Nothing runs them beside it, without its protections.
    for (const { run = '' } of steps) expect(run).not.toMatch(/\.ci\/run|script\/test/);
  }
  expect(release['timeout-minutes']).toBe(ci['timeout-minutes']);
  const { steps }: { steps: Step[] } = parse(read('.github/actions/all-tests/action.yml')).runs;
  const script = steps.map(({ run }) => run).join('\n');
  for (const part of ['install --quiet --yes hyperfine', '::stop-commands::', '--unset=', '.ci/run'])
    expect(script).toContain(part);
});

test('ci.yml measures every bundled runtime on every version of PHP that it offers, and on no other', () => {
  const { images } = parse(read('.github/workflows/ci.yml')).jobs;
  const { php: versions, include }: Matrix = images.strategy.matrix;
  const measured = versions.flatMap((php) => {
    const more = include.find((entry) => entry.php === php)?.more ?? '';
    // A framework is measured on a few, to see it meet its own packages.
    const steps = (images.steps as Step[]).filter(
      ({ uses, with: given }) => uses === OWN_ACTION && !String(given?.app).includes('symfony'),
    );
    return steps.flatMap(({ with: given = {} }) => {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
      const list = String(given.runtimes).replace('${{ matrix.more }}', more);
      return list
        .split(/,\s*/)
        .map(
          (item) =>
            `${item.replace(/\[.*/, '')} ${php} ${given.app === './octane/laravel' ? 'laravel' : given.app}`,
        );
    });
  });
  const bundled = [...loadRuntimes(root, root, realFiles).values()];
  const offered = bundled.flatMap(({ name, php, apps }) =>
    php.map((version) => `${name} ${version} ${apps.includes('plain') ? 'plain' : apps[0]}`),
  );
  expect([...new Set(measured)].sort()).toEqual(offered.sort());
});
test('ci.yml measures official images on the runners that it tests on, with a clean disk for each step', () => {
  const { images, test: all } = parse(read('.github/workflows/ci.yml')).jobs;
  expect(images['runs-on']).toBe(all['runs-on']);
  expect(images.strategy.matrix.os).toEqual(all.strategy.matrix.os);
  const steps: Step[] = images.steps;
  const builds = ({ uses = '', run = '' }: Step) => uses === OWN_ACTION || run.includes('docker run');
  const prunes = ({ if: when, run = '' }: Step) =>
    // biome-ignore lint/suspicious/noTemplateCurlyInString: an expression of the workflow
    when === '${{ !cancelled() }}' && run.startsWith('docker system prune --all --force');
  const order = steps.flatMap((step) => (builds(step) ? 'build' : prunes(step) ? 'prune' : []));
  const four = ['build', 'prune', 'build', 'prune', 'build', 'prune', 'build'];
  expect(order).toEqual(four);
  // GitHub refuses a second artifact of the same name.
  const artifacts = steps.flatMap(({ with: given }) => given?.['artifact-name'] ?? given?.name ?? []);
  expect(new Set(artifacts).size).toBe(4);
  for (const name of artifacts) expect(name).toMatch(/\{\{ matrix\.os \}\}-\$\{\{ matrix\.php \}\}$/);
});

test('ci.yml measures the bundled apps with the packages that it has locked', () => {
  const { steps }: { steps: Step[] } = parse(read('.github/workflows/ci.yml')).jobs.images;
  const [, names = ''] = /^for app in (.*); do$/m.exec(steps.map(({ run }) => run).join('\n')) ?? [];
  const locks = steps.findIndex(({ run = '' }) => run.includes('composer update --no-install'));
  const apps = steps.map(({ with: given }) => String(given?.app ?? '').split(', '));
  // The copy with Octane has other packages.
  const framed = names.split(' ').filter((name) => name !== 'laravel');
  expect(framed).toHaveLength(3);
  for (const name of framed)
    expect(apps.findIndex((those) => those.includes(`./apps/${name}`))).toBeGreaterThan(locks);
});

interface Matrix {
  php: string[];
  include: { php: string; more: string }[];
}

test("GitHub's own parser names what is wrong with a workflow, line by line", () => {
  const file = join(folder, 'bad.yml');
  const call = ['    uses: $/.github/workflows/bench.yml', '    with:', '      no-such-input: x'];
  const job = ['  a:', '    runs-on: ubuntu-latest', '    if: secrets.x', '    steps: [{ run: "true" }]'];
  writeFileSync(file, ['on: push', 'jobs:', ...job, '  b:', ...call, ''].join('\n'));
  const { stdout, status } = spawnSync(process.execPath, ['script/lib/workflows.ts', file], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/bad\.yml:5: .*secrets/);
  expect(stdout).toMatch(/bad\.yml:10: .*no-such-input/);
  expect(status).toBe(1);
});
