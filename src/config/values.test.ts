import { describe, expect, test } from 'vitest';
import { appOf } from '../../test/fixtures/app.ts';
import { messageOf, parse } from '../../test/fixtures/memory-files.ts';

describe('values', () => {
  test('lists: repeated, with commas, on lines, as YAML', () => {
    const runtimes = (config: ReturnType<typeof parse>) =>
      config.runtimes.map(({ as, runtime, set }) => [as, runtime.name, set]);
    const expected = [
      [undefined, 'apache', { workers: 4 }],
      ['sock', 'nginx-fpm', { workers: 8, listen: 'unix' }],
    ];
    const text = 'apache[workers=4],sock=nginx-fpm[listen=unix,workers=8]';
    expect(runtimes(parse({}, ['--runtimes', text]))).toEqual(expected);
    expect(
      runtimes(
        parse(
          {},
          text
            .replace(',sock', '|sock')
            .split('|')
            .flatMap((t) => ['--runtimes', t]),
        ),
      ),
    ).toEqual(expected);
    expect(runtimes(parse({}, [], { inputs: { runtimes: `${text.replace(',sock', '\nsock')}\n` } }))).toEqual(
      expected,
    );
    const yaml =
      'runtimes:\n  - apache[workers=4]\n  - { runtime: nginx-fpm, as: sock, options: { workers: 8, listen: unix } }\n';
    expect(runtimes(parse({ '.bench.yml': yaml }))).toEqual(expected);
  });

  test('options become canonical', () => {
    const flags = [
      '--runtimes',
      'apache[gzip=on,keep-alive=1m30s,memory-limit=1024m],nginx-fpm[keep-alive=1500ms]',
    ];
    expect(parse({}, flags).runtimes.map(({ set }) => set)).toEqual([
      { 'keep-alive': '90s', gzip: true, 'memory-limit': '1G' },
      { 'keep-alive': '1500ms' },
    ]);
  });

  test('YAML scalars are what the user wrote', () => {
    const config = parse({ '.bench.yml': 'env: { A: 1.10, B: yes, D: "x\\ny", E: 0x1F }\n' });
    expect(config.env).toEqual({ A: '1.10', B: 'yes', D: 'x\ny', E: '0x1F' });
  });

  test('null in YAML is no text', () => {
    expect(parse({ '.bench.yml': "env: { A: ~, B: null, C:, D: '~' }\n" }).env).toEqual({
      ...{ A: '', B: '', C: '', D: '~' },
    });
  });

  test.each(['out: ~', 'mask: ~', 'prepare: null', 'extensions: null'])('refuses %s', (line) => {
    expect(messageOf(() => parse({ '.bench.yml': line }))).toMatch(/: not .*\n {2}found: {3}nothing/);
  });

  test('PHP settings of all sources become one text of lines', () => {
    const file =
      "env: { A: b }\nini: { max_input_vars: 5000, include_path: '.:/app/lib', Date.timezone: '' }\n";
    const { env } = parse({ '.bench.yml': file }, ['--ini', 'max_input_vars=1'], {
      inputs: { ini: 'error_reporting=E_ALL & ~E_NOTICE' },
    });
    const lines = [
      ...['max_input_vars = 1', 'include_path = .:/app/lib', 'Date.timezone = '],
      'error_reporting = E_ALL & ~E_NOTICE',
    ];
    expect(env).toEqual({ A: 'b', BENCH_INI: lines.join('\n') });
  });

  test('CPUs, memory, switches', () => {
    const flags = ['--server-cpus', '8,0-2,1', '--memory', '512M', '--wait', '--no-reuse', '--seed', '7'];
    const config = parse({ '.bench.yml': 'load-cpus: [4, 6-7]\n' }, flags);
    expect(config).toMatchObject({
      serverCpus: [0, 1, 2, 8],
      loadCpus: [4, 6, 7],
      memoryBytes: 2 ** 29,
      wait: true,
      seed: 7,
    });
    expect(config.scenarios[0]?.reuse).toBe(false);
  });

  test('a switch that takes a value, too, is switched off by a flag', () => {
    const file = 'profile: true\ncompare-to: HEAD\n';
    const files = { 'index.php': '', '.bench.yml': file };
    expect(parse(files, []).profile).toBeTruthy();
    expect(parse(files, ['--no-profile']).profile).toBeUndefined();
    for (const word of ['on', 'yes', 'True']) expect(parse({}, ['--profile', word]).profile).toEqual([]);
    for (const word of ['off', 'no', 'False'])
      expect(parse(files, ['--profile', word]).profile).toBeUndefined();
    expect(() => parse({}, ['--no-php'])).toThrow("unknown flag '--no-php'");
  });

  test('images: a file, single ones over it, text in an input', () => {
    const files = { 'images.yml': "'php:8.4-fpm': a/fpm\n'php:8.4-cli': a/cli\n" };
    expect(parse(files, ['--images', 'images.yml', '--image', 'php:8.4-cli=b/cli']).images).toEqual({
      'php:8.4-fpm': 'a/fpm',
      'php:8.4-cli': 'b/cli',
    });
    expect(parse({}, [], { inputs: { images: 'php:8.4-fpm: c/fpm' } }).images).toEqual({
      'php:8.4-fpm': 'c/fpm',
    });
    expect(parse({ '.bench.yml': 'images:\n  php:8.4-fpm: d/fpm\n' }).images).toEqual({
      'php:8.4-fpm': 'd/fpm',
    });
  });

  test('several apps, named', () => {
    const files = { 'a/app/index.php': '', 'b/app/public/index.php': '' };
    expect(parse(files, ['--app', 'base=a/app,head=b/app']).apps).toEqual([
      appOf('base', '/project/a/app', '.'),
      appOf('head', '/project/b/app'),
    ]);
  });
});
