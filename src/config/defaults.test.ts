import { describe, expect, test } from 'vitest';
import { appOf } from '../../test/fixtures/app.ts';
import { cwd, messageOf, packageRoot, parse } from '../../test/fixtures/memory-files.ts';

describe('defaults', () => {
  test('nothing given: the bundled demo', () => {
    const config = parse({});
    expect(config).toMatchObject({
      apps: [{ name: 'plain', folder: `${packageRoot}apps/plain`, root: 'public' }],
      php: ['8.4'],
      seed: 2 ** 31,
      images: {},
      env: {},
      out: '/project/bench-results',
      failOn: [],
      wait: false,
    });
    expect(config.runtimes.map(({ runtime, set }) => [runtime.name, set])).toEqual([
      ['apache', {}],
      ['nginx-fpm', { listen: 'tcp' }],
      ['nginx-fpm', { listen: 'unix' }],
    ]);
    expect(config.scenarios.map(({ name }) => name)).toEqual(['quick']);
  });

  test('an app of your own is asked for its start page, and has 2 s for it', () => {
    const { scenarios } = parse({ 'index.php': '' });
    expect(scenarios).toMatchObject([
      {
        name: 'paths',
        journey: { kind: 'paths', paths: ['/'] },
        timeoutMs: 2000,
        load: { source: 'vus(8, 1s)' },
      },
    ]);
    expect(parse({ 'index.php': '' }, ['--paths', '/a']).scenarios[0]).toMatchObject({ timeoutMs: 2000 });
    expect(parse({ 'index.php': '' }, ['--scenarios', 'quick']).scenarios[0]).toMatchObject({
      timeoutMs: 500,
    });
  });

  test('answers are compared strictly, with what may differ left out', () => {
    expect(parse({})).not.toHaveProperty('sameAnswers');
    const file = { '.bench.yml': "mask: ['\\d{14}', 'a,b']\nsame-answers: warn" };
    expect(parse(file)).toMatchObject({ mask: ['\\d{14}', 'a,b'], sameAnswers: 'warn' });
    expect(parse(file, ['--mask', 'x{1,2}', '--mask', 'y', '--same-answers', 'strict'])).toMatchObject({
      mask: ['x{1,2}', 'y'],
    });
    expect(parse({}, [], { inputs: { mask: 'x{1,2}\n\ny' } })).toMatchObject({ mask: ['x{1,2}', 'y'] });
  });

  test.each([
    ['public/index.php', 'public'],
    ['web/index.php', 'web'],
    ['index.php', '.'],
  ])('the current folder is the app when it has %s', (file, root) => {
    expect(parse({ [file]: '' }).apps).toEqual([appOf('project', cwd, root)]);
  });
});

test('the demo does not stand in for an app that is there but not found', () => {
  expect(messageOf(() => parse({ 'composer.json': '{}' }))).toMatch(/^no index.php in the app\n/);
  expect(messageOf(() => parse({ 'old/index.php': '' }))).toContain("'root: old'");
  expect(messageOf(() => parse({ 'x/a/web/index.php': '' }, ['--app', 'shop=x']))).toContain("'app: x/a'");
  const none = { 'vendor/index.php': '', '.cache/index.php': '', 'docs/a.md': '' };
  expect(parse(none).apps[0]?.name).toBe('plain');
});
