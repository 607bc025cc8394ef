import { describe, expect, test, vi } from 'vitest';
import { Alias } from 'yaml';
import { BAD_INPUT, toPattern } from '../../test/fixtures/bad-input.ts';
import { cwd, memoryFiles, messageOf, packageRoot, parse } from '../../test/fixtures/memory-files.ts';
import { parseCommand } from './command.ts';
import { readYaml } from './document.ts';
import { loadRuntimes } from './parts/runtimes.ts';

describe('bad input', () => {
  test.each(BAD_INPUT)('$name', ({ files = {}, argv, expect: expected }) => {
    const message = messageOf(() => {
      const isRuntime = (name: string) => loadRuntimes(packageRoot, cwd, memoryFiles(cwd, files)).has(name);
      const command = parseCommand(argv, isRuntime);
      if (command.command === 'run') parse(files, [...command.flags]);
    });
    expect(message).toMatch(toPattern(expected, cwd));
  });

  test.each([
    [
      { runtime: 'apache' },
      "input runtime: unknown input\n  found:   'runtime'\n  allowed: app, …\n  hint:    did you mean 'runtimes'?",
    ],
    [
      { version: '1' },
      "input version: unknown input\n  found:   'version'\n  allowed: app, …\n  hint:    rename the variable INPUT_VERSION if it is one of your job",
    ],
    [
      { load: 'const(1)' },
      "input load: 'const' takes 2 values, not 1\n  found:   'const(1)'\n  allowed: const(rps, time)",
    ],
    [{ env: 'A=1\nB' }, "input env: not a pair\n  found:   'B'\n  allowed: KEY=VALUE such as APP_ENV=prod"],
    [{ images: 'php:8.4-fpm: x\nphp:8.4-cli: -y' }, 'input images:2: php:8.4-cli: not an image…\n…\n…'],
  ] as [Record<string, string>, string][])('input %j', (inputs, expected) => {
    expect(messageOf(() => parse({}, [], { inputs }))).toMatch(toPattern(expected, cwd));
  });

  test.each([
    ['UTF-16', Buffer.from('\uFEFFruntimes: [apache]', 'utf16le'), 1],
    ['ISO 8859-1', Buffer.from('php: 8.4\npaths: [/caf\xE9]', 'latin1'), 2],
  ])('a file in %s', (_, bytes, line) => {
    expect(messageOf(() => parse({ '.bench.yml': bytes.toString('utf8') }, []))).toBe(
      `.bench.yml:${line}: not UTF-8\n  hint:    save it as UTF-8; PowerShell writes UTF-16 unless it has -Encoding utf8`,
    );
  });

  test.each([
    ['a: *nope', ".bench.yml:1: unknown alias\n  found:   '*nope'"],
    [
      "paths: [/]\nset-up: curl -H 'Host: app.test' http://127.0.0.1:$PORT/install",
      ".bench.yml:2: not valid YAML: Nested mappings are not allowed in compact mappings\n  hint:    put quotes around a value with ': ' in it…",
    ],
    ['['.repeat(100_000), '.bench.yml:1: not valid YAML: …'],
    [
      Array.from({ length: 50_000 }, (_, i) => `k${i}: 1`).join('\n'),
      '.bench.yml:20000: too large or too deep\n…',
    ],
    [`x: &a 1\nlist:\n${'  - *a\n'.repeat(20_000)}`, '.bench.yml:1: too large or too deep\n…'],
    ['a: &a\n  b: *a', '.bench.yml:2: too large or too deep\n…'],
    ["mask: ''", '.bench.yml:1: mask[1]: not a regular expression\n  found:   nothing\n  allowed: …'],
    ['__proto__: 1', ".bench.yml:1: unknown key '__proto__'"],
    ['? [a]\n: b', '.bench.yml:1: a key must be text'],
  ])('hostile YAML %#', (yaml, expected) => {
    expect(messageOf(() => parse({ '.bench.yml': yaml }))).toMatch(toPattern(expected, cwd));
  });

  test('an alias means the last anchor of its name before it, and none is searched for', () => {
    const search = vi.spyOn(Alias.prototype, 'resolve');
    const { data } = readYaml('x', 'a: &x 1\nb: *x\nc: &x {d: 2}\ne: [*x, *x]');
    expect(data).toEqual({ a: '1', b: '1', c: { d: '2' }, e: [{ d: '2' }, { d: '2' }] });
    expect(search).not.toHaveBeenCalled();
    search.mockRestore();
  });

  test('a name cannot forge lines of a log', () => {
    expect(messageOf(() => parse({ '.bench.yml': '"a\\n::error::b": 1' }))).toContain(
      "unknown key 'a\\n::error::b'",
    );
  });
});
