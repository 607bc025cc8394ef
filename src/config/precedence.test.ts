import { describe, expect, test } from 'vitest';
import { cwd, parse } from '../../test/fixtures/memory-files.ts';

describe('precedence', () => {
  const file =
    'instances: 4\nphp: 8.2\nenv: { A: file, B: file, C: file }\nheaders: { A: file, B: file, C: file }\nslo: { p99: 1s, ok: 99% }\n';
  const inputs = { instances: '5', env: 'B=input\nC=input\n', headers: 'B=input,C=input', php: '' };

  test('flag over input over file over default', () => {
    const files = { '.bench.yml': file };
    expect(parse({}).instances).toBeUndefined();
    expect(parse(files).instances).toBe(4);
    expect(parse(files, [], { inputs }).instances).toBe(5);
    expect(parse(files, ['--instances', '6'], { inputs }).instances).toBe(6);
  });

  test('an empty input counts as not given', () => {
    expect(parse({ '.bench.yml': file }, [], { inputs }).php).toEqual(['8.2']);
  });

  test('maps are merged by key', () => {
    const config = parse(
      { '.bench.yml': file },
      ['--env', 'C=flag', '--headers', 'C=flag', '--slo', 'p99=2s'],
      { inputs },
    );
    expect(config.env).toEqual({ A: 'file', B: 'input', C: 'flag' });
    expect(config.headers).toEqual({ A: 'file', B: 'input', C: 'flag' });
    expect(config.scenarios[0]?.slo).toEqual({ p99Ms: 2000, okRatio: 0.99 });
  });

  test('what to run is set by the strongest source that has any of it', () => {
    const files = { '.bench.yml': 'scenarios: [quick, json]\n' };
    expect(parse(files).scenarios.map(({ name }) => name)).toEqual(['quick', 'json']);
    expect(parse(files, ['--paths', '/']).scenarios.map(({ name }) => name)).toEqual(['paths']);
    const both = parse(files, ['--scenarios', 'json', '--paths', '/,/api/x']);
    expect(both.scenarios.map(({ name }) => name)).toEqual(['json', 'paths']);
  });

  test('a limit on clients is not refused where another load, a search or a scenario may use it', () => {
    const files = { '.bench.yml': 'load: line(1, 9, 9s)\nmax-vus: 50\n' };
    const limitOf = (...flags: string[]) => parse(files, flags).scenarios.map(({ maxVus }) => maxVus);
    expect(limitOf()).toEqual([50]);
    expect(limitOf('--load', 'vus(8, 1s)')).toEqual([50]);
    expect(limitOf('--load', 'vus(8, 1s)', '--max-vus', '9', '--capacity')).toEqual([9]);
    expect(parse({}, ['--scenarios', 'quick,json', '--max-vus', '9']).scenarios).toHaveLength(2);
    const shop = { '.bench.yml': 'scenarios: [json]\nmax-vus: 50\n' };
    for (const flags of [
      ['--paths', '/x'],
      ['--journey', 'auth'],
    ])
      expect(parse(shop, flags)).toBeTruthy();
    expect(parse({ '.bench.yml': 'capacity: true\nmax-vus: 50\n' }, ['--no-capacity'])).toBeTruthy();
  });

  test('the strongest source that sets a budget, instances or blocks decides whether there is a budget', () => {
    const files = { '.bench.yml': 'budget: 5m\n' };
    expect(parse(files).budgetMs).toBe(300_000);
    expect(parse(files, ['--blocks', '2']).budgetMs).toBeUndefined();
    expect(parse(files, [], { inputs: { instances: '2' } }).budgetMs).toBeUndefined();
    expect(parse({ '.bench.yml': 'instances: 9\n' }, ['--budget', '6h']).budgetMs).toBe(21_600_000);
    const both = parse({ '.bench.yml': 'blocks: 50\n' }, ['--instances', '2']);
    expect({ instances: both.instances, blocks: both.scenarios[0]?.blocks }).toEqual({
      instances: 2,
      blocks: 50,
    });
  });

  test('paths start at the file that has them, or at the current folder', () => {
    const files = {
      'ci/bench.yml': 'app: ../shop\nout: here\n',
      'shop/web/index.php': '',
      'web/index.php': '',
    };
    expect(parse(files, ['--config', 'ci/bench.yml'])).toMatchObject({
      apps: [{ name: 'shop', folder: '/project/shop', root: 'web' }],
      out: '/project/ci/here',
    });
    expect(parse(files, ['--config', 'ci/bench.yml', '--app', '.', '--out', 'there'])).toMatchObject({
      apps: [{ folder: cwd }],
      out: '/project/there',
    });
  });
});
